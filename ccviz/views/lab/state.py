"""The state of one browser session: the problem, what is picked and shown, and what works on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
import param

from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.problem.partition import Partition
from ccviz.runs.archive import Archive
from ccviz.runs.run import Run
from ccviz.runs.stop import Limits
from ccviz.runs.worker_pool import WorkerPool
from ccviz.solvers import make_solver
from ccviz.studies.least_change import LeastChange
from ccviz.studies.rows import names_by_label
from ccviz.studies.why import Why, why_of
from ccviz.views.draft import draft_of, names_by_cluster
from ccviz.views.frames.card import Card, card
from ccviz.views.frames.links import LINKS_DRAWN
from ccviz.views.frames.projection import MAPS, check_axes, first_axes
from ccviz.views.frames.scatter import has_answered, matching
from ccviz.views.lab.as_edited import AsEdited
from ccviz.views.lab.asking import Asking
from ccviz.views.lab.batch import Batch
from ccviz.views.lab.calls import LookingInto, Mapping, Repair, Staying
from ccviz.views.lab.elbow import Elbow
from ccviz.views.lab.notice import ReportsErrors, said_of
from ccviz.views.lab.personal_archive import Example, personal_archive
from ccviz.views.lab.playback import Playback
from ccviz.views.lab.player import Player
from ccviz.views.lab.queued_call import FileJobs, Pricing, Sureness
from ccviz.views.lab.runner import Runner, RunQueue
from ccviz.views.person import ALONE, Person

# --- Which point did a click mean? The nearest on the screen, not in the data ---------------------


REACH_PX = 18.0
"""A click further than this from every point means none of them."""


@dataclass(frozen=True)
class Screen:
    """What a plot shows: the ranges of its axes and its size in pixels."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    width: float
    height: float

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        """Pixels along each axis that one unit of the data takes."""
        (left, right), (bottom, top) = self.x_range, self.y_range
        return self.width / abs(right - left), self.height / abs(top - bottom)


def nearest(
    x: FloatArray, y: FloatArray, at: tuple[float, float], screen: Screen, reach: float = REACH_PX
) -> int | None:
    """Return the point that looks nearest to a place, None if none is within reach.

    `x`, `y` (n,): Where the points are drawn, in data units.
    """
    per_x, per_y = screen.pixels_per_unit
    distance = np.hypot((x - at[0]) * per_x, (y - at[1]) * per_y)
    best = int(distance.argmin())
    return best if distance[best] <= reach else None


def inside(x: FloatArray, y: FloatArray, around: Sequence[tuple[float, float]]) -> IntArray:
    """Return the points within a closed line, by the even-odd rule.

    `around`: Its corners; the last is joined to the first.
    """
    odd = np.zeros(len(x), dtype=bool)
    for (x0, y0), (x1, y1) in zip(around, [*around[1:], around[0]], strict=True):
        if y0 != y1:
            crosses = (y0 > y) != (y1 > y)
            odd ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    return np.flatnonzero(odd)


_SOLVER = "blp-kmeans"
FIRST_S = 60.0
"""Seconds after which a run ends whose solver the page chose; it can go on."""

CLEARED: dict[str, Any] = {
    "picked": (), "held": (), "lit": (), "notice": None, "isolated": None, "differing": (),
}  # fmt: skip
"""What a click beside everything puts away."""


# --- The colour of each cluster on the page, and with it the cluster's number ---------------------


