from ccviz import Problem, solve, start

X = [[0.0], [0.1], [1.0], [1.1]]


def test_a_problem_in_short():
    problem = Problem(X, 2, must_link=[(0, 1), (2, 3, 0.5)], cannot_link=[(0, 2)], sizes=[2, 2])
    html = problem._repr_html_()
    for words in (
        "4 with 1 feature<",
        "2, 1 of them soft",
        "<td style='text-align:left'>2, 2</td>",
    ):
        assert words in html


def test_size_bounds_and_notices():
    problem = Problem(X, 2, must_link=[(0, 1), (1, 0)], sizes=([1, 2], [2, 3]))
    html = problem._repr_html_()
    assert "1–2, 2–3" in html
    assert "given more than once" in html


def test_a_run_before_during_and_after():
    run = start(Problem(X, 2), "ipc-kmeans")
    assert "goes on" in run._repr_html_()
    result = run.result()
    assert "has ended" in run._repr_html_()
    assert "Run of ipc-kmeans" in run.run._repr_html_()
    assert f"ipc-kmeans: {result.status}" in result._repr_html_()
    assert "0.01" in result._repr_html_()


def test_what_is_unknown_is_a_dash():
    run = start(Problem(X, 2), "ipc-kmeans")
    assert "–" in run._repr_html_()


def test_text_is_escaped():
    result = solve(Problem(X, 2), "ipc-kmeans", progress=False)
    object.__setattr__(result, "message", "a < b & c")
    assert "a &lt; b &amp; c" in result._repr_html_()
