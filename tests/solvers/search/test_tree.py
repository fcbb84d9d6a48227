import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from threading import Event

import numpy as np
import pytest

from ccviz.bounds import OPTIMAL_GAP
from ccviz.events import (
    TERMINATION_SENTENCES,
    BoundImproved,
    Finished,
    IncumbentFound,
    InfeasibilityProved,
    NodeBounded,
    NodeBranched,
    NodeOpened,
    NodePruned,
    Noted,
    Record,
)
from ccviz.problem.problem import Problem
from ccviz.solvers.base import Context, never
from ccviz.solvers.s_mdeclust import first_labels
from ccviz.solvers.search.branch_and_bound import Known, branch_and_bound
from ccviz.solvers.search.decisions import PairDecision, decided_pairs, decision_of
from ccviz.solvers.search.tree import Report, Search, StoppedError, Task, cutoff
from ccviz.solvers.search.workforce import Backend, Workforce, open_workforce
from tests.patience import PATIENCE_S

POINTS = np.array([0.0, 0.3, 1.0, 1.2, 2.0, 2.5])


def on(pair):
    """Return the decision on a pair that a report branches on."""
    return PairDecision(*pair, together=True)


def objective(labels):
    return sum(
        float(((POINTS[labels == j] - POINTS[labels == j].mean()) ** 2).sum()) for j in (0, 1)
    )


def allowed(task, labels):
    together, apart = (decided_pairs(task.decisions, side) for side in (True, False))
    return all(labels[i] == labels[j] for i, j in together.tolist()) and all(
        labels[i] != labels[j] for i, j in apart.tolist()
    )


def work(task):
    """A stand-in solver: exact bounds by trying everything, weakened while pairs are open."""
    every = [
        labels
        for bits in range(1, 2 ** (len(POINTS) - 1))
        if allowed(task, labels := np.array([bits >> i & 1 for i in range(len(POINTS))]))
    ]
    if not every:
        return Report("infeasible", math.inf, detail="nothing is left", witness=(0, 1))
    best = min(every, key=objective)
    open_pairs = [
        pair
        for pair in combinations(range(len(POINTS)), 2)
        if pair not in [(each.first, each.second) for each in task.decisions]
    ]
    weak = objective(best) * (1.0 - 0.1 * (4 - len(task.decisions)) / 4)
    if task.opening and not task.decisions:
        return Report("go on", 0.5 * weak, state="begun")
    if len(task.decisions) >= 4:
        return Report("integral", objective(best), labels=best, certificate={"a": POINTS})
    return Report("branch", weak, labels=every[0], branch=on(open_pairs[0]), state="parent")


def run(order="best", workers="1", tolerance=1e-6, history=(), stop=lambda: False):
    search = Search(work, objective, tolerance, order)
    with open_workforce(workers) as workforce:
        events = list(search.steps(workforce, stop, history))
    return search, events


BEST = min(
    objective(np.array([bits >> i & 1 for i in range(len(POINTS))]))
    for bits in range(1, 2 ** (len(POINTS) - 1))
)


@pytest.mark.parametrize("order", ["best", "depth", "breadth"])
def test_every_order_finds_the_optimum(order):
    search, events = run(order)
    assert search.upper_bound == pytest.approx(BEST)
    assert search.lower_bound == pytest.approx(BEST)
    bounds = [event.lower_bound for event in events if isinstance(event, BoundImproved)]
    assert bounds == sorted(bounds)
    assert all(bound <= BEST * (1 + 1e-12) for bound in bounds)


def test_a_branched_node_has_both_children_and_a_leaf_has_none():
    _, events = run()
    parents = [event.parent for event in events if isinstance(event, NodeOpened)]
    for event in events:
        if isinstance(event, NodeBranched):
            assert parents.count(event.node) == 2
        if isinstance(event, NodePruned):
            assert parents.count(event.node) == 0
    opened = sum(isinstance(event, NodeOpened) for event in events)
    assert opened == sum(isinstance(event, NodePruned | NodeBranched) for event in events)


