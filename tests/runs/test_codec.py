"""Events and problems to bytes and back, and what forged bytes come to."""

import math
from contextlib import suppress
from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ccviz import Problem, events
from ccviz.errors import ArchiveError
from ccviz.events import AnyEvent, CentersMoved, IncumbentFound, NodePruned, Noted
from ccviz.problem import rules
from ccviz.problem.asked import AskedEither, AskedRule
from ccviz.problem.reduction import with_rules
from ccviz.runs import codec
from ccviz.runs.codec import (
    Budget,
    Decoder,
    PackedProblem,
    _PackedAsked,
    decode_event,
    decode_problem,
    encode_event,
    encode_problem,
)

INTS = np.array([0, -1, 300, 1 << 40])
SAMPLES = {
    int: 3,
    float: 1.5,
    str: "text",
    bool: True,
    bool | None: None,
    np.ndarray: np.arange(6.0).reshape(2, 3),
    int | None: None,
    float | None: -math.inf,
    np.ndarray | None: INTS,
    tuple[int, int]: (1, 2),
    tuple[int, int] | None: (3, 4),
    tuple[int, ...]: (5, 6, 7),
    dict[str, np.ndarray]: {"weights": np.ones(200)},
    tuple[dict[str, np.ndarray], ...]: ({"weights": np.ones(3)}, {"decisions": INTS}),
    tuple[events.ProofEvent, ...]: (),
    events.Termination: "gap",
    events.PruneReason: "bound",
}


def sample(kind):
    """Return an event of a class with a value in every field."""
    fields = msgspec.structs.fields(kind)
    settings = {"settings": {"tolerance": 1e-4, "exact": True, "mode": "x"}}
    values = {each.name: settings.get(each.name) or SAMPLES[each.type] for each in fields}
    return kind(**values)


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
    return a == b and type(a) is type(b)


@pytest.mark.parametrize("kind", get_args(AnyEvent))
def test_every_event_comes_back_as_it_was(kind):
    event = sample(kind)
    back = decode_event(encode_event(event))
    assert type(back) is kind
    assert all(same(getattr(event, n), getattr(back, n)) for n in kind.__struct_fields__)


@pytest.mark.parametrize("kind", [events.NodeOpened, events.NodeBranched])
def test_a_node_of_before_there_were_places_is_about_a_pair(kind):
    raw = msgspec.msgpack.decode(encode_event(sample(kind)))
    del raw["place"]
    back = decode_event(msgspec.msgpack.encode(raw))
    assert (back.pair, back.place) == (sample(kind).pair, False)


@given(
    hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.bool_]),
        hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=40),
    )
)
def test_every_array_comes_back_as_it_was(array):
    event = decode_event(encode_event(CentersMoved(iteration=0, centers=array)))
    assert same(event.centers, array)
    assert not event.centers.flags.writeable


def test_infinite_and_missing_numbers_come_back():
    for value in (math.inf, -math.inf):
        event = events.BoundImproved(lower_bound=value)
        assert decode_event(encode_event(event)).lower_bound == value
    moved = events.ResidualsUpdated(iteration=0, primal_residual=1, dual_residual=1, rho=1)
    assert math.isnan(decode_event(encode_event(moved)).objective)


def test_labels_travel_small():
    labels = np.random.default_rng(0).integers(0, 3, 150)
    assert len(encode_event(IncumbentFound(labels=labels))) < 260


def test_strange_arrays_are_refused_on_the_way_in():
    with pytest.raises(NotImplementedError, match="ndarray"):
        encode_event(CentersMoved(iteration=0, centers=np.array([{}])))


def test_problem_comes_back_as_it_was():
    problem = Problem(
        np.random.default_rng(0).normal(size=(6, 2)), 3,
        must_link=[(0, 1), (2, 3, 0.5)], cannot_link=[(0, 4)],
        sizes=([1, 1, 1], [3, 3, 4]), truth=[0, 0, 1, 1, 2, 2],
        rules=(
            rules.MaxSize(4),
            rules.Either((rules.MaxDiameter(2.5), rules.MaxOverlap((0, 1), 1))),
            rules.Both((rules.SoftCannotLink(((0, 1), (2, 3)), 1),)),
        ),
    )  # fmt: skip
    back = decode_problem(encode_problem(problem))
    assert same(back.X, problem.X)
    assert back.k == 3
    assert same(back.must_link.pairs, problem.must_link.pairs)
    assert same(back.must_link.weights, problem.must_link.weights)
    assert same(back.cannot_link.pairs, problem.cannot_link.pairs)
    assert same(back.sizes.lower, problem.sizes.lower)
    assert same(back.sizes.upper, problem.sizes.upper)
    assert same(back.truth, problem.truth)
    assert back.rules == problem.rules


