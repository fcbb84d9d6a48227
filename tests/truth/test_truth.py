"""Every public statement about drawn problems of several kinds, against exact brute force."""

import inspect
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import ccviz
from ccviz import Problem, Result, studies
from ccviz.errors import ProblemError
from ccviz.problem.rules import RULE_KINDS
from ccviz.solvers import SOLVERS
from tests.constrained import optimum
from tests.truth.__main__ import (
    STATEMENTS,
    Fault,
    main,
    problems_of,
    shrunk,
    smaller,
    some_of_each,
)
from tests.truth.brute import Truth, partitions
from tests.truth.kinds import KINDS, RULES, Drawn, draw
from tests.truth.runs import Case, Statement, faults

QUICK, SLOW = 300, 260
NAMES = [statement.name for statement in STATEMENTS]

SILENT = {
    "with_starts": "a setting",
    "names_by_label": "names of clusters",
    "explore": "opens the laboratory",
    "plot": "pictures",
    "save_html": "pictures",
    "save_tree": "pictures",
    "message": "words around the status",
    "solver": "what was asked",
    "seed": "what was asked",
    "n_blocks": "counts what `contract` says",
    "nodes": "counts the events",
    "time_s": "the clock",
    "columns": "words of a table",
    "in_words": "words of a table",
    "findings": "words around the elbow",
    "profile_rows": "words of a table",
    "profile_parts": "words of a table",
    "profile_csv": "words of a table",
    "profile_markdown": "words of a table",
    "rows_csv": "words of a table",
    "kept_links": "the labels of the ends of links",
    "links_by_point": "words of a table",
    "renamed": "numbers of clusters",
    "placed": "makes a clustering, whose cost is asked elsewhere",
    "in_one_cluster": "makes a clustering, whose cost is asked elsewhere",
    "report_html": "words of a page",
    "unsure": "nothing is known of the margins yet",
    "unpriced": "nothing is known of the prices yet",
    "encode_margins": "bytes of what is asked here",
    "decode_margins": "bytes of what is asked here",
    "encode_prices": "bytes of what is asked here",
    "decode_prices": "bytes of what is asked here",
    "packed": "bytes of what is asked here",
    "unpacked": "bytes of what is asked here",
    "check_bounded": "refuses",
    "descended": "a part of the margins and of the prices",
    "root_of": "a part of the margins",
}
"""Public names that state nothing about a problem, with the reason."""

ELSEWHERE = {
    "batch": "runs as asked here, many of them",
    "suite": "runs on files of instances",
    "sweep": "runs on data with classes",
    "stored": "margins and prices that are asked here, from an archive",
}
"""Modules of studies that pass on what is asked here."""


@pytest.fixture(scope="session")
def quick():
    """Report on a few problems of few points, which are asked few of the slow statements."""
    return problems_of(range(QUICK), share=600, most=5)


@pytest.fixture(scope="session", params=[1, 2])
def slow(request):
    return problems_of(range(request.param * 1_000_000, request.param * 1_000_000 + SLOW))


def false_of(report, name):
    """Return the false sentences of a statement, each with the smallest problem."""
    found = some_of_each(fault for fault in report.faults if fault.statement == name)
    return "\n".join(["", *(shrunk(fault, 5.0).text() for fault in found)]).strip()


