"""The boxes of disjunctions: where a clustering has its reduced costs, without two that meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from ccviz.arrays import FloatArray, IntArray
from ccviz.solvers.colgen.branching.disjunctions import Disjunction
from ccviz.solvers.colgen.master.covering import cluster_columns, column_costs
from ccviz.solvers.colgen.master.facility_master import FacilityDuals
from ccviz.solvers.colgen.master.neighbourhood import Neighbourhoods
from ccviz.solvers.colgen.model.instance import Instance
from ccviz.solvers.colgen.params import DisjunctionParams


class Box(NamedTuple):
    """Centres between two corners (d,), in the points' own axes."""

    low: FloatArray
    high: FloatArray


def find_disjunctions(
    instance: Instance,
    centroid: FloatArray,
    node: FacilityDuals,
    middles: FloatArray,
    labels: IntArray,
    neighbourhoods: Neighbourhoods,
    params: DisjunctionParams,
) -> tuple[Disjunction, ...]:
    """Return disjunctions whose boxes hold most of the reduced costs of a clustering.

    The reduced costs of all its clusters add up to what the bound lacks of its cost; those of the
    clusters inside a box limit what the disjunction can gain.

    Parameters
    ----------
    instance : Instance
    centroid : (s, d) float64
        Of its blocks, in the points' own axes.
    node : FacilityDuals
        The duals of the node's bound: no cluster has a negative reduced cost.
    middles : (m, d) float64
        Where boxes may have their middles.
    labels : (s,) int64
        The clustering.
    neighbourhoods : Neighbourhoods
    params : DisjunctionParams
    """
    duals, cardinality_dual = node
    middles = middles[: params.candidates]
    if len(middles) == 0:
        return ()
    clusters = cluster_columns(labels)
    reduced = column_costs(clusters, centroid, instance.mass) - clusters @ duals + cardinality_dual
    corners = [(centroid[own].min(axis=0), centroid[own].max(axis=0)) for own in clusters]
    least, most = (np.array(each) for each in zip(*corners, strict=True))
    # Distance within which a block may be assigned to a centre when its dual is at its cap.
    reach = np.sqrt(params.cap * np.maximum(duals, 0.0) / instance.mass)
    size = params.size * Neighbourhoods(int(labels.max()) + 1, neighbourhoods.params).size(
        len(centroid)
    )
    boxes = [_box_at(centroid, reach, int(size), middle) for middle in middles]
    low, high = (np.array(each) for each in zip(*boxes, strict=True))
    inside = np.all(least > low[:, None], axis=2) & np.all(most < high[:, None], axis=2)
    meets = np.all((low[:, None] <= high) & (high[:, None] >= low), axis=2)
    weight = inside @ np.maximum(reduced, 0.0)
    heaviest = _heaviest(weight, meets, params.packing_nodes)
    chosen = [boxes[z] for z in heaviest if weight[z] > 0.0]
    if not chosen:
        return ()
    grown = _grown(chosen, params.step, params.steps)
    return tuple(_disjunction(instance, centroid, duals, reach, box, params.cap) for box in grown)


def _heaviest(weight: FloatArray, meets: np.ndarray, nodes: int) -> IntArray:
    """Return those of largest total weight of which no two (m, m) meet."""
    first, second = np.nonzero(np.triu(meets, 1))
    rows = np.repeat(np.arange(len(first)), 2)
    pairs = (np.ones(len(rows)), (rows, np.stack([first, second], axis=1).ravel()))
    apart = LinearConstraint(csr_array(pairs, shape=(len(first), len(weight))), ub=1.0)
    every = np.ones(len(weight))
    found = milp(
        -weight, constraints=apart, integrality=every, bounds=Bounds(0.0, 1.0),
        options={"node_limit": nodes},
    )  # fmt: skip
    return np.zeros(0, dtype=np.int64) if found.x is None else np.flatnonzero(found.x > 0.5)


def _box_at(centroid: FloatArray, reach: FloatArray, size: int, middle: FloatArray) -> Box:
    """Return a box with all centres to which that number of blocks may be assigned."""
    width = np.abs(centroid - middle).max(axis=1) + reach
    count = min(len(width), size)
    half = float(np.partition(width, count - 1)[count - 1])
    return Box(middle - half, middle + half)


def _grown(boxes: list[Box], share: float, steps: int) -> list[Box]:
    """Return boxes enlarged on each side, by a share a step, as long as no two meet."""
    low, high = (np.array(each) for each in zip(*boxes, strict=True))
    step = share * (high - low)
    for _ in range(steps):
        for b, axis in np.ndindex(low.shape):
            for side, way in ((low, -1.0), (high, 1.0)):
                side[b, axis] += way * step[b, axis]
                meets = np.all((low[b] <= high) & (high[b] >= low), axis=1)
                if meets.sum() > 1:
                    side[b, axis] -= way * step[b, axis]
    return [Box(*each) for each in zip(low, high, strict=True)]


def _disjunction(
    instance: Instance,
    centroid: FloatArray,
    duals: FloatArray,
    reach: FloatArray,
    box: Box,
    cap: float,
) -> Disjunction:
    """Return the disjunction of a box: its blocks, and the caps of their duals."""
    low, high = box
    out = np.maximum(np.maximum(low - centroid, centroid - high), 0.0)
    near = np.flatnonzero((out**2).sum(axis=1) < reach**2)
    # With the blocks at the ends of all axes no mean, of any blocks, is outside their box.
    ends = [instance.points.argmin(axis=0), instance.points.argmax(axis=0)]
    rows = np.unique(np.concatenate([near, *ends]))
    inside = np.minimum(centroid - low, high - centroid).min(axis=1) >= reach
    caps = np.where(inside, cap, 1.0) * np.maximum(duals, 0.0)
    return Disjunction(low, high, rows, caps[rows])
