"""What is refused, and what went wrong, becomes a sentence over the plot."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import param

from ccviz.errors import CcvizError, ContradictionError
from ccviz.views.lab.notice import Notice, as_sentence
from ccviz.views.upstream.socket_logs import is_of_page

_log = logging.getLogger(__name__)


class Worded(param.Parameterized):
    """Something whose methods raise nothing on bad input.

    Attributes
    ----------
    notice : Notice or None
        The sentence.
    lit : tuple of int
        Points that it is about.
    picked : tuple of int
        Points that wait for their link, until a link of theirs is refused.
    """

    notice = param.Parameter(default=None)
    lit = param.Parameter(default=())
    picked = param.Parameter(default=())

    def report(self, mistake: Exception) -> None:
        """Report an error; write the traceback of an unexpected one to the log."""
        if isinstance(mistake, CcvizError):
            self.notice = Notice("error", as_sentence(str(mistake)))
            return
        if is_of_page(mistake):
            _log.warning("a value of a page was refused: %s", type(mistake).__name__)
            self.notice = Notice("error", "The page sent a value that cannot be; it was not used.")
            return
        _log.error("unforeseen", exc_info=mistake)
        what = f"{type(mistake).__name__}: {mistake}"
        text = f"Something went wrong that should not ({what})."
        self.notice = Notice("error", text, title="a fault of ccviz")

    @contextmanager
    def in_words(self, what: str = "") -> Iterator[None]:
        """Turn a refusal in this block into the session's notice.

        Parameters
        ----------
        what : str, optional
            What is tried. Once it works, a refusal of the same is put away.
        """
        before = self.notice
        try:
            yield
            if before is not None and before is self.notice and before.about == what != "":
                self.notice = None
        except ContradictionError as refused:
            self.param.update(
                notice=Notice("error", f"Refused: {refused}", what, "links contradict each other"),
                lit=refused.chain, picked=(),
            )  # fmt: skip
        except CcvizError as refused:
            self.notice = Notice("error", as_sentence(str(refused)), what)
