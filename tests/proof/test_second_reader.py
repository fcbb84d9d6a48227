"""Files that want more of `tools/check_proof.py` than they prove: each ends soon, in a sentence."""

import time
import zlib

import msgspec
import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import IncumbentFound, NodeBranched, NodeOpened, NodePruned, Started
from ccviz.runs.codec import encode_event, encode_problem
from ccviz.runs.file import write_frames

X = np.array([[0.0], [1.0], [10.0], [11.0]])
FOUR = Problem(X, 2)


@pytest.fixture
def honest():
    return [record.event for record in start(FOUR, "sdp")]


@pytest.fixture
def stored(honest):
    """The problem and the events as maps, as they are in a file."""
    data = [encode_problem(FOUR), *map(encode_event, honest)]
    return [msgspec.msgpack.decode(each) for each in data]


@pytest.fixture
def judged(check_proof, tmp_path):
    def judge(stored, head=None, frames=None, **budget):
        path = tmp_path / "run.ccviz"
        data = [msgspec.msgpack.encode(each) for each in stored]
        frames = frames or [[i, 0.0, each] for i, each in enumerate(data[1:])]
        with path.open("wb") as file:
            write_frames(file, [{"problem": data[0], **(head or {})}, *frames])
        began = time.process_time()
        proved, sentence = check_proof.judge(path, 1e-4, budget=check_proof.Budget(**budget))
        assert time.process_time() - began < 20.0
        return proved, sentence

    return judge


def of(stored, kind):
    return next(each for each in stored if each.get("type") == kind)


def packed(kind, stored, shape, data, compressed=False):
    return [kind, stored, shape, compressed, data]


def test_an_honest_run_is_accepted(judged, stored):
    assert judged(stored) == (True, judged(stored)[1])
    assert judged(stored)[1].startswith("proved within gap")


def test_points_are_of_the_type_that_they_are_said_to_have(judged, stored):
    """As float32 the points are others than as float64: which are meant is not left open."""
    stored[0]["X"] = packed("f4", "f8", [4, 1], (X + 1e-9).astype("<f8").tobytes())
    assert judged(stored)[1].startswith("no proof: an array is stored in a type that is not its")


@pytest.mark.parametrize(
    ("kind", "other"), [("f8", "f4"), ("f8", "i8"), ("i8", "f8"), ("i1", "i8"), ("i8", "u1")]
)
def test_an_array_is_stored_as_it_is_or_in_fewer_bytes(judged, stored, kind, other):
    labels = np.array([0, 0, 1, 1])
    of(stored, "IncumbentFound")["labels"] = packed(
        kind, other, [4], labels.astype(other).tobytes()
    )
    if kind == "f8":
        stored[0]["X"] = packed(kind, other, [4, 1], X.astype(other).tobytes())
    assert not judged(stored)[0]


@pytest.mark.parametrize(
    "labels",
    [
        packed("i8", "i1", [5], bytes(4)),
        packed("i8", "i1", [4], bytes(5)),
        packed("i8", "i1", [2, 2], bytes([0, 0, 1, 1])),
        packed("i8", "i1", [-4], bytes([0, 0, 1, 1])),
        packed("i8", "i1", [4.0], bytes([0, 0, 1, 1])),
        packed("i8", "i1", [True] * 1, bytes(1)),
        packed("i8", "i1", [4], zlib.compress(bytes([0, 0, 1, 1])) + b"more", True),
        packed("i8", "i1", [4], zlib.compress(bytes([0, 0, 1, 1]))[:-4], True),
        packed("i8", "i1", [4], bytes([0, 0, 1, 2])),
        packed("i8", "i1", [4], bytes([0, 0, 1, 255])),
        packed("c8", "c8", [4], bytes(32)),
        packed("i8", "i1", [4], bytes([0, 0, 1, 1]))[:4],
    ],
    ids=repr,
)
def test_an_array_is_what_its_shape_says(judged, stored, labels):
    of(stored, "IncumbentFound")["labels"] = labels
    assert judged(stored)[1].startswith("no proof: ")


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("NodePruned", "more", 1), ("NodePruned", "reason", "luck"),
        ("NodePruned", "lower_bound", float("nan")), ("NodePruned", "node", True),
        ("NodeOpened", "pair", [0, 1]), ("NodeOpened", "parent", 0), ("NodeOpened", "place", 1),
        ("IncumbentFound", "objective", 0.5), ("Started", "solver", "magic"), ("Started", "n", 5),
        ("Finished", "type", "Ended"),
    ],
)  # fmt: skip
def test_a_field_is_known_and_right(judged, stored, kind, name, value):
    of(stored, kind)[name] = value
    assert judged(stored)[1].startswith("no proof: ")


def test_unknown_fields_of_problem_and_file_are_refused(judged, stored):
    assert "field that is not known" in judged(stored, head={"more": 1})[1]
    of(stored, "NodePruned")["certificate"]["more"] = packed("f8", "f8", [0], b"")
    assert "array that is not known" in judged(stored)[1]
    stored[0]["more"] = 1
    assert "one that is not known" in judged(stored)[1]
    del stored[0]["more"], stored[0]["truth"]
    assert "the problem lacks a field" in judged(stored)[1]


