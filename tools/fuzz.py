"""Give ccviz hostile inputs, and count failures that are not error sentences.

    make fuzz ARGS="--inputs 20000"                  # all kinds; the seed is the time
    make fuzz ARGS="--minutes 60 --seed 7"
    make fuzz ARGS="--kind project --inputs 500"

Each child process takes some hundred inputs (`tests/fuzz`), under limits; what it finds is shown
as it comes and at the end in a table, and makes the exit code 1. The same seed gives the same
inputs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

SHARES = {
    "data": 24, "links": 12, "run": 20, "proof": 12, "problem": 8, "address": 8, "project": 8,
    "answer": 8, "archive": 4, "settings": 4, "command": 4, "big": 4,
}  # fmt: skip
"""Relative to each other; of a kind that takes longer, a child takes fewer."""

_A_CHILD = 500
_FEW = {"big": 20, "command": 250, "settings": 250}  # of what takes longer
_PATIENCE_S = 900.0
_MOST_BYTES = 6 << 30  # no input may take the machine along; the watch looks at far less


def main() -> None:
    """Give out the inputs, and sum up."""
    options = _options()
    end = time.monotonic() + 60 * options.minutes if options.minutes else None
    wanted = options.inputs or (2000 if end is None else 1 << 60)
    kinds = [options.kind] if options.kind else _by_share()
    seen: list[dict[str, Any]] = []
    turn = 0
    while len(seen) < wanted and (end is None or time.monotonic() < end):
        kind = kinds[turn % len(kinds)]
        many = min(_FEW.get(kind, _A_CHILD), wanted - len(seen))
        seen += _child(kind, options.seed + turn, many)
        turn += 1
    print(table(seen))
    if options.report:
        Path(options.report).write_text(json.dumps(seen))
    sys.exit(any(each["fault"] for each in seen))


def _by_share() -> list[str]:
    """Return kinds so often that their inputs have their shares, the rare ones among the first."""
    rounds = {kind: max(1, share // 4) for kind, share in SHARES.items()}
    turns = max(rounds.values())
    return [kind for turn in range(turns) for kind, many in rounds.items() if turn < many]


def table(seen: list[dict[str, Any]]) -> str:
    """Return the counts, a row a kind."""
    lines = [
        "| inputs | refused | tracebacks, hangs, half done | slowest | largest |",
        "|---|---|---|---|---|",
    ]
    for kind, many in sorted(Counter(each["kind"] for each in seen).items()):
        those = [each for each in seen if each["kind"] == kind]
        refused = sum(each["refused"] for each in those)
        faults = sum(bool(each["fault"]) for each in those)
        slowest = max(each["seconds"] for each in those)
        largest = max(each["size"] for each in those) >> 20
        lines.append(
            f"| {many:,} {kind} | {refused:,} | {faults} | {slowest:.1f} s | {largest} MiB |"
        )
    return "\n".join(lines)


def _child(kind: str, seed: int, many: int) -> list[dict[str, Any]]:
    command = [sys.executable, __file__, "--child", "--kind", kind, "--seed", str(seed)]
    try:
        done = subprocess.run(
            [*command, "--inputs", str(many)], cwd=ROOT, text=True, timeout=_PATIENCE_S,
            capture_output=True, check=False,
        )  # fmt: skip
        lines, code = done.stdout, done.returncode
        last = done.stderr.strip().splitlines()[-1:] if code else []
    except subprocess.TimeoutExpired as hung:
        lines, code, last = (hung.stdout or b"").decode(), "none", ["it hung"]
    seen = [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    if code:
        what = f"the child ended with {code} after {len(seen)} inputs: {last}"
        seen.append({"kind": kind, "name": "", "fault": what, "refused": False, "seconds": 0.0,
                     "size": 0})  # fmt: skip
    for each in seen:
        if each["fault"]:
            print(f"{kind} (--seed {seed}) {each['name']}: {each['fault']}", flush=True)
    return seen


def take(kind: str, seed: int, many: int) -> None:
    """Run a number of inputs of a kind, and print each outcome."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    from tests.fuzz.inputs import KINDS
    from tests.fuzz.watch import watch

    @seeded(seed)
    @settings(
        max_examples=many, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(KINDS[kind]())
    def each(attack: Any) -> None:
        print(json.dumps(asdict(watch(attack))), file=sys.__stdout__, flush=True)

    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
    each()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=0, help="2000, or all that the time allows")
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--kind", choices=SHARES)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--report", help="JSON of what came of each input")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    options = _options()
    if options.child:
        take(options.kind, options.seed, options.inputs)
    else:
        main()
