"""Questions about pairs and sets of points, which a person answers by links."""

from __future__ import annotations

from typing import Any

from ccviz.active.sets import links_of
from ccviz.numbers import count
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.picking import LET_GO, Picking
from ccviz.views.link_table import Kind, Link


class Questioning(Picking):
    """What a person does with the questions of a session."""

    def ask(self) -> None:
        """Ask which points belong together, one question after another; or stop asking."""
        with self.in_words():
            if self.asking.active:
                self.asking.stop()
            else:
                self.param.update(**LET_GO)
                self.asking.begin(self.draft)

    def ask_about(self, size: int) -> None:
        """Ask about pairs, or about sets of this size."""
        with self.in_words():
            self.asking.ask_about(size)

    def pick(self, point: int | None) -> None:
        """Pick a point; one of the set asked about is marked instead, as long as that is picked."""
        asked = self.asking.points
        if self.asking.several and point in asked and self.picked == asked:
            self.mark_odd(asked.index(point))
        else:
            super().pick(point)

    def mark_odd(self, place: int) -> bool:
        """Mark a point of the set asked about as one that does not belong, or no longer.

        Returns
        -------
        bool
            False if no set is asked about, or it has no such place.
        """
        asked, odd = self.asking.points, self.asking.odd
        if not self.asking.several or place >= len(asked):
            return False
        marked = set(odd) ^ {asked[place]}
        self.param.update(notice=None, picked=asked)
        self.asking.odd = tuple(point for point in asked if point in marked)
        return True

    def link(self, kind: Kind) -> None:
        """Link the picked points; those of a set asked about are answered for by its marks."""
        if not (self.asking.several and self.picked == self.asking.points) or self.held:
            super().link(kind)
        elif kind == "must" and self.asking.odd:
            self._say_marks(f"{count(len(self.asking.odd), 'point')} marked: C keeps them apart.")
        elif kind == "cannot" and not self.asking.odd:
            self._say_marks("Mark the points that do not belong, then press C.")
        else:
            self.answer_set()

    def _say_marks(self, text: str) -> None:
        self.notice = Notice("info", text, title="a question about five points")

    def answer_set(self) -> None:
        """Answer the question about a set: the marked points do not belong with the others."""
        if not self.asking.several:
            return
        with self.in_words():
            pairs = links_of(self.asking.points, self.asking.odd)
            links = [Link("must" if same else "cannot", *pair, self.weight) for pair, same in pairs]
            new = self.asking.takes_again(links, self.draft)
            if new:
                self._edit(self.draft.with_links(new))

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
        """Pick the points that are asked about, so that M and C link them."""
        if event.new is not None or (event.old is not None and self.picked == event.old.points):
            self.picked = self.asking.points
