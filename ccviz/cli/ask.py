"""`ccviz ask`: a clustering by questions at the terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Annotated

import numpy as np

from ccviz.active.learner import LARGEST, LEARNED, STRATEGIES, Learner
from ccviz.active.oracles import (
    ChatModel,
    KnownClasses,
    Oracle,
    Program,
    Question,
    Reply,
    SetOracle,
    SetQuestion,
    SetReply,
    interview,
    interview_by_sets,
)
from ccviz.active.oracles.question import WORDS, differences, read_set_reply
from ccviz.cli.common import err, out
from ccviz.cli.parameters import (
    ANY_COLUMNS,
    Constraints,
    Data,
    LabelsFile,
    LinkFiles,
    Seed,
    TableColumns,
    option,
)
from ccviz.cli.reading import build_problem, find_data, read_links
from ccviz.cli.report import check_writable, output, write_labels
from ccviz.data.datasets import Dataset
from ccviz.data.scaling import scale
from ccviz.errors import CcvizError
from ccviz.numbers import number, percent
from ccviz.problem.partition import agreement
from ccviz.problem.problem import Problem

_KEY = "CCVIZ_MODEL_KEY"
_SHOWN = 5  # features in which the two points differ most

Strategy = Annotated[str, option(help=f"{', '.join(each.name for each in STRATEGIES)}.")]
Questions = Annotated[int, option(help="Questions at most.", min=0)]
ByClass = Annotated[bool, option("--by-class", help="Let the known classes answer.")]
ByProgram = Annotated[
    str | None,
    option(
        "--by-program",
        metavar="COMMAND",
        help="Let a program answer: it reads a question as a line of JSON, and writes yes, no, "
        "unsure or quit as a line.",
    ),
]
ByModel = Annotated[
    str | None,
    option(
        "--by-model",
        metavar="NAME",
        help="Let a language model answer; names and features of the points are sent to "
        f"--model-url, with the key in {_KEY} if there is one.",
    ),
]
ModelUrl = Annotated[str, option(metavar="URL", help="Address of the model's chat completions.")]
About = Annotated[str, option(help="For the model: what belongs together, in words.")]
SetSize = Annotated[
    int,
    option(
        "--set-size",
        metavar="M",
        help="Points of a question: of more than 2, which of them do not belong with the others.",
        min=2,
        max=LARGEST,
    ),
]
Noise = Annotated[str, option(help=f"The share of answers that may be wrong, or '{LEARNED}'.")]
LinksOut = Annotated[str | None, option("--out", help="Write the answers as links.")]


def ask(
    data: Data,
    k: Annotated[int | None, option("-k", help="Number of clusters.")] = None,
    links: LinkFiles = None,
    strategy: Strategy = STRATEGIES[0].name,
    questions: Questions = 100,
    by_class: ByClass = False,
    by_program: ByProgram = None,
    by_model: ByModel = None,
    model_url: ModelUrl = "http://localhost:11434/v1/chat/completions",
    about: About = "",
    noise: Noise = "0",
    set_size: SetSize = 2,
    columns: TableColumns = ANY_COLUMNS,
    seed: Seed = 0,
    labels: LabelsFile = None,
    out_file: LinksOut = None,
) -> None:
    """Ask which points belong together, one pair after another, and cluster by the answers.

    Features are scaled to 0 to 1. Reply y (yes), n (no), u (I am unsure) or q (enough); to a
    question over a set the numbers of the points that do not belong, or nothing if all do.
    """
    check_writable(labels, out_file)
    dataset = find_data(data, **columns.options())
    problem = build_problem(dataset, k, read_links(links, dataset), Constraints())
    if by_class and dataset.truth is None:
        raise CcvizError(f"--by-class: the classes of {data} are not known.")
    points = scale(dataset.X, "range")
    learner = Learner(points, problem.k, strategy, seed, _share(noise))
    _pass_links(learner, problem)
    failed: CcvizError | KeyboardInterrupt | None = None
    with _oracle(dataset, by_class, by_program, by_model, model_url, about) as oracle:
        try:
            if set_size == 2:
                why = interview(learner, dataset, oracle, questions)
            else:
                odd = _odd(dataset, oracle)
                why = interview_by_sets(learner, points, dataset, odd, questions, set_size)
        except (
            CcvizError,
            KeyboardInterrupt,
        ) as broken:  # what was answered before is written all the same
            why, failed = "the one who answers failed.", broken
    if labels is not None:
        write_labels(labels, learner.labels)
    if out_file is not None:
        with output(out_file) as file:
            file.write("".join(_link_lines(learner)).encode())
    _report(dataset, problem.k, learner, why)
    if failed is not None:
        raise failed


def _share(noise: str) -> float | str:
    try:
        return float(noise)
    except ValueError:
        return noise  # the learner says what it may be


def _oracle(
    dataset: Dataset,
    by_class: bool,
    by_program: str | None,
    by_model: str | None,
    model_url: str,
    about: str,
) -> AbstractContextManager[Oracle]:
    """Return who answers: the classes, a program, a model, or else the person at the terminal."""
    if by_class + (by_program is not None) + (by_model is not None) > 1:
        raise CcvizError("--by-class, --by-program and --by-model cannot answer together.")
    if by_class:
        assert dataset.truth is not None
        return nullcontext(KnownClasses(dataset.truth))
    if by_program is not None:
        return Program(shlex.split(by_program, posix=os.name == "posix"))
    if by_model is not None:
        return nullcontext(ChatModel(model_url, by_model, about, os.environ.get(_KEY, "")))
    return nullcontext(partial(_reply, dataset))


def _odd(dataset: Dataset, oracle: Oracle) -> SetOracle:
    """Return how the same one answers questions over sets."""
    if isinstance(oracle, KnownClasses | Program | ChatModel):
        return oracle.odd
    return partial(_set_reply, dataset)


def _pass_links(learner: Learner, problem: Problem) -> None:
    for given, together in ((problem.must_link, True), (problem.cannot_link, False)):
        for i, j in given.pairs.tolist():
            learner.tell(i, j, together)


def _reply(dataset: Dataset, question: Question) -> Reply | None:
    """Show two points, and return what is typed; the end of the input is enough."""
    pair = question.one, question.two
    one, two = (f"{p.point} ({p.name})" if p.name else str(p.point) for p in pair)
    err.print(f"{question.number}. Do points {one} and {two} belong together?", markup=False)
    for each in differences(dataset, question.one.point, question.two.point, _SHOWN):
        one, two = number(each.one), number(each.two)
        err.print(f"   {each.feature}: {one} and {two}", markup=False)
    while True:
        try:
            word = input("   y, n, u or q: ").strip().lower()
        except EOFError:
            return None
        if word in WORDS:
            return WORDS[word]


def _set_reply(dataset: Dataset, question: SetQuestion) -> SetReply | None:
    """Show the points of a set, and return what is typed; the end of the input is enough."""
    err.print(f"{question.number}. Which of these points do not belong with the others?")
    first, *others = question.points
    apart = {
        each.feature
        for other in others
        for each in differences(dataset, first.point, other.point, _SHOWN)
    }
    shown = [name for name in dataset.features if name in apart][:_SHOWN]
    for each in question.points:
        called = f"{each.point} ({each.name})" if each.name else str(each.point)
        values = ", ".join(f"{name}: {number(each.features[name])}" for name in shown)
        err.print(f"   {called}  {values}", markup=False)
    while True:
        try:
            return read_set_reply(input("   numbers, or q: "), question, "whoever answers")
        except EOFError:
            return None
        except CcvizError as why:
            err.print(f"   {why}", markup=False)


def _report(dataset: Dataset, k: int, learner: Learner, why: str) -> None:
    found = learner.labels
    broken = len(learner.answers.broken)
    out.print(f"{learner.asked} questions, {learner.answers.implied} pairs known for free: {why}")
    if broken:
        out.print(f"{broken} answers disagree with the others and were left out.")
    if learner.learns_noise:
        out.print(f"wrong answers  about {percent(learner.noise)}")
    out.print(f"cluster sizes  {' '.join(map(str, np.bincount(found, minlength=k).tolist()))}")
    if dataset.truth is not None:
        out.print(f"ari            {agreement(dataset.truth, found)['ari']:.4f}")


def _link_lines(learner: Learner) -> Iterator[str]:
    """Yield the kept answers in the form that `--links` reads, each pair once."""
    passed: set[tuple[int, int]] = set()
    for answer in learner.answers.log:
        kept = answer.together is not None and learner.answers.is_kept(answer)
        if kept and answer.pair not in passed:
            passed.add(answer.pair)
            yield f"{'ML' if answer.together else 'CL'} {answer.i} {answer.j}\n"
