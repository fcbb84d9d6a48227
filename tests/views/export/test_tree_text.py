"""A tree as Graphviz and LaTeX text: every node and edge, and no text that becomes markup."""

import csv
import re

import numpy as np
import pytest

from ccviz import CcvizError, Problem, solve
from ccviz.errors import ParameterError
from ccviz.events import NodeBranched, NodeOpened, NodePruned, Record, Started
from ccviz.runs.run import Run
from ccviz.views.export.tree_text import save_tree, tree_csv, tree_dot, tree_latex

EVIL = 'a"]; evil [label="\\n\n\\input{x} #$%&_^~{}[]<b>'


def run_of(*events):
    problem = Problem(np.arange(8.0).reshape(4, 2), 2)
    run = Run(problem)
    for seq, event in enumerate(events):
        run.apply(Record(seq, 0.0, event))
    return run


@pytest.fixture(scope="module")
def run():
    return run_of(
        Started(solver=EVIL, settings={}, seed=0, n=4, d=2, k=2, n_blocks=4),
        NodeOpened(node=0, parent=None, depth=0, lower_bound=0.0),
        NodeBranched(node=0, lower_bound=1.5, pair=(0, 2)),
        NodeOpened(node=1, parent=0, depth=1, lower_bound=1.5, pair=(0, 2), together=True),
        NodeOpened(node=2, parent=0, depth=1, lower_bound=1.5, pair=(0, 2), together=False),
        NodePruned(node=2, reason="bound", lower_bound=2.25, detail=EVIL),
        NodePruned(node=1, reason="infeasible", lower_bound=np.inf, detail="none"),
    )


def test_points_have_their_names(run):
    names = ("Anna", "Bert", "50 %", "Dora")
    assert 'label="Anna and 50 % apart"' in tree_dot(run, names)
    assert r"{Anna and 50 \% apart}" in tree_latex(run, names)


def test_dot_has_every_node_and_edge_and_no_other_line(run):
    lines = tree_dot(run).splitlines()
    text = r'"(?:[^"\\]|\\.)*"'
    node = rf"  n\d+ \[label={text}, fillcolor={text}, tooltip={text}\];"
    edge = rf"  n\d+ -> n\d+ \[label={text}\];"
    body = lines[4:-1]
    assert sum(bool(re.fullmatch(node, line)) for line in body) == 3
    assert sum(bool(re.fullmatch(edge, line)) for line in body) == 2
    assert len(body) == 5
    assert lines[0].startswith("// ")
    assert '"0 and 2 together"' in tree_dot(run)
    assert "2.25" in tree_dot(run)


def test_latex_nests_the_nodes_and_escapes_what_they_say(run):
    text = tree_latex(run)
    tree = text.partition(r"\begin{forest}")[2].partition(r"\end{forest}")[0]
    assert tree.count("fill=bound") == 1
    assert tree.count("fill=infeasible") == 1
    assert tree.count("\n[") == tree.count("\n]") == 1
    assert tree.count("\n [") == tree.count("\n ]") == 2
    assert tree.index("node 1") < tree.index("node 2")
    assert r"\input" not in text.partition("\n")[2]
    assert "\n".join(line for line in text.splitlines() if "input" in line).startswith("% ")


def test_a_table_has_a_row_for_each_node(run):
    head, root, first, second = csv.reader(tree_csv(run, ("=1+1", "b", "c", "d")).splitlines())
    assert head[:4] == ["node", "parent", "depth", "decision"]
    assert (root[:3], root[5]) == (["0", "", "0"], "branched")
    assert first[:4] == ["1", "0", "1", "'=1+1 and c together"]
    assert (second[0], second[4], second[5]) == ("2", "2.25", "bound")


def test_a_file_is_written_by_its_suffix_or_refused(tmp_path):
    points = np.random.default_rng(0).normal(size=(14, 2))
    result = solve(Problem(points, 3), "sdp", cuts="none", tolerance=1e-6)
    assert result.nodes > 1
    for name in ("tree.dot", "tree.tex"):
        result.save_tree(tmp_path / name)
        assert (tmp_path / name).read_text().count("node ") >= result.nodes
    with pytest.raises(ParameterError, match=r"tree\.png is no file of a tree"):
        result.save_tree("tree.png")
    with pytest.raises(CcvizError, match="no search tree"):
        solve(Problem(points, 3), "k-means").save_tree(tmp_path / "none.dot")
    with pytest.raises(CcvizError, match="cannot be written"):
        save_tree(tmp_path / "no" / "tree.dot", result.run)
