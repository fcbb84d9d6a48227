"""`ccviz ask`: a clustering by questions at the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import typer

from ccviz.active.differences import differences
from ccviz.active.learner import STRATEGIES, Learner
from ccviz.cli.common import err, out
from ccviz.cli.options import (
    ClassColumn,
    Columns,
    Data,
    Header,
    HeaderRow,
    K,
    LabelsFile,
    LinkFiles,
    MissingValues,
    NameColumn,
    Seed,
    Worksheet,
)
from ccviz.cli.reading import build_problem, find_data, table_options
from ccviz.cli.report import check_writable, output, write_labels
from ccviz.data.datasets import Dataset
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError
from ccviz.numbers import number
from ccviz.problem.problem import Problem

_REPLIES = {"y": True, "n": False, "u": None}
_SHOWN = 5  # features in which the two points differ most

Strategy = Annotated[str, typer.Option(help=f"{', '.join(each.name for each in STRATEGIES)}.")]
Questions = Annotated[int, typer.Option(help="Questions at most.", min=0)]
ByClass = Annotated[bool, typer.Option("--by-class", help="Let the known classes answer.")]
Noise = Annotated[float, typer.Option(help="The share of answers that may be wrong.")]
LinksOut = Annotated[str | None, typer.Option("--out", help="Write the answers as links.")]


def ask(
    data: Data,
    k: K = None,
    links: LinkFiles = None,
    strategy: Strategy = STRATEGIES[0].name,
    questions: Questions = 100,
    by_class: ByClass = False,
    noise: Noise = 0.0,
    columns: Columns = None,
    class_column: ClassColumn = None,
    name_column: NameColumn = None,
    missing: MissingValues = None,
    header: Header = None,
    header_row: HeaderRow = None,
    worksheet: Worksheet = None,
    seed: Seed = 0,
    labels: LabelsFile = None,
    out_file: LinksOut = None,
) -> None:
    """Ask which points belong together, one pair after another, and cluster by the answers.

    Features are scaled to 0 to 1. Reply y (yes), n (no), u (I am unsure) or q (enough).
    """
    check_writable(labels, out_file)
    options = table_options(
        columns, class_column, name_column, None, missing, header, header_row, worksheet
    )
    dataset = find_data(data, **options)
    problem = build_problem(dataset, k, links or [], None, "none")
    if by_class and dataset.truth is None:
        raise CcvizError(f"--by-class: the classes of {data} are not known.")
    learner = Learner(scale(dataset.X, "range"), problem.k, strategy, seed, noise)
    _tell_links(learner, problem)
    why = "that were all the questions asked for."
    while learner.asked < questions:
        pair = learner.question()
        if pair is None:
            why = learner.enough
            break
        reply = _by_class(dataset, pair) if by_class else _reply(dataset, learner.asked + 1, pair)
        if reply == "q":
            why = "you had enough."
            break
        learner.answer(_REPLIES[reply])
    _report(dataset, problem.k, learner, why)
    if labels is not None:
        write_labels(labels, learner.labels)
    if out_file is not None:
        with output(out_file) as file:
            file.write("".join(_link_lines(learner)).encode())


def _tell_links(learner: Learner, problem: Problem) -> None:
    for given, together in ((problem.must_link, True), (problem.cannot_link, False)):
        for i, j in given.pairs.tolist():
            learner.tell(i, j, together)


def _by_class(dataset: Dataset, pair: tuple[int, int]) -> str:
    assert dataset.truth is not None
    return "y" if dataset.truth[pair[0]] == dataset.truth[pair[1]] else "n"


def _reply(dataset: Dataset, turn: int, pair: tuple[int, int]) -> str:
    """Show two points, and return the letter that is typed; the end of the input is enough."""
    i, j = pair
    one, two = (f"{p} ({dataset.names[p]})" if dataset.names else str(p) for p in pair)
    err.print(f"{turn}. Do points {one} and {two} belong together?", markup=False)
    for each in differences(dataset, i, j, _SHOWN):
        one, two = number(each.one), number(each.two)
        err.print(f"   {each.feature}: {one} and {two}", markup=False)
    while True:
        try:
            word = input("   y, n, u or q: ").strip().lower()
        except EOFError:
            return "q"
        if word in {*_REPLIES, "q"}:
            return word


def _report(dataset: Dataset, k: int, learner: Learner, why: str) -> None:
    found = learner.labels
    broken = len(learner.answers.broken)
    out.print(f"{learner.asked} questions, {learner.answers.implied} pairs known for free: {why}")
    if broken:
        out.print(f"{broken} answers disagree with the others and were left out.")
    out.print(f"cluster sizes  {' '.join(map(str, np.bincount(found, minlength=k).tolist()))}")
    if dataset.truth is not None:
        from sklearn.metrics import adjusted_rand_score

        out.print(f"ari            {adjusted_rand_score(dataset.truth, found):.4f}")


def _link_lines(learner: Learner) -> Iterator[str]:
    """Yield the kept answers in the form that `--links` reads, each pair once."""
    told: set[tuple[int, int]] = set()
    for answer in learner.answers.log:
        kept = answer.together is not None and learner.answers.is_kept(answer)
        if kept and answer.pair not in told:
            told.add(answer.pair)
            yield f"{'ML' if answer.together else 'CL'} {answer.i} {answer.j}\n"
