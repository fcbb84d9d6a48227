"""Known classes as an oracle."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ccviz.active.oracles.question import Question, Reply, SetQuestion, SetReply
from ccviz.errors import ParameterError


class KnownClasses:
    """Answers by a column of classes, perhaps with wrong answers among the right ones.

    Parameters
    ----------
    classes : (n,) array
    wrong : float
        The probability that an answer is wrong, below 0.5.
    seed : int
        Of the wrong answers.

    Raises
    ------
    ParameterError
        If ``wrong`` is not from 0 to below 0.5.
    """

    def __init__(self, classes: ArrayLike, wrong: float = 0.0, seed: int = 0) -> None:
        if not 0 <= wrong < 0.5:
            raise ParameterError(f"wrong = {wrong} is not a share below 0.5.")
        self._classes = np.asarray(classes)
        self._wrong, self._rng = wrong, np.random.default_rng(seed)

    def __call__(self, question: Question, /) -> Reply:
        """Answer one question.

        Parameters
        ----------
        question : Question
        """
        same = self._classes[question.one.point] == self._classes[question.two.point]
        return Reply(bool(same) != bool(self._rng.random() < self._wrong))

    def odd(self, question: SetQuestion, /) -> SetReply:
        """Return the reply to a question over a set: the largest class belongs, or the first such.

        Parameters
        ----------
        question : SetQuestion
        """
        points = [each.point for each in question.points]
        classes = self._classes[points].tolist()
        belongs = max(classes, key=classes.count)
        odd = [
            point
            for point, its in zip(points, classes, strict=True)
            if (its != belongs) != (self._rng.random() < self._wrong)
        ]
        return SetReply(tuple(odd if len(odd) < len(points) else odd[1:]))