@pytest.mark.parametrize("tolerance", [1e-6, 0.2])
def test_a_node_closed_by_its_bound_says_no_more_than_its_bound_does(tolerance):
    search, events = run(tolerance=tolerance)
    closed = [e for e in events if isinstance(e, NodePruned) and e.reason == "bound"]
    assert closed
    below = [event.lower_bound < search.upper_bound for event in closed]
    assert any(below) == (tolerance == 0.2)
    for event in closed:
        assert event.lower_bound >= cutoff(search.upper_bound, tolerance)
        assert event.detail in (
            "The bound reached the incumbent within the tolerance.",
            "The bound of its parent suffices.",
        )


def test_a_stop_leaves_at_once_with_the_incumbent():
    seen = []
    search, events = run(stop=lambda: len(seen) > 0 or seen.append(1))
    assert len(events) < 8
    assert search.lower_bound < BEST


def test_cutoff_is_infinite_without_an_incumbent():
    assert cutoff(math.inf, 1e-4) == math.inf
    assert cutoff(10.0, 0.1) == pytest.approx(9.0)
    assert Task(0).decisions == ()


def test_work_in_hand_is_dropped_when_it_is_told_to_stop():
    asked = iter([False] * 6 + [True] * 99)

    def obedient(task):
        if task.stop():
            raise StoppedError
        return work(task)

    search = Search(obedient, objective, 1e-6)
    with open_workforce("1") as workforce:
        events = list(search.steps(workforce, lambda: next(asked)))
    opened = {event.node for event in events if isinstance(event, NodeOpened)}
    done = {event.node for event in events if isinstance(event, NodeBranched | NodePruned)}
    assert 0 < len(done) < len(opened)
    assert search.lower_bound <= BEST


def test_a_gap_that_stays_is_no_proof():
    problem = Problem([[0.0], [1.0], [3.0]], 2)

    def rounded(task):
        return Report("integral", 0.25, labels=np.array([0, 0, 1]))  # of the objective 0.5

    *_, last = branch_and_bound(problem, Context(), rounded, tolerance=1e-6, order="best")
    assert last.termination == "stalled"
    assert "a gap of 0.5." in last.message


HERE = Workforce(Backend())
FAR = np.array([0, 1, 0, 1, 0, 1])  # a clustering that is far from the best
PAIRS = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def scripted(*reports):
    """Return a search whose work answers with these, in turn, and the tasks it is given."""
    tasks, left = [], iter(reports)

    def answer(task):
        tasks.append(task)
        return next(left)

    return Search(answer, objective, 1e-6, "breadth"), tasks


def of_kind(events, *kinds):
    return [event for event in events if isinstance(event, kinds)]


def decisions_by_node(events):
    found = {}
    for event in of_kind(events, NodeOpened):
        newest = decision_of(event)
        found[event.node] = found.get(event.parent, ()) + (() if newest is None else (newest,))
    return found


def test_a_search_begins_with_the_clustering_it_is_given_first():
    search = Search(work, objective, 1e-6, first=lambda: FAR)
    events = list(search.steps(HERE, lambda: False))
    root, found = events[:2]
    assert (root.node, root.parent, root.depth, root.lower_bound) == (0, None, 0, 0.0)
    assert (root.pair, root.together) == (None, False)
    assert (found.source, found.objective) == ("start", objective(FAR))
    assert found.labels.tolist() == FAR.tolist()
    assert not list(search.add_incumbent(found.labels, "again"))


def test_a_clustering_that_is_only_as_good_is_no_news():
    search = Search(work, objective, 1e-6)
    assert list(search.add_incumbent(FAR, "one"))
    assert not list(search.add_incumbent(1 - FAR, "other"))


