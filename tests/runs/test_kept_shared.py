"""What went on after an edit is written, stored and read like any other run."""

import zlib
from base64 import b64decode

import numpy as np
import pytest

from ccviz import Problem, solve
from ccviz.proof.verify import verify
from ccviz.runs.archive import Archive
from ccviz.runs.earlier import stored_run
from ccviz.runs.file import export_run, import_run
from tests.runs.test_kept import broken_pair, drawn

SETTINGS = {"sdp": {"cuts": "none"}, "colgen": {}}


@pytest.fixture(scope="module", params=["colgen", pytest.param("sdp", marks=pytest.mark.slow)])
def went_on(request):
    """Return the result of a run whose tree goes on after an edit."""
    problem = drawn(3, 16, 3)
    first = solve(problem, request.param, **SETTINGS[request.param])
    edited = Problem(problem.X, 3, [broken_pair(first)], problem.cannot_link.pairs)
    result = solve(edited, request.param, start=first, **SETTINGS[request.param])
    assert result.run.kept_tree.reopened > 0
    assert result.nodes > 1
    return result


def test_its_page_and_its_tree_are_written(went_on, tmp_path):
    went_on.save_html(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    data = page.split('id="data">')[1].split("</script>")[0].strip()
    assert b"leaves opened again" in zlib.decompress(b64decode(data))
    for name in ("tree.dot", "tree.tex"):
        went_on.save_tree(tmp_path / name)
        assert (tmp_path / name).read_text().count("node ") >= went_on.nodes


def test_its_file_is_read_verified_and_gone_on_with(went_on, tmp_path):
    problem, name = went_on.run.problem, went_on.solver
    with Archive(tmp_path / "one.db") as one, Archive(tmp_path / "two.db") as two:
        run_id = one.create(problem, name, SETTINGS[name])
        one.append(run_id, went_on.records(), None)
        export_run(one, run_id, tmp_path / "run.ccviz")
        again = import_run(two, tmp_path / "run.ccviz")
        run, earlier = two.load(again), stored_run(two, again)
        events = [record.event for record in two.records(again)]
    assert run.tree.keys() == went_on.run.tree.keys()
    assert run.lower_bound == went_on.lower_bound
    assert np.array_equal(run.kept_tree.lower, went_on.run.kept_tree.lower)
    assert verify(problem, events).accepted
    later = solve(problem, name, start=earlier, **SETTINGS[name])
    assert later.run.kept_tree.reopened == 0
    assert later.lower_bound == went_on.lower_bound