def test_records_are_in_their_order(judged, stored):
    data = [msgspec.msgpack.encode(each) for each in stored]
    frames = [[i, 0.0, each] for i, each in enumerate(data[1:])]
    for wrong in (frames[::-1], frames[1:], [*frames, [99, 0.0, data[2]]], [[0, -1.0, data[1]]]):
        assert "out of place" in judged(stored, frames=wrong)[1]


def test_bytes_that_a_few_become_are_counted_before_they_are_made(judged, stored):
    bomb = zlib.compress(bytes(1 << 26), 9)
    for shape in ([1 << 26], [4]):
        of(stored, "IncumbentFound")["labels"] = packed("i8", "i1", shape, bomb, True)
        assert judged(stored, size=1 << 20)[1].startswith("no proof")
    of(stored, "IncumbentFound")["labels"] = packed("i8", "i1", [1 << 60], bomb, True)
    assert "more bytes than are allowed" in judged(stored)[1]


def test_parts_are_no_more_than_points(judged, stored):
    cut = {"type": "PartsCut", "parts": 10**9, "part_of": packed("i8", "i1", [4], bytes(4))}
    assert judged([*stored[:-1], cut, stored[-1]])[1].startswith("no proof: a cut is none")


def tree_of(depth, twice=False):
    """Return a run whose root is branched over and over, each node opened twice if so asked."""
    first = Started(solver="sdp", settings={}, seed=0, n=4, d=1, k=2, n_blocks=4)
    events = [first, IncumbentFound(labels=np.array([0, 0, 1, 1]))]
    events.append(NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0))
    for level in range(depth):
        parent, pair = max(0, 2 * level - 1) if level else 0, (level % 3, 3)
        events.append(NodeBranched(node=parent, pair=pair, lower_bound=0.0))
        for node, together in ((2 * level + 1, False), (2 * level + 2, True)):
            child = NodeOpened(
                node=node, parent=parent, depth=level, lower_bound=0.0, pair=pair, together=together
            )
            events += [child] * (1 + twice)
        events.append(NodePruned(node=2 * level + 2, reason="infeasible", lower_bound=0.0))
    last = max(0, 2 * depth - 1)
    return [*events, NodePruned(node=last, reason="bound", lower_bound=0.0)]


def maps(events):
    data = [encode_problem(FOUR), *map(encode_event, events)]
    return [msgspec.msgpack.decode(each) for each in data]


def test_a_node_is_opened_once(judged):
    assert "opened or closed twice" in judged(maps(tree_of(40, twice=True)))[1]


def test_nodes_and_seconds_are_counted(judged):
    deep = maps(tree_of(200))
    assert "more nodes than are allowed" in judged(deep, nodes=50)[1]
    assert "more seconds than are allowed" in judged(deep, seconds=-1.0)[1]
    assert judged(deep)[1].startswith("no proof")


@pytest.mark.parametrize("cut", range(0, 400, 23))
def test_a_file_that_breaks_off_is_no_proof(check_proof, honest, tmp_path, cut):
    path = tmp_path / "run.ccviz"
    with path.open("wb") as file:
        frames = [[i, 0.0, encode_event(each)] for i, each in enumerate(honest)]
        write_frames(file, [{"problem": encode_problem(FOUR)}, *frames])
    data = path.read_bytes()
    path.write_bytes(data[: min(cut, len(data) - 1)])
    assert check_proof.judge(path, 1e-4)[1].startswith("no proof: ")


def test_a_value_may_nest_without_end(check_proof, tmp_path):
    path = tmp_path / "run.ccviz"
    data = b"\x91" * 10**5
    path.write_bytes(b"ccviz run 1\n" + len(data).to_bytes(8, "big") + data)
    assert check_proof.judge(path, 1e-4)[1].startswith("no proof: ")


@pytest.mark.parametrize(
    ("values", "sizes", "words"),
    [
        ([1.0, 2.0, 0.5, 1.0], None, ""),
        ([1.0, -1.0, 1.0, 1.0], None, "weights are none"),
        ([1.0, 1.0, 1.0], None, "weights are none"),
        ([0.0, 0.0, 0.0, 0.0], None, "weights are none"),
        ([1.0, 1e-18, 1.0, 1.0], None, "sums that are not exact"),
        ([1.0, 2.0, 0.5, 1.0], [2, 2], "breaks the sizes"),
        ([0.0, 2.0, 0.5, 1.0], None, ""),
        ([0.0, 0.0, 0.0, 1.0], None, "a cluster holds no weight"),
    ],
)
def test_weights_are_numbers_whose_sums_are_exact(judged, values, sizes, words):
    honest = Problem(X, 2, weights=values if not words else [1.0, 2.0, 0.5, 1.0])
    events = [record.event for record in start(honest, "sdp")]
    data = [encode_problem(honest), *map(encode_event, events)]
    stored = [msgspec.msgpack.decode(each) for each in data]
    weights = np.array(values)
    stored[0]["weights"] = packed("f8", "f8", [len(weights)], weights.tobytes())
    if sizes:
        stored[0]["lower"] = stored[0]["upper"] = packed("i8", "i8", [2], np.array(sizes).tobytes())
    proved, sentence = judged(stored)
    assert words in sentence
    assert proved == (not words)
