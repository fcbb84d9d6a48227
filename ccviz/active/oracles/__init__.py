"""Who answers questions: known classes, a program, a language model, or you.

An oracle is a callable that takes a `Question` about two points and returns a `Reply`, or None to
end. `interview` lets one answer a `Learner`. `interview_by_sets` asks which of several points do
not belong with the others: its oracle takes a `SetQuestion` and returns a `SetReply`. The method
``odd`` of each oracle here is one.
"""

from ccviz.active.oracles.external import ChatModel, Program
from ccviz.active.oracles.question import (
    KnownClasses,
    Oracle,
    Question,
    Reply,
    SetOracle,
    SetQuestion,
    SetReply,
    interview,
    interview_by_sets,
)

__all__ = [
    "ChatModel",
    "KnownClasses",
    "Oracle",
    "Program",
    "Question",
    "Reply",
    "SetOracle",
    "SetQuestion",
    "SetReply",
    "interview",
    "interview_by_sets",
]
