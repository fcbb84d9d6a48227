"""The cases of a zone (`ccviz.solvers.colgen.zones`): column generation among its blocks alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.solvers.base import never
from ccviz.solvers.colgen.instance import Instance, with_place
from ccviz.solvers.colgen.master import MasterSolution
from ccviz.solvers.colgen.places import placed
from ccviz.solvers.colgen.pricing import Pricer, join
from ccviz.solvers.colgen.repair import REPAIRS, is_enough, lowering
from ccviz.solvers.colgen.spot import part_of, raised
from ccviz.solvers.colgen.stars import make_stars
from ccviz.solvers.colgen.trials import Basis, Trial, best_trial, elsewhere, tried
from ccviz.solvers.colgen.zones import Case, Zone
from ccviz.solvers.search.tree import Decision

_ROUNDS = 8  # at a case, at most,
_NEAR = 0.08  # until its bound is so near to its master, relative to the tolerance,
_LEFT = 0.25  # and to what the master gains:
_NOTHING = 0.005  # but for so little, however many cases there are on the way to it;
_ERROR = 0.05  # and the master is solved to so much of it,
_ROUGH, _FIRST_ERROR = 2, 0.2  # in the first rounds to that
_BEGINS = 0.9  # stars worth so much of the price are a zone's first,
_USEFUL = 0.985  # and those of a case are kept
_WIDE = 2.0  # times as many blocks are near the last place of a zone's worst case
_COLUMN = 0.25  # of the tolerance, over all clusters: columns that win less are not added


class Setting(NamedTuple):
    """What all zones of a node have in common.

    Attributes
    ----------
    instance : Instance
        Of the node, without places.
    method : str
        Of pricing.
    duals : (s,) float64
    price : float
    k : int
    points : (n, d) float64
        In the axes of the instance,
    own : (n, d) float64
        and in their own.
    tolerance : float
    missing : float
        What a zone is to gain.
    stop : callable
        True once it should end with what it has.
    """

    instance: Instance
    method: str
    duals: FloatArray
    price: float
    k: int
    points: FloatArray
    own: FloatArray
    tolerance: float
    missing: float
    stop: Callable[[], bool] = never


class Split(NamedTuple):
    """A zone with more cases, and how many columns were found."""

    zone: Zone
    found: int


def opened(setting: Setting, zone: Zone, columns: np.ndarray, weights: FloatArray) -> Zone:
    """Return a zone with one case, in which nothing is decided on.

    Parameters
    ----------
    setting : Setting
    zone : Zone
    columns : (m, s) bool
        Of the node, with the (m,) weights of its solution.
    """
    duals, price, rows = setting.duals, setting.price, zone.rows
    worth = make_stars(setting.instance, columns, duals).values(duals) < -_BEGINS * price
    inside = columns[:, rows]
    worth &= inside.sum(axis=1) == columns.sum(axis=1)
    solution = _solution(duals[rows], price, weights[worth])
    case = Case((), duals[rows], inside[worth], solution, (), 0.0, -price)
    return zone._replace(cases=(case._replace(trials=_trials(setting, zone, case, None)),))


def tested(setting: Setting, zone: Zone) -> Zone:
    """Return the zone with its worst case widened, and places tried for it: near the last or all.

    A case that is not the worst of its zone need not be so good.
    """
    case = _widened(setting, zone, zone.worst)
    trials = (*case.trials, *_trials(setting, zone, case, case.spot))
    if not any(trial.is_two_sided(setting.missing) for trial in trials):
        trials = _trials(setting, zone, case, None)
    return zone.put(case._replace(trials=trials, spot=None))


def split(setting: Setting, zone: Zone) -> Split:
    """Split the zone's worst case on its best place; it keeps the case where none is any good."""
    best = best_trial(zone.worst.trials, setting.missing)
    if best is None:
        return Split(zone.put(zone.worst._replace(trials=())), 0)
    sides = [Decision(best.place, side, True) for side in (True, False)]
    made = [_child(setting, zone, zone.worst, decision) for decision in sides]
    children, found = zip(*made, strict=True)
    return Split(zone.put(*children), sum(found))


def _widened(setting: Setting, zone: Zone, case: Case) -> Case:
    """Return a case with duals raised farther around its last place."""
    assert case.spot is not None
    instance = _instance(setting, zone, case.decisions)
    most = _most(setting, zone, instance)
    duals, solution, columns, _, least = _generated(
        setting, instance, case.columns, case.duals, most, case.spot, _WIDE
    )
    rise = case.rise + float((duals - case.duals).sum())
    least = min(case.least, least)
    return case._replace(duals=duals, columns=columns, solution=solution, rise=rise, least=least)


