"""What a run may cost at most: a time limit of 1 s on ECG5000, and memory on its whole tree.

    python benchmarks/sdp_limits.py [--bench DIR]

The limit's row is wall time from the call to the result, with the loading of compiled code.
The memory is the most that this process and all its children held at once, sampled.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import psutil  # noqa: E402

from ccviz import solve  # noqa: E402
from ccviz.studies.suite import instances  # noqa: E402

SHARED = Path(__file__).parents[2] / "shared" / "bench"
BENCH = Path(os.environ.get("CCVIZ_BENCH", SHARED)) / "pc-sos-sdp"
RESULTS = Path(__file__).parent / "results" / "sdp_limits.md"
CASES = ("ECG5000/ml_0_cl_250_0", "ECG5000/ml_125_cl_125_0", "ECG5000/ml_75_cl_75_0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=Path, default=BENCH)
    parser.add_argument("--limited", help="run this case for 1 s and print what came of it")
    options = parser.parse_args()
    if options.limited:
        print(limited(options.bench, options.limited))
        return
    lines = [
        "| instance | 1 s limit: status | gap | wall, s | whole run: peak memory, 2 workers, MiB |",
        "|---|---|---|---|---|",
    ]
    for case in CASES:
        command = [sys.executable, __file__, "--bench", str(options.bench), "--limited", case]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        lines.append(f"| {case} | {answer} | {peak_mib(options.bench, case):.0f} |")
        print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


def limited(bench: Path, case: str) -> str:
    (instance,) = instances(bench, case)
    problem = instance.problem()
    began = time.perf_counter()
    result = solve(problem, "sdp", time_limit=1.0)
    return f"{result.status} | {result.gap:.2g} | {time.perf_counter() - began:.2f}"


def peak_mib(bench: Path, case: str) -> float:
    """Solve with two workers and return the largest sum of resident sizes seen."""
    (instance,) = instances(bench, case)
    seen, done = [0], threading.Event()

    def watch() -> None:
        own = psutil.Process()
        while not done.wait(0.05):
            sizes = [resident(each) for each in (own, *own.children(recursive=True))]
            seen[0] = max(seen[0], sum(sizes))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        solve(instance.problem(), "sdp", workers=2, time_limit=600.0)
    finally:
        done.set()
        watcher.join()
    return seen[0] / 2**20


def resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


if __name__ == "__main__":
    main()
