"""Picking points on the plot, and linking those that are picked."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import param

from ccviz.numbers import count
from ccviz.views.draft import Draft, group_links, links_between
from ccviz.views.lab.asking import Asking
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.words import Worded
from ccviz.views.link_table import Kind, Link

LET_GO: dict[str, Any] = {
    "picked": (), "held": (), "lit": (), "notice": None, "isolated": None, "differing": (),
}  # fmt: skip
"""What a click beside everything puts away."""


class Picking(Worded):
    """What a person points at on the plot, and what becomes of it.

    Attributes
    ----------
    draft : Draft
        The problem as it is edited.
    held : tuple of int
        A group put aside, against which the next one is linked.
    isolated : int or None
        The cluster that alone keeps its colour, by its number on the page.
    differing : tuple of int
        The points that alone keep their colours: those in which two runs differ.
    weight : float
        Of new links; infinite for hard ones.
    asking : Asking
    """

    draft = param.Parameter()
    held = param.Parameter(default=())
    isolated = param.Integer(default=None, allow_None=True)
    differing = param.Parameter(default=())
    weight = param.Number(default=inf, bounds=(0, None), inclusive_bounds=(False, True))
    asking: Asking

    def _edit(self, draft: Draft, rerun: bool = True) -> None:
        raise NotImplementedError

    def pick(self, point: int | None) -> None:
        """Pick a point: the first, then its partner. A picked one, or none, clears the picks."""
        if self.picked == self.asking.points:  # another pair than the one asked about
            picked: tuple[int, ...] = () if point is None else (point,)
        elif point is None or point in self.picked or len(self.picked) > 2:
            picked = () if point is None or point in self.picked else (point,)
        else:
            picked = (*self.picked[:1], point)
        self.param.update(picked=picked, lit=(), notice=None)

    def pick_group(self, points: Sequence[int]) -> None:
        """Pick several points at once."""
        self.param.update(picked=tuple(points), lit=(), notice=None)

    def cancel(self) -> None:
        """Clear the picked points and the notice; if there are none, end the questions."""
        asked = self.asking.points
        if self.asking.active and self.picked == asked and not self.held and not self.notice:
            self.asking.stop()
        self.param.update(**LET_GO | {"picked": self.asking.points})

    def hold(self) -> None:
        """Put the picked points aside, to link the next group against them."""
        if not self.picked:
            text = "Pick points first, by clicks or with the lasso."
            self.notice = Notice("info", text, title="nothing is picked")
            return
        text = f"{count(len(self.picked), 'point')} held: pick others, then press M or C."
        self.param.update(
            **LET_GO | {"held": self.picked, "notice": Notice("info", text, title="held")}
        )

    def link(self, kind: Kind) -> None:
        """Link the picked points: two, a group in itself, or a group against the held one."""
        points, held = self.picked, self.held
        if len(points) < 2 and not (held and points):
            text = "Click two points first, then link them."
            self.notice = Notice("info", text, title="nothing is picked")
            return
        with self.in_words():
            if held:
                self._edit(self.draft.with_links(links_between(kind, held, points, self.weight)))
            elif len(points) == 2:
                link = Link(kind, points[0], points[1], self.weight)
                is_answer = set(points) == set(self.asking.points)
                if not is_answer or self.asking.takes_again([link], self.draft):
                    self._edit(self.draft.with_link(link))
            else:
                self._edit(self.draft.with_links(group_links(kind, points, self.weight)))

    def isolate(self, cluster: int) -> None:
        """Leave one cluster alone in colour; the same again gives the others theirs back."""
        self.isolated = None if self.isolated == cluster else cluster
