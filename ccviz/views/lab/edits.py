"""What a person does to the problem: pick points, link them, answer questions, ask for clusters.

No method of `Edits` raises on bad input, but for `Edits.edit`: the sentence becomes the session's
notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ccviz.active.learner import links_of
from ccviz.arrays import FloatArray, IntArray
from ccviz.data.datasets import Dataset
from ccviz.errors import CcvizError
from ccviz.feasibility.cure import Cure
from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked, AskedRule
from ccviz.problem.fixed_centers import read_centers_text
from ccviz.problem.links import closure
from ccviz.problem.sizes import read_sizes
from ccviz.solvers import Solver, make_solver
from ccviz.views.draft import Draft, History, draft_of, group_links, links_between, with_name
from ccviz.views.frames.projection import first_axes, offered_axes
from ccviz.views.lab.notice import Notice, advised, impossible, watched_settings
from ccviz.views.lab.state import CLEARED, State
from ccviz.views.link_table import BY_HAND, Kind, Link

_CENTRAL_POINTS = 5
"""Most points of a cluster that are linked for it, the nearest to its mean. Of a cluster that is
linked by one point alone a run may move that point, and leave the others where they are."""


class Edits:
    """The edits of one session; each can be undone.

    `start`: Begins a run of the problem as it is.
    """

    def __init__(self, state: State, start: Callable[[], None]) -> None:
        self._state, self._start = state, start
        self._history = History(state.draft)

    # --- Picking points, and linking those that are picked ------------------------------------

    def pick(self, point: int | None) -> None:
        """Pick a point: the first, then its partner. A picked one, or none, clears the picks.

        One of the set asked about is marked instead, as long as that set is picked.
        """
        state, asking = self._state, self._state.asking
        picked, asked = state.picked, asking.points
        if point is None:
            picked = ()
        elif asking.several and point in asked and picked == asked:
            self.mark_odd(asked.index(point))
            return
        elif picked == asked:  # another pair than the one asked about
            picked = (point,)
        elif point in picked:
            picked = ()
        else:
            picked = (point,) if len(picked) > 2 else (*picked[:1], point)
        self.pick_group(picked)

    def pick_group(self, points: Sequence[int]) -> None:
        """Pick several points at once."""
        self._state.param.update(picked=tuple(points), lit=(), notice=None)

    def hold(self) -> None:
        """Put the picked points aside, to link the next group against them."""
        held = self._state.picked
        if not held:
            self._say("Pick points first, by clicks or with the lasso.", "nothing is picked")
            return
        self._state.param.update(**CLEARED | {"held": held})
        self._say(
            f"{count(len(held), 'point')} held: pick others, then Must-link or Cannot-link.", "held"
        )

    def cancel(self) -> None:
        """Clear the picked points and the notice; if there are none, end the questions."""
        state, asking = self._state, self._state.asking
        asked = asking.points
        if asking.active and state.picked == asked and not state.held and not state.notice:
            asking.stop()
        state.param.update(**CLEARED | {"picked": asking.points})

    def isolate(self, cluster: int) -> None:
        """Leave one cluster alone in colour; the same again gives the others theirs back."""
        state = self._state
        state.isolated = None if state.isolated == cluster else cluster

    def link(self, kind: Kind) -> None:
        """Link the picked points: two, a group in itself, or a group against the held one.

        Those of a set asked about are answered for by its marks.
        """
        state, asking = self._state, self._state.asking
        points, held, weight = state.picked, state.held, state.weight
        if asking.several and points == asking.points and not held:
            self._answer_set_by(kind)
        elif len(points) < 2 and not (held and points):
            self._say("Click two points first, then link them.", "nothing is picked")
        elif held:
            self._change(lambda draft: draft.with_links(links_between(kind, held, points, weight)))
        elif len(points) > 2:
            self._change(lambda draft: draft.with_links(group_links(kind, points, weight)))
        else:
            link = Link(kind, points[0], points[1], weight)
            with state.reporting_errors():
                if set(points) == set(asking.points):
                    self._answer([link])
                else:
                    self.edit(state.draft.with_link(link))

    def add_links(self, links: Iterable[Link]) -> None:
        """Add many links at once."""
        self._change(lambda draft: draft.with_links(links))

    def remove_links(self, links: Iterable[Link]) -> None:
        """Take links away."""
        self._change(lambda draft: draft.without_links(links))

    def weigh_source(self, source: str, weight: float) -> None:
        """Give all links of a source a weight: soft ones, or hard ones if it is infinite."""
        links = self._state.draft.links.of_source(source)
        self.add_links(replace(links, weights=np.full(len(links), weight)))

    # --- Questions about pairs and sets of points, which are answered by links -----------------

    def ask(self) -> None:
        """Ask which points belong together, one question after another; or stop asking."""
        state = self._state
        with state.reporting_errors():
            if state.asking.active:
                state.asking.stop()
            else:
                state.param.update(**CLEARED)
                state.asking.begin(state.draft)

    def ask_about(self, size: int) -> None:
        """Ask about pairs, or about sets of this size."""
        with self._state.reporting_errors():
            self._state.asking.ask_about(size)

    def mark_odd(self, place: int) -> bool:
        """Mark a point of the set asked about as one that does not belong, or no longer."""
        asking = self._state.asking
        asked = asking.points
        if not asking.several or place >= len(asked):
            return False
        marked = set(asking.odd) ^ {asked[place]}
        self._state.param.update(notice=None, picked=asked)
        asking.odd = tuple(point for point in asked if point in marked)
        return True

    def answer_set(self) -> None:
        """Answer the question about a set: the marked points do not belong with the others."""
        if self._state.asking.several:
            with self._state.reporting_errors():
                pairs = links_of(self._state.asking.points, self._state.asking.odd)
                weight = self._state.weight
                self._answer(
                    Link("must" if same else "cannot", *pair, weight) for pair, same in pairs
                )

    def unsure(self) -> None:
        """Answer the question with *I do not know*."""
        pair = self._state.asking.pair
        if pair is None:
            self._say("U answers a question. Press A to be asked one.", "nothing is asked")
        else:
            self._change(lambda draft: draft.with_unsure(*pair))

    def _answer_set_by(self, kind: Kind) -> None:
        """Answer with the key of a link, unless it contradicts the marks."""
        odd, title = self._state.asking.odd, "a question about five points"
        if kind == "must" and odd:
            self._say(f"{count(len(odd), 'point')} marked: C keeps them apart.", title)
        elif kind == "cannot" and not odd:
            self._say("Mark the points that do not belong, then press C.", title)
        else:
            self.answer_set()

    def _answer(self, links: Iterable[Link]) -> None:
        """Add the links of an answer; those that are there already count once more."""
        state = self._state
        new = state.asking.takes_again(links, state.draft)
        if new:
            self.edit(state.draft.with_links(new))

    # --- What is asked of the clusters ---------------------------------------------------------

    def set_k(self, k: int) -> None:
        """Ask for another number of clusters."""
        self._change(lambda draft: draft.with_k(k))

    def set_scaling(self, scaling: str) -> None:
        """Scale the features another way."""
        self._change(lambda draft: draft.with_scaling(scaling))

    def set_sizes(self, text: str) -> None:
        """Ask for a size of each cluster: ``50, 50, 50``, ``40-60``, ``equal``."""
        self._change(lambda draft: draft.with_sizes(*read_sizes(text, draft.n, draft.k)))

    def cure(self, cure: Cure, rules: tuple[AnyAsked, ...] | None = None) -> None:
        """Make a change after which the constraints can be kept, with the rules it was found for.

        `rules`: Those of the draft by default; others if a rule was refused.
        """

        def changed(draft: Draft) -> Draft:
            kept = [*(draft.rules if rules is None else rules)]
            if cure.rule >= 0:
                rule = kept.pop(cure.rule)
                if cure.text and isinstance(rule, AskedRule):
                    kept.insert(cure.rule, replace(rule, text=cure.text))
            if cure.k:
                draft = draft.with_k(cure.k)
            if cure.sizes:
                draft = draft.with_sizes(*read_sizes(cure.sizes, draft.n, draft.k))
            gone = {("must", *pair) for pair in cure.must_link}
            gone |= {("cannot", *pair) for pair in cure.cannot_link}
            if gone:
                draft = draft.without_links(
                    link for link in draft.links if (link.kind, *sorted(link.pair)) in gone
                )
            return draft.with_rules(kept)

        self._change(changed)

    def set_outliers(self, outliers: int) -> None:
        """Let another number of points be left out."""
        self._change(lambda draft: draft.with_outliers(outliers))

    def set_neighbors(self, text: str) -> None:
        """Ask for clusters that are connected, as ``knn:6 of lon, lat``; any, if it is empty."""
        self._change(lambda draft: draft.with_neighbors(text))

    def set_fixed_centers(self, text: str) -> None:
        """Give centres that do not move, ``5.1, 3.5; 6.2, 2.9``; an empty text frees them."""
        self._change(lambda draft: draft.with_fixed_centers(read_centers_text(text)))

    # --- Clusters of the answer on show, by their numbers on the page --------------------------
    #
    # To merge clusters, to split or to keep one, or to give points to another one, makes few links
    # of their most central points. It does not change the clustering: the next run answers.

    def name_cluster(self, cluster: int, text: str) -> None:
        """Give a cluster a name; an empty one takes it away."""
        draft = self._state.draft
        with self._state.reporting_errors():
            labels = self._numbered(cluster)
            [point, *_] = self._central_points(labels, cluster)
            names = with_name(draft.cluster_names, labels, point, text)
            self.edit(draft.with_cluster_names(names), rerun=False)

    def merge_clusters(self, one: int, other: int) -> None:
        """Ask for one cluster in place of two: k falls by one, and their middles are linked."""
        draft = self._state.draft
        with self._state.reporting_errors():
            labels = self._numbered(one, other)
            if one == other:
                raise CcvizError("Choose two clusters to merge.")
            middles = [*self._central_points(labels, one), *self._central_points(labels, other)]
            links = group_links("must", middles)
            self._gesture("merged", links, draft.k - 1)
            joined = count(len(links), "must-link")
            self._say_links(f"k is {draft.k - 1} now, and {joined} join them.")

    def split_cluster(self, cluster: int) -> None:
        """Ask for two clusters in place of one: k rises by one, and their middles are kept apart.

        The halves are those of two picked points of the cluster, or those that k-means finds.
        """
        draft, picked = self._state.draft, self._state.picked
        with self._state.reporting_errors():
            labels = self._numbered(cluster)
            own = np.flatnonzero(labels == cluster)
            ends = picked if len(picked) == 2 and set(picked) <= {*own.tolist()} else ()
            half = np.full(draft.n, -1)
            half[own] = _halves(draft.X[own], draft.X[list(ends)])
            sides = [self._central_points(half, side) for side in (0, 1)]
            if not all(sides):
                raise CcvizError("These points are all in one place: nothing splits them.")
            sides = [[*dict.fromkeys((*ends[at : at + 1], *side))] for at, side in enumerate(sides)]
            links = [link for side in sides for link in group_links("must", side)]
            musts = count(len(links), "must-link")
            links.append(Link("cannot", sides[0][0], sides[1][0]))
            self._gesture("split", links, draft.k + 1)
            self._say_links(f"k is {draft.k + 1} now; {musts} and 1 cannot-link make the halves.")

    def keep_cluster(self, cluster: int) -> None:
        """Ask that all points of a cluster stay together: linked with its most central point."""
        draft = self._state.draft
        with self._state.reporting_errors():
            labels = self._numbered(cluster)
            own = np.array(self._central_points(labels, cluster, draft.n))
            joined = closure(draft.n, draft.links.taken(draft.links.is_hard).of_kind("must").pairs)
            # Points that must-links join already need one link.
            middle, *others = own[np.sort(np.unique(joined[own], return_index=True)[1])].tolist()
            if not others:
                raise CcvizError("Must-links keep these points together already.")
            self._gesture("kept", [Link("must", middle, each) for each in others])
            kept = count(len(own), "point")
            self._say_links(f"{count(len(others), 'must-link')} keep its {kept} together.")

    def move_points(self, points: Iterable[int], cluster: int) -> None:
        """Ask for points in another cluster: linked with its middle, apart from their own."""
        state = self._state
        with state.reporting_errors():
            labels = self._numbered(cluster)
            coming = [point for point in points if labels[point] != cluster]
            if not coming:
                raise CcvizError("What is to move is in this cluster already.")
            most, full = self._room(len(coming), int((labels == cluster).sum()))
            middle = self._central_points(labels, cluster, most)
            links = [Link("must", point, middle[0], state.weight) for point in coming]
            links += group_links("must", middle, state.weight)
            left = {int(labels[point]): point for point in reversed(coming) if labels[point] >= 0}
            labels[coming] = cluster
            apart = [Link("cannot", point, each, state.weight) for own, point in left.items()
                     for each in self._central_points(labels, own, 1)]  # fmt: skip
            self._gesture("moved", [*links, *apart])
            musts = count(len(links), "must-link")
            self._say_links(f"{musts} and {count(len(apart), 'cannot-link')} were made.{full}")

    def _room(self, coming: int, own: int) -> tuple[int, str]:
        """Return how many points of a cluster may be linked with those that come, and what leaves.

        Where sizes leave no room for all, the run chooses who leaves among at least half.
        `own`: Points of the cluster.
        """
        sizes = self._state.draft.problem.sizes
        largest = self._state.draft.n if sizes is None else int(sizes.upper.max())
        if coming >= largest:
            raise CcvizError(
                f"The sizes let a cluster hold at most {count(largest, 'point')}, so {coming:,} "
                "and one that is there are too many. Move fewer, or change the sizes."
            )
        leave = own + coming - largest
        if leave <= 0:
            return min(_CENTRAL_POINTS, largest - coming), ""
        most = min(_CENTRAL_POINTS, (largest - coming + 1) // 2)
        full = f" The cluster is full, at {largest:,} by the sizes: a run chooses who leaves it."
        return most, full

    def _gesture(self, done: str, links: Iterable[Link], k: int = 0) -> None:
        """Make the links of a gesture, and change the number of clusters, in one edit.

        Raises `CcvizError` if it is seen at once that no clustering would keep them.
        """
        draft = self._state.draft.with_k(k) if k else self._state.draft
        draft = draft.with_links(replace(link, source=f"{done}{BY_HAND}") for link in links)
        if (found := impossible(draft)) is not None:
            raise CcvizError(found[0].text)
        self.edit(draft)

    def _numbered(self, *clusters: int) -> IntArray:
        """Return the clusters on show by their numbers on the page, all of these among them."""
        state, answer = self._state, self._state.answer
        if answer is None or answer.problem.n_points != state.draft.n:
            raise CcvizError("There are no clusters yet: run a solver first.")
        labels = state.cluster_colors.of(answer)[: state.draft.n]
        missing = set(clusters) - set(labels.tolist())
        if missing:
            raise CcvizError(f"There is no point in cluster {min(missing)}.")
        return labels

    def _central_points(
        self, labels: IntArray, cluster: int, most: int = _CENTRAL_POINTS
    ) -> list[int]:
        """Return the points of a cluster that are nearest to its mean, the nearest first."""
        own = np.flatnonzero(labels == cluster)
        if not len(own):
            return []
        points = self._state.draft.X[own].astype(np.float64, copy=False)
        away = _away(points, points.mean(axis=0))
        return list(own[np.argsort(away, kind="stable")[:most]].tolist())

    def _say_links(self, text: str) -> None:
        self._say(f"{text} A run answers with them.", "links were made")

    def _say(self, text: str, title: str) -> None:
        self._state.notice = Notice("info", text, title=title)

    # --- Whole problems, and the way back ------------------------------------------------------

    def load(self, data: Dataset, k: int | None = None) -> None:
        """Take another data set, without links."""
        self._change(lambda _: draft_of(data, k))

    def adopt(self, draft: Draft) -> None:
        """Take a whole problem at once."""
        self._change(lambda _: draft)

    def begin_with(self, draft: Draft) -> None:
        """Take a problem for the first state: undo stops here."""
        self._history = History(draft)
        self._take()

    def forget(self) -> None:
        """Take the current problem for the first state."""
        self._history = History(self._state.draft)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether something was undone."""
        return self._history.can_redo

    def link_sets(self) -> dict[str, Draft]:
        """Return the problem with its links, with those before each edit, and with none."""
        return self._history.link_sets()

    def undo(self) -> None:
        """Take back the last edit; a proof of the problem as it was is shown again."""
        self._go(self._history.undo)

    def redo(self) -> None:
        """Take back the last undo."""
        self._go(self._history.redo)

    def _go(self, move: Callable[[], None]) -> None:
        state, before = self._state, self._state.draft
        move()
        self._take()
        if state.draft.has_points_of(before):
            with state.reporting_errors():
                self._answer_edit(undone=True)

    # --- One edit: it is checked, taken, and answered ------------------------------------------

    def _change(self, change: Callable[[Draft], Draft]) -> None:
        with self._state.reporting_errors():
            self.edit(change(self._state.draft))

    def edit(self, draft: Draft, rerun: bool = True) -> None:
        """Take another problem, and answer it where edits do so.

        Raises `CcvizError` if it is refused; nothing has changed then.
        """
        state = self._state
        state.person.quota.check_table(*draft.data.X.shape)
        problem = draft.problem  # raises the sentence before anything has changed
        state.person.quota.check_links(len(problem.must_link) + len(problem.cannot_link))
        same_points = draft.has_points_of(state.draft)
        self._history.commit(draft)
        self._take()
        if rerun and same_points:
            self._answer_edit()

    def _take(self) -> None:
        """Make the present draft of the history the session's."""
        state, before, draft = self._state, self._state.draft, self._history.present
        state.repair.close()
        changes: dict[str, Any] = CLEARED | {"draft": draft}
        if offered_axes(draft.data) != offered_axes(before.data):
            changes["x_axis"], changes["y_axis"] = first_axes(draft.data)
        if suited := self._suited(draft):
            changes["solver"] = suited
        if not draft.has_points_of(before):
            watched = watched_settings(state.solver.name, draft.problem)
            changes.setdefault("solver", replace(state.solver, **watched))
            rows = draft.rows_in(before)
            state.cluster_colors.follow(rows)
            state.staying.follow(rows)
            state.asking.forget()
            state.playback.close()
        if draft.data is not before.data:
            changes["story"] = ""
        state.param.update(**changes)
        state.asking.follow(draft)
        if (found := impossible(draft)) is not None:
            state.param.update(notice=found[0], lit=found[1])

    def choose_solver(self) -> None:
        """Take the solver that suits the problem, now and after each edit, until a person does."""
        self._state.chosen = False
        if suited := self._suited(self._state.draft):
            self._state.solver = suited

    def _suited(self, draft: Draft) -> Solver | None:
        """Return the solver to take for a draft, None where the present one stays.

        It stays where a person chose it, or an example brought it.
        """
        state = self._state
        if state.chosen or draft.data.setup is not None:
            return None
        best = advised(draft, seconds=state.limits.time_limit)
        if best is None or best.solver == state.solver.name:
            return None
        return make_solver(best.solver, **watched_settings(best.solver, draft.problem))

    def _answer_edit(self, undone: bool = False) -> None:
        """Show a proof of the current problem, or run it where edits do so."""
        state = self._state
        run, problem, exact = state.run, state.draft.problem, state.solver.supports.exact
        if run is not None and run.problem.asks_the_same(problem):
            return
        if undone or (exact and state.as_edited is not False):
            known = state.proofs.proof_of(problem)
            if known and self._show_proof(known) and state.kept is None:
                return
        runs = state.as_edited or (state.as_edited is None and self._runs_by_itself())
        if not state.asking.active:
            state.repair.begin(state.answer, problem, only_at_once=runs)
        if runs:
            state.proofs.expect()
            self._start()

    def _show_proof(self, run_id: str) -> bool:
        """Show an earlier proof, unless a run goes on that no edit has started."""
        state = self._state
        if run_id != state.player.run_id:
            if state.runner.busy and not state.proofs.is_own(state.runner.run_id):
                return False
            state.runner.close()
            state.playback.show(run_id)
        return True

    def _runs_by_itself(self) -> bool:
        state = self._state
        if state.notice is not None or state.asking.active or state.runner.state == "paused":
            return False
        return state.proofs.may_run(state.solver, state.draft)


_ITERATIONS = 20


def _halves(points: FloatArray, ends: FloatArray) -> IntArray:
    """Return (m,) which half each point is in, 0 or 1: that of the nearer of two ends.

    `ends` (2, d): Points that stay; without any k-means begins with two that are far apart.
    """
    moves, points = not len(ends), points.astype(np.float64, copy=False)
    if moves:
        first = points[_away(points, points.mean(axis=0)).argmax()]
        ends = np.array([first, points[_away(points, first).argmax()]])
    for _ in range(_ITERATIONS if moves else 1):
        half = (_away(points, ends[1]) < _away(points, ends[0])).astype(np.int64)
        if half.any() and moves:
            ends = np.array([points[half == side].mean(axis=0) for side in (0, 1)])
    return half


def _away(points: FloatArray, place: FloatArray) -> FloatArray:
    return np.asarray(((points - place) ** 2).sum(axis=1))
