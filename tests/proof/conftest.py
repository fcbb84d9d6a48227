import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.events import NodeBranched
from ccviz.proof.verify import verify
from ccviz.runs.codec import encode_event, encode_problem
from ccviz.runs.file import write_frames

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="session")
def proof():
    """A run of sdp with branching, its problem and its events."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    pairs = rng.choice(30, size=(26, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    problem = Problem(X, 4, must_link=pairs[:6], cannot_link=pairs[6:])
    return problem, branched_run(problem, "sdp", tolerance=1e-5)


@pytest.fixture(scope="session")
def column_proof():
    """A run of column generation with branching, its problem and its events."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 1))
    pairs = rng.choice(30, size=(60, 2))
    problem = Problem(X, 6, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    return problem, branched_run(problem, "colgen")


@pytest.fixture(scope="session")
def divided_proof():
    """A divided run with a shared point, its problem and its events; a proof within 2e-3."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=240)
    X = 2.5 * np.eye(3)[truth] + rng.normal(size=(240, 3))
    X[0] = 300.0
    truth[0] = 3
    pairs = rng.integers(240, size=(120, 2))
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    proper = pairs[:, 0] != pairs[:, 1]
    problem = Problem(X, 4, must_link=pairs[same & proper][:20], cannot_link=pairs[~same])
    return problem, [record.event for record in start(problem, "divide", part_size=60)]


@pytest.fixture(scope="session")
def tree_proof():
    """A divided run whose parts were merged and branched; a proof within a wide gap."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 2))
    X[0] = 9.0
    pairs = rng.choice(60, size=(100, 2))
    problem = Problem(X, 3, cannot_link=pairs[pairs[:, 0] != pairs[:, 1]])
    settings = {"part_size": 15, "largest_part": 29, "tolerance": 0.05}
    return problem, [record.event for record in start(problem, "divide", **settings)]


def branched_run(problem, solver, **settings):
    events = [record.event for record in start(problem, solver, **settings)]
    assert any(isinstance(event, NodeBranched) for event in events)
    return events


@pytest.fixture
def check_proof(monkeypatch):
    """Return the module ``tools/check_proof.py``."""
    monkeypatch.syspath_prepend(str(TOOLS))
    import check_proof

    yield check_proof
    for name in ("proof", "file", "bounds", "clusters", "every", "search"):
        sys.modules.pop(f"check_{name}", None)


@pytest.fixture
def check_clusters(check_proof):
    """Return the module ``tools/check_clusters.py``."""
    return sys.modules["check_clusters"]


@pytest.fixture
def check_search(check_proof):
    """Return the module ``tools/check_search.py``."""
    return sys.modules["check_search"]


@pytest.fixture
def second(tmp_path, check_proof):
    """Return what checks a run with ``tools/check_proof.py``.

    It takes a problem and events, and returns whether they are a proof, and the sentence.
    """

    def check(problem, events, gap=1e-4, **options):
        path = tmp_path / "run.ccviz"
        frames = [{"problem": encode_problem(problem)}]
        frames += [[i, 0.0, encode_event(event)] for i, event in enumerate(events)]
        with path.open("wb") as file:
            write_frames(file, frames)
        return check_proof.judge(path, gap, **options)

    return check


@dataclass(frozen=True)
class BothCheckers:
    """Both checkers, each of which has to say the same."""

    second: Callable

    def accept(self, problem, events, gap=1e-4, exact=(False,)):
        """Hold that events are a proof; return the first's verdict and the second's sentence."""
        verdict = verify(problem, events, gap)
        assert verdict.accepted, verdict.sentence
        for each in exact:
            proved, sentence = self.second(problem, events, gap, exact=each)
            assert proved, sentence
        return verdict, sentence

    def refuse(self, problem, events, gap=1e-4, exact=(False,)):
        assert not verify(problem, events, gap).accepted
        for each in exact:
            assert not self.second(problem, events, gap, exact=each)[0]


@pytest.fixture
def both(second):
    return BothCheckers(second)
