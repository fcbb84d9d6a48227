"""Many links at once: drawn from the known classes, or read from a file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ccviz.data.link_files import read_links_file
from ccviz.data.random_links import random_pairs
from ccviz.views.lab.notice import Notice
from ccviz.views.lab.session import Session
from ccviz.views.link_table import LinkTable


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
        links = LinkTable.of_pairs(drawn.must_link, drawn.cannot_link)
        session.add_links(replace(links, weights=np.full(len(links), session.weight)))


def load_links(session: Session, name: str, content: bytes) -> None:
    """Add the links of a file, now or in some `Session.tick`."""
    draft = session.draft
    session.bring(
        name, read_link_table, content, draft.n, name, draft.data.names,
        then=partial(_take, session),
    )  # fmt: skip


def read_link_table(content: bytes, n: int, name: str, names: tuple[str, ...]) -> LinkTable:
    """Read links as a table, see `read_links_file`."""
    given = read_links_file(content, n, name, names)
    return LinkTable.of_pairs(given.must_link, given.cannot_link)


def _take(session: Session, links: LinkTable) -> None:
    session.person.quota.check_links(len(links))
    session.add_links(links)
