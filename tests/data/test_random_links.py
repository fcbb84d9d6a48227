"""Links drawn from classes."""

from math import ceil, comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccviz.data.random_links import _pair_of, pairs_of_a_fraction, random_pairs
from ccviz.errors import CcvizError

TRUTH = np.random.default_rng(0).integers(0, 3, 40)


def wrong(links, truth):
    must, cannot = links.must_link, links.cannot_link
    return (
        int((truth[must[:, 0]] != truth[must[:, 1]]).sum()),
        int((truth[cannot[:, 0]] == truth[cannot[:, 1]]).sum()),
    )


def all_pairs(links):
    pairs = np.concatenate([links.must_link, links.cannot_link])
    assert (pairs[:, 0] < pairs[:, 1]).all()
    return {tuple(pair) for pair in pairs.tolist()}


@given(st.integers(0, comb(40, 2)), st.integers(0, 100))
def test_random_pairs_are_so_many_different_ones_and_tell_the_truth(m, seed):
    links = random_pairs(TRUTH, m, seed=seed)
    assert len(all_pairs(links)) == len(links.must_link) + len(links.cannot_link) == m
    assert wrong(links, TRUTH) == (0, 0)


@given(st.integers(0, 3000))
def test_pairs_are_counted_without_gaps(count):
    pairs = _pair_of(np.arange(count))
    assert len({tuple(pair) for pair in pairs.tolist()}) == count
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert (pairs >= 0).all()


def test_large_numbers_make_exact_pairs():
    n = 200_000
    last = comb(n, 2) - 1
    assert _pair_of(np.array([last, last - 1, comb(n - 1, 2)])).tolist() == [
        [n - 2, n - 1],
        [n - 3, n - 1],
        [0, n - 1],
    ]


def test_every_pair_is_as_likely():
    """With half of all pairs drawn, each comes up in half of the draws."""
    count = np.zeros((8, 8))
    for seed in range(400):
        pairs = np.array(sorted(all_pairs(random_pairs(np.zeros(8), 14, seed=seed))))
        count[pairs[:, 0], pairs[:, 1]] += 1
    share = count[np.triu_indices(8, 1)] / 400
    assert share.min() > 0.35
    assert share.max() < 0.65


@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.1, 0.33, 1.0])
def test_a_fraction_links_all_pairs_of_its_points(fraction):
    links = pairs_of_a_fraction(TRUTH, fraction, seed=1)
    pairs = all_pairs(links)
    assert len(pairs) == comb(ceil(fraction * 40), 2)
    assert len({point for pair in pairs for point in pair}) in {0, ceil(fraction * 40)}
    assert wrong(links, TRUTH) == (0, 0)


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_noise_turns_a_share_of_each_kind(noise):
    clean = random_pairs(TRUTH, 200, seed=2)
    noisy = random_pairs(TRUTH, 200, noise, seed=2)
    assert all_pairs(noisy) == all_pairs(clean)
    assert wrong(noisy, TRUTH) == (
        round(noise * len(clean.cannot_link)),
        round(noise * len(clean.must_link)),
    )


@pytest.mark.parametrize(("draw", "amount"), [(random_pairs, 50), (pairs_of_a_fraction, 0.3)])
def test_same_seed_same_links(draw, amount):
    first, again = (draw(TRUTH, amount, 0.1, seed=1) for _ in range(2))
    assert np.array_equal(first.must_link, again.must_link)
    assert all_pairs(first) != all_pairs(draw(TRUTH, amount, 0.1, seed=2))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: random_pairs(TRUTH, 781), "781 pairs cannot be drawn: 40 points have 780 pairs"),
        (lambda: random_pairs(TRUTH, -1), "-1 pairs cannot be drawn"),
        (lambda: random_pairs(TRUTH, 5, 1.5), "noise = 1.5"),
        (lambda: pairs_of_a_fraction(TRUTH, 1.1), "fraction = 1.1"),
        (lambda: pairs_of_a_fraction(TRUTH, float("nan")), "fraction = nan"),
    ],
)
def test_bad_numbers_are_named(draw, sentence):
    with pytest.raises(CcvizError, match=sentence):
        draw()


@pytest.mark.parametrize("unknown", [np.nan, None, -1])
def test_points_of_no_known_class_get_no_link(unknown):
    truth = [1, 1, unknown, unknown, 2, 2]
    for links in (random_pairs(truth, 6), pairs_of_a_fraction(truth, 1.0)):
        assert links.must_link.tolist() == [[0, 1], [4, 5]]
        assert links.cannot_link.tolist() == [[0, 4], [0, 5], [1, 4], [1, 5]]
    with pytest.raises(CcvizError, match="4 points of known classes have 6 pairs"):
        random_pairs(truth, 7)
