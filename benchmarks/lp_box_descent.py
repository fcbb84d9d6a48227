"""What the final exact descent adds to ℓp-box, in each of its four variants.

    python benchmarks/lp_box_descent.py [--bench DIR] [--draws 6] [--starts 3] [--sets Wine ...]

Without constraints, with sizes, with pairs and with both, on the sets of `lp_box.py`, as many links
as there. Each run is made twice from one seed, with and without the descent: the splitting and
the repair are the same, so the difference is the descent's. ``as printed``: the paper's penalty of
20 and its coupling, where the descent starts at what they leave. A run that was stopped goes on
where it was.
"""

from __future__ import annotations

import argparse
import os
from itertools import product
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from _cpu_clock import count_cpu_seconds  # noqa: E402
from _rows import append_row, done_keys  # noqa: E402
from lp_box import LINKS_6, SETS, problems, run, scaled  # noqa: E402
from soft_published import BENCH, RESULTS  # noqa: E402

from ccviz.solvers.lp_box.solver import LpBox  # noqa: E402

VARIANTS = ("none", "sizes", "pairs", "both")
WAYS = {"ours": {}, "as printed": {"rho": 20.0, "unit": "one", "coupling": "split"}}
FIELDS = ("way", "dataset", "variant", "draw", "seed", "objective", "without", "ari",
          "ari_without", "broken", "broken_without", "cpu_s", "cpu_s_without")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--out", type=Path, default=RESULTS / "lp_box_descent.csv")
    count_cpu_seconds()
    options = parser.parse_args()
    done = done_keys(options.out, FIELDS[:5])
    data = {name: scaled(name, options.bench) for name in options.sets}
    run(next(problems(*data[options.sets[0]], "pairs", 5, 1)), LpBox(), 0)  # compiles
    for way, name, variant in product(WAYS, data, VARIANTS):
        first = "random" if variant == "none" else "k-means"  # as in the paper's tables
        given = problems(*data[name], variant, LINKS_6[name], options.draws)
        for (draw, problem), seed in product(enumerate(given), range(options.starts)):
            key = (way, name, variant, str(draw), str(seed))
            if key not in done:
                with_it, without = (
                    run(problem, LpBox(first, descent=descent, **WAYS[way]), seed)
                    for descent in (True, False)
                )
                append_row(options.out, row_of(key, with_it, without), FIELDS)


def row_of(key: tuple[str, ...], with_it: dict, without: dict) -> dict[str, object]:
    return {
        **dict(zip(FIELDS, key, strict=False)),
        "objective": f"{with_it['objective']:.6g}",
        "without": f"{without['objective']:.6g}",
        "ari": f"{with_it['ari']:.2f}",
        "ari_without": f"{without['ari']:.2f}",
        "broken": with_it["broken"],
        "broken_without": without["broken"],
        "cpu_s": f"{with_it['cpu_s']:.3f}",
        "cpu_s_without": f"{without['cpu_s']:.3f}",
    }


if __name__ == "__main__":
    main()
