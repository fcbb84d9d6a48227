"""What the page of promises says is what its tables say, and its tests are there."""

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = " ".join((ROOT / "docs" / "promises.md").read_text(encoding="utf-8").split())


def rows(name):
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def total(table, *names):
    return sum(float(row[name]) for row in table for name in names)


def proofs():
    table = rows("proofs")
    both = sum(row["first"] == row["second"] == "accepted" for row in table)
    return f"{both} of {len(table)} proofs of published instances by both checkers"


def checking():
    table = rows("proofs")
    shares = [
        100 * total(table, name) / total(table, "solve_s") for name in ("first_s", "second_s")
    ]
    return "{:.1f} % of the solving time for the first, {:.1f} % for the second".format(*shares)


def altered():
    table = rows("alterations")
    many, wrong = int(total(table, "altered")), int(total(table, "wrong"))
    return f"{wrong} of {many:,} altered proofs"


def mutants():
    text = (RESULTS / "mutants.md").read_text(encoding="utf-8")
    tried = re.findall(r"^\| `.*?` \| \d+ \| (\d+) \| (\d+) \| (\d+) \|", text, flags=re.MULTILINE)
    tried, noticed, equivalent = (sum(map(int, column)) for column in zip(*tried, strict=True))
    return f"{noticed} of {tried - equivalent} changes"


def hostile():
    text = (RESULTS / "fuzz.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^\| ([\d,]+) \w+ \| [\d,]+ \| (\d+) \|", text, flags=re.MULTILINE)
    assert all(wrong == "0" for _, wrong in kinds)
    return f"Of {sum(int(many.replace(',', '')) for many, _ in kinds):,} hostile inputs none ended"


def killed():
    text = (RESULTS / "chaos.md").read_text(encoding="utf-8")
    row = re.search(r"\*\*all\*\* \| (\d+) \| \d+ \| \d+ \| (\d+) \| (\d+) \|", text)
    assert row[3] == "0"
    return f"{row[2]} records in {row[1]} kills at random moments"


def wide():
    text = (RESULTS / "wide.md").read_text(encoding="utf-8")
    most = max(map(int, re.findall(r"^\| `.*?` \| [\d.]+ \| (\d+) \|", text, flags=re.MULTILINE)))
    return f"every solver makes at most {most} MB beyond them"


def crowd():
    text = (RESULTS / "class_server.md").read_text(encoding="utf-8")
    (alone, alone_worst), (beside, beside_worst) = (
        (int(median), int(worst))
        for median, worst in re.findall(
            r"^\| .+? \| \d+ \| (\d+) \| (\d+) \| \d+ \|$", text, flags=re.MULTILINE
        )
    )
    return (
        f"{beside} ms in the median and {beside_worst:,} ms at most beside a hostile one, "
        f"{alone} and {alone_worst:,} without"
    )


# Another table is another line here, and one on the page.
FIGURES = [proofs, checking, altered, mutants, hostile, killed, wide, crowd]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__)
def test_a_figure_is_its_table_s(figure):
    assert figure() in PAGE


def test_every_test_that_is_named_is_there():
    named = re.findall(r"`(tests/[\w/.]+)`", PAGE)
    assert len(named) > 10
    assert not [path for path in named if not (ROOT / path).exists()]
