"""Who answers questions about two points: known classes, a program, a language model, or you.

An oracle is a callable that takes a `Question` and returns a `Reply`, or None to end. `interview`
lets one answer a `Learner`.
"""

from ccviz.oracles.chat import ChatModel
from ccviz.oracles.classes import KnownClasses
from ccviz.oracles.interview import interview
from ccviz.oracles.program import Program
from ccviz.oracles.question import Oracle, Question, Reply

__all__ = ["ChatModel", "KnownClasses", "Oracle", "Program", "Question", "Reply", "interview"]