@pytest.mark.parametrize("name", NAMES)
def test_no_statement_is_false(quick, name):
    assert not false_of(quick, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_statement_is_false_of_many_problems(slow, name):
    assert name in slow.tallies or name == "models in cvxpy"
    assert not false_of(slow, name)


def test_problems_of_every_kind_are_asked_about(quick):
    assert quick.problems == QUICK
    assert QUICK / 20 < quick.impossible < 0.6 * QUICK
    asked = [tally for tally in quick.tallies.values() if tally.asked > tally.refused]
    assert len(asked) > len(STATEMENTS) / 2


# --- The registries -------------------------------------------------------------------------------


def public_functions(module):
    """Return the public functions that a module defines."""
    return {
        name
        for name, each in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and each.__module__ == module.__name__
    }


def public_statements():
    """Return the names of everything public that says something of a problem."""
    names = {*ccviz.__all__, *(name for name in dir(Result) if not name.startswith("_"))}
    names |= {*Result.__dataclass_fields__, "verify"}
    for path in sorted(Path(studies.__file__).parent.glob("[a-z]*.py")):
        if path.stem not in ELSEWHERE:
            names |= public_functions(import_module(f"ccviz.studies.{path.stem}"))
    return names | {solver.name for solver in SOLVERS}


def test_every_public_statement_is_asked():
    covered = {name for statement in STATEMENTS for name in statement.covers}
    assert public_statements() - covered - set(SILENT) == set()
    assert set(SILENT) <= public_statements() - covered


def test_every_parameter_of_a_problem_and_every_kind_of_rule_is_drawn():
    drawn = {name for kind in KINDS for name in kind.covers} | {"X", "k"}
    assert set(inspect.signature(Problem).parameters) == drawn
    assert {rule.name for rule in RULES} == set(RULE_KINDS)
    joins = {rule.name for rule in RULES if rule.joins}
    assert joins == {name for name, kind in RULE_KINDS.items() if kind.is_anti_monotone}
    assert len(set(NAMES)) == len(NAMES)


# --- The brute force, and what it finds -----------------------------------------------------------


def test_partitions_are_as_many_as_they_should_be():
    assert [len(partitions(7, k)) for k in range(1, 8)] == [1, 63, 301, 350, 140, 21, 1]
    assert len(np.unique(partitions(6, 3), axis=0)) == 90


def test_costs_are_exact():
    third = Truth(Drawn(((0.0,), (1.0,), (2.0,), (1e9,)), 2, must_link=((0, 1), (1, 2))))
    assert third.optimum == 2
    weighted = Drawn(((0.0,), (1.0,)), 1, weights=(1.0, 2.0), must_link=((0, 1, 5.0),))
    assert Truth(weighted).optimum == Fraction(2, 3)
    assert Truth(replace(weighted, k=2)).optimum == 5
    centred = Drawn(((0.0,), (1.0,), (3.0,)), 2, fixed_centers=((0.5,),))
    assert Truth(centred).optimum == Fraction(1, 2)
    out = Drawn(((0.0,), (1.0,), (3.0,)), 1, outliers=1, cannot_link=((0, 1),))
    assert Truth(out).optimum is None or Truth(out).judged([0, 1, -1]) is None
    assert Truth(replace(out, cannot_link=((0, 2),))).optimum == Fraction(1, 2)


def test_both_brute_forces_agree():
    compared = 0
    for seed in range(200):
        drawn = draw(np.random.default_rng(seed), 6)
        try:
            problem = drawn.problem()
        except ProblemError:
            continue
        if drawn.fixed_centers:  # the other one has heavy points for them
            continue
        compared += 1
        least, other = Truth(drawn).optimum, optimum(problem)
        assert (least is None) == np.isinf(other), drawn.code()
        assert least is None or float(least) == pytest.approx(other, rel=1e-7, abs=1e-12)
    assert compared > 100


def test_pasted_code_makes_the_same_problem():
    for seed in range(60):
        drawn, names = draw(np.random.default_rng(seed)), {}
        try:
            problem = drawn.problem()
        except ProblemError:
            continue
        exec(drawn.code(), names)
        assert names["p"].asks_the_same(problem)


FOUR = Drawn(((0.0,), (1.0,), (5.0,), (7.0,)), 2, cannot_link=((0, 1),), weights=(1, 1, 1, 2.0))


@pytest.mark.parametrize(
    "lie",
    [
        {"lower_bound": 18.4},
        {"status": "infeasible"},
        {"objective": 18.0},
        {"gap": 0.5},
        {"status": "feasible"},
    ],
)
def test_a_lie_is_found(lie):
    case = Case(FOUR, 0)
    result = case.run("sdp")
    assert result.status == "optimal"
    assert list(faults(case, result, True, True)) == []
    assert list(faults(case, replace(result, **lie), True, True))


def test_a_fault_is_made_small():
    def ask(case):
        if len(case.drawn.cannot_link) and case.drawn.n > 2:
            yield f"there are {case.drawn.n} points"

    statement = Statement("made up", ask)
    large = draw(np.random.default_rng(0))
    large = replace(large, cannot_link=(*large.cannot_link, (0, 1)))
    found = shrunk(Fault("made up", f"there are {large.n} points", large, 0), 5.0, [statement])
    assert found.sentence == "there are 3 points"
    assert found.drawn == Drawn(((0.0,), (0.0,), (0.0,)), 1, cannot_link=found.drawn.cannot_link)
    assert not any(each.n == 3 and each.cannot_link for each in smaller(found.drawn))


def test_the_table_is_printed(capsys):
    assert main(["--problems", "3", "--only", "feasib"]) == 0
    printed = capsys.readouterr().out
    assert "| feasibility | 3 | 0 | 0 |" in printed
    assert "3 problems" in printed
