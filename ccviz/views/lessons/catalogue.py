"""Every lesson, in the order of the list: an explicit tuple, one line each."""

from __future__ import annotations

from ccviz.views.lessons import (
    by_hand,
    dead_end,
    must_link,
    noise,
    questions,
    race,
    sizes,
    wrong_link,
)
from ccviz.views.lessons.course import Lesson

LESSONS: tuple[Lesson, ...] = (
    dead_end.LESSON,
    must_link.LESSON,
    by_hand.LESSON,
    noise.LESSON,
    wrong_link.LESSON,
    sizes.LESSON,
    race.LESSON,
    questions.LESSON,
)
