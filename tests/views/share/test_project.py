import zipfile
from dataclasses import replace
from io import BytesIO

import msgspec
import numpy as np
import pytest

from ccviz.data import read_table
from ccviz.data.cells import PLAIN_CSV, CsvStyle
from ccviz.data.datasets import load
from ccviz.data.geojson import drawn_areas, geojson_of
from ccviz.data.neighbors import neighbors_of
from ccviz.events import IncumbentFound, Record, Started
from ccviz.problem.asked import AskedEither, AskedRule
from ccviz.runs.archive import Archive
from ccviz.views.draft import ClusterName
from ccviz.views.lab.importing import Importing
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Link
from ccviz.views.share.code import as_python
from ccviz.views.share.project import (
    decode_table,
    encode_table,
    read_project,
    save_project,
    take_project,
)
from tests.data.test_geojson import collection, square


def open_project(session, name, content):
    """Do at once what the page lets another process do."""
    with session.reporting_errors():
        take_project(session, read_project(content, name, session.archive.path, session.person))


@pytest.fixture
def open_session(tmp_path):
    """Return a maker of sessions, each on a machine of its own."""
    opened = []

    def make() -> Session:
        archive = Archive(tmp_path / f"{len(opened)}.sqlite")
        opened.append(Session(archive, RunQueue(), load("iris")))
        return opened[-1]

    yield make
    for session in opened:
        session.close()
        session.archive.close()


@pytest.fixture
def session(open_session):
    """Return a session in which everything differs from what it is at first, with a run."""
    session = open_session()
    session.edits.load(load("moons", n=40), 3)
    session.edits.set_scaling("standard")
    session.edits.add_links([Link("must", 1, 2), Link("cannot", 3, 4, 2.5)])
    session.edits.set_sizes("10-20, 10-20, 5-20")
    session.show_axes("x1", "PC 1")
    session.set_solver("blp-kmeans", n_init=3)
    session.param.update(seed=7, time_limit=9.0, node_limit=5)
    session.edits.adopt(session.draft.with_cluster_names([ClusterName(3, "the left moon")]))
    remember(session, "first")
    remember(session, "second")
    return session


def moved(session, open_session, with_runs=True):
    """Return a session of another machine in which the project of this one is open."""
    other = open_session()
    open_project(other, "a.ccvizlab", save_project(session, with_runs))
    assert other.notice is None
    return other


def remember(session, name, solver="bh-kmeans"):
    run_id = session.archive.create(session.draft.problem, solver, {}, name=name)
    n, k = session.draft.problem.n, session.draft.k
    began = Started(solver=solver, settings={}, seed=0, n=n, d=2, k=k, n_blocks=39)
    events = [began, IncumbentFound(labels=np.arange(n) % k)]
    session.archive.append(run_id, [Record(at, 0.0, e) for at, e in enumerate(events)], None)
    session.archive.finish(run_id, "converged", "It ended.")


def test_a_project_opens_on_another_machine(session, open_session):
    other = moved(session, open_session)
    ours, theirs = session.draft, other.draft
    assert np.array_equal(ours.X, theirs.X)
    assert np.array_equal(ours.data.truth, theirs.data.truth)
    assert (ours.data.name, ours.data.features, ours.data.classes) == (
        theirs.data.name, theirs.data.features, theirs.data.classes,
    )  # fmt: skip
    assert (ours.k, ours.scaling, ours.links) == (theirs.k, theirs.scaling, theirs.links)
    assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)
    assert ours.cluster_names == theirs.cluster_names != ()
    for name in ("x_axis", "y_axis", "solver", "seed", "time_limit", "gap_limit", "node_limit"):
        assert getattr(session, name) == getattr(other, name)
    assert [info.name for info in other.archive.runs()] == ["second", "first"]
    run = other.archive.load(other.archive.runs()[0].id)
    assert run.incumbent.labels.tolist() == (np.arange(40) % 3).tolist()


