"""Questions about pairs of points, which a person answers by linking them."""

from __future__ import annotations

from typing import Any

from ccviz.views.lab.notice import Notice
from ccviz.views.lab.picking import LET_GO, Picking


class Questioning(Picking):
    """What a person does with the questions of a session."""

    def ask(self) -> None:
        """Ask which points belong together, one pair after another; or stop asking."""
        with self.in_words():
            if self.asking.active:
                self.asking.stop()
            else:
                self.param.update(**LET_GO)
                self.asking.begin(self.draft)

    def unsure(self) -> None:
        """Answer the question with *I cannot tell*."""
        pair = self.asking.pair
        if pair is None:
            text = "U answers a question. Press A to be asked one."
            self.notice = Notice("info", text, title="nothing is asked")
            return
        with self.in_words():
            self._edit(self.draft.with_unsure(*pair))

    def _on_question(self, event: Any) -> None:
        """Pick the pair that is asked about, so that M and C link it."""
        if event.new is not None or (event.old is not None and self.picked == event.old.pair):
            self.picked = self.asking.pair or ()
