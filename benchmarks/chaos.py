"""Kill what runs depend on, at random moments, and see that no run is lost.

    python benchmarks/chaos.py                # 200 kills, benchmarks/results/chaos.md
    python benchmarks/chaos.py --kills 10 --no-table

Five kinds of victims: the process of a run; a worker of its pool; the worker of a Dask cluster; the
cluster's scheduler; and the process that serves a page and drives the run from there (a session
without its browser). What was killed is begun again, the run is resumed where it does not go on by
itself, and so on until it ends. Then every record that anybody had seen before a kill must still be
there, without a gap, and the run must end at the optimum that it has undisturbed.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from ccviz import Problem, start
from ccviz.events import Finished
from ccviz.runs.archive import Archive
from ccviz.runs.job import Job

TABLE = Path(__file__).parent / "results" / "chaos.md"
SHARES = {"run": 70, "pool worker": 60, "Dask worker": 20, "Dask scheduler": 20, "server": 30}
"""Kills of each kind, of two hundred."""

SETTINGS = {"tolerance": 1e-6, "max_rounds": 2, "cuts_per_block": 0.5}  # many nodes, little in each
_SAME = 1e-7  # relative: what rounding may make of the same clustering
_LOOK_S = 0.02
_EARLY = 0.25  # share of the kills while a run begins
_LANE = 40  # kills that one lane takes; lanes go side by side
_MOST_S = 300.0  # that anything may take

SERVER = """
import sys, time
from ccviz.data.datasets import load
from ccviz.runs.archive import Archive
from ccviz.views.lab.runner import RunQueue
from ccviz.views.lab.session import Session
archive = Archive(sys.argv[1])
session = Session(archive, RunQueue(), load("iris"))
session.resume_run(sys.argv[2])
while session.runner.busy or session.player.playing:
    session.tick()
    time.sleep(0.05)
