"""What a worker costs that waits for a run: forked by a fork server, and as a new interpreter.

Both in one run: processor seconds until it waits, and the memory that is its own (what it shares
with no one), each the median over some workers.
"""

import statistics
import tempfile
import time
from pathlib import Path

import _runner as runner
import psutil

from ccviz.runs.archive import Archive
from ccviz.runs.fork_client import ForkClient
from ccviz.runs.worker_pool import WorkerPool

WORKERS, QUIET_S = 6, 2.0


def spent():
    """Return the processor seconds of all processes that this one has begun."""
    children = psutil.Process().children(recursive=True)
    return {each.pid: sum(each.cpu_times()[:2]) for each in children}


def when_quiet():
    """Return them when none has anything left to do."""
    before = None
    while before != (now := spent()):
        before = now
        time.sleep(QUIET_S)
    return now


def measured(archive):
    """Return what the workers cost, in seconds and bytes, and the processes beside them."""
    pool = WorkerPool(archive.path, size=WORKERS)
    pool.fill()
    pids, used = pool.pids, when_quiet()
    each = statistics.median(used[pid] for pid in pids)
    once = sum(seconds for pid, seconds in used.items() if pid not in pids)
    own = statistics.median(psutil.Process(pid).memory_full_info().uss for pid in pids)
    pool.close()
    return [f"{each:.2f}", f"{once:.1f}", f"{own / 1e6:.0f}"]


if __name__ == "__main__":
    runner.parse(__doc__)
    with tempfile.TemporaryDirectory() as folder, Archive(Path(folder) / "runs.sqlite") as archive:
        forked = measured(archive)
        ForkClient.possible = False
        rows = [["forked", *forked], ["a new interpreter", *measured(archive)]]
    table = runner.markdown(
        "Worker | CPU seconds each | loaded once for all, CPU seconds | memory of its own, MB", rows
    )
    about = f"Median of {WORKERS} workers that wait with the libraries and the kernels of"
    runner.write_page("waiting_workers", f"{about} `blp-kmeans`.\n\n{table}")
