"""Many links at once: drawn from the known classes, or read from a file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ccviz.data.link_files import GivenLinks, read_links_file
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
        name, read_links_file, content, draft.n, name, draft.data.names,
        then=partial(_take, session),
    )  # fmt: skip


def _take(session: Session, given: GivenLinks) -> None:
    session.person.quota.check_links(len(given.must_link) + len(given.cannot_link))
    session.add_links(LinkTable.of_pairs(given.must_link, given.cannot_link))