"""


def problem(size: int = 24) -> Problem:
    """Return points whose links work against them, so that the tree has many nodes."""
    X = np.random.default_rng(0).normal(size=(size, 2))
    return Problem(X, 4, cannot_link=[(i, j) for i in range(size) if (j := (7 * i + 3) % size) > i])


@dataclass
class Tally:
    """What came of the kills of one kind."""

    kills: int = 0
    runs: int = 0
    resumed: int = 0  # How often a run had to be resumed: the other times it went on by itself
    lost: int = 0  # Records that a reader had seen and that were gone
    # Runs that ended otherwise than undisturbed ones, and how.
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take another's counts in."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Stage:
    """One archive, one problem, and runs of it that are disturbed.

    `like`: Another one of the same problem, whose optimum and times are taken over.
    """

    def __init__(
        self, folder: Path, seed: int = 0, size: int = 24, like: Stage | None = None
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.archive = Archive(folder / "runs.sqlite")
        self.problem = problem(size)
        self.rng = np.random.default_rng(seed)
        if like is None:
            self._rehearse()
        else:
            self.optimum, self.span, self.work = like.optimum, like.span, like.work

    def _rehearse(self) -> None:
        """See how a run fares, and how long it takes, if it is not disturbed."""
        self.optimum = start(self.problem, "sdp", **SETTINGS).result().objective
        began = time.monotonic()
        run_id = self._enter()
        self._job(run_id).wait(_MOST_S)
        self.span, self.work = time.monotonic() - began, self.archive.info(run_id).time_s

    def _enter(self) -> str:
        """Return a run that was stopped before it began: beginning it is resuming it."""
        run_id = self.archive.create(self.problem, "sdp", SETTINGS)
        self.archive.finish(run_id, "interrupted", "It has not begun.")
        return run_id

    def _job(self, run_id: str, workers: str = "1") -> Job:
        return Job.resume(self.archive, run_id, workers=workers)

    def disturb(self, kind: str, kills: int, end: float = math.inf) -> Tally:
        """Disturb runs until the number of kills is done, or the time is up."""
        tally = Tally()
        while tally.kills < kills and time.monotonic() < end:
            run_id = self._enter()
            tally.runs += 1
            with closing(_VICTIMS[kind](self)) as victim:
                while not self._is_done(run_id):
                    self._live(victim, run_id, tally, kills)
            self._judge(run_id, tally)
        return tally

    def _live(self, victim: Any, run_id: str, tally: Tally, kills: int) -> None:
        """Let a run be driven until it ends, or until its driver does."""
        driver = victim.drive(run_id)
        begun = self.archive.info(run_id).last_seq
        while _is_alive(driver):
            self._wait_a_moment(driver, run_id)
            seen = [record.seq for record in self.archive.records(run_id)]
            if tally.kills < kills and _is_alive(driver) and victim.strike():
                tally.kills += 1
            now = {record.seq for record in self.archive.records(run_id)}
            ended = [r.seq for r in self.archive.records(run_id, kinds=[Finished.__name__])]
            tally.lost += len(set(seen) - now) + (max(now, default=-1) + 1 - len(now))
            if ended:
                self._await(driver)
        self._await(driver)
        if not self._is_done(run_id):
            # A run that goes on takes back its end, if a driver had the time to store one.
            assert self.archive.info(run_id).last_seq >= begun - 1
            tally.resumed += 1

    def _wait_a_moment(self, driver: Any, run_id: str) -> None:
        """Wait for some moment: one in four while a run begins, the others while it is worked on.

        Most of a short run is beginning: its libraries take longer than its tree.
        """
        most, begun = self.span, self.archive.info(run_id).last_seq
        if self.rng.random() > _EARLY:
            most = self.work
            while _is_alive(driver) and self.archive.info(run_id).last_seq <= begun:
                time.sleep(_LOOK_S)
        moment = time.monotonic() + self.rng.uniform(0, most)
        while _is_alive(driver) and time.monotonic() < moment:
            time.sleep(_LOOK_S)

    def _await(self, driver: Any) -> None:
        end = time.monotonic() + _MOST_S
        while _is_alive(driver) and time.monotonic() < end:
            time.sleep(_LOOK_S)
        assert not _is_alive(driver), "the driver of a run does not end"

    def _is_done(self, run_id: str) -> bool:
        return self.archive.info(run_id).termination in ("proved", "stalled")

    def _judge(self, run_id: str, tally: Tally) -> None:
        info = self.archive.info(run_id)
        off = abs(info.objective - self.optimum) / self.optimum
        if info.status != "optimal" or off > _SAME:
            tally.wrong.append(f"{run_id}: {info.status}, {info.objective!r}, {info.message}")


def _is_alive(driver: Any) -> bool:
    return bool(driver.alive if isinstance(driver, Job) else driver.poll() is None)


def _kill(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


@dataclass
class Run:
    """The process of a run."""

    stage: Stage
    job: Job | None = None

    def drive(self, run_id: str) -> Job:
        """Begin to drive a run, or begin again; return whoever does."""
        self.job = self.stage._job(run_id)
        return self.job

    def strike(self) -> bool:
        """Kill a process, if there is one; return whether there was."""
        assert self.job is not None
        return _kill(self.job.pid)

    def close(self) -> None:
        """Nothing is left of it."""


@dataclass
class PoolWorker(Run):
    """A process of a run's pool, once it has one."""

    def drive(self, run_id: str) -> Job:
        """Begin to drive a run, or begin again; return whoever does."""
        self.job = self.stage._job(run_id, "2")
        return self.job

    def strike(self) -> bool:
        """Kill a process, if there is one; return whether there was."""
        assert self.job is not None
        while self.job.alive:  # a pool is there for a part of the run only
            workers = self._workers()
            if workers:
                return _kill(int(self.stage.rng.choice(workers)))
            time.sleep(_LOOK_S)
        return False

    def _workers(self) -> list[int]:
        assert self.job is not None
        with suppress(psutil.NoSuchProcess):
            children = psutil.Process(self.job.pid).children()
            return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]
        return []