def test_rules_come_back_as_they_were_asked():
    given = Problem(np.eye(5) * 3, 2, must_link=[(0, 1, 2.0)], sizes=([1, 1], [4, 4]))
    asked = [
        AskedRule("diameter<=9"), AskedRule("overlap(first)<=3", (0, 0, 1, 1, 1)),
        AskedRule("sum(v)>=0.5", (1.0, 0.5, 0.0, 2.0, 1.0)),
        AskedRule("sum(v)<=90%", (1, 2, 3, 4, 5)),
        AskedEither((AskedRule("size<=3"), AskedRule("conflicts<=1"))),
    ]  # fmt: skip
    problem = with_rules(given, asked, keeps_rules=True)
    back = decode_problem(encode_problem(problem))
    assert back.asked.rules == tuple(asked)
    assert back.asks_the_same(problem)
    assert back.rules == problem.rules
    assert encode_problem(back) == encode_problem(problem)


@pytest.mark.parametrize(
    "known", [np.array([0, 1]), np.zeros((5, 1), dtype=np.int64), np.zeros(5), np.full(5, -1)]
)
def test_a_clustering_that_is_none_is_refused(known):
    packed = _PackedAsked(
        rules=[("overlap(first)<=3", known)], must_link=np.zeros((0, 3)),
        cannot_link=np.zeros((0, 3)), lower=None, upper=None,
    )  # fmt: skip
    plain = Problem(np.eye(5), 2)
    forged = PackedProblem(
        plain.X, 2, np.zeros((0, 3)), np.zeros((0, 3)), None, None, None, asked=packed
    )
    with pytest.raises(ArchiveError, match="a stored problem cannot be read"):
        decode_problem(codec._encoder.encode(forged))


def test_the_same_problem_is_the_same_bytes():
    links = [(0, 1), (2, 3)]
    first = encode_problem(Problem(np.eye(5), 2, cannot_link=links))
    assert encode_problem(Problem(np.eye(5), 2, cannot_link=links[::-1])) == first


def test_a_rule_of_somebody_else_is_refused():
    class Own(rules.MaxSize):
        pass

    with pytest.raises(ArchiveError, match="class Own"):
        encode_problem(Problem(np.eye(3), 2, rules=(Own(2),)))


def forged(**changes):
    """Return an event whose array was tampered with."""
    labels = np.arange(600)
    raw = msgspec.msgpack.decode(encode_event(IncumbentFound(labels=labels)))
    for place, value in changes.items():
        raw["labels"][int(place[1:])] = value
    return msgspec.msgpack.encode(raw)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode({"type": "NoSuchEvent"}),
        msgspec.msgpack.encode({"type": "Finished", "termination": "bored"}),
        msgspec.msgpack.encode({"type": "Finished"}),
        forged(_0="O8"),
        forged(_1="V8"),
        forged(_2=[-600]),
        forged(_2=[1 << 60]),
        forged(_2=[599]),
        forged(_2=[20, -30]),
        forged(_4=b"not deflated"),
        forged(_0="f8", _1="i1", _2=[1 << 28]),  # 2 GiB where it says a quarter of one
        forged(_2=[-1, -600]),
        b"\x81\xa4type" + b"\x91" * 100_000,
        forged(_3=False),
        forged(_0="f8", _1="i8"),
        forged(_0="i1"),  # stored in i2, of which it would lose half
    ],
)
def test_forged_events_end_in_a_sentence(data):
    with pytest.raises(ArchiveError, match="cannot be read"):
        decode_event(data)


def test_a_budget_counts_what_an_array_becomes():
    data = encode_event(IncumbentFound(labels=np.zeros(1000, dtype=np.int64)))  # one byte each
    assert decode_event(data).labels.nbytes == 8000
    assert Decoder(Budget(message_bytes=8000)).event(data)
    with pytest.raises(ArchiveError, match="too large"):
        Decoder(Budget(message_bytes=7999)).event(data)
    decoder = Decoder(Budget(total_bytes=16_000))
    assert decoder.event(data)
    assert decoder.event(data)
    with pytest.raises(ArchiveError, match="too large"):
        decoder.event(data)


def test_a_budget_of_time_ends():
    with pytest.raises(ArchiveError, match="takes too long"):
        Decoder(Budget(seconds=-1)).event(encode_event(Noted(text="late")))


@given(st.integers(0, 400), st.integers(0, 255))
def test_no_flipped_byte_ends_in_anything_else(place, value):
    event = NodePruned(node=1, reason="bound", lower_bound=2.0, certificate={"w": np.arange(300.0)})
    data = bytearray(encode_event(event))
    data[place % len(data)] = value
    with suppress(ArchiveError):
        decode_event(bytes(data))
    with suppress(ArchiveError):
        decode_problem(bytes(data))


def test_points_of_float32_are_stored_as_such():
    X = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32)
    stored = encode_problem(Problem(X, 2))
    again = decode_problem(stored).X
    assert again.dtype == np.float32
    assert (again == X).all()
    assert len(stored) < len(encode_problem(Problem(X.astype(np.float64), 2)))
