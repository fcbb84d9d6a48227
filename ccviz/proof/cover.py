"""Check that the tree covers the problem: every clustering belongs to one of its leaves."""

from __future__ import annotations

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.proof.reading import FlawError, Opened, Proof


def check_cover(proof: Proof) -> None:
    """Check that the leaves cover the root's problem.

    One root without decisions; every branched node has two children that put the same pair
    together and keep it apart, or have the same disc occupied and empty; every other node is a
    closed leaf.

    Parameters
    ----------
    proof : Proof

    Raises
    ------
    FlawError
        If they do not.
    """
    roots = [node for node, opened in proof.opened.items() if opened.parent is None]
    if len(roots) != 1 or proof.opened[roots[0]].pair is not None:
        raise FlawError("the tree has no single root")
    children: dict[int, list[Opened]] = {node: [] for node in proof.opened}
    for node, opened in proof.opened.items():
        if opened.parent is not None:
            if opened.parent not in children or opened.parent >= node:
                raise FlawError(f"node {node} has no parent before it")
            children[opened.parent].append(opened)
    for node in proof.opened:
        _check_branches(node, proof, children[node])
    if strange := (set(proof.leaves) | set(proof.branched)) - set(proof.opened):
        raise FlawError(f"node {min(strange)} is closed but was never opened")


def _check_branches(node: int, proof: Proof, children: list[Opened]) -> None:
    about = proof.branched.get(node)
    if about is None and node not in proof.leaves:
        raise FlawError(f"node {node} is still open")
    if about is None:
        if children:
            raise FlawError(f"node {node} has children but was not branched")
        return
    if node in proof.leaves:
        raise FlawError(f"node {node} is both branched and closed")
    sides = sorted(child.together for child in children)
    if sides != [False, True] or any((child.pair, child.place) != about for child in children):
        raise FlawError(f"the children of node {node} do not cover it")


def links_at(problem: Problem, proof: Proof, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the must-links and cannot-links of a node: the problem's and its decisions.

    Parameters
    ----------
    problem : Problem
    proof : Proof
    node : int

    Returns
    -------
    must, cannot : (m, 2) and (c, 2) int64
    """
    together, apart = _decided(proof, node, place=False)
    must = np.concatenate([problem.must_link.hard.pairs, together])
    return must, np.concatenate([problem.cannot_link.hard.pairs, apart])


def places_at(proof: Proof, node: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the discs of a node, occupied and empty ones, from the root down.

    Parameters
    ----------
    proof : Proof
    node : int

    Returns
    -------
    taken, empty : (t, 2) and (e, 2) int64
        A disc's centre and a point on its border.
    """
    return _decided(proof, node, place=True)


def _decided(proof: Proof, node: int, place: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (t, 2) the positive and (e, 2) the negative decisions, from the root down."""
    pairs: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for above in reversed(proof.path(node)):
        opened = proof.opened[above]
        if opened.pair is not None and opened.place == place:
            pairs[opened.together].append(opened.pair)
    yes, no = (np.array(pairs[side], dtype=np.int64).reshape(-1, 2) for side in (True, False))
    return yes, no
