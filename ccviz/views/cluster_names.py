"""Names that people give to clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ccviz.arrays import IntArray
from ccviz.runs.file import plain


@dataclass(frozen=True)
class ClusterName:
    """A name for the cluster that holds a point, whatever number the cluster has.

    Clusters change their numbers and their points from run to run, so a name is kept with the most
    central point of the cluster that it was given to.

    Attributes
    ----------
    point : int
    text : str
        In one line.
    """

    point: int
    text: str


def names_by_cluster(names: Iterable[ClusterName], labels: IntArray) -> dict[int, str]:
    """Return the names of the clusters that have one.

    Parameters
    ----------
    names : iterable of ClusterName
        Of two in one cluster both are said: "setosa + virginica".
    labels : (n,) int
        -1 for a point without a cluster.

    Returns
    -------
    dict of int to str
    """
    found: dict[int, str] = {}
    for name in names:
        cluster = int(labels[name.point])
        if cluster >= 0:
            found[cluster] = f"{found[cluster]} + {name.text}" if cluster in found else name.text
    return found


def with_name(
    names: Iterable[ClusterName], labels: IntArray, point: int, text: str
) -> tuple[ClusterName, ...]:
    """Return names after the cluster of a point was named, in place of its earlier names.

    Parameters
    ----------
    names : iterable of ClusterName
    labels : (n,) int
    point : int
    text : str
        Empty to take the name away.
    """
    others = [each for each in names if labels[each.point] != labels[point]]
    text = plain(text)
    return (*others, ClusterName(point, text)) if text else tuple(others)
