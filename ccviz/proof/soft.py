"""Soft links of a node in a semidefinite bound: caps, terms, and the cost of every clustering.

Two blocks that are together cost the weights of their soft cannot-links, two that are apart those
of their soft must-links; the smaller of both is paid in any case. For what remains, with the
indicator y_ij of a common cluster and the Z of a clustering (Z_ij is 1 over the points of the
common cluster, 0 without one):

- sum over h of m_h |Z_ih - Z_jh| = 2 (1 - y_ij). So a must-link of weight w costs at least the sum
  of p_h m_h (Z_ih - Z_jh) for any |p_h| <= w / 2.
- For any block c and set T, the sum over h in T of m_h (Z_ih + Z_jh - Z_hh + Z_hc), less 1, is at
  most y_ij: only one of two clusters holds c, and a block h of the other has Z_hc = 0. Nor is the
  fewest points of a cluster that holds both, times Z_ij. So a cannot-link of weight w costs at
  least multiples of these, by multipliers that add up to w.
- Where all clusters have u points, y_ij = u Z_ij.

Weights are rounded down and their sums' errors taken off, so that every cap is one of the exact
weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ccviz.problem.problem import Problem
from ccviz.proof.blocks import PlainBlocks
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Unit, gamma, rescaled

_HEAVIEST = 1e90  # larger weights are replaced by this one, in the unit of the check
Multipliers = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class SoftCaps:
    """What soft links cost between the blocks of a node, at least."""

    # must, cannot, (s, s): Further cost of two blocks that are apart, or together; symmetric, one
    # of them zero.
    must: np.ndarray
    cannot: np.ndarray
    constant: float


@dataclass(frozen=True, eq=False)
class SoftTerms:
    """The terms of a certificate's multipliers, over Y."""

    matrix: np.ndarray  # (s, s): Part of S
    error: float
    gain: float  # Constant of the bound, its rounding taken off


def soft_caps(problem: Problem, unit: Unit, blocks: PlainBlocks, largest: float) -> SoftCaps | None:
    """Return the costs of a problem's soft links at a node; None without any."""
    if not problem.is_soft:
        return None
    s, mass = len(blocks.mass), blocks.mass
    count = len(problem.must_link) + len(problem.cannot_link) + s
    apart = blocks.conflict | (mass[:, None] + mass[None, :] > largest)
    if s == problem.k:
        apart = ~np.eye(s, dtype=bool)
    must, _ = _between(problem.must_link, unit, blocks, 1.0 - gamma(count))
    cannot, constant = _between(problem.cannot_link, unit, blocks, 1.0 - gamma(count))
    either = np.minimum(must, cannot)
    constant += 0.5 * float(np.where(apart, must, either).sum())
    must, cannot = (np.where(apart, 0.0, each - either) for each in (must, cannot))
    scale = 1.0 - gamma(4)
    return SoftCaps(must * scale, cannot * scale, constant * (1.0 - gamma(s * s + problem.n)))


def _between(links: Any, unit: Unit, blocks: PlainBlocks, below: float) -> tuple[np.ndarray, float]:
    """Return (s, s) sums of soft links' weights, and that inside blocks, those of weight 0 too.

    `below`: A factor of all.
    """
    s, size, soft = len(blocks.mass), int(blocks.number.max()) + 1, links.soft
    with np.errstate(over="ignore", under="ignore"):
        weights = np.minimum(np.ldexp(soft.weights, 2 * unit.exponent), _HEAVIEST)
    weights = np.where(weights < np.finfo(float).tiny, 0.0, weights)
    i, j = blocks.number[soft.pairs].T
    total = np.zeros((size, size))
    np.add.at(total, (i, j), weights)
    np.add.at(total, (j, i), weights)
    inside = 0.5 * float(np.diagonal(total).sum()) * below
    np.fill_diagonal(total, 0.0)
    return total[:s, :s] * below, inside


