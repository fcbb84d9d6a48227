"""How many answers are wrong, learned from the answers themselves.

Answers contradict each other only where there are more than are needed to make the groups: a first
answer about two points cannot be found out. Of m points in g groups, m - g answers join the groups,
and one keeps each pair of groups apart. Each wrong one among the others leaves, as a rule, one
answer broken. So the rate is about the broken answers over those that are more than needed, with a
prior that counts like a few answers.
"""

from __future__ import annotations

from ccviz.active.answers import Answers

FIRST = 0.1
"""The rate before any answer: one in ten."""

_COUNTS_AS = 10.0
"""Answers that the first rate counts as."""

_MOST = 0.4
"""Highest rate: near one half, answers say nothing."""


def error_rate(answers: Answers) -> float:
    """Return the share of answers that are wrong, as far as they tell.

    Parameters
    ----------
    answers : Answers

    Returns
    -------
    float
        At most 0.4.
    """
    given = [answer for answer in answers.log if answer.together is not None]
    groups = [*answers.classes, *answers.loose]
    group_of = {point: number for number, points in enumerate(groups) for point in points}
    joining = len(group_of) - len(groups)
    parting = {
        frozenset((group_of[answer.i], group_of[answer.j]))
        for answer in given
        if not answer.together and answers.is_kept(answer)
    }
    more = max(0, len(given) - joining - len(parting))
    rate = (FIRST * _COUNTS_AS + len(answers.broken)) / (_COUNTS_AS + more)
    return min(rate, _MOST)