def test_reports_are_told_in_full():
    noted = Noted(text="hello")
    search, tasks = scripted(
        Report(
            "go on", 0.1, labels=FAR, source="rounding",
            events=(noted,), state="begun", iterations=3,
        ),
        Report("branch", 0.2, branch=on((0, 1)), state="parent", certificate={"a": POINTS}),
        Report("bound", 0.3, certificate={"b": POINTS}),
        Report("integral", 0.1, detail="by hand"),
    )  # fmt: skip
    events = list(search.steps(HERE, lambda: False))
    kinds = [type(event) for event in events]
    assert kinds == [
        NodeOpened, Noted, IncumbentFound, NodeBounded, BoundImproved,
        NodeBounded, NodeBranched, NodeOpened, NodeOpened, BoundImproved,
        NodeBounded, NodePruned, NodePruned,
    ]  # fmt: skip
    assert events[1] is noted
    assert (events[2].labels.tolist(), events[2].source) == (FAR.tolist(), "rounding")
    assert (events[3].node, events[3].lower_bound, events[3].iterations) == (0, 0.1, 3)
    assert [event.lower_bound for event in of_kind(events, BoundImproved)] == [0.1, 0.2]
    branched = events[6]
    assert (branched.node, branched.pair, branched.lower_bound) == (0, (0, 1), 0.2)
    children = [(e.node, e.parent, e.depth, e.lower_bound, e.pair, e.together) for e in events[7:9]]
    assert children == [(1, 0, 1, 0.2, (0, 1), True), (2, 0, 1, 0.2, (0, 1), False)]
    first, second = events[11:]
    assert (first.node, first.reason, first.lower_bound) == (1, "bound", 0.3)
    assert first.detail == "The bound reached the incumbent within the tolerance."
    assert first.certificate["b"].tolist() == POINTS.tolist()
    assert first.certificate["node"].tolist() == [1]
    assert first.certificate["node"].dtype == np.int64
    # A child that proves no more than its parent keeps the parent's proof.
    assert (second.node, second.reason, second.lower_bound) == (2, "integral", 0.2)
    assert second.detail == "by hand"
    assert second.certificate["a"].tolist() == POINTS.tolist()
    assert second.certificate["node"].tolist() == [0]

    assert [task.state for task in tasks] == [None, "begun", "parent", "parent"]
    assert [task.opening for task in tasks] == [True, False, True, True]
    assert [task.node for task in tasks] == [0, 0, 1, 2]
    assert [task.upper_bound for task in tasks] == [math.inf, *[objective(FAR)] * 3]
    assert [task.lower_bound for task in tasks] == [-math.inf, 0.1, 0.2, 0.2]
    assert tasks[3].decisions == (PairDecision(0, 1, together=False),)


def test_an_only_clustering_says_so():
    search, _ = scripted(Report("integral", 0.1, labels=FAR))
    *_, pruned, _ = search.steps(HERE, lambda: False)
    assert (pruned.reason, pruned.detail) == ("integral", "Only one clustering is left.")


def test_a_child_is_closed_by_its_parents_bound_without_work():
    search, tasks = scripted(
        Report("branch", 2.0, branch=on((0, 1)), certificate={"a": POINTS}),
        Report("integral", objective(FAR), labels=FAR),
    )
    search.objective_of, search.tolerance = lambda labels: 2.0, 0.0
    last = of_kind(search.steps(HERE, lambda: False), NodePruned)[-1]
    assert len(tasks) == 2
    assert (last.node, last.reason, last.lower_bound) == (2, "bound", 2.0)
    assert last.detail == "The bound of its parent suffices."
    assert last.certificate["a"].tolist() == POINTS.tolist()


def test_a_bound_at_the_cutoff_closes_what_would_branch():
    search, _ = scripted(Report("branch", 2.0, labels=FAR, branch=on((0, 1))))
    search.objective_of, search.tolerance = lambda labels: 4.0, 0.5
    events = list(search.steps(HERE, lambda: False))
    (pruned,) = of_kind(events, NodePruned)
    assert (pruned.reason, pruned.lower_bound) == ("bound", 2.0)
    assert search.lower_bound == 2.0


def test_a_bound_that_did_not_grow_keeps_its_proof():
    search, _ = scripted(
        Report("go on", 0.1, certificate={"a": POINTS}),
        Report("bound", 0.1, certificate={"b": POINTS}),
    )
    events = list(search.steps(HERE, lambda: False))
    assert len(of_kind(events, NodeBounded)) == 1
    assert [*of_kind(events, NodePruned)[0].certificate] == ["a", "node"]