class Cluster(Run):
    """A Dask scheduler and its only worker."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.begin_scheduler()
        self.begin_worker()

    def begin_scheduler(self) -> None:
        """Begin a scheduler at the address, and wait until it listens."""
        port = self.address.rpartition(":")[2]
        self.scheduler = _daemon("scheduler", "--host", "127.0.0.1", "--port", port)
        end = time.monotonic() + _MOST_S
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", int(port)), 1):
                return
            time.sleep(_LOOK_S)

    def begin_worker(self) -> None:
        """Begin a worker of the scheduler."""
        self.worker = _daemon("worker", self.address, "--nthreads", "2", "--no-nanny")

    def drive(self, run_id: str) -> Job:
        """Begin to drive a run, or begin again; return whoever does."""
        from distributed import Client

        with Client(self.address, timeout=_MOST_S) as client:
            client.wait_for_workers(1, timeout=_MOST_S)
        self.job = self.stage._job(run_id, self.address)
        return self.job

    def close(self) -> None:
        """Kill both."""
        for each in (self.worker, self.scheduler):
            each.kill()
            each.wait()


class DaskWorker(Cluster):
    """The worker; another comes in its place."""

    def strike(self) -> bool:
        """Kill a process, if there is one; return whether there was."""
        self.worker.kill()
        self.worker.wait()
        self.begin_worker()
        return True


class DaskScheduler(Cluster):
    """The scheduler; another comes in its place, at the same address, with a worker."""

    def strike(self) -> bool:
        """Kill a process, if there is one; return whether there was."""
        self.close()
        self.begin_scheduler()
        self.begin_worker()
        return True


def _daemon(kind: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options, "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@dataclass
class Server(Run):
    """The process that serves a page; the run's own ends by itself when its parent is gone."""

    process: subprocess.Popen[bytes] | None = None

    def drive(self, run_id: str) -> subprocess.Popen[bytes]:
        """Begin to drive a run, or begin again; return whoever does."""
        end = time.monotonic() + _MOST_S
        while self.stage.archive.info(run_id).state == "running" and time.monotonic() < end:
            time.sleep(_LOOK_S)  # the run's process of the last server ends
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(self.stage.archive.path), run_id],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return self.process

    def strike(self) -> bool:
        """Kill a process, if there is one; return whether there was."""
        assert self.process is not None
        return _kill(self.process.pid)


_VICTIMS: dict[str, Any] = {
    "run": Run,
    "pool worker": PoolWorker,
    "Dask worker": DaskWorker,
    "Dask scheduler": DaskScheduler,
    "server": Server,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--no-table", action="store_true")
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    tallies = {kind: Tally() for kind in SHARES}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(99) as lanes:
        stages = _stages(Path(folder), options.kills, options.seed)
        for kind, done in [
            (kind, lanes.submit(stage.disturb, kind, kills, end)) for kind, kills, stage in stages
        ]:
            tallies[kind].add(done.result())
            print(kind, tallies[kind], flush=True)
    text = table(tallies)
    print(text)
    if not options.no_table:
        TABLE.write_text(text, encoding="utf-8")


def _stages(folder: Path, kills: int, seed: int) -> list[tuple[str, int, Stage]]:
    """Return a stage for each lane: the kind, the kills, and the stage."""
    lanes: list[tuple[str, int, Stage]] = []
    first = Stage(folder / "first")
    for kind, share in SHARES.items():
        left = max(1, round(share * kills / 200))
        while left > 0:
            place = len(lanes)
            stage = Stage(folder / str(place), seed + place, like=first)
            lanes.append((kind, min(left, _LANE), stage))
            left -= _LANE
    return lanes


HEAD = """# Kills at random moments

`python benchmarks/chaos.py`: an exact run (`sdp`, 24 points, 12 cannot-links) is \
disturbed by SIGKILL until it ends.

| killed | kills | runs | resumed | records seen and then gone | ended elsewhere |
|---|---|---|---|---|---|
"""


def table(tallies: dict[str, Tally]) -> str:
    whole = Tally()
    for each in tallies.values():
        whole.add(each)
    return HEAD + "".join(
        f"| {kind} | {each.kills} | {each.runs} | {each.resumed} | {each.lost} "
        f"| {len(each.wrong)} |\n"
        for kind, each in (tallies | {"**all**": whole}).items()
    )


if __name__ == "__main__":
    main()
