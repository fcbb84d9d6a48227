"""A search tree as text: a Graphviz graph (DOT), a LaTeX document with `forest`, or a table (CSV).

The first two have a node for each node of the tree, with its number and lower bound, colours by its
state, and the decision of the branch on the edge. Every text is escaped, so that nothing in a run
file is markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

from ccviz.data.cells import PLAIN_CSV
from ccviz.errors import CcvizError, ParameterError
from ccviz.numbers import count
from ccviz.runs.nodes import Node
from ccviz.runs.run import Run
from ccviz.system import write_file
from ccviz.views.frames.node import STATES, decision_words

_COLORS = {
    "open": "FFFFFF",
    "branched": "E6E6E6",
    "bound": "BDD7E7",
    "infeasible": "F4B6A6",
    "integral": "B8E0B4",
}
"""Fill of a node by its state, as RGB in hexadecimal digits."""

_COLUMNS = ("node", "parent", "depth", "decision", "lower bound", "state", "why")

_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "[": r"{[}",
    "]": r"{]}",
}
"""Characters that LaTeX and `forest` read as commands, and their escapes."""


def save_tree(path: str | Path, run: Run) -> None:
    """Write the search tree of a run to a file.

    `path`: With suffix ``.dot`` or ``.gv`` for Graphviz, ``.tex`` for LaTeX, ``.csv``. What was
    there before stays if anything goes wrong.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ParameterError(f"{path} is no file of a tree; its suffix is one of {SUFFIXES}.")
    write_file(path, WRITERS[suffix](run).encode())


def tree_dot(run: Run, names: Sequence[str] = ()) -> str:
    """Return the search tree of a run as a Graphviz graph.

    `names`: Of the points, if they have any.
    """
    lines = [
        f"// {_one_line(_caption(run))}",
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=10];',
        '  edge [fontname="Helvetica", fontsize=8, arrowhead=none];',
    ]
    for node in _nodes(run):
        label = "\\n".join(map(_dot, _words(node)))
        lines.append(
            f'  n{node.node} [label="{label}", fillcolor="#{_COLORS[node.state]}", '
            f'tooltip="{_dot(f"{STATES[node.state].label}. {node.detail}".strip())}"];'
        )
        if node.parent is not None:
            decision = _dot(decision_words(node, names))
            lines.append(f'  n{node.parent} -> n{node.node} [label="{decision}"];')
    return "\n".join([*lines, "}", ""])


def tree_latex(run: Run, names: Sequence[str] = ()) -> str:
    """Return the search tree of a run as a LaTeX document with the package `forest`.

    `names`: Of the points, if they have any.
    """
    colors = [rf"\definecolor{{{state}}}{{HTML}}{{{color}}}" for state, color in _COLORS.items()]
    return "\n".join(
        [
            f"% {_one_line(_caption(run))}",
            r"\documentclass[border=5pt]{standalone}",
            r"\usepackage{forest}",
            *colors,
            r"\begin{document}",
            r"\begin{forest}",
            "for tree={draw, rounded corners, align=center, font=\\scriptsize, l sep=9mm}",
            *_brackets(run, names),
            r"\end{forest}",
            r"\end{document}",
            "",
        ]
    )


def tree_csv(run: Run, names: Sequence[str] = ()) -> str:
    """Return the nodes of the search tree of a run as CSV, a row each.

    `names`: Of the points, if they have any.
    """
    rows = [
        (node.node, node.parent, node.depth, decision_words(node, names), node.lower_bound,
         node.state, node.detail)
        for node in _nodes(run)
    ]  # fmt: skip
    return PLAIN_CSV.table([_COLUMNS, *rows])


def _brackets(run: Run, names: Sequence[str]) -> Iterator[str]:
    """Yield the lines of `forest`'s nested brackets, each indented by its depth."""
    todo: list[Node | str] = [_nodes(run)[0]]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield node
            continue
        indent = " " * node.depth
        words = r"\\".join(map(_tex, _words(node)))
        edge = ""
        if node.parent is not None:
            decision = _tex(decision_words(node, names))
            edge = f", edge label={{node[midway,font=\\tiny,fill=white]{{{decision}}}}}"
        yield f"{indent}[{words}, fill={node.state}{edge}"
        todo.append(f"{indent}]")
        todo.extend(run.tree[child] for child in reversed(node.children))


def _nodes(run: Run) -> list[Node]:
    if not run.tree:
        raise CcvizError("This run has no search tree; sdp and colgen make one.")
    return list(run.tree.values())


def _words(node: Node) -> tuple[str, str]:
    bound = f"{node.lower_bound:.6g}" if isfinite(node.lower_bound) else "no clustering"
    return f"node {node.node}", bound


def _caption(run: Run) -> str:
    solver = run.started.solver if run.started else "a run"
    best = f"incumbent {run.objective:.10g}" if run.incumbent else "no incumbent"
    nodes, bound = count(len(run.tree), "node"), f"bound {run.lower_bound:.10g}"
    return f"Search tree of {solver}: {nodes}, {best}, {bound}"


def _dot(text: str) -> str:
    return _one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in _one_line(text))


def _one_line(text: str) -> str:
    """Return a text without line breaks and control characters, which would end a comment."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)


WRITERS = {".dot": tree_dot, ".gv": tree_dot, ".tex": tree_latex, ".csv": tree_csv}
"""Functions that write a tree, by the suffix of the file."""

SUFFIXES = ", ".join(WRITERS)
