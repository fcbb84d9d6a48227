"""One person's laboratory: the problem, the picked points, the run and its player.

Panels watch these parameters and call these methods, which do not need Panel. No method raises on
bad input: the sentence becomes `Session.notice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import param

from ccviz.data.datasets import Dataset
from ccviz.errors import ParameterError, UnsupportedError
from ccviz.problem.partition import Partition
from ccviz.problem.problem import Problem
from ccviz.runs.archive import Archive
from ccviz.runs.info import RunInfo
from ccviz.runs.limits import Limits
from ccviz.runs.run import Run
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from ccviz.views.draft import Draft, History, draft_of, draft_of_problem
from ccviz.views.frames.links import LINKS_DRAWN
from ccviz.views.frames.projection import check_axes, usual_axes
from ccviz.views.lab.as_edited import AsEdited
from ccviz.views.lab.asking import Asking
from ccviz.views.lab.batch import Batch
from ccviz.views.lab.cluster_colors import ClusterColors
from ccviz.views.lab.elbow import Elbow
from ccviz.views.lab.ending import Ending
from ccviz.views.lab.example import Example
from ccviz.views.lab.file_jobs import FileJobs
from ccviz.views.lab.filing import Filing
from ccviz.views.lab.mapping import Mapping
from ccviz.views.lab.notice import failure
from ccviz.views.lab.personal_archive import personal_archive
from ccviz.views.lab.picking import LET_GO
from ccviz.views.lab.playback import Playback
from ccviz.views.lab.player import Player
from ccviz.views.lab.pricing import Pricing
from ccviz.views.lab.questioning import Questioning
from ccviz.views.lab.queue import RunQueue
from ccviz.views.lab.repairing import Repair
from ccviz.views.lab.reshaping import Reshaping
from ccviz.views.lab.runner import Runner, RunRequest
from ccviz.views.lab.starting import run_to_start_from
from ccviz.views.lab.staying import Staying
from ccviz.views.lab.suiting import impossible, unsuited
from ccviz.views.lab.sureness import Sureness
from ccviz.views.lab.watching import watched_settings
from ccviz.views.link_table import Link
from ccviz.views.person import ALONE, Person

_SOLVER = "blp-kmeans"


class Session(Filing, Questioning, Reshaping):
    """The state of one browser session.

    Attributes
    ----------
    draft : Draft
        The problem as it is edited; every edit can be undone.
    x_axis, y_axis : str
        What is drawn.
    picked : tuple of int
        Points that wait for their link: none, one or two, or a group.
    held : tuple of int
        A group put aside, against which the next one is linked.
    lit : tuple of int
        Points lit up on the plot: the chain of a contradiction, the witness of infeasibility.
    isolated : int or None
        The cluster that alone keeps its colour, by its number on the page.
    differing : tuple of int
        The points that alone keep their colours: those in which two runs differ.
    notice : Notice or None
    links_drawn : str
        How links are drawn, a value of `ccviz.views.frames.links.LINKS_DRAWN`.
    weight : float
        Of new links; infinite for hard ones.
    solver : Solver
    rise : float or None
        Share by which the cost may rise: points that might leave their cluster then lose their
        colour; None colours all.
    seed : int
    time_limit, gap_limit : float or None
    node_limit : int or None
    compared : tuple of str
        Runs of the archive whose bounds are drawn over those of the run shown.
    as_edited : bool or None
        Whether every edit of links, k or sizes starts a run; None where `AsEdited` decides.
    dark : bool
        Whether the page is dark.
    prefers_dark : bool
        Whether the browser's system asks for dark pages.
    presenting : bool
        Whether points and proof alone are shown, in large type.
    """

    x_axis = param.String()
    y_axis = param.String()
    links_drawn = param.Selector(default="all", objects=list(LINKS_DRAWN.values()))
    rise = param.Number(default=None, bounds=(0, None), allow_None=True)
    solver = param.Parameter()
    seed = param.Integer(default=0, bounds=(0, None))
    time_limit = param.Number(default=None, bounds=(0, None))
    gap_limit = param.Number(default=None, bounds=(0, None))
    node_limit = param.Integer(default=None, bounds=(1, None))
    compared = param.Parameter(default=())
    as_edited = param.Boolean(default=None, allow_None=True)
    dark = param.Boolean(default=False)
    prefers_dark = param.Boolean(default=False)
    presenting = param.Boolean(default=False)
    pricing_kind: ClassVar[type[Pricing]] = Pricing

    def __init__(
        self,
        archive: Archive,
        queue: RunQueue,
        data: Dataset,
        person: Person = ALONE,
        pool: WorkerPool | None = None,
        example: Example | None = None,
    ) -> None:
        draft, (x_axis, y_axis) = draft_of(data), usual_axes(data.features)
        super().__init__(draft=draft, x_axis=x_axis, y_axis=y_axis, solver=make_solver(_SOLVER))
        self.person, self.archive = person, personal_archive(archive, person, example)
        archive = self.archive
        self.file_jobs = FileJobs(person.quota, pool)
        self.elbow = Elbow(queue, person.quota, pool)
        self.batch = Batch(archive, queue, person, pool)
        self.runner = Runner(archive, queue, person.quota.worker_bytes, pool)
        if pool is not None:
            self.param.watch(lambda event: pool.expect(event.new.name), "solver")
        self.player = Player(archive)
        self.playback = Playback(archive, self.runner, self.player)
        self.pricing = self.pricing_kind(archive, queue, person.quota, self.player, pool)
        self.sureness = Sureness(archive, queue, person.quota, self.player, pool)
        self.staying = Staying(person.quota, self.player, pool)
        self.edits = AsEdited(archive, self.player, lambda: self.compared)
        self.repair = Repair(person.quota, pool)
        self.player.param.watch(lambda event: self.repair.give_way(event.new), "shot")
        self.mapping = Mapping(person.quota, pool)
        self.mapping.follow(self)
        self.cluster_colors = ClusterColors()
        self.asking = Asking()
        self.asking.param.watch(self._on_question, "asked")
        self._jobs = (
            self.file_jobs, self.elbow, self.batch, self.pricing, self.sureness, self.staying,
            self.repair, self.mapping, self.asking,
        )  # fmt: skip
        self._history = History(draft)
        self._ticked = perf_counter()
        self._solver_then = self.solver
        self._ending = Ending(self, lambda: self.draft, self.player, self.playback, self.runner)

    # --- The problem ------------------------------------------------------------------------

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether something was undone."""
        return self._history.can_redo

    def forget_edits(self) -> None:
        """Take the current problem for the first state: undo stops here."""
        self._history = History(self.draft)

    def load(self, data: Dataset, k: int | None = None) -> None:
        """Take another data set, without links."""
        with self.in_words():
            self._edit(draft_of(data, k))

    def adopt(self, draft: Draft) -> None:
        """Take a whole problem at once."""
        with self.in_words():
            self._edit(draft)

    def add_links(self, links: Iterable[Link]) -> None:
        """Add many links at once."""
        with self.in_words():
            self._edit(self.draft.with_links(links))

    def remove_links(self, links: Iterable[Link]) -> None:
        """Take links away."""
        with self.in_words():
            self._edit(self.draft.without_links(links))

    def undo(self) -> None:
        """Take back the last edit; a proof of the problem as it was is shown again."""
        self._go(self._history.undo)

    def redo(self) -> None:
        """Take back the last undo."""
        self._go(self._history.redo)

    def _go(self, move: Callable[[], None]) -> None:
        before = self.draft
        move()
        self._adopt()
        if self.draft.has_points_of(before):
            with self.in_words():
                self._answer_edit(undone=True)

    def _edit(self, draft: Draft, rerun: bool = True) -> None:
        self.person.quota.check_table(*draft.data.X.shape)
        problem = draft.problem  # raises the sentence before anything has changed
        self.person.quota.check_links(len(problem.must_link) + len(problem.cannot_link))
        same_points = draft.has_points_of(self.draft)
        self._history.commit(draft)
        self._adopt()
        if rerun and same_points:
            self._answer_edit()

    def _answer_edit(self, undone: bool = False) -> None:
        """Show a proof of the current problem, or run it where edits do so."""
        run, problem, exact = self.run, self.draft.problem, self.solver.supports.exact
        if run is not None and run.problem.asks_the_same(problem):
            return
        if undone or (exact and self.as_edited is not False):
            known = self.edits.proof_of(problem)
            if known and self._show_proof(known):
                return
        runs = self.as_edited or (self.as_edited is None and self._runs_by_itself())
        if not self.asking.active:
            self.repair.begin(run, problem, only_at_once=runs)
        if runs:
            self.edits.expect()
            self.start()

    def _show_proof(self, run_id: str) -> bool:
        """Show an earlier proof, unless a run goes on that no edit has started."""
        if run_id != self.player.run_id:
            if self.runner.busy and not self.edits.is_own(self.runner.run_id):
                return False
            self.runner.close()
            self.playback.show(run_id)
        return True

    def _runs_by_itself(self) -> bool:
        if self.notice is not None or self.asking.active or self.runner.state == "paused":
            return False
        return self.edits.may_run(self.solver, self.draft)

    def _adopt(self) -> None:
        """Make the present draft of the history the session's."""
        before, draft = self.draft, self._history.present
        self.repair.close()
        changes: dict[str, Any] = LET_GO | {"draft": draft}
        if draft.data.features != before.data.features:
            changes["x_axis"], changes["y_axis"] = usual_axes(draft.data.features)
        moved = not draft.has_points_of(before)
        if moved:
            watched = watched_settings(self.solver.name, draft.problem)
            changes["solver"] = replace(self.solver, **watched)
            self.cluster_colors.forget()
            self.asking.forget()
            self.playback.close()
        self.param.update(**changes)
        self.asking.follow(draft)
        if (told := impossible(draft)) is not None:
            self.param.update(notice=told[0], lit=told[1])

    # --- Axes and settings -----------------------------------------------------------------

    def show_axes(self, x_axis: str = "", y_axis: str = "") -> None:
        """Draw other axes; an empty name leaves one as it is."""
        check_axes(self.draft.data.features, self.draft.n, x_axis, y_axis)
        self.param.update(x_axis=x_axis or self.x_axis, y_axis=y_axis or self.y_axis)

    def take_over(self, draft: Draft, axes: tuple[str, str], **settings: Any) -> None:
        """Take a problem, its axes and the settings of a run all at once, or none of them.

        Parameters
        ----------
        draft : Draft
        axes : (str, str)
            An empty name leaves one to the features.
        **settings
            Sound values of ``solver``, ``seed`` and the limits.

        Raises
        ------
        CcvizError
            If something is refused; nothing has changed then.
        """
        check_axes(draft.data.features, draft.n, *axes)
        self._edit(draft)
        self.show_axes(*axes)
        self.param.update(**settings)

    # --- Running ----------------------------------------------------------------------------

    @property
    def run(self) -> Run | None:
        """The run that is shown, up to the player's cursor."""
        return self.player.shot.run if self.player.shot else None

    @property
    def known_bound(self) -> float:
        """The highest bound that earlier runs proved for the problem, if the one shown has none."""
        return self.edits.bound_of(self.draft.problem)

    @property
    def answer(self) -> Partition | None:
        """The best clustering of the run that is shown."""
        return self.run.incumbent if self.run else None

    def set_solver(self, name: str, **settings: Any) -> None:
        """Choose a solver and its settings; by default, all that can be watched is shown."""
        with self.in_words("solver"):
            unasked = watched_settings(name, self.draft.problem)
            self.solver = make_solver(name, **unasked | settings)

    def start(self, paused: bool = False) -> None:
        """Run the chosen solver on the problem."""
        with self.in_words("solver"):
            try:
                self.playback.start(self._request(), paused)
            except UnsupportedError as refused:
                self.notice = unsuited(self.draft, refused)  # it offers another solver
                return
            self.asking.stop()
            self.cancel()
            self._solver_then = self.solver

    @property
    def limits(self) -> Limits:
        """The limits of the next run."""
        return Limits(self.time_limit, self.gap_limit, self.node_limit)

    def _request(self) -> RunRequest:
        draft, solver, shown = self.draft, self.solver, self.player.run_id
        earlier = run_to_start_from(self.run, shown, self.archive, solver, draft.problem)
        return RunRequest(
            draft.problem_for(solver), solver, self.seed, self.limits, draft.data.name,
            draft.scaling, earlier,
        )  # fmt: skip

    def open_run(self, run_id: str) -> None:
        """Show a run of the archive, with its problem, its solver and settings."""
        with self.in_words():
            info, problem = self.archive.info(run_id), self.archive.problem(run_id)
            self._edit(self._draft_of(info, problem), rerun=False)
            self.playback.show(run_id)
            self._take_settings(info)

    def _draft_of(self, info: RunInfo, problem: Problem) -> Draft:
        return draft_of_problem(problem, self.draft, info.dataset, info.scaling)

    def _take_settings(self, info: RunInfo) -> None:
        """Take the solver, the settings and the limits of a run."""
        with suppress(ParameterError):  # a run of another version may have other settings
            self.param.update(
                solver=make_solver(info.solver, **info.settings), seed=info.seed,
                time_limit=info.limits.time_limit, gap_limit=info.limits.gap,
                node_limit=info.limits.node_limit,
            )  # fmt: skip
        self._solver_then = self.solver

    def show_example(self, run_id: str) -> None:
        """Show a finished run as the first state of the session; undo stops there."""
        with self.in_words():
            info, problem = self.archive.info(run_id), self.archive.problem(run_id)
            self._history = History(self._draft_of(info, problem))
            self._adopt()
            self.playback.show(run_id)
            self._take_settings(info)

    def resume_run(self, run_id: str) -> None:
        """Resume a stored run, without its old limits."""
        self.open_run(run_id)
        with self.in_words():
            self.playback.resume(run_id)

    def delete_run(self, run_id: str) -> None:
        """Remove a run from the archive for good; the one that this session drives is ended."""
        with self.in_words():
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

    def play(self) -> None:
        """Run, or continue after a pause of the worker or of a replay."""
        if self.runner.state in ("idle", "ended") and not self.can_go_on:
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

    def tick(self) -> None:
        """Advance the worker's state and the player; called a few times a second."""
        now = perf_counter()
        elapsed, self._ticked = now - self._ticked, now
        for each in self._jobs:
            with self.in_words():
                each.tick()
        with self.in_words():
            failed = self.playback.tick(elapsed)
            if failed is not None:
                self.notice = failure(failed)

    @property
    def restless(self) -> bool:
        """Whether something is busy, so that `tick` must be called."""
        return self.playback.restless or any(each.busy for each in self._jobs)

    def close(self) -> None:
        """End the worker and all jobs: the browser has left."""
        for each in self._jobs:
            each.close()
        self.playback.close()
