"""What one may ask for, and that the documentation has the same numbers."""

from math import inf
from pathlib import Path

import pytest

from ccviz.errors import CcvizError
from ccviz.quota import ONE_PERSON, STUDENT, Quota

PAGE = (Path(__file__).parents[1] / "docs" / "security.md").read_text(encoding="utf-8")


def test_who_asks_for_as_much_as_is_allowed_gets_it():
    quota = Quota(points=3, cells=6, links=2)
    quota.check_table(3, 2)
    quota.check_links(2)
    for ask in (
        lambda: quota.check_table(4, 1),
        lambda: quota.check_table(3, 3),
        lambda: quota.check_links(3),
    ):
        with pytest.raises(CcvizError, match="are more than the"):
            ask()


@pytest.mark.parametrize(
    ("run_s", "asked", "spent", "most"),
    [(inf, None, 0, None), (inf, 7, 0, 7), (5, None, 0, 5), (5, 2, 0, 2), (5, 99, 10, 15)],
)
def test_time_is_limited(run_s, asked, spent, most):
    assert Quota(run_s=run_s).most_seconds(asked, spent) == most


@pytest.mark.parametrize(
    "row",
    [
        f"| {ONE_PERSON.points:,}, {ONE_PERSON.cells:,} | {STUDENT.points:,}, {STUDENT.cells:,} |",
        f"| {ONE_PERSON.links:,} | {STUDENT.links:,} |",
        f"| {ONE_PERSON.generated:,} | {STUDENT.generated:,} |",
        f"| {ONE_PERSON.file_bytes >> 20} MiB, {ONE_PERSON.reading_s:g} s, "
        f"{ONE_PERSON.reading_bytes >> 30} GiB | {STUDENT.file_bytes >> 20} MiB, "
        f"{STUDENT.reading_s:g} s, {STUDENT.reading_bytes >> 30} GiB |",
        f"| {STUDENT.runs}, {STUDENT.run_bytes >> 20} MiB, {STUDENT.at_once} at a time, "
        f"{STUDENT.run_s:g} s and {STUDENT.worker_bytes >> 30} GiB each |",
    ],
)
def test_the_page_has_the_numbers(row):
    assert row in PAGE