def test_a_project_keeps_what_links_come_from(session, open_session):
    session.edits.add_links([Link("must", 5, 9, 2.0, "rule R"), Link("cannot", 5, 7)])
    other = moved(session, open_session)
    sources = [link.source for link in other.draft.links]
    assert sources == [link.source for link in session.draft.links]
    assert sources[-2:] == ["rule R", ""]
    run_id = other.archive.create(other.draft.problem, "bh-kmeans", {}, name="linked")
    other.open_run(run_id)  # its problem has no sources, the links of the page have
    assert other.draft.links.many_of() == session.draft.links.many_of()


def test_runs_on_other_points_stay_behind(session, open_session):
    session.edits.load(load("circles", n=40))
    other = moved(session, open_session)
    assert other.archive.runs() == []
    assert other.draft.data.name == "circles"


def rewritten(content, **parts):
    """Return the project with some of its parts replaced, or left out where they are None."""
    file = BytesIO()
    old = zipfile.ZipFile(BytesIO(content))
    with zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            data = parts.get(name.partition(".")[0].replace("/", "_"), old.read(name))
            if data is not None:
                new.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize(
    "parts",
    [{"project": None}, {"project": b"{}"}, {"data": b"\x00"}, {"runs_001": b"ccviz run 1\nno"}],
    ids=str,
)
def test_a_broken_part_is_a_sentence_and_changes_nothing(session, open_session, parts):
    refuse(open_session(), rewritten(save_project(session), **parts))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('"n_init"', '"n_exit"'), ('"must"', '"perhaps"'), ('"PC 1"', '"PC 9"'),
        ('"k": 3', '"k": 300'), ('"seed": 7', '"seed": -7'),
        ('"time_limit": 9.0', '"time_limit": -1'), ('"node_limit": 5', '"node_limit": 0'),
        ('"links": [', '"links": [' * 5000), ('"format": 1', '"format": 4'),
    ],
)  # fmt: skip
def test_a_wrong_value_is_a_sentence_and_changes_nothing(session, open_session, was, becomes):
    content = save_project(session)
    text = zipfile.ZipFile(BytesIO(content)).read("project.json").decode()
    assert was in text
    refuse(open_session(), rewritten(content, project=text.replace(was, becomes).encode()))


@pytest.mark.parametrize("place", [1 << 63, 10**30, -(1 << 64), 40])
def test_a_link_to_no_point_is_a_sentence_and_changes_nothing(session, open_session, place):
    content = save_project(session)
    head = msgspec.json.decode(zipfile.ZipFile(BytesIO(content)).read("project.json"))
    head["links"][0][2] = place
    refuse(open_session(), rewritten(content, project=msgspec.json.encode(head)))


def rezipped(content, how):
    """Return the project with its parts compressed in another way."""
    file = BytesIO()
    old = zipfile.ZipFile(BytesIO(content))
    with zipfile.ZipFile(file, "w", how) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    return file.getvalue()


def encrypted(content):
    """Return the project with the flag of encryption on its first part."""
    data = bytearray(content)
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + place] |= 1
    return bytes(data)


def damaged(content):
    """Return the project, deflated, with a few bytes of its first part overwritten."""
    data = bytearray(rezipped(content, zipfile.ZIP_DEFLATED))
    data[50:60] = b"\xff" * 10
    return bytes(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: rezipped(content, zipfile.ZIP_LZMA),
        encrypted,
        damaged,
        lambda content: content[: len(content) // 2],
        lambda _: b"only words",
    ],
)
def test_uncommon_and_damaged_parts_are_a_sentence(session, open_session, change):
    refuse(open_session(), change(save_project(session)))


def test_a_project_that_was_compressed_by_hand_opens(session, open_session):
    other = open_session()
    again = rezipped(save_project(session), zipfile.ZIP_DEFLATED)
    open_project(other, "a.ccvizlab", again)
    assert other.notice is None


def test_parts_that_would_become_too_large_are_a_sentence(session, open_session, monkeypatch):
    monkeypatch.setattr("ccviz.views.share.project._MOST_BYTES", 3000)
    refuse(open_session(), rewritten(save_project(session), runs_001=b"0" * 3000))


def refuse(other, content):
    open_project(other, "bad.ccvizlab", content)
    assert other.notice.text.startswith("bad.ccvizlab holds no sound project")
    assert other.draft.data.name == "iris"
    assert other.archive.runs() == []


