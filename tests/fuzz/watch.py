"""One input at a time under watch: a sentence or an answer, within ten seconds and a gigabyte."""

from __future__ import annotations

import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ccviz.errors import CcvizError
from tests.fuzz.inputs import Attack
from tests.fuzz.targets import TARGETS, fingerprint

MOST_SECONDS = 10.0
MOST_BYTES = 1 << 30
MOST_LETTERS = 2500  # of a sentence


class TooSlowError(BaseException):
    """The time is up; nothing that is under watch may catch it."""


@dataclass(frozen=True)
class Seen:
    """What came of an input."""

    kind: str
    name: str
    fault: str  # Empty if it was answered or refused in words
    refused: bool
    seconds: float  # Of the processor: how busy the machine is does not count
    size: int  # Bytes that it took at most


def watch(attack: Attack) -> Seen:
    """Give an input to its target, and say what came of it."""
    before, began = _fresh_peak(), time.process_time()
    refused, fault = False, ""
    try:
        with _at_most(MOST_SECONDS), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            TARGETS[attack.kind](attack)
    except CcvizError as sentence:
        refused, fault = True, _is_no_sentence(str(sentence))
    except TooSlowError:
        fault = "over ten seconds\n" + traceback.format_exc(limit=-6)
    except Exception:  # noqa: BLE001, any traceback is what is looked for
        fault = traceback.format_exc()
    size = _peak() - before
    if size > MOST_BYTES and not fault:
        fault = f"over a gigabyte: {size:,} bytes"
    seconds = time.process_time() - began
    return Seen(attack.kind, fingerprint(attack), fault, refused, seconds, size)


def _is_no_sentence(text: str) -> str:
    if not text.strip():
        return "a refusal without a word"
    return f"a sentence of {len(text):,} letters" if len(text) > MOST_LETTERS else ""


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` after a number of seconds of the processor."""

    def give_up(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _fresh_peak() -> int:
    """Let the system forget the process's highest use of memory; return what it is now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10
