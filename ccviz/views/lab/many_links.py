"""Many links at once: drawn from the known classes, or read from a file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ccviz.data.link_files import GivenLinks, read_links_file
from ccviz.data.random_links import random_pairs
from ccviz.views.draft import Kind, Link
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session


def draw_links(session: Session, many: int, noise: float = 0.0) -> None:
    """Draw links from the known classes, a share of them wrong, in the weight for new links."""
    truth = session.draft.data.truth
    if truth is None:
        text = "These data have no known classes to draw links from."
        session.notice = Notice("info", text, title="no classes")
        return
    with session.in_words():
        session.person.quota.check_links(many)
        drawn = random_pairs(truth, many, noise, session.seed)
        weighted = [
            [(*pair, session.weight) for pair in pairs.tolist()]
            for pairs in (drawn.must_link, drawn.cannot_link)
        ]
        session.add_links(_links(*weighted))


def load_links(session: Session, name: str, content: bytes) -> None:
    """Add the links of a file, now or in some `Session.tick`."""
    draft = session.draft
    session.bring(
        name, read_links_file, content, draft.n, name, draft.data.names,
        then=partial(_take, session),
    )  # fmt: skip


def _take(session: Session, given: GivenLinks) -> None:
    session.person.quota.check_links(len(given.must_link) + len(given.cannot_link))
    session.add_links(_links(given.must_link, given.cannot_link))


def _links(must: Iterable[Any], cannot: Iterable[Any]) -> list[Link]:
    both: list[tuple[Kind, Iterable[Any]]] = [("must", must), ("cannot", cannot)]
    return [Link(kind, *pair) for kind, pairs in both for pair in pairs]
