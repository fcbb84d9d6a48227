"""What the final exact descent adds to ℓp-box, in each of its four variants.

Without constraints, with sizes, with pairs and with both, on the sets of `lp_box.py`, as many links
as there. Each run is made twice from one seed, with and without the descent: the splitting and the
repair are the same, so the difference is the descent's. ``as printed``: the paper's penalty of 20
and its coupling, where the descent starts at what they leave.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import product
from typing import Any

import _runner as runner
from lp_box import LINKS_6, SETS, problems, run, scaled

from ccviz.solvers.lp_box import LpBox

VARIANTS = ("none", "sizes", "pairs", "both")
WAYS = {"ours": {}, "as printed": {"rho": 20.0, "unit": "one", "coupling": "split"}}


def cases(options: Namespace) -> Iterator[tuple[Any, ...]]:
    for way, name, variant in product(WAYS, options.sets, VARIANTS):
        given = problems(*scaled(name), variant, LINKS_6[name], options.draws)
        for (draw, problem), seed in product(enumerate(given), range(options.starts)):
            yield way, name, variant, draw, seed, problem


def measure(_: Namespace, way: str, *case: Any) -> dict[str, Any]:
    _name, variant, _draw, seed, problem = case
    first = "random" if variant == "none" else "k-means"  # as in the paper's tables
    whole, without = (
        run(problem, LpBox(first, descent=descent, **WAYS[way]), seed) for descent in (True, False)
    )
    found = {}
    for own, values in (("", whole), ("_without", without)):
        found |= {f"ari{own}": f"{values['ari']:.2f}", f"broken{own}": values["broken"]}
        found |= {own.strip("_") or "objective": f"{values['objective']:.6g}"}
        found |= {f"cpu_s{own}": f"{values['cpu_s']:.3f}"}
    return found


def warm_up() -> None:
    run(next(problems(*scaled(SETS[0]), "pairs", 5, 1)), LpBox(), 0)


if __name__ == "__main__":
    runner.run(
        __doc__, "lp_box_descent", ("way", "dataset", "variant", "draw", "seed"), cases, measure,
        warm_up=warm_up, cpu_clock=True, draws=6, starts=3, sets=SETS,
    )  # fmt: skip