@dataclass(frozen=True, eq=False)
class SoftCosts:
    """What soft links add to the cost of a cluster of blocks, rounded down."""

    # must, cannot, (s, s): Weights of links between blocks; symmetric.
    must: np.ndarray
    cannot: np.ndarray
    constant: float  # Weights of cannot-links inside blocks
    most: float  # All weights between blocks, rounded up

    @property
    def pairs(self) -> np.ndarray:
        """(s, s) what two blocks in one cluster add to its cost."""
        return self.cannot - self.must

    @property
    def cut(self) -> np.ndarray:
        """(s,) half the weights of each block's must-links: its cost while all are broken."""
        return np.asarray(0.5 * self.must.sum(axis=1))

    def limited(self, heaviest: float) -> SoftCosts:
        """Return the costs with no heavier weights: no cluster costs more, so bounds hold."""
        must, cannot = (np.minimum(each, heaviest) for each in (self.must, self.cannot))
        return replace(self, must=must, cannot=cannot)


def soft_costs(problem: Problem, unit: Unit, blocks: PlainBlocks) -> SoftCosts:
    """Return the costs of a problem's soft links in the clusters of a node."""
    count = len(problem.must_link) + len(problem.cannot_link) + len(blocks.mass)
    below = 1.0 - gamma(count + 4)
    must, _ = _between(problem.must_link, unit, blocks, below)
    cannot, constant = _between(problem.cannot_link, unit, blocks, below)
    most = 0.5 * float((must + cannot).sum()) * (1.0 + 4.0 * gamma(count + 4))
    return SoftCosts(must, cannot, constant * below, most)


def penalty_above(problem: Problem, unit: Unit, labels: np.ndarray) -> float:
    """Return an upper bound on the weights of the soft links that a clustering breaks."""
    total, count = 0.0, 0
    for links, breaks in ((problem.must_link.soft, False), (problem.cannot_link.soft, True)):
        i, j = links.pairs.T
        broken = links.weights[(labels[i] == labels[j]) == breaks]
        total, count = total + float(broken.sum()), count + len(broken)
    if count == 0:
        return 0.0
    return unit.scaled(total) * (1.0 + gamma(count + 4)) + np.finfo(float).tiny


def terms_at(
    caps: SoftCaps | None,
    mass: np.ndarray,
    multipliers: Multipliers,
    exponent: int,
    limits: tuple[float, float] | None,
) -> SoftTerms | None:
    """Return the terms of a certificate with one matrix; ``limits`` are those of all sizes."""
    if caps is None:
        return None
    if limits is not None and limits[0] == limits[1]:
        return priced_terms(caps, mass, multipliers, exponent, limits[0])
    return soft_terms(caps, mass, multipliers, exponent, limits[0] if limits else 0.0)


def soft_terms(
    caps: SoftCaps | None,
    mass: np.ndarray,
    multipliers: Multipliers,
    exponent: int,
    fewest: float,
) -> SoftTerms:
    """Return the terms of multipliers that hold for clusters of any size.

    `multipliers`: ``must_pairs``, ``must_prices``, ``cannot_rows``, ``cannot_members``,
    ``cannot_prices``, see ``docs/proof-format.md``; none of them for multipliers of zero. Raises
    `FlawError` if the multipliers are malformed, or beyond their caps.
    """
    terms = _Terms(mass)
    if caps is None:
        return terms.done(0.0)
    gain = caps.constant
    if "must_prices" in multipliers:
        _must(terms, caps, multipliers, exponent)
    if "cannot_prices" in multipliers:
        gain -= _cannot(terms, caps, multipliers, exponent, fewest)
    return terms.done(gain)


def _must(terms: _Terms, caps: SoftCaps, multipliers: Multipliers, exponent: int) -> None:
    pairs = _pairs(multipliers, "must_pairs", len(terms.mass))
    prices = rescaled(multipliers["must_prices"], exponent)
    if prices.shape != (len(pairs), len(terms.mass)):
        raise FlawError("has prices of must-links that are not one for each block")
    i, j = pairs.T
    if (2.0 * np.abs(prices) > caps.must[i, j][:, None]).any():
        raise FlawError("has a must-link's price above its weight")
    every = np.arange(len(terms.mass))
    for at, (first, second) in enumerate(pairs.tolist()):
        terms.add(np.full_like(every, first), every, prices[at] * terms.mass)
        terms.add(np.full_like(every, second), every, -prices[at] * terms.mass)


