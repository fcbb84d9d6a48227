import csv
import math
from dataclasses import replace

import numpy as np
import pytest

from ccviz import Problem
from ccviz.events import Finished, IncumbentFound, Record
from ccviz.runs.archive import Archive
from ccviz.runs.info import summarise
from ccviz.runs.stop import Limits
from ccviz.views.frames.clusters import comparison
from ccviz.views.frames.tables import COLUMNS, Wanted, run_names, run_row, run_table
from tests.made_up import played


@pytest.fixture
def info(tmp_path):
    """Return what the archive knows about a small finished run."""
    problem = Problem([[0.0], [1.0], [4.0]], 2)
    with Archive(tmp_path / "runs.sqlite") as archive:
        run_id = archive.create(problem, "blp-kmeans", {}, dataset="line", name="first")
        events = [IncumbentFound(labels=np.array([0, 0, 1])), Finished(termination="converged")]
        records = [Record(seq, 0.1 * seq, event) for seq, event in enumerate(events)]
        archive.append(run_id, records, summarise(played(problem, records)))
        return archive.info(run_id)


def cells_of(info, **known):
    """Return the cells of a run about which this is known, by their columns."""
    return dict(zip(COLUMNS, run_row(replace(info, **known)).cells, strict=True))


def test_a_row_says_what_the_run_has_come_to(info):
    cells = cells_of(info)
    assert cells["Run"] == "first, blp-kmeans"
    assert cells["Objective"] == "0.5"
    assert cells["Proof"] == "feasible"
    assert cells["Time"] == "100 ms"
    assert run_row(info).may == ("open", "rename", "delete")


def test_runs_are_searched_and_sorted_by_their_cells(info):
    rows = [
        run_row(replace(info, name=name, objective=objective))
        for name, objective in (("second", 4.0), ("third", math.inf), ("first", 2.5))
    ]
    at = COLUMNS.index("Objective")
    assert [row.name for row in Wanted(column=at).of(rows)] == ["first", "second", "third"]
    down = Wanted(column=at, down=True).of(rows)
    assert [row.name for row in down] == ["second", "first", "third"]
    assert [row.name for row in Wanted("KMEANS sec").of(rows)] == ["second"]
    assert Wanted("line nothing").of(rows) == []


def test_the_objective_has_one_name_in_the_table_and_in_the_comparison(info):
    soft = replace(info, objective=79.1462)  # with the price of broken soft links: not the WCSS
    cell = cells_of(soft)["Objective"]
    [measured] = [row for row in comparison([soft], [None]) if cell in row.cells]
    assert measured.name == "Objective"


def test_what_is_proved_stands_in_one_cell(info):
    for known, proof in (
        ({"status": "optimal", "gap": 1e-9}, "optimal"),
        ({"gap": 0.032}, "gap 3.20 %"),
        ({"gap": 0.032, "termination": None, "tick": -math.inf}, "lost, gap 3.20 %"),
        ({"status": "infeasible"}, "infeasible"),
        ({"solver": "sdp", "termination": "failed"}, "failed"),
    ):
        assert cells_of(info, **known)["Proof"] == proof


def test_what_was_asked_stands_in_the_row(info):
    asked = ("k", "Links", "Scaling")
    for links, scaling, shown in ((12, "range", ["2", "12", "range"]), (None, "", ["2", "–", "–"])):
        cells = cells_of(info, links=links, scaling=scaling)
        assert [cells[name] for name in asked] == shown


def test_what_is_missing_has_no_key_to_sort_by(info):
    keys = dict(zip(COLUMNS, run_row(info).keys, strict=True))
    assert keys["Objective"] == 0.5
    assert keys["Proof"] is None
    assert keys["ARI"] is None


def test_a_run_that_broke_off_can_go_on_where_its_solver_can(info):
    assert "resume" in run_row(replace(info, solver="sdp", termination="failed")).may
    assert "resume" not in run_row(replace(info, termination="failed")).may


def test_the_solver_is_said_once(info):
    assert run_row(info).name == "first"
    assert cells_of(info, name="blp-kmeans-ab12")["Run"] == "blp-kmeans-ab12"


def test_the_table_of_runs_goes_elsewhere_with_every_digit(info):
    named = replace(info, name="a|b")
    head, row = run_table([named], "csv").splitlines()
    assert head.startswith("name,dataset,n,d,k,scaling,links,solver,settings,seed,")
    assert row.startswith("a|b,")
    assert str(info.objective) in row
    unknown = replace(info, lower_bound=-math.inf, gap=math.inf, ari=math.nan, violations=None)
    cells = next(csv.DictReader(run_table([unknown], "csv").splitlines()))
    assert [cells[name] for name in ("lower_bound", "gap", "ari", "violations")] == [""] * 4
    assert run_table([named], "markdown").splitlines()[2].startswith("| a\\|b | ")


def test_runs_are_called_by_what_was_run_and_the_second_by_its_number(info):
    unnamed = [
        replace(info, id=word, name=word, created=at, links=8) for at, word in enumerate(("a", "b"))
    ]
    assert run_names([*unnamed[::-1], info]) == {
        "a": "line · blp-kmeans · 8 links",
        "b": "line · blp-kmeans · 8 links · 2nd",
        info.id: "first",
    }


def test_a_long_name_of_data_is_cut(info):
    run = replace(info, id="a", name="a", dataset="sales of the third quarter (final) (2)")
    assert run_names([run]) == {"a": "sales of the third quar… · blp-kmeans"}


def test_a_name_says_k_where_the_data_has_runs_of_several(info):
    runs = [replace(info, id=word, name=word, k=k) for word, k in (("a", 2), ("b", 3), ("c", 3))]
    assert list(run_names(runs).values()) == [
        "line · k = 2 · blp-kmeans",
        "line · k = 3 · blp-kmeans",
        "line · k = 3 · blp-kmeans · 2nd",
    ]


def test_names_say_in_what_runs_differ(info):
    given = [
        {"cuts": "all", "order": "best"}, {"cuts": "none", "order": "best"},
        {"cuts": "none", "order": "depth"}, {"cuts": "none", "order": "depth"},
    ]  # fmt: skip
    runs = [
        replace(info, id=word, name=word, created=at, solver="sdp", settings=settings)
        for at, (word, settings) in enumerate(zip("abcd", given, strict=True))
    ]
    assert list(run_names(runs).values()) == [
        "line · sdp · cuts all · next node best",
        "line · sdp · cuts none · next node best",
        "line · sdp · cuts none · next node depth",
        "line · sdp · cuts none · next node depth · 2nd",
    ]
    limited = replace(runs[0], id="e", name="e", limits=Limits(60.0))
    assert run_names([runs[0], replace(limited, seed=runs[0].seed + 1)])["e"] == (
        f"line · sdp · seed {runs[0].seed + 1} · time limit 60"
    )
