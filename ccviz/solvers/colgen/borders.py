"""What the borders of places do to exact pricing: to the bound of a box, and to a cluster's value.

See `ccviz.solvers.colgen.places` for what a place is, `ccviz.solvers.colgen.space` for the boxes.
"""

from __future__ import annotations

import numpy as np

from ccviz.arrays import FloatArray
from ccviz.compiled import njit
from ccviz.solvers.colgen.boxes import Space, distance_range
from ccviz.solvers.colgen.cluster import squared_distance
from ccviz.solvers.colgen.instance import Instance
from ccviz.solvers.colgen.places import mark_taken, move_in


@njit(cache=True)
def in_places(
    instance: Instance, duals: FloatArray, space: Space, top: int, weight: float
) -> tuple[float, float]:
    """Return how places change the bound of a box, and how much of that is undecided there.

    The bound is least at a centre of the box that may be inside an empty place, or outside a taken
    one whose prize it has: the nearest that is neither costs so much more. Infinite where no
    centre of the box may be.

    Parameters
    ----------
    instance : Instance
    duals : (s + t,) float64
    space : Space
        Its mean and center are those of the box's joint terms.
    top : int
        The box.
    weight : float
        Of the joint terms.
    """
    near = 0.0
    for j in range(len(space.mean)):
        near += (space.center[j] - space.mean[j]) ** 2
    least, crossing = _out_of_empty(instance, space, top, near)
    if least == np.inf:
        return np.inf, 0.0
    prize, undecided = _prizes(instance, duals, space, top)
    undecided += crossing * np.max(duals)
    change = weight * (least - near)
    for p in range(instance.taken):  # the centre is in this one, and in all that are no farther off
        if space.need[p] < np.inf:
            won = 0.0
            for q in range(instance.taken):
                if space.need[q] <= space.need[p]:
                    won += duals[len(instance.mass) + q]
            change = min(change, weight * (max(least, space.need[p]) - near) - won)
    return change - prize, undecided


@njit(cache=True)
def _out_of_empty(instance: Instance, space: Space, top: int, near: float) -> tuple[float, int]:
    """Return how far a centre of the box that is in no empty place is from the mean, squared.

    At least, and as far as each place says alone; and how many borders cross the box.
    """
    least, crossing = near, 0
    for p in range(instance.taken, len(instance.place_reach)):
        reach = instance.place_reach[p]
        closest, farthest = distance_range(instance.place, p, space.low[top], space.high[top])
        if farthest < reach:
            return np.inf, 0
        if closest < reach:
            gap = np.sqrt(squared_distance(instance.place, p, space.mean))
            least = max(least, max(np.sqrt(reach) - gap, 0.0) ** 2)
            crossing += 1
    return least, crossing


@njit(cache=True)
def _prizes(instance: Instance, duals: FloatArray, space: Space, top: int) -> tuple[float, float]:
    """Return what taken places add in all of the box, and what in some of it.

    How far from the mean a centre has to be for the latter goes to ``space.need``, squared.
    """
    sure, undecided = 0.0, 0.0
    for p in range(instance.taken):
        reach, prize = instance.place_reach[p], duals[len(instance.mass) + p]
        closest, farthest = distance_range(instance.place, p, space.low[top], space.high[top])
        space.need[p] = np.inf
        if farthest <= reach:
            sure += prize
        elif closest <= reach:
            gap = np.sqrt(squared_distance(instance.place, p, space.mean))
            space.need[p] = max(gap - np.sqrt(reach), 0.0) ** 2
            undecided += prize
    return sure, undecided


@njit(cache=True)
def clearance(instance: Instance, low: FloatArray, high: FloatArray) -> float:
    """Return how far a box is from all borders of places.

    So far a centre may move with its mean when a block leaves or joins. If a border is nearer, it
    may hold the centre where it is.

    Parameters
    ----------
    instance : Instance
    low, high : (d,) float64
    """
    clear = np.inf
    for p in range(len(instance.place_reach)):
        closest, farthest = distance_range(instance.place, p, low, high)
        radius = np.sqrt(instance.place_reach[p])
        clear = min(clear, max(np.sqrt(closest) - radius, radius - np.sqrt(farthest), 0.0))
    return clear


@njit(cache=True)
def value_in_places(
    instance: Instance,
    duals: FloatArray,
    space: Space,
    top: int,
    among: np.ndarray,
    reached: float,
) -> float:
    """Return the value of the cluster at its mean, or in the places that its box meets.

    Marks the places that its centre is in then.

    Parameters
    ----------
    instance : Instance
    duals : (s + t,) float64
    space : Space
        The cluster is inside it, with its mean.
    top : int
        The box.
    among : (m,) int64
        Blocks, of which those of the cluster are.
    reached : float
        Its value at its mean, without places.
    """
    s, met = len(instance.mass), space.met
    at_mean = reached + _moved(instance, duals, space, among)
    met[:] = space.inside[s:]
    for p in range(instance.taken):
        least, _ = distance_range(instance.place, p, space.low[top], space.high[top])
        space.inside[s + p] = least <= instance.place_reach[p]
    in_all = reached + _moved(instance, duals, space, among)
    if at_mean <= in_all:
        space.inside[s:] = met
    return min(at_mean, in_all)


@njit(cache=True)
def _moved(instance: Instance, duals: FloatArray, space: Space, among: np.ndarray) -> float:
    """Return by how much a cluster's value changes as its centre leaves its mean for places.

    Those that it is marked to be in; those that its centre is then in are marked besides. Infinite
    if there is no such centre.
    """
    s, mass, off = len(instance.mass), 0.0, 0.0
    space.center[:] = space.mean
    if not move_in(instance, space.inside, space.center):
        return np.inf
    mark_taken(instance, space.inside, space.center)
    for b in among:
        if space.inside[b]:
            mass += instance.mass[b]
    for j in range(len(space.mean)):
        off += (space.mean[j] - space.center[j]) ** 2
    prize = 0.0
    for p in range(instance.taken):
        prize += duals[s + p] * space.inside[s + p]
    return mass * off - prize
