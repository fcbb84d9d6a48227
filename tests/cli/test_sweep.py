def test_writes_rows_and_plots_and_goes_on(ccviz, folder):
    words = ("sweep", "iris", "--out", "sweep.csv", "--noise", "0,0.2", "-p", "0,0.2")
    first = ccviz(*words, "--seeds", "1", "--plot", "sweep.html")
    assert first.code == 0
    assert "good at every noise rate" in first.out
    assert "runs: 4, rows in the file before: 0." in first.err
    before = (folder / "sweep.csv").read_text()
    assert len(before.splitlines()) == 5
    assert "<html" in (folder / "sweep.html").read_text()
    again = ccviz(*words, "--seeds", "1")
    assert again.out == first.out
    assert (folder / "sweep.csv").read_text() == before


def test_numbers_that_are_none_are_refused(ccviz):
    asked = ccviz("sweep", "iris", "--out", "sweep.csv", "-p", "0,half")
    assert asked.code == 2
    assert asked.sentence == "-p 0,half is not numbers joined by commas."


def test_a_plot_without_a_folder_is_refused_before_the_runs(ccviz, folder):
    asked = ccviz("sweep", "iris", "--out", "sweep.csv", "--plot", "nowhere/sweep.html")
    assert asked.code == 2
    assert asked.sentence == "nowhere/sweep.html cannot be written."
    assert not (folder / "sweep.csv").exists()
