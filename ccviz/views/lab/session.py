"""One person's laboratory: the problem, the run and its player, and the files.

Panels watch its parameters (`ccviz.views.lab.state`) and call its methods and those of
`Session.edits`, which do not need Panel. On bad input the sentence becomes `Session.notice`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from ccviz.data.datasets import Dataset
from ccviz.errors import ParameterError, UnsupportedError
from ccviz.runs.archive import Archive
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from ccviz.views.draft import Draft, draft_of_problem
from ccviz.views.frames.projection import check_axes
from ccviz.views.lab.as_edited import labels_to_start_from, run_to_start_from
from ccviz.views.lab.edits import Edits
from ccviz.views.lab.notice import Notice, failure, unsuited, watched_settings
from ccviz.views.lab.personal_archive import Example
from ccviz.views.lab.playback import Ending
from ccviz.views.lab.runner import RunQueue, RunRequest
from ccviz.views.lab.state import State
from ccviz.views.person import ALONE, Person


class Session(State):
    """The state of one browser session, and its runs and files."""

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        data: Dataset,
        person: Person = ALONE,
        pool: WorkerPool | None = None,
        example: Example | None = None,
    ) -> None:
        super().__init__(archive, queue, data, person, pool, example)
        self.edits = Edits(self, self.start)
        self._jobs = (
            self.file_jobs, self.elbow, self.batch, self.pricing, self.sureness, self.staying,
            self.repair, self.looking, self.mapping, self.asking,
        )  # fmt: skip
        self._ticked = perf_counter()
        self._solver_then = self.solver
        self._ending = Ending(self, lambda: self.draft, self.player, self.playback, self.runner)
        self._at_end: list[Callable[[], None]] = []

    # --- Running ----------------------------------------------------------------------------

    def set_solver(self, name: str, **settings: Any) -> None:
        """Choose a solver and its settings; by default, all that can be watched is shown."""
        with self.reporting_errors("solver"):
            unasked = watched_settings(name, self.draft.problem)
            self.param.update(solver=make_solver(name, **unasked | settings), chosen=True)

    def start(self, paused: bool = False) -> None:
        """Run the chosen solver on the problem."""
        with self.reporting_errors("solver"):
            try:
                self.playback.start(self._request(), paused)
            except UnsupportedError as refused:
                self.notice = unsuited(self.draft, refused)  # it offers another solver
                return
            self.asking.stop()
            self.edits.cancel()
            self._solver_then = self.solver

    def _request(self) -> RunRequest:
        draft, solver, shown = self.draft, self.solver, self.player.run_id
        earlier = run_to_start_from(self.run, shown, self.archive, solver, draft.problem)
        on_show = self.repair.partition or self.answer
        labels = () if earlier else labels_to_start_from(on_show, solver, draft.problem)
        return RunRequest(
            draft.problem_for(solver), solver, self.seed, self.limits, draft.data.name,
            draft.scaling, earlier, labels,
        )  # fmt: skip

    def take_over(self, draft: Draft, axes: tuple[str, str], **settings: Any) -> None:
        """Take a problem, its axes and the settings of a run all at once, or none of them.

        `axes` (str, str): An empty name leaves one to the features. `settings`: Sound values of
        ``solver``, ``seed`` and the limits. Raises `CcvizError` if something is refused; nothing
        has changed then.
        """
        check_axes(draft.data, *axes)
        self.edits.edit(draft)
        self.show_axes(*axes)
        self.param.update(**settings | {"chosen": self.chosen or "solver" in settings})

    def open_run(self, run_id: str) -> None:
        """Show a run of the archive, with its problem, its solver and settings."""
        self.staying.wanted = False  # its own answer is to be seen
        with self.reporting_errors():
            self._show_run(run_id, partial(self.edits.edit, rerun=False))
            self.chosen = True

    def _show_run(self, run_id: str, take: Callable[[Draft], None]) -> None:
        """Show a run, once its problem is taken, with its solver, its settings and its limits."""
        info, problem = self.archive.info(run_id), self.archive.problem(run_id)
        take(draft_of_problem(problem, self.draft, info.dataset, info.scaling))
        self.playback.show(run_id)
        with suppress(ParameterError):  # a run of another version may have other settings
            self.param.update(
                solver=make_solver(info.solver, **info.settings), seed=info.seed,
                time_limit=info.limits.time_limit, gap_limit=info.limits.gap,
                node_limit=info.limits.node_limit,
            )  # fmt: skip
        self._solver_then = self.solver

    def show_example(self, run_id: str) -> None:
        """Show a finished run as the first state of the session; undo stops there."""
        with self.reporting_errors():
            self._show_run(run_id, self.edits.begin_with)

    def resume_run(self, run_id: str) -> None:
        """Resume a stored run, without its old limits."""
        self.open_run(run_id)
        with self.reporting_errors():
            self.playback.resume(run_id)

    def delete_run(self, run_id: str) -> None:
        """Remove a run from the archive for good; the one that this session drives is ended."""
        with self.reporting_errors():
            if self.runner.busy and self.runner.run_id == run_id:
                self.runner.close()
            else:
                self.archive.check_idle(run_id)
            if self.player.run_id == run_id:
                self.cluster_colors.forget()
                self.player.close()
            self.compared = tuple(other for other in self.compared if other != run_id)
            self.archive.delete(run_id)

    @property
    def can_go_on(self) -> bool:
        """Whether a run waits, or a replay is stopped before its end.

        Who has chosen another solver since the run was shown wants a new run.
        """
        if self.playback.waits:
            return True
        shot = self.player.shot if self.playback.halted else None
        return shot is not None and shot.seq < shot.last and self.solver == self._solver_then

    @property
    def can_resume(self) -> bool:
        """Whether the run shown answers the problem, and ended by the page's own limit alone."""
        run, shot = self.run, self.player.shot
        if run is None or shot is None or run.finished is None or self.chosen:
            return False
        return (
            run.finished.termination == "time_limit" and not self.runner.busy
            and self.solver == self._solver_then and self.solver.supports.resume
            and run.problem.asks_the_same(self.draft.problem_for(self.solver))
        )  # fmt: skip

    def play(self) -> None:
        """Run, or continue after a pause of the worker or of a replay, or after a time limit."""
        if self.can_resume:
            with self.reporting_errors():
                self.playback.resume(self.player.run_id)
        elif self.runner.state in ("idle", "ended") and not self.can_go_on:
            self.start()
        else:
            self.playback.go_on()

    def play_or_pause(self) -> None:
        """Do what the space bar does."""
        if self.player.playing or self.runner.state == "running":
            self.playback.pause()
        else:
            self.play()

    def step(self) -> None:
        """One event more; starts a run, paused, if there is none."""
        if self.player.shot is None and not self.runner.busy:
            self.start(paused=True)
        self.playback.step()

    # --- Files that a person brings, or takes away: read and written beside the page ----------

    def read_file(self, name: str, read: Callable[..., Any], *args: Any, **how: Any) -> None:
        """Start a file job that reads a file, and say so while it does; see `FileJobs.take`."""
        self._by_a_file_job(partial(self.file_jobs.take, read, *args, **how), name, "read")

    def import_runs(self, name: str, read: Callable[..., Any], content: bytes, **how: Any) -> None:
        """Start a file job that reads runs into the archive; ``read`` is given its path, too."""
        path = self.archive.path
        args = (content, name, path, self.person)
        self.read_file(name, read, *args, may_swell=True, archive=str(path), **how)

    def write_file(self, name: str, work: Callable[..., Any], *args: Any, **how: Any) -> None:
        """Start a file job that writes a file, and say so while it does; see `FileJobs.do`."""
        archive = str(self.archive.path)
        begin = partial(self.file_jobs.do, work, *args, archive=archive, **how)
        self._by_a_file_job(begin, name, "written")

    def _by_a_file_job(self, begin: Callable[[], None], name: str, done: str) -> None:
        with self.reporting_errors():
            begin()
            if self.file_jobs.busy:
                self.notice = Notice("info", f"{name} is being {done}…")

    # --- The clock, and the end ---------------------------------------------------------------

    def tick(self) -> None:
        """Advance the worker's state and the player; called a few times a second."""
        now = perf_counter()
        elapsed, self._ticked = now - self._ticked, now
        for each in self._jobs:
            with self.reporting_errors():
                each.tick()
        with self.reporting_errors():
            failed = self.playback.tick(elapsed)
            if failed is not None:
                self.notice = failure(failed)

    @property
    def needs_tick(self) -> bool:
        """Whether something is busy, so that `tick` must be called."""
        return self.playback.needs_tick or any(each.busy for each in self._jobs)

    def at_end(self, leave: Callable[[], None]) -> None:
        """Have something called when the session ends, before its run and its jobs do."""
        self._at_end.append(leave)

    def close(self) -> None:
        """End the worker and all jobs: the browser has left."""
        while self._at_end:
            self._at_end.pop()()
        for each in self._jobs:
            each.close()
        self.playback.close()


