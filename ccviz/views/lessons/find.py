"""The lesson of a name, or of the word that an address has for one written on a page."""

from __future__ import annotations

from ccviz.errors import CcvizError
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.course import Lesson
from ccviz.views.lessons.written import FROM_FILE, lesson_of, of_word


def lesson_of_address(word: str) -> Lesson:
    """Return the lesson that an address asks for.

    Parameters
    ----------
    word : str

    Returns
    -------
    Lesson

    Raises
    ------
    CcvizError
        If there is none of that name, and the word holds no lesson.
    """
    if word == FROM_FILE:
        raise CcvizError(
            "This lesson came from a file, which the address does not hold: open the file again, "
            "at the end of the list of lessons."
        )
    found = next((lesson for lesson in LESSONS if lesson.name == word), None)
    return found or lesson_of(of_word(word))