class ClusterColors:
    """Remembers the colours shown, so that runs, views and tables name clusters alike.

    `shown` (n,): The colour of each point when any were shown last, -1 for none. `answer` (n,):
    Their colours in the answer of the run that was seen to end last.
    """

    def __init__(self) -> None:
        self.shown: IntArray | None = None
        self.answer: IntArray | None = None

    @property
    def before(self) -> IntArray | None:
        """What the colours of a run follow: the last answer, or what was shown where none is.

        From frame to frame they would drift: a run begins at random, so colours that follow
        its first clusters have lost the answer of the run before.
        """
        return self.shown if self.answer is None else self.answer

    def keep(self, colors: IntArray, is_answer: bool = False) -> None:
        """Remember the colours that are shown, unless there are none.

        `is_answer`: Whether they are those of the answer of a run that has ended.
        """
        if colors.max(initial=-1) < 0:
            return
        self.shown = colors
        if is_answer:
            self.answer = colors

    def forget(self) -> None:
        """Forget all colours: the points have changed."""
        self.shown = self.answer = None

    def follow(self, rows: IntArray) -> None:
        """Keep the colours of points in another table, by the earlier rows of its points."""
        for name in ("shown", "answer"):
            before = getattr(self, name)
            if before is not None and rows.max() < len(before):
                after = np.where(rows >= 0, before[rows], -1)
                setattr(self, name, after if after.max() >= 0 else None)
            else:
                setattr(self, name, None)

    def of(self, answer: Partition) -> IntArray:
        """Return the colours of a clustering, as near as can be to those shown.

        Returns: Points left out keep their own numbers, which are no colours. Given centres come
        last.
        """
        k = answer.problem.n_clusters
        color = np.arange(answer.problem.k)
        color[:k] = matching(answer.shown, self.shown, k)
        return color[answer.labels]


