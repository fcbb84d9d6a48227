"""The method that bounds a node: one matrix, or one for each size where sizes differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ccviz.arrays import IntArray
from ccviz.solvers.base import never
from ccviz.solvers.relaxation import admm, lifted
from ccviz.solvers.relaxation.admm import Iterate
from ccviz.solvers.relaxation.cuts import Cuts
from ccviz.solvers.relaxation.kernels import MOST_MEMBERS
from ccviz.solvers.relaxation.lifted import LiftedIterate
from ccviz.solvers.relaxation.model import Relaxation
from ccviz.solvers.search.tree import StoppedError

AnyIterate = Iterate | LiftedIterate
At = TypeVar("At", Iterate, LiftedIterate, AnyIterate)
Reached = TypeVar("Reached", covariant=True)


class _Splitting(Protocol[Reached]):
    """An alternating direction method on fixed cuts."""

    def step(self) -> None:
        """Take one step."""

    def reached(self, iterations: int) -> Reached:
        """Return the iterate after a number of steps, with the better bound of start and end."""

    def paused(self, iterations: int) -> Reached:
        """Return the iterate after a number of steps, with the bound of the start."""


def cold_start(relaxation: Relaxation) -> AnyIterate:
    """Return the iterate to begin the root with.

    Parameters
    ----------
    relaxation : Relaxation
    """
    if relaxation.classes is None:
        return admm.cold_start(relaxation)
    return lifted.cold_start(relaxation)


def inherit(
    parent: AnyIterate, child_of: IntArray, of: Relaxation, child: Relaxation
) -> AnyIterate:
    """Return the iterate to begin a child with.

    Parameters
    ----------
    parent : Iterate or LiftedIterate
    child_of : (s,) int64
        The child's block that holds each of the parent's.
    of, child : Relaxation
        The parent's and the child's.
    """
    if isinstance(parent, LiftedIterate):
        return lifted.inherit(parent, child_of, of.mass, child)
    return admm.inherit(parent, child_of, of, child)


def iterate(
    relaxation: Relaxation,
    start: At,
    iterations: int,
    stop: Callable[[], bool] = never,
    certifies: bool = True,
) -> At:
    """Run the method for some iterations and certify the bound reached.

    Parameters
    ----------
    relaxation : Relaxation
    start : Iterate or LiftedIterate
    iterations : int
    stop : callable
    certifies : bool
        Whether the bound is wanted. It costs as much as several iterations.

    Raises
    ------
    StoppedError
        If ``stop`` is true before an iteration.
    """
    if isinstance(start, LiftedIterate):
        return _reached(lifted.LiftedSplitting(relaxation, start), iterations, stop, certifies)
    return _reached(admm.Splitting(relaxation, start), iterations, stop, certifies)


def _reached(
    splitting: _Splitting[At], iterations: int, stop: Callable[[], bool], certifies: bool
) -> At:
    for _ in range(iterations):
        if stop():
            raise StoppedError
        splitting.step()
    return splitting.reached(iterations) if certifies else splitting.paused(iterations)


def exchange_cuts(
    relaxation: Relaxation,
    at: At,
    most: int,
    tolerance: float,
    first_members: int | None = None,
    most_members: int = MOST_MEMBERS,
) -> tuple[At, Cuts, int]:
    """Balance the penalty, drop the inactive cuts and add violated ones.

    Parameters
    ----------
    relaxation : Relaxation
    at : Iterate or LiftedIterate
    most, tolerance, first_members, most_members
        As of `ccviz.solvers.relaxation.cuts.separate`.

    Returns
    -------
    at : Iterate or LiftedIterate
    new : Cuts
        The cuts added.
    dropped : int
        Number of cuts dropped.
    """
    options = (most, tolerance, first_members, most_members)
    if isinstance(at, LiftedIterate):
        return lifted.exchange_cuts(relaxation, at, *options)
    return admm.exchange_cuts(relaxation, at, *options)