# --- The keys of the laboratory: what each does, their list, and the scripts that listen to them --


_LINKS = (
    ("M, C", "must-link, cannot-link between the picked points"),
    ("A, U", "ask me, or stop; unsure"),
    ("Esc", "let go of the picked points"),
    ("Z, Shift+Z", "undo, redo"),
    ("Space", "run or pause"),
    ("←, →", "one event back or on"),
)
PAGE_KEYS = (
    *_LINKS,
    ("H, P", "hold a group; paint"),
    ("1 to 6", "the tabs on the right; while five points are asked about: mark one"),
    ("F", "the presenter's view"),
    ("Page Down, Page Up", "there: one step of the proof on or back"),
)
"""Keys, and what each does."""

CELL_KEYS = (
    *_LINKS,
    ("Tab to the plot", "pick without a mouse"),
    ("arrows, Page Up, Page Down", "there: to another point"),
    ("Enter", "there: pick it"),
)
"""Keys of a notebook cell, once a person has clicked in it."""


def key_actions(session: Session) -> dict[str, Callable[[], Any]]:
    """Return the action of each key that works on the page and in a notebook cell.

    Returns: By the key as the browser names it, in lower case; Shift+Z is ``"y"``.
    """
    return {
        "m": lambda: session.edits.link("must"),
        "c": lambda: session.edits.link("cannot"),
        "h": session.edits.hold,
        "a": session.edits.ask,
        "u": session.edits.unsure,
        "escape": session.edits.cancel,
        "z": session.edits.undo,
        "y": session.edits.redo,
        " ": session.play_or_pause,
        "arrowleft": session.playback.back,
        "arrowright": session.step,
    }


def show_keys(
    session: Session,
    keys: tuple[tuple[str, str], ...] = PAGE_KEYS,
    where: str = "outside of fields",
) -> None:
    """Show keys as a notice.

    `keys` (str, str): Each with what it does.
    """
    session.notice = Notice("info", f"These keys work {where}.", rows=keys)


_SHARED = Path(__file__).parents[1] / "keyboard.js"


def with_keyboard(script: Path) -> str:
    """Return a script with the shared keyboard functions in front."""
    return "\n".join(each.read_text(encoding="utf-8") for each in (_SHARED, script))
