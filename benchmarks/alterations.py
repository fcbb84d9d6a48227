"""Altered proofs, whether a checker accepts what is not so, and whether two checkers agree.

Proofs of every kind (`_alterations_proofs`), each altered in ``N`` ways: one event left out, there
twice, or changed in a field, in a number of an array, in all of one, in its shape or its type, or
in what a leaf was made without; and one in four as stored: in a byte, a field more or less, a rule,
an array's types, shape, bytes or one of its numbers. Both checkers look at each, and the second
with ``--exact`` at one in five as well. What is accepted is wrong if it claims a bound above the
best of all clusterings (up to nine points) or of the run's, or that there is none; most of what is
accepted was changed where it does no harm.
"""

from __future__ import annotations

import math
import re
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import _runner as runner
import numpy as np
from _alterations import altered, altered_bytes
from _alterations_proofs import Proof, proofs
from check_proof import Budget, judge

from ccviz.errors import CcvizError
from ccviz.events import Event, IncumbentFound
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.proof.verify import verify
from ccviz.runs.codec import decode_event, decode_problem, encode_event, encode_problem
from ccviz.runs.file import write_frames
from tests.constrained import optimum

EXACT = 5  # every fifth is looked at without any rounding
WORK, LOOKS = 0.2, 5e6  # what the searches of the first and the second may take
FEW = 9  # points of which all clusterings are looked at
MOST_WORDS = 90  # letters of a sentence in the table