def test_what_proves_nothing_has_no_proof():
    opened = NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0)
    for history in ((), (Record(0, 0.0, opened),)):
        search, _ = scripted(Report("integral", -math.inf, labels=FAR))
        (pruned,) = of_kind(search.steps(HERE, lambda: False, history), NodePruned)
        assert pruned.certificate == {}


def test_an_infeasible_root_names_its_witness():
    search, _ = scripted(
        Report("infeasible", 0.0, detail="no", witness=(1, 2), certificate={"a": POINTS})
    )
    _, pruned, proved = search.steps(HERE, lambda: False)
    assert (pruned.node, pruned.reason, pruned.lower_bound) == (0, "infeasible", math.inf)
    assert pruned.detail == "no"
    assert pruned.certificate["a"].tolist() == POINTS.tolist()
    assert pruned.certificate["witness"].tolist() == [1, 2]
    assert pruned.certificate["witness"].dtype == np.int64
    assert (proved.reason, proved.points) == ("no", (1, 2))


def test_infeasible_branches_prove_infeasibility_only_all_together():
    no = Report("infeasible", math.inf)
    search, _ = scripted(Report("branch", 0.1, branch=on((0, 1))), no, no)
    events = list(search.steps(HERE, lambda: False))
    assert search.infeasible
    (proved,) = of_kind(events, InfeasibilityProved)
    assert proved is events[-1]
    assert proved.reason == "every branch of the search tree is infeasible."
    assert proved.points == ()
    pruned = of_kind(events, NodePruned)
    assert [event.certificate["witness"].tolist() for event in pruned] == [[], []]
    assert pruned[0].certificate["witness"].dtype == np.int64

    for other in (Report("integral", 0.2, labels=FAR), Report("bound", 0.2)):
        for reports in ((no, other), (other, no)):
            search, _ = scripted(Report("branch", 0.1, branch=on((0, 1))), *reports)
            events = list(search.steps(HERE, lambda: False))
            assert not search.infeasible
            assert not of_kind(events, InfeasibilityProved)
            assert search.lower_bound == pytest.approx(0.2)


@pytest.mark.parametrize("order", ["best", "depth", "breadth"])
def test_of_nodes_alike_the_older_comes_first(order):
    bounds = iter([0.1, 0.2, 0.15, 0.3, 0.4])
    tasks = []

    def answer(task):
        tasks.append(task.node)
        return Report("branch", next(bounds), branch=on(PAIRS[len(task.decisions)]))

    list(Search(answer, objective, 1e-6, order).steps(HERE, lambda: len(tasks) > 4))
    assert tasks == {
        "best": [0, 1, 2, 5, 6], "depth": [0, 1, 3, 5, 7], "breadth": [0, 1, 2, 3, 4],
    }[order]  # fmt: skip


def test_a_node_that_was_begun_is_ended_before_another_is():
    go_on, branch = Report("go on", 0.5), Report("branch", 0.1, branch=on((0, 1)))
    search, tasks = scripted(branch, go_on, go_on, Report("bound", 1.0), Report("bound", 1.0))
    search.order = "best"  # by which the other child, with the lower bound, would be next
    list(search.steps(HERE, lambda: False))
    assert [task.node for task in tasks] == [0, 1, 1, 1, 2]


def test_a_run_cut_off_anywhere_goes_on_with_what_was_open():
    _, whole = run()
    for cut in range(1, len(whole)):
        history = tuple(Record(seq, 0.0, event) for seq, event in enumerate(whole[:cut]))
        tasks = []

        def watched(task, tasks=tasks):
            tasks.append(task)
            return work(task)

        search = Search(watched, objective, 1e-6)
        every = [*whole[:cut], *search.steps(HERE, lambda: False, history)]
        assert search.lower_bound == pytest.approx(search.upper_bound) == pytest.approx(BEST)
        decisions = decisions_by_node(every)
        done = {event.node for event in of_kind(whole[:cut], NodePruned, NodeBranched)}
        assert not done & {task.node for task in tasks}
        assert all(task.decisions == decisions[task.node] for task in tasks)
        assert len(set(decisions.values())) == len(decisions)
        depths = {event.node: event.depth for event in of_kind(every, NodeOpened)}
        assert all(depths[node] == len(path) for node, path in decisions.items())
        for event in of_kind(every, NodeBranched):
            path = decisions[event.node]
            children = {(*path, PairDecision(*event.pair, together)) for together in (True, False)}
            assert children <= set(decisions.values())


