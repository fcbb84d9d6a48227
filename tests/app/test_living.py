"""A proof that lives with its links: ten are made one by one, and undone again."""

import re

import numpy as np
import pytest

from ccviz.data import load
from tests.app.test_views import nodes

pytestmark = pytest.mark.browser

LINKS = 10


def bound(lab):
    """Return the lower bound in the line over the tabs; nothing while it has none."""
    found = re.search(r"Bound\s+([\d,.]+)", lab.page.locator(".status").inner_text())
    return float(found[1].replace(",", "")) if found else None


def run_as_edited(lab, wanted):
    """Press *Run as I edit* until edits start runs or not, however long the last one took."""
    lab.page.get_by_text("More settings").click()
    toggle = lab.page.get_by_role("button", name="Run as I edit")
    if ("bk-active" in toggle.get_attribute("class")) == wanted:
        toggle.click()  # so by itself
    toggle.click()


def pair_of(labels, used):
    """Return two points of the largest cluster that no link has yet."""
    largest = np.bincount(labels).argmax()
    return [i for i in np.flatnonzero(labels == largest).tolist() if i not in used][:2]


def parents(lab):
    """Return what was decided at each node of the tree by its number, while the tree is drawn."""
    tree = next(iter(lab.sources("tree", "lower_bound")), {"node": [], "decision": []})
    return dict(zip(tree["node"], tree["decision"], strict=True))


def near_pair(data, labels, used):
    """Return the two nearest points in different clusters that no link has yet."""
    X = np.array(data)
    far = ((X[:, None] - X) ** 2).sum(axis=2)
    far[labels[:, None] == labels] = np.inf
    far[sorted(used)] = far[:, sorted(used)] = np.inf
    return [int(i) for i in np.unravel_index(far.argmin(), far.shape)]


def proofs(server):
    """Return how many runs have ended with a proof."""
    with server.archive() as archive:
        return sum(info.termination == "proved" for info in archive.runs())


def test_ten_links_are_made_one_by_one_and_undone(lab_of, server, picture):
    lab = lab_of("?data=ring_around_ring&solver=sdp&set.cuts=all&seed=1")
    lab.room("Inside the solver")
    lab.run()
    run_as_edited(lab, True)
    first, before = bound(lab), len(lab.links())
    tree, runs, used, low = nodes(lab)["node"], 1, set(), first
    for made in range(1, LINKS + 1):
        kept = made % 5 != 0  # every fifth is one that the clustering breaks
        i, j = pair_of(np.array(lab.labels()), used)
        used |= {i, j}
        lab.link("must" if kept else "cannot", i, j)
        runs += not kept
        lab.wait_for(
            lambda runs=runs, made=made: (
                proofs(server) == runs and len(lab.links()) == before + made
            )
        )
        words = "Still optimal" if kept else "Optimal clustering"
        lab.wait_for(lambda words=words: words in lab.card and bound(lab) is not None)
        assert bound(lab) >= low - 1e-6 * first
        low = bound(lab)
        if made < 5:
            assert nodes(lab)["node"] == tree
    picture(lab.page, "ten")
    assert proofs(server) == 3
    for left in reversed(range(LINKS)):
        lab.page.keyboard.press("z")
        lab.wait_for(lambda left=left: len(lab.links()) == before + left)
    lab.wait_for(lambda: "Optimal clustering" in lab.card and bound(lab) == first)
    lab.wait_for(lambda: nodes(lab)["node"] == tree)
    assert proofs(server) == 3


@pytest.mark.slow
def test_the_tree_goes_on_over_links_that_the_clustering_breaks(lab_of, server, picture):
    lab = lab_of("?data=ring_around_ring&solver=sdp&set.cuts=none&seed=1")
    lab.room("Inside the solver")
    lab.run()
    run_as_edited(lab, True)
    lab.wait_for(lambda: "Optimal clustering" in lab.card)
    first, before, tree = bound(lab), len(lab.links()), parents(lab)
    assert len(tree) > 3
    data = load("ring_around_ring")
    used = {i for pairs in (data.setup.must_link, data.setup.cannot_link) for i in np.ravel(pairs)}
    i, j = near_pair(data.X, np.array(lab.labels()), used)
    lab.link("must", i, j)
    lab.wait_for(lambda: proofs(server) == 2 and len(lab.links()) == before + 1)
    lab.wait_for(lambda: "Optimal clustering" in lab.card and bound(lab) is not None)
    assert bound(lab) >= first - 1e-6 * first
    after = parents(lab)
    picture(lab.page, "goes on")
    stayed = tree.keys() & after.keys()
    assert 0 in stayed
    assert {node: tree[node] for node in stayed} == {node: after[node] for node in stayed}
    assert len(stayed) >= len(tree) // 2
    lab.page.keyboard.press("z")
    lab.wait_for(lambda: bound(lab) == first and len(lab.links()) == before)
    lab.room("Inside the solver")  # a tree that is not seen is not drawn again
    lab.wait_for(lambda: parents(lab) == tree)
    assert proofs(server) == 2
