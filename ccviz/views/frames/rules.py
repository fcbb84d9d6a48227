"""Rules in words, and whether the clustering shown keeps them."""

from __future__ import annotations

from dataclasses import dataclass

from ccviz.problem.asked import AskedRule
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
    """

    words: str
    verdict: str = ""
    holds: bool = True


def rule_words(rule: AskedRule) -> str:
    """Return a rule in words.

    Parameters
    ----------
    rule : AskedRule
    """
    words = rule.words
    limit = f"{words.limit:,.6g}{' %' if words.is_share else ''}"
    return RULE_KINDS[words.kind].words.format(limit=limit, name=words.name)


def rule_rows(rules: tuple[AskedRule, ...], answer: Partition | None) -> tuple[RuleRow, ...]:
    """Return rules with what an answer makes of them.

    Parameters
    ----------
    rules : tuple of AskedRule
    answer : Partition or None
        It may have been asked for others; of those that it was not, nothing is said.
    """
    kept = {} if answer is None else {each.rule: each for each in answer.kept_rules}
    return tuple(
        _judged(kept[rule]) if rule in kept else RuleRow(rule_words(rule)) for rule in rules
    )


def _judged(kept: KeptRule) -> RuleRow:
    verdict = f"{'holds' if kept.holds else 'broken'}: {kept.found:,.4g}"
    return RuleRow(rule_words(kept.rule), verdict, kept.holds)
