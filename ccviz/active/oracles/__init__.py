"""Who answers questions about two points: known classes, a program, a language model, or you.

An oracle is a callable that takes a `Question` and returns a `Reply`, or None to end. `interview`
lets one answer a `Learner`.
"""

from ccviz.active.oracles.chat import ChatModel
from ccviz.active.oracles.classes import KnownClasses
from ccviz.active.oracles.interview import interview
from ccviz.active.oracles.program import Program
from ccviz.active.oracles.question import Oracle, Question, Reply

__all__ = ["ChatModel", "KnownClasses", "Oracle", "Program", "Question", "Reply", "interview"]
