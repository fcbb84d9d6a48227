"""HiGHS without its messages: it is loaded and every model of the package is made here."""

from __future__ import annotations

from typing import Any

from ccviz.errors import CcvizError

try:
    import highspy as highspy
except ImportError as error:
    raise CcvizError(
        "HiGHS cannot be loaded. Up to version 1.15 highspy does not work in a process that has "
        "loaded ortools, which has a HiGHS library of the same name: install highspy 1.16 or newer "
        f"(pip install --upgrade highspy), or solve in a process of its own. ({error})"
    ) from error


class SilentHighs(highspy.Highs):
    """A HiGHS model that prints nothing to standard output.

    From version 1.16 on, HiGHS prints its banner when the constructor enables the callbacks. An
    option that is set on the finished object comes too late, so it is set just before.
    """

    def enableCallbacks(self) -> None:  # noqa: N802, the name is of HiGHS
        """Enable the callbacks, with the output switched off first."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


def make_highs(**options: Any) -> highspy.Highs:
    """Make an empty model that runs on one thread and prints nothing.

    `options`: Options of HiGHS by their names.
    """
    highs = SilentHighs()
    for name, value in {"output_flag": False, "threads": 1, **options}.items():
        highs.setOptionValue(name, value)
    return highs
