"""What semidefinite multipliers prove, held against all clusterings and a plain formula."""

from itertools import product

import numpy as np
import pytest

from ccviz.proof import spectral
from ccviz.proof.reading import FlawError
from ccviz.proof.rounding import Centroids
from ccviz.proof.spectral import CLIQUE, STAR, spectral_bound

NO_CUTS = {
    "points": np.zeros((0, 3), dtype=np.int64),
    "kind": np.zeros(0, dtype=np.int64),
    "weights": np.zeros(0),
}
CUTS = {
    "points": np.array([[0, 1, -1, -1], [2, 3, 4, -1], [5, 0, 1, 2], [0, 2, 4, 5]]),
    "kind": np.array([STAR, STAR, STAR, CLIQUE]),
    "weights": np.array([0.3, 0.2, 0.4, 5.0]),
}
K = 3


def blocks_of(seed, s=6, conflicts=((0, 3), (1, 4))):
    rng = np.random.default_rng(seed)
    conflict = np.zeros((s, s), dtype=bool)
    for i, j in conflicts:
        conflict[i, j] = conflict[j, i] = True
    points = rng.normal(size=(s, 2))
    mass = rng.integers(1, 4, size=s).astype(float)
    return Centroids(points, mass, conflict, 0.0, 0.0)


def upper(N):
    return N[np.triu_indices(len(N))]


def multipliers(seed, cuts=CUTS, size=0.1, s=6):
    N = np.random.default_rng(seed + 100).random((s, s)) * size
    N = N + N.T
    N[0, 3] = N[3, 0] = -0.5  # a conflict: of either sign
    return {"nonnegativity": upper(N), **cuts}


def left_side(kind, row, Z):
    members = [b for b in row if b >= 0]
    pairs = [(i, j) for a, i in enumerate(members) for j in members[:a]]
    if kind == CLIQUE:
        return sum(Z[i, j] for i, j in pairs)
    apex, *leaves = members
    inner = sum(Z[i, j] for i, j in pairs if apex not in (i, j))
    return Z[apex, apex] - sum(Z[apex, j] for j in leaves) + inner


def in_plain_doubles(blocks, k, given):
    """Return the same bound with no regard to rounding, from the format's own words."""
    s, mass, n = len(blocks.mass), blocks.mass, blocks.mass.sum()
    root = np.sqrt(mass)
    Q = root[:, None] * blocks.points
    N = np.zeros((s, s))
    N[np.triu_indices(s)] = given["nonnegativity"]
    N = np.triu(N) + np.triu(N, 1).T
    S = -Q @ Q.T - N
    gain = 0.0
    for kind, row, weight in zip(given["kind"], given["points"], given["weights"], strict=True):
        for i in range(s):
            for j in range(s):
                Y = np.zeros((s, s))
                Y[i, j] += 0.5
                Y[j, i] += 0.5
                S[i, j] -= weight * left_side(kind, row, Y / np.outer(root, root))
        gain += weight / (n - k + 1) if kind == CLIQUE else 0.0
    u = np.sqrt(mass / n)
    basis = np.linalg.svd(u[None])[2][1:]
    values = np.linalg.eigvalsh(basis @ S @ basis.T)
    return (Q**2).sum() + u @ S @ u + values[: k - 1].sum() + gain


def least_cost(blocks, k):
    best = np.inf
    for labels in product(range(k), repeat=len(blocks.mass)):
        labels = np.array(labels)
        if len(set(labels)) < k or (blocks.conflict & (labels[:, None] == labels)).any():
            continue
        cost = 0.0
        for c in range(k):
            mass, points = blocks.mass[labels == c], blocks.points[labels == c]
            cost += mass @ ((points - mass @ points / mass.sum()) ** 2).sum(axis=1)
        best = min(best, cost)
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cuts", [NO_CUTS, CUTS], ids=["no cuts", "cuts"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_bound_is_that_of_the_format_and_below_all_clusterings(seed, cuts, k):
    if k != K:  # the clique's points are those of three clusters
        cuts = {name: array[:-1] for name, array in cuts.items()}
    blocks, given = blocks_of(seed), multipliers(seed, cuts)
    bound = spectral_bound(blocks, k, given, 0)
    plain = in_plain_doubles(blocks, k, given)
    assert bound <= plain
    assert bound == pytest.approx(plain, rel=1e-9, abs=1e-9)
    if k > 1:
        assert bound <= least_cost(blocks, k)


def test_multipliers_are_taken_times_a_power_of_two():
    blocks, given = blocks_of(0), multipliers(0)
    quarter = {**given, **{name: given[name] / 16 for name in ("nonnegativity", "weights")}}
    assert spectral_bound(blocks, K, quarter, 4) == spectral_bound(blocks, K, given, 0)


MARGINS = {1: 0.00572090255, 2: 0.0181236848, 3: 0.0318360876}  # by the number of clusters


@pytest.mark.parametrize("k", MARGINS)
def test_what_is_taken_off_for_rounding(monkeypatch, k):
    """Each term of the margin, made so coarse that it can be measured, is pinned."""
    monkeypatch.setattr(spectral, "gamma", lambda count: 1e-5 * (count + 1))
    cuts = CUTS if k == K else {name: array[:-1] for name, array in CUTS.items()}
    blocks, given = blocks_of(1), multipliers(1, cuts)
    margin = in_plain_doubles(blocks, k, given) - spectral_bound(blocks, k, given, 0)
    assert margin == pytest.approx(MARGINS[k], rel=1e-6)


