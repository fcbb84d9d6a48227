"""Rules in words, and whether the clustering shown keeps them."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.numbers import count
from ccviz.problem.asked import AnyAsked, AskedEither, AskedRule, parts_of
from ccviz.problem.kept import KeptRule
from ccviz.problem.partition import Partition
from ccviz.problem.rule_words import RULE_KINDS


@dataclass(frozen=True)
class RuleRow:
    """A rule as people read it.

    Attributes
    ----------
    words : str
    verdict : str
        Whether it holds, and what there is in its place; empty where there is no answer to it.
    holds : bool
    can_join : bool
        Whether another rule can be joined to it by *or*.
    """

    words: str
    verdict: str = ""
    holds: bool = True
    can_join: bool = False


def rule_words(rule: AnyAsked) -> str:
    """Return a rule in words.

    Parameters
    ----------
    rule : AskedRule or AskedEither
    """
    return ", or ".join(map(_words, parts_of(rule)))


def _words(rule: AskedRule) -> str:
    words = rule.words
    limit = f"{words.limit:,.6g}{' %' if words.is_share else ''}"
    return RULE_KINDS[words.kind].words.format(limit=limit, name=words.name)


def rule_rows(rules: tuple[AnyAsked, ...], answer: Partition | None) -> tuple[RuleRow, ...]:
    """Return rules with what an answer makes of them.

    Parameters
    ----------
    rules : tuple of AskedRule or AskedEither
    answer : Partition or None
        It may have been asked for others; of those that it was not, nothing is said.
    """
    kept = {} if answer is None else {each.rule: each for each in answer.kept_rules}
    return tuple(
        _row(rule, *(_judged(kept[rule]) if rule in kept else ("", True))) for rule in rules
    )


def _row(rule: AnyAsked, verdict: str, holds: bool) -> RuleRow:
    can_join = all(RULE_KINDS[each.words.kind].is_anti_monotone for each in parts_of(rule))
    return RuleRow(rule_words(rule), verdict, holds, can_join)


def _judged(kept: KeptRule) -> tuple[str, bool]:
    verdict = f"{'holds' if kept.holds else 'broken'}: {kept.found:,.4g}"
    if isinstance(kept.rule, AskedEither):
        verdict = "holds" if kept.holds else f"broken by {count(int(kept.found), 'cluster')}"
    return verdict, kept.holds