class State(ReportsErrors):
    """What `Session` and `Edits` share; panels watch these parameters."""

    draft = param.Parameter()  # The problem as it is edited
    story = param.String()  # What is to be seen in the example problem that was loaded
    # Points that wait for their link: none, one or two, or a group.
    picked = param.Parameter(default=())
    held = param.Parameter(default=())  # A group put aside, against which the next one is linked
    # The cluster that alone keeps its colour, by its number on the page.
    isolated = param.Integer(default=None, allow_None=True)
    # The points that alone keep their colours: those in which two runs differ.
    differing = param.Parameter(default=())
    # Of new links; infinite for hard ones.
    weight = param.Number(default=inf, bounds=(0, None), inclusive_bounds=(False, True))
    x_axis = param.String()
    y_axis = param.String()
    # How links are drawn, a value of `ccviz.views.frames.links.LINKS_DRAWN`.
    links_drawn = param.Selector(default="all", objects=list(LINKS_DRAWN.values()))
    neighbors_drawn = param.Boolean(default=True)
    # Share by which the cost may rise: points that might leave their cluster then lose their
    # colour; None colours all.
    rise = param.Number(default=None, bounds=(0, None), allow_None=True)
    solver = param.Parameter()
    # Whether a person chose the solver; if not, the page takes the one that suits the problem.
    chosen = param.Boolean(default=True)
    seed = param.Integer(default=0, bounds=(0, None))
    time_limit = param.Number(default=None, bounds=(0, None))
    gap_limit = param.Number(default=None, bounds=(0, None))
    node_limit = param.Integer(default=None, bounds=(1, None))
    # Runs of the archive whose bounds are drawn over those of the run shown.
    compared = param.Parameter(default=())
    # Whether every edit of links, k or sizes starts a run; None where `AsEdited` decides.
    as_edited = param.Boolean(default=None, allow_None=True)
    dark = param.Boolean(default=False)
    prefers_dark = param.Boolean(default=False)  # Whether the browser's system asks for dark pages
    # Whether points and proof alone are shown, in large type.
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
        draft, (x_axis, y_axis) = draft_of(data), first_axes(data)
        super().__init__(draft=draft, x_axis=x_axis, y_axis=y_axis, solver=make_solver(_SOLVER))
        self.person, self.archive = person, personal_archive(archive, person, example)
        archive = self.archive
        self.file_jobs = FileJobs(person.quota, pool)
        self.elbow = Elbow(archive, queue, person, pool)
        self.batch = Batch(archive, queue, person, pool)
        self.runner = Runner(archive, queue, person.quota.worker_bytes, pool)
        if pool is not None:
            self.param.watch(lambda event: pool.expect(event.new.name), "solver")
        self.player = Player(archive)
        self.playback = Playback(archive, self.runner, self.player)
        self.pricing = self.pricing_kind(archive, queue, person.quota, self.player, pool)
        self.sureness = Sureness(archive, queue, person.quota, self.player, pool)
        self.staying = Staying(person.quota, self.player, pool)
        self.proofs = AsEdited(archive, self.player, lambda: self.compared)
        self.repair = Repair(person.quota, self.player, pool)
        self.looking = LookingInto(
            person.quota, self.runner, self.player, lambda: self.draft,
            lambda found: self.param.update(notice=said_of(self.draft, found), lit=found.points),
            pool,
        )  # fmt: skip
        self.mapping = Mapping(person.quota, pool)
        self.cluster_colors = ClusterColors()
        self.asking = Asking()
        self.param.watch(self._map_points, ["draft", "x_axis", "y_axis"])
        self.asking.param.watch(self._pick_asked, "asked")

    @property
    def run(self) -> Run | None:
        """The run that is shown, up to the player's cursor."""
        return self.player.shot.run if self.player.shot else None

    @property
    def known_bound(self) -> float:
        """The highest bound that earlier runs proved for the problem, if the one shown has none."""
        return self.proofs.bound_of(self.draft.problem)

    @property
    def kept(self) -> LeastChange | None:
        """What is shown in place of the answer of the run, with groups as they were before."""
        return self.staying.found if has_answered(self.run) else None

    @property
    def answer(self) -> Partition | None:
        """The clustering on show: the best one of the run, or the one with groups kept."""
        if self.kept is not None:
            return self.kept.partition
        return self.run.incumbent if self.run else None

    def card(self, with_scores: bool) -> Card:
        """Return what the result card says of the run shown; see `ccviz.views.frames.card.card`."""
        return card(
            self.run, with_scores, self.draft.problem, self.repair.partition, self.known_bound,
            self.kept,
        )  # fmt: skip

    def why_moved(self, kept: LeastChange) -> Why:
        """Return what says why points moved, by the names on the page."""
        colors = self.cluster_colors.of(kept.partition)
        shown = kept.partition.problem.shown(colors)
        return why_of(kept.partition, self.draft.data, shown, self.cluster_names(colors))

    @property
    def limits(self) -> Limits:
        """The limits of the next run; where a person chose nothing, it ends after a minute."""
        seconds = self.time_limit
        if seconds is None and not self.chosen:
            seconds = FIRST_S
        return Limits(seconds, self.gap_limit, self.node_limit)

    @property
    def given_limits(self) -> dict[str, float]:
        """The limits that a person gave."""
        return Limits(self.time_limit, self.gap_limit, self.node_limit).given

    def cluster_names(self, labels: IntArray) -> dict[int, str]:
        """Return the names of clusters by their numbers in ``labels``: given ones, else labels."""
        named = names_by_cluster(self.draft.cluster_names, labels)
        return names_by_label(self.draft.data, labels, self.draft.rules) | named

    def show_axes(self, x_axis: str = "", y_axis: str = "") -> None:
        """Draw other axes; an empty name leaves one as it is."""
        check_axes(self.draft.data, x_axis, y_axis)
        self.param.update(x_axis=x_axis or self.x_axis, y_axis=y_axis or self.y_axis)

    def _map_points(self, *_: Any) -> None:
        """Lay the points out where a map of them is drawn, and draw it again."""
        if {self.x_axis, self.y_axis} & set(MAPS):
            self.mapping.start(self.draft, lambda: self.param.trigger("x_axis"))

    def _pick_asked(self, event: Any) -> None:
        """Pick the points that are asked about, so that M and C link them."""
        if event.new is not None or (event.old is not None and self.picked == event.old.points):
            self.picked = self.asking.points