def test_a_resumed_run_remembers_what_was_closed():
    def history(reason, bound):
        events = [
            NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
            IncumbentFound(labels=FAR, source="", objective=objective(FAR)),
            NodeBranched(node=0, pair=(0, 1), lower_bound=0.1),
            NodeOpened(node=1, parent=0, depth=1, lower_bound=0.1, pair=(0, 1), together=True),
            NodeOpened(node=2, parent=0, depth=1, lower_bound=0.1, pair=(0, 1)),
            NodePruned(node=1, reason=reason, lower_bound=bound),
        ]
        return tuple(Record(seq, 0.0, event) for seq, event in enumerate(events))

    for reason, bound, least in (("bound", 0.2, 0.2), ("infeasible", 0.0, 0.3)):
        search, tasks = scripted(Report("bound", 0.3))
        events = list(search.steps(HERE, lambda: False, history(reason, bound)))
        assert search.upper_bound == objective(FAR)
        assert [task.node for task in tasks] == [2]
        assert search.lower_bound == least
        assert not of_kind(events, NodeOpened)
        assert of_kind(events, NodePruned)[0].certificate["node"].tolist() == [2]


def test_a_run_that_ended_before_its_root_begins_anew():
    history = (Record(0, 0.0, Noted(text="hello")),)
    search, events = run(history=history)
    assert events[0].node == 0
    assert search.lower_bound == pytest.approx(BEST)


def full(task):
    """A stand-in solver of a full tree with 15 nodes."""
    depth = len(task.decisions)
    return Report("branch" if depth < 3 else "bound", 0.1 * (depth + 1), branch=on(PAIRS[depth]))


class Helpers(ThreadPoolExecutor):
    """A backend of threads that keep what they are given."""

    losses = refusals = ()

    def __init__(self, size):
        super().__init__(size)
        self.size = size
        self.tasks = []

    def open(self, losses):
        return self

    def submit(self, fn, task):
        self.tasks.append(task)
        return super().submit(fn, task)


@pytest.mark.parametrize(("size", "helped"), [(1, range(3, 14)), (2, range(4, 15))])
def test_helpers_are_woken_once_the_tree_has_grown(size, helped):
    def stop():
        return False

    here = []

    def watched(task):
        if task.stop is stop:
            here.append(task.node)
        return full(task)

    search = Search(watched, objective, 1e-6, "breadth")
    with Helpers(size) as helpers:
        list(search.steps(Workforce(helpers), stop))
    assert [task.node for task in helpers.tasks] == [*helped]
    assert here == [node for node in range(15) if node not in helped]
    assert search.lower_bound == pytest.approx(0.4)


def test_a_stop_does_not_wait_for_helpers():
    held, asked, ended = Event(), [], []

    def slow(task):
        if len(task.decisions) > 1 and task.stop is never:
            held.wait(PATIENCE_S)
            ended.append(task)
        return full(task)

    def stop():
        asked.append(None)
        return len(asked) > 6

    search = Search(slow, objective, 1e-6, "breadth")
    with Helpers(2) as helpers:
        list(search.steps(Workforce(helpers), stop))
        assert helpers.tasks
        assert not ended  # they are not released yet
        held.set()


SMALL = Problem([[0.0], [1.0], [3.0]], 2)
BEST_OF_SMALL = np.array([0, 0, 1])


def small_run(report, incumbent="none", tolerance=1e-6, context=None):
    return list(
        branch_and_bound(
            SMALL, context or Context(), lambda task: report,
            tolerance=tolerance, order="breadth",
            first=partial(first_labels, SMALL, context or Context(), incumbent),
        )
    )  # fmt: skip


