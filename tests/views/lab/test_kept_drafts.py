import numpy as np

from ccviz.data.datasets import Dataset
from ccviz.views.draft import draft_of
from ccviz.views.lab import personal_archive
from ccviz.views.lab.personal_archive import KeptDrafts
from ccviz.views.person import ALONE, Person


class Page:
    """What a word belongs to."""


def draft(n):
    return draft_of(Dataset("mine", np.zeros((n, 2)), ("a", "b")), 1)


def test_a_draft_is_found_by_its_word_by_its_person_alone():
    drafts, one = KeptDrafts(), draft(4)
    word = drafts.keep(Page(), Person(browser="anna"), one)
    assert drafts.find(word, Person(browser="anna")) is one
    assert drafts.find(word, Person(browser="bert")) is None
    assert drafts.find("another", Person(browser="anna")) is None


def test_a_page_has_one_word_for_its_newest_draft():
    drafts, page = KeptDrafts(), Page()
    word = drafts.keep(page, ALONE, draft(4))
    newest = draft(4)
    assert drafts.keep(page, ALONE, newest) == word
    assert drafts.find(word, ALONE) is newest


def test_the_oldest_goes_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(personal_archive, "MOST_DRAFTS", 2)
    drafts, pages = KeptDrafts(), [Page(), Page(), Page()]
    one, two = (drafts.keep(page, ALONE, draft(4)) for page in pages[:2])
    drafts.keep(pages[0], ALONE, draft(4))
    drafts.keep(pages[2], ALONE, draft(4))
    assert drafts.find(two, ALONE) is None
    assert drafts.find(one, ALONE) is not None


def test_large_tables_count_by_their_size(monkeypatch):
    monkeypatch.setattr(personal_archive, "MOST_VALUES", 100)
    drafts = KeptDrafts()
    one, two = (drafts.keep(Page(), ALONE, draft(40)) for _ in range(2))
    assert drafts.find(one, ALONE) is None
    assert drafts.find(two, ALONE) is not None