GROUP = np.array([0, 1, 2, 3, 4, 5, 5])


def together(blocks):
    """Return the blocks with the last two as one, and the scatter inside it."""
    ends = blocks.points[-2:]
    mass = blocks.mass[-2:]
    mean = mass @ ends / mass.sum()
    one = Centroids(
        np.vstack([blocks.points[:-2], mean]), np.append(blocks.mass[:-2], mass.sum()),
        blocks.conflict[:-1, :-1], 0.0, 0.0,
    )  # fmt: skip
    return one, mass @ ((ends - mean) ** 2).sum(axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_that_are_together_are_one_for_the_multipliers(seed):
    blocks, given = blocks_of(seed, 7), multipliers(seed)
    one, inside = together(blocks)
    plain = inside + in_plain_doubles(one, K, given)
    bound = spectral_bound(blocks, K, given, 0, GROUP)
    assert bound <= plain
    assert bound == pytest.approx(plain, rel=1e-9, abs=1e-9)
    assert bound <= inside + least_cost(one, K)


def test_what_is_taken_off_for_summing_them(monkeypatch):
    monkeypatch.setattr(spectral, "gamma", lambda count: 1e-5 * (count + 1))
    blocks, given = blocks_of(1, 7), multipliers(1)
    one, inside = together(blocks)
    margin = inside + in_plain_doubles(one, K, given)
    margin -= spectral_bound(blocks, K, given, 0, GROUP)
    assert margin == pytest.approx(0.0304517165, rel=1e-6)


def test_blocks_in_conflict_are_never_together():
    with pytest.raises(FlawError, match=r"^has blocks together that are in conflict$"):
        spectral_bound(blocks_of(0), K, multipliers(0), 0, np.array([0, 1, 2, 0, 3, 4]))


def test_no_multiplier_need_be_positive():
    given = {"nonnegativity": np.zeros(21), **NO_CUTS}
    assert spectral_bound(blocks_of(0), K, given, 0) <= least_cost(blocks_of(0), K)


def test_eigenvectors_need_not_be_right(monkeypatch):
    """Wrong ones lower the bound, and it holds all the same."""
    eigh = np.linalg.eigh
    blocks, given = blocks_of(2), multipliers(2)
    right = spectral_bound(blocks, K, given, 0)

    def careless(M):
        values, V = eigh(M)
        return values + 0.01, V * 1.02

    monkeypatch.setattr(np.linalg, "eigh", careless)
    found = spectral_bound(blocks, K, given, 0)
    assert found < right - 0.01
    assert found <= least_cost(blocks, K)


def test_eigenvalues_that_cannot_be_found_are_no_proof(monkeypatch):
    def never(M):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "eigh", never)
    with pytest.raises(FlawError, match=r"^has multipliers whose eigenvalues cannot be found$"):
        spectral_bound(blocks_of(0), K, multipliers(0), 0)


def cut(points, kind=STAR, weight=1.0):
    return {
        "points": np.array([points]), "kind": np.array([kind]), "weights": np.array([weight])
    }  # fmt: skip


NOT_DISTINCT = r"^has a cut over blocks that are not there, or not distinct$"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"nonnegativity": np.zeros(20)}, r"^has 20 multipliers, not those of 6 blocks$"),
        ({"nonnegativity": np.full(21, -1e-300)}, r"^has a multiplier of the wrong sign$"),
        ({"kind": CUTS["kind"][1:]}, r"^has cuts that are not of one length$"),
        ({"weights": CUTS["weights"][1:]}, r"^has cuts that are not of one length$"),
        ({"points": CUTS["points"][1:]}, r"^has cuts that are not of one length$"),
        (cut([0, 1, -1], weight=-1e-300), r"^has a cut's multiplier of the wrong sign$"),
        (cut([0, 6, -1]), NOT_DISTINCT),
        (cut([0, 0, -1]), NOT_DISTINCT),
        (cut([1, 2, 1]), NOT_DISTINCT),
        (cut([1, 2, 3, 3]), NOT_DISTINCT),
        (cut([0, -1, 1]), NOT_DISTINCT),
        (cut([-1, 0, 1]), NOT_DISTINCT),
        (cut([3, -1, -1]), NOT_DISTINCT),
        (cut([-1, -1, -1]), NOT_DISTINCT),
        (cut([0, 1, 2], CLIQUE), NOT_DISTINCT),
        (cut([0, 1, 2, 3, 4], CLIQUE), NOT_DISTINCT),
        (cut([0, 1, -1], 2), NOT_DISTINCT),
        (cut([0, 1, -1], -2), NOT_DISTINCT),
        (cut([0, -1, -1], -1), NOT_DISTINCT),
        (cut([0, 1, -1], -1), r"^has a separator of blocks 0 and 1 that does not separate them$"),
    ],
)
def test_multipliers_that_are_none(changed, words):
    with pytest.raises(FlawError, match=words):
        spectral_bound(blocks_of(0), K, {**multipliers(0), **changed}, 0)