def test_the_memetic_solver_may_begin(monkeypatch):
    context, asked = Context(seed=7), []

    def memetic(problem, seed, stop):
        asked.append((problem, seed, stop))
        return BEST_OF_SMALL

    monkeypatch.setattr("ccviz.solvers.s_mdeclust.memetic_incumbent", memetic)
    events = small_run(Report("bound", 0.5), "memetic", context=context)
    (found,) = of_kind(events, IncumbentFound)
    assert (found.source, found.objective) == ("start", 0.5)
    assert asked == [(SMALL, 7, context.stop)]
    small_run(Report("bound", 0.5), "none")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("tolerance", "termination"), [(OPTIMAL_GAP, "proved"), (2 * OPTIMAL_GAP, "gap")]
)
def test_a_closed_tree_says_how_much_it_proves(tolerance, termination):
    last = small_run(Report("integral", 0.5, labels=BEST_OF_SMALL), tolerance=tolerance)[-1]
    assert isinstance(last, Finished)
    assert last.termination == termination
    assert last.message == TERMINATION_SENTENCES[termination]


def test_proved_infeasibility_is_a_proof_at_any_tolerance():
    last = small_run(Report("infeasible", math.inf), tolerance=0.5)[-1]
    assert last.termination == "proved"


@pytest.mark.parametrize(
    ("left", "termination"), [(1e-4, "proved"), (1e-4 + 0.9e-7, "proved"), (1e-4 + 2e-7, "stalled")]
)
def test_rounding_may_leave_little_of_a_gap(left, termination):
    report = Report("integral", 0.5 * (1 - left), labels=BEST_OF_SMALL)
    assert small_run(report, tolerance=1e-4)[-1].termination == termination


def test_a_run_that_is_stopped_says_nothing_of_its_end():
    events = small_run(Report("bound", 0.5), context=Context(stop=lambda: True))
    assert [type(event) for event in events] == [NodeOpened]


def test_a_search_goes_on_from_the_history_of_its_context():
    events = small_run(Report("integral", 0.5, labels=BEST_OF_SMALL))
    history = tuple(Record(seq, 0.0, event) for seq, event in enumerate(events[:-1]))
    (last,) = small_run(None, context=Context(history=history))[-1:]
    assert last.termination == "proved"


def test_a_search_takes_its_nodes_in_the_order_it_is_told():
    tasks = []

    def answer(task):
        tasks.append(task.node)
        return Report("branch", 0.1 * len(tasks), branch=on(PAIRS[len(task.decisions)]))

    context = Context(stop=lambda: len(tasks) > 2)
    list(branch_and_bound(SMALL, context, answer, tolerance=0.0, order="depth"))
    assert tasks == [0, 1, 3]


def with_known(known, report):
    problem = Problem(POINTS[:, None], 2)
    return list(
        branch_and_bound(problem, Context(), report, tolerance=1e-3, order="best", known=known)
    )


def test_a_search_ends_where_what_was_known_suffices():
    best = np.array([0, 0, 1, 1, 1, 1])
    below = objective(best) * (1.0 - 5e-4)
    events = with_known(
        Known(lower_bound=below), lambda task: Report("go on", 0.1, labels=best, state="begun")
    )
    assert [type(event) for event in events] == [
        NodeOpened, IncumbentFound, NodeBounded, Finished
    ]  # fmt: skip
    assert events[0].lower_bound == 0.0  # it is not the node's certificate that proves it
    assert events[-1].termination == "gap"


def test_what_was_known_is_not_told_again():
    best = np.array([0, 0, 1, 1, 1, 1])
    known = Known(objective(best), 0.5 * objective(best))

    def report(task):
        bound = 0.4 if task.opening else 1.0
        verdict = "go on" if task.opening else "integral"
        return Report(verdict, bound * objective(best), labels=best, state="begun")

    events = with_known(known, report)
    assert not any(isinstance(event, IncumbentFound) for event in events)
    (improved,) = (event for event in events if isinstance(event, BoundImproved))
    assert improved.lower_bound <= objective(best)
    assert improved.lower_bound == pytest.approx(objective(best), rel=1e-13)