def judged(stored: list[bytes], gap: float, exactly: bool = True) -> list[tuple[float | None, str]]:
    """Return the bounds that the first accepts and the second, perhaps exactly too, and words.

    A bound is None if none is accepted, and inf if there is to be no clustering at all.
    """
    first: tuple[float | None, str] = (None, "")
    try:
        problem, events = decoded(stored)
        verdict = verify(problem, events, gap, work=WORK)
        none = verdict.sentence == "proved infeasible"
        bound = math.inf if none else verdict.lower_bound
        first = (bound if verdict.accepted else None, verdict.sentence)
    except CcvizError as broken:
        first = (None, f"it cannot be read: {broken}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.ccviz"
        with path.open("wb") as file:
            frames = [[i, 0.0, data] for i, data in enumerate(stored[1:])]
            write_frames(file, [{"problem": stored[0]}, *frames])
        others = [
            judge(path, gap, exact, Budget(looks=LOOKS)) for exact in (False, True)[: 1 + exactly]
        ]
    return [first, *(_bounded(stored, *each) for each in others)]


def _bounded(stored: list[bytes], proved: bool, said: str) -> tuple[float | None, str]:
    """Return the bound of a sentence that says how close to the best a run's clustering is."""
    if not proved:
        return None, said
    reached = float(said.split()[-1]) if said != "proved infeasible" else -math.inf
    return known_cost(stored) * (1.0 - 1.06 * reached - 1e-12), said


def decoded(stored: list[bytes]) -> tuple[Problem, list[Event]]:
    return decode_problem(stored[0]), [*map(decode_event, stored[1:])]


def least_cost(stored: list[bytes]) -> float:
    """Return what the best clustering costs, of all where there are few, else of the run's."""
    known = known_cost(stored)
    return known if known == -math.inf else min(known, _optimum(stored[0]) * (1.0 + 1e-9))


@lru_cache(maxsize=4)
def _optimum(stored: bytes) -> float:
    problem = decode_problem(stored)
    return optimum(problem) if problem.n <= FEW else math.inf


def known_cost(stored: list[bytes]) -> float:
    """Return what the best of a run's clusterings costs, inf without any that keeps all."""
    costs = [math.inf]
    try:
        problem = decode_problem(stored[0])
    except CcvizError:
        return -math.inf  # it cannot be read: whatever is said of it is wrong
    for data in stored[1:]:
        try:
            event = decode_event(data)
            if isinstance(event, IncumbentFound):
                partition = Partition(problem, event.labels)
                if partition.violations.none_hard:
                    costs.append(partition.objective)
        except (CcvizError, ValueError, IndexError, TypeError):
            continue
    return min(costs)


def _words(sentence: str) -> str:
    """Return a sentence without the numbers in it, short."""
    words = re.sub(r"-?\b\d[\d.e+-]*\b", "#", sentence).split(": ", 1)[-1]
    return words.replace(";", ",")[:MOST_WORDS].strip(" .")


def measure(options: Namespace, name: str, make: Callable[[], Proof]) -> dict[str, Any]:  # noqa: ARG001
    """Alter a proof, and count what the checkers say."""
    began, proof, tally, why = time.process_time(), make(), Counter[str](), Counter[str]()
    stored = [encode_problem(proof.problem), *map(encode_event, proof.events)]
    honest = [bound for bound, _ in judged(stored, proof.gap, exactly=False)]
    if None in honest:
        raise SystemExit(f"{proof.name}: the proof itself is not accepted by both: {honest}")
    rng = np.random.default_rng(options.seed)
    for each in range(options.each):
        if each % 4:
            changed = [stored[0], *map(encode_event, altered(rng, proof.problem, proof.events))]
        else:
            changed = altered_bytes(rng, stored)
        exactly = each % EXACT == 0
        (first, first_said), (second, second_said), *more = judged(changed, proof.gap, exactly)
        found = [bound for bound, _ in more if bound is not None]
        bounds = [bound for bound in (first, second, *found) if bound is not None]
        tally["first"] += first is not None
        tally["second"] += second is not None
        tally["seen_exactly"] += exactly
        tally["exact"] += len(found)
        tally["wrong"] += bool(bounds) and max(bounds) > least_cost(changed)
        if (first is None) != (second is None):
            tally["only_first" if second is None else "only_second"] += 1
            why[_words(second_said if second is None else first_said)] += 1
    return {
        "kind": proof.kind, "altered": options.each, **{name: tally[name] for name in COUNTS[1:]},
        "why": "; ".join(f"{many} x {words}" for words, many in why.most_common()),
        "cpu_s": f"{time.process_time() - began:.1f}",
    }  # fmt: skip


COUNTS = ("altered", "first", "second", "seen_exactly", "exact", "wrong", "only_first",
          "only_second")  # fmt: skip
HEAD = """# Altered proofs

Copies of proofs, each with one event left out, there twice or changed, or (one in four)
with its bytes, fields, rules or arrays changed as they are stored. The first checker is
`ccviz verify`, the second `tools/check_proof.py`, which looks at one in five with
`--exact` as well. *Accepted* are alterations that do no harm; *wrong* are those of which
a bound above the known clustering is accepted; up to nine points, above the best of all.
The last two columns count what the first accepts and the second does not, and the other
way round. Rules, numbers of the problem and what a leaf was made without are altered in
the last four kinds only, which came later.

"""
BETWEEN = """
What the other says where only one accepts. The first skips fields that it does not know,
converts arrays between types, and reads empty links of any shape; the second refuses
all of these.

"""


def page(rows: runner.Rows) -> str:
    lines: list[list[object]] = []
    for kind in [*dict.fromkeys(row["kind"] for row in rows), ""]:
        members = [row for row in rows if kind in ("", row["kind"])]
        sums = [f"{sum(int(row[name]) for row in members):,}" for name in COUNTS]
        lines.append([kind or "**all**", len(members), *sums])
    why: Counter[str] = Counter()
    for part in (part for row in rows for part in filter(None, row["why"].split("; "))):
        many, words = part.split(" x ", 1)
        why[words] += int(many)
    text = runner.markdown(
        "proofs of | proofs | altered | first accepts | second accepts | seen exactly | accepted "
        "| wrong | only first | only second",
        lines,
    )
    said = [(f"{many:,}", words) for words, many in why.most_common()]
    return HEAD + text + BETWEEN + runner.markdown("times | the other says", said)


if __name__ == "__main__":
    runner.run(
        __doc__, "alterations", ("proof",),
        lambda _: ((make.name, make) for make in proofs()), measure, page, each=500, seed=0,
    )  # fmt: skip