def _cannot(
    terms: _Terms, caps: SoftCaps, multipliers: Multipliers, exponent: int, fewest: float
) -> float:
    """Add the rows of cannot-links; return what their constants take off, rounded up."""
    s, mass = len(terms.mass), terms.mass
    for name in ("cannot_rows", "cannot_members"):
        if name not in multipliers:
            raise FlawError(f"lacks its {name}")
    rows, members = multipliers["cannot_rows"], multipliers["cannot_members"]
    prices = rescaled(multipliers["cannot_prices"], exponent)
    if rows.shape != (len(prices), 3) or members.shape != (len(prices), s):
        raise FlawError("has rows of cannot-links that are not of one length")
    i, j, centre = rows.T
    wrong = (i < 0) | (j <= i) | (j >= s) | (centre < -1) | (centre >= s)
    if wrong.any() or ((members != 0) & (members != 1)).any():
        raise FlawError("has a cannot-link's row over blocks that are not there")
    if (prices < 0.0).any():
        raise FlawError("has a cannot-link's price below zero")
    total = np.zeros((s, s))
    np.add.at(total, (i, j), prices)
    if (total * (1.0 + gamma(len(prices))) > caps.cannot).any():
        raise FlawError("has cannot-links' prices above their weight")
    for at in range(len(prices)):
        price, first, second, center = prices[at], i[at], j[at], centre[at]
        if center < 0:
            least = max(mass[first] + mass[second], fewest)
            terms.add(np.array([first]), np.array([second]), np.array([price * least]))
            continue
        inside = np.flatnonzero(members[at])
        part = price * mass[inside]
        for other in (first, second, center):
            terms.add(np.full_like(inside, other), inside, part)
        terms.add(inside, inside, -part)
    return float(prices[centre >= 0].sum()) * (1.0 + gamma(len(prices)))


def priced_terms(
    caps: SoftCaps | None, mass: np.ndarray, multipliers: Multipliers, exponent: int, size: float
) -> SoftTerms:
    """Return the linear terms of soft links in clusters of one size, as `soft_terms` does.

    ``soft_pairs`` and ``soft_prices`` hold the price of each pair if it is together, below zero for
    a must-link. The gain is that of all classes of sizes together.
    """
    terms = _Terms(mass)
    if caps is None:
        return terms.done(0.0)
    if "soft_prices" not in multipliers:
        return terms.done(caps.constant)
    pairs = _pairs(multipliers, "soft_pairs", len(mass))
    prices = rescaled(multipliers["soft_prices"], exponent)
    if prices.shape != (len(pairs),):
        raise FlawError("has prices of soft links that are not one for each pair")
    i, j = pairs.T
    if ((prices > caps.cannot[i, j]) | (-prices > caps.must[i, j])).any():
        raise FlawError("has a soft link's price above its weight")
    terms.add(i, j, prices * size)
    must = float(-prices[prices < 0.0].sum())
    return terms.done(caps.constant + must * (1.0 - gamma(len(prices))))


def _pairs(multipliers: Multipliers, name: str, s: int) -> np.ndarray:
    if name not in multipliers:
        raise FlawError(f"lacks its {name}")
    pairs = multipliers[name]
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise FlawError(f"has {name} that are no pairs of blocks")
    i, j = pairs.T
    if ((i < 0) | (j <= i) | (j >= s)).any() or len(np.unique(i * s + j)) < len(pairs):
        raise FlawError(f"has {name} over blocks that are not there, or one pair twice")
    return pairs


class _Terms:
    """A sum of multiples of Z's entries as a matrix over Y, with what bounds its error."""

    def __init__(self, mass: np.ndarray) -> None:
        self.mass, self.root = mass, np.sqrt(mass)
        self.total, self.size, self.count = np.zeros((3, len(mass), len(mass)))

    def add(self, i: np.ndarray, j: np.ndarray, values: np.ndarray) -> None:
        """Add values times Z_ij."""
        half = 0.5 * values / (self.root[i] * self.root[j])
        for total, part in zip(
            (self.total, self.size, self.count),
            (half, np.abs(half), np.ones(len(half))),
            strict=True,
        ):
            np.add.at(total, (i, j), part)
            np.add.at(total, (j, i), part)

    def done(self, gain: float) -> SoftTerms:
        """Return the terms, their error bounded."""
        error = gamma(int(self.count.max(initial=0)) + 12) * 1.01 * float(np.linalg.norm(self.size))
        return SoftTerms(self.total, error, gain - gamma(8) * abs(gain))
