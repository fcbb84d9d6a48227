"""A program as an oracle: it reads a question in a line, and writes the reply in a line."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import IO

import msgspec

from ccviz.active.oracles.question import (
    Question,
    Reply,
    SetQuestion,
    SetReply,
    read_reply,
    read_set_reply,
)
from ccviz.errors import CcvizError

_LONGEST = 1 << 16
"""Letters of a reply at most; a longer line is refused."""

_FAREWELL_S = 5.0
"""Seconds that the program has to end after its input has ended."""


class Program:
    """Asks a program that runs for all of an interview, without a shell.

    Each line that it reads is a question as JSON: ``number``, and ``one`` and ``two``, each with
    ``point`` (0-based), ``name`` (or null) and ``features`` (a map of numbers). It writes one line
    for each: ``yes``, ``no``, ``unsure``, ``quit``, or JSON with ``together`` (true, false or null)
    and perhaps ``confidence`` (over 0.5 and up to 1). Of a question over a set it reads ``number``
    and ``points``, and writes the numbers of those that do not belong, or ``none``. The input ends
    after the last question.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.

    Raises
    ------
    CcvizError
        If it cannot be started, ends before its reply, or replies with something else.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._name = command[0] if command else ""
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
            )
        except (OSError, IndexError, ValueError) as why:
            raise CcvizError(f"the program {self._name!r} cannot be started: {why}.") from None

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, question: Question, /) -> Reply | None:
        """Answer one question.

        Parameters
        ----------
        question : Question
        """
        return read_reply(self._replied(question), f"the program {self._name!r}")

    def odd(self, question: SetQuestion, /) -> SetReply | None:
        """Return the reply to a question over a set, None for enough.

        Parameters
        ----------
        question : SetQuestion
        """
        return read_set_reply(self._replied(question), question, f"the program {self._name!r}")

    def _replied(self, question: Question | SetQuestion) -> str:
        stdin, stdout = self._pipes
        try:
            stdin.write(msgspec.json.encode(question).decode() + "\n")
            stdin.flush()
            line = stdout.readline(_LONGEST)
        except (OSError, UnicodeDecodeError) as why:
            raise CcvizError(f"the program {self._name!r} cannot be asked: {why}.") from None
        if not line:
            code = self._process.wait(_FAREWELL_S)
            raise CcvizError(
                f"the program {self._name!r} ended (exit code {code}) before it replied to "
                f"question {question.number}."
            )
        return line

    def close(self) -> None:
        """End the program's input, and the program if it does not end by itself."""
        try:
            self._process.communicate(timeout=_FAREWELL_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()

    @property
    def _pipes(self) -> tuple[IO[str], IO[str]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        return stdin, stdout