def test_weights_go_along_and_into_the_code(open_session):
    session, other = open_session(), open_session()
    importing = Importing(session)
    importing.read_file("towns.csv", b"x,people\n1,10\n2,20\n5,0\n6,7.5\n")
    importing.take_as({"people": "weight"})
    importing.load()
    assert session.draft.given.weights.tolist() == [10.0, 20.0, 0.0, 7.5]
    assert "weights=data.weights," in as_python(session)
    open_project(other, "towns.ccviz-project", save_project(session))
    assert other.draft.given.asks_the_same(session.draft.given)
    assert other.draft.data.weights is not None


def test_the_table_behind_the_points_goes_along(open_session):
    session, other = open_session(), open_session()
    importing = Importing(session)
    importing.read_file("mine.csv", b"id;x;y;kind\n7;1,5;2;u\n3;2;;v\n5;3;9;u\n")
    importing.missing = "drop"
    importing.load()
    open_project(other, "lab.ccvizlab", save_project(session))
    was, data = session.draft.data, other.draft.data
    assert data.names == was.names == ("7", "5")
    assert data.origin.decisions == was.origin.decisions
    assert (data.origin.missing, data.origin.file) == ("drop", "mine.csv")
    assert data.origin.rows.tolist() == [0, 2]
    assert [list(each) for each in data.origin.columns] == [
        [7, 5], [1.5, 3.0], [2.0, 9.0], ["u", "u"],
    ]  # fmt: skip
    assert data.style == was.style == CsvStyle(";", comma=True)
    assert as_python(other) == as_python(session)


def test_a_table_of_an_older_project_is_written_as_usual():
    data = read_table(b"id;x;y\n7;1,5;2\n3;2;4\n")
    part = msgspec.msgpack.decode(encode_table(data))
    del part["delimiter"], part["comma"]
    _, origin = decode_table(msgspec.msgpack.encode(part), 2)
    assert origin.style == PLAIN_CSV
    part["delimiter"] = "ab"
    with pytest.raises(msgspec.ValidationError):
        decode_table(msgspec.msgpack.encode(part), 2)


@pytest.mark.parametrize("what", ["names", "texts", "rows", "shapes"])
def test_a_table_that_does_not_fit_is_refused(open_session, what):
    session, other = open_session(), open_session()
    importing = Importing(session)
    importing.read_file("mine.csv", b"id,x,kind\n7,1.5,u\n3,2,v\n5,3,u\n")
    importing.load()
    data = session.draft.data
    wrong = {
        "names": {"names": ("one",)},
        "texts": {"origin": replace(data.origin, columns=tuple(["u"] for _ in range(3)))},
        "rows": {"origin": replace(data.origin, rows=np.array([2, 1, 0]))},
        "shapes": {"origin": replace(data.origin, shapes=(b"null", b"null"))},
    }[what]
    broken = replace(data, **wrong)
    content = rewritten(save_project(session), table=encode_table(broken))
    open_project(other, "lab.ccvizlab", content)
    assert "its table does not fit its points" in other.notice.text
    assert other.draft.data.name == "iris"


FIRST = AskedRule("overlap(first)<=9", tuple([0, 1, 2, 3] * 10))


@pytest.mark.parametrize(
    ("rules", "version"),  # an older ccviz would leave them out, or keep the first of those joined
    [
        ([AskedRule("size<=25"), FIRST, AskedRule("sum(v)>=3.5", (0.5, 1.0, 2.0, 3.0) * 10)], 2),
        ([AskedEither((AskedRule("size<=25"), FIRST)), AskedRule("diameter<=9")], 3),
    ],
)
def test_a_project_keeps_its_rules(session, open_session, rules, version):
    session.edits.set_sizes("")
    session.edits.adopt(session.draft.with_rules(rules))
    other = moved(session, open_session, with_runs=False)
    assert other.draft.rules == session.draft.rules
    head = zipfile.ZipFile(BytesIO(save_project(session, with_runs=False))).read("project.json")
    assert f'"format": {version}'.encode() in head