def _child(setting: Setting, zone: Zone, parent: Case, decision: Decision) -> tuple[Case, int]:
    """Return a case with one decision more, and how many columns were found."""
    before = len(parent.duals) - len(zone.rows)
    decisions = (*parent.decisions, decision)
    instance = _instance(setting, zone, decisions)
    new = instance.taken - before
    wider = np.pad(parent.columns, ((0, 0), (0, new)))
    columns, _, fits = placed(instance, wider, mark=True)
    spot = setting.points[decision.pair[0]]
    most = _most(setting, zone, instance)
    duals, solution, columns, found, least = _generated(
        setting, instance, columns[fits], np.pad(parent.duals, (0, new)), most, spot
    )
    rise = float(duals.sum() - setting.duals[zone.rows].sum())
    trials = elsewhere(parent.trials, instance, setting.points, spot, _k(setting, instance))
    least = min(parent.least, least)
    won = rise - parent.rise > _NOTHING * setting.tolerance
    stalled = 0 if won else parent.stalled + 1
    return Case(decisions, duals, columns, solution, trials, rise, least, spot, stalled), found


def _generated(
    setting: Setting,
    instance: Instance,
    columns: np.ndarray,
    duals: FloatArray,
    most: FloatArray,
    spot: FloatArray,
    share: float = 1.0,
) -> tuple[FloatArray, MasterSolution, np.ndarray, int, float]:
    """Raise the duals near a spot and price, in turn, until little is missing.

    Returns the best duals, the last solution, its columns, how many were found, and what no
    cluster is below under the best duals.
    """
    pricer, price, k = Pricer((instance,), setting.method), setting.price, _k(setting, instance)
    start, best, least, found = duals, duals, 0.0, 0  # the parent's hold here too
    for turn in range(_ROUNDS):
        error = (_ERROR if turn >= _ROUGH else _FIRST_ERROR) * setting.tolerance
        near = raised(instance, columns, duals, price, most, spot, k, error, share, setting.stop)
        told = [*lowering(pricer, near.duals, price, REPAIRS)]
        priced, (last, at) = join([each for each, _ in told]), told[-1]
        if at.sum() > best.sum() and is_enough(last, price):
            best, least = at, last.least
        new = priced.worth_more(near.duals, price, _COLUMN * setting.tolerance / setting.k)
        duals, weights = near.duals, np.pad(near.weights, (0, len(new)))
        columns, found = np.concatenate([columns, priced.columns[new]]), found + len(new)
        gain, missing = (float(near.duals.sum() - each.sum()) for each in (start, best))
        little = max(min(_NEAR * setting.tolerance, _LEFT * gain), _NOTHING * setting.tolerance)
        if len(new) == 0 or missing <= little or setting.stop():
            break
    useful = make_stars(instance, columns, best).values(best) < -_USEFUL * price
    solution = _solution(duals, price, weights[useful])
    return best, solution, columns[useful], found, least


def _most(setting: Setting, zone: Zone, instance: Instance) -> FloatArray:
    """Return (z + t,) what no dual of a case is above."""
    return np.append(zone.most, np.full(instance.taken, setting.price))


def _instance(setting: Setting, zone: Zone, decisions: tuple[Decision, ...]) -> Instance:
    """Return the zone's blocks with the places of a case."""
    instance = part_of(setting.instance, zone.rows)
    for (near, far), side, _ in decisions:
        instance = with_place(instance, setting.points[near], setting.points[far], side)
    return instance


def _trials(setting: Setting, zone: Zone, case: Case, spot: FloatArray | None) -> tuple[Trial, ...]:
    """Try places of a case that are in the zone: near a spot, or all."""
    instance, solution = _instance(setting, zone, case.decisions), case.solution
    values = make_stars(instance, case.columns, solution.duals).values(solution.duals)
    most = _most(setting, zone, instance)
    k, points, own = _k(setting, instance), setting.points, setting.own
    basis = Basis(instance, case.columns, solution, values, most, points, k)
    return tried(
        basis, setting.missing, spot, setting.stop, lambda c, b: zone.holds(own[c], own[b])
    )


def _k(setting: Setting, instance: Instance) -> int:
    """Return how many clusters the blocks of a zone are in, about."""
    return max(1, round(setting.k * len(instance.mass) / len(setting.duals)))


def _solution(duals: FloatArray, price: float, weights: FloatArray) -> MasterSolution:
    """Return a solution of which only the duals, the price and the weights matter."""
    return MasterSolution(float(duals.sum()), duals, price, weights, np.zeros(len(duals)))