def test_a_project_whose_rules_do_not_fit_is_refused(session, open_session):
    session.edits.set_sizes("")
    session.edits.adopt(session.draft.with_rules([AskedRule("size<=25")]))
    content, other = save_project(session, with_runs=False), open_session()
    project = zipfile.ZipFile(BytesIO(content)).read("project.json")
    wrong = rewritten(content, project=project.replace(b"size<=25", b"size<=2x"))
    open_project(other, "a.ccvizlab", wrong)
    assert "a whole number of at least 0 is needed" in other.notice.text
    assert other.draft.rules == ()


def test_a_project_keeps_how_many_points_may_be_left_out(session, open_session):
    session.edits.set_sizes("")
    session.edits.remove_links([link for link in session.draft.links if not link.is_hard])
    session.edits.set_outliers(2)
    other = moved(session, open_session, with_runs=False)
    assert other.draft.outliers == 2


def test_a_project_keeps_fixed_centres_and_their_runs(open_session):
    session = open_session()
    session.edits.load(load("moons", n=40), 2)
    session.edits.set_scaling("standard")
    session.edits.set_fixed_centers("0.1, 0.3")
    remember(session, "first", "blp-kmeans")
    other = moved(session, open_session)
    assert other.draft.fixed_centers == ((0.1, 0.3),)
    assert [(info.n, info.name) for info in other.archive.runs()] == [(40, "first")]


def test_a_project_keeps_neighbours_by_columns_that_are_no_features(open_session):
    session = open_session()
    rows = "".join(f"a{i},{i},{i % 3},{i * i % 7}\n" for i in range(12))
    text = f"name,lon,lat,value\n{rows}".encode()
    roles = {"lon": "ignore", "lat": "ignore"}
    session.edits.load(read_table(text, "areas.csv", roles=roles), 2)
    session.edits.set_neighbors("delaunay of lon, lat")
    assert session.notice is None
    other = moved(session, open_session, with_runs=False)
    assert other.draft.neighbors == "delaunay of lon, lat"
    assert other.draft.problem.asks_the_same(session.draft.problem)


@pytest.mark.parametrize(("side", "axes"), [(1.0, ("lon", "lat")), (1e4, ("x", "y"))])
def test_a_map_opens_with_its_axes_though_they_are_no_features(open_session, side, axes):
    session = open_session()
    grid = [square(side * x, side * y, side, v=x + 2.5 * y) for x in range(3) for y in range(3)]
    session.edits.load(read_table(collection(*grid), "map.geojson", columns=["v"]), 2)
    assert (session.x_axis, session.y_axis) == axes
    other = moved(session, open_session, with_runs=False)
    assert (other.x_axis, other.y_axis) == axes


def test_a_project_keeps_areas_and_their_borders(open_session):
    session, other = open_session(), open_session()
    grid = [square(x, y, v=x + 2.5 * y) for x in range(3) for y in range(3)]
    grid[1]["properties"]["v"] = None
    session.edits.load(read_table(collection(*grid), "map.geojson", missing="drop"), 2)
    content = save_project(session, with_runs=False)
    open_project(other, "a.ccvizlab", content)
    was, now = session.draft.data, other.draft.data
    assert drawn_areas(now) == drawn_areas(was) != ([], [])
    assert geojson_of(now, np.arange(8)) == geojson_of(was, np.arange(8))
    other.edits.set_neighbors("borders")
    assert other.draft.near.pairs.tolist() == neighbors_of(was, "borders").pairs.tolist()


@pytest.mark.parametrize("shape", [b"<b>", b'{"type": "Point", "coordinates": [1]}', b"{}", b"["])
def test_a_shape_that_is_none_is_refused(open_session, shape):
    session, other = open_session(), open_session()
    session.edits.load(read_table(collection(*map(square, range(3), range(3))), "map.geojson"), 2)
    data = session.draft.data
    broken = replace(data, origin=replace(data.origin, shapes=(*data.origin.shapes[:2], shape)))
    content = rewritten(save_project(session), table=encode_table(broken))
    open_project(other, "a.ccvizlab", content)
    assert "holds no sound project" in other.notice.text
    assert other.draft.data.name == "iris"
