"""Commands made from the annotations of functions."""

from typing import Annotated

import click
import pytest
from click.testing import CliRunner

from ccviz.cli.parameters import Argument, command, option


def made(
    files: Annotated[list[str], Argument(help="Files to read.")],
    last: Annotated[str, Argument(help="The last file.")] = "none",
    many: Annotated[list[str] | None, option("--each", help="Words.")] = None,
    pair: Annotated[tuple[int, int] | None, option(help="Two points.")] = None,
    top: Annotated[int, option(help="Rows.", min=1)] = 20,
    share: Annotated[float | None, option(help="A share.", max=1)] = None,
    keep: Annotated[bool, option("--keep/--drop", help="Keep it.")] = True,
    header: Annotated[bool | None, option("--header/--no-header", help="A header.")] = None,
) -> None:
    """Do it.

    And say so.
    """
    click.echo(f"{files} {last} {many} {pair} {top} {share} {keep} {header}")


def told(*words):
    done = CliRunner().invoke(command("made", made), words)
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_what_is_not_given_has_the_defaults_of_the_function():
    assert told("a", "b") == "['a'] b None None 20 None True None"


def test_values_arrive_in_the_types_of_the_function():
    words = ["a", "b", "c", "--each", "x", "--each", "y", "--pair", "1", "2", "--top", "1"]
    words += ["--share", "0.5", "--drop", "--no-header"]
    assert told(*words) == "['a', 'b'] c ['x', 'y'] (1, 2) 1 0.5 False False"


def test_a_value_may_look_like_an_option():
    found = told("a", "b", "--each", "-999", "--each=-1")
    assert found == "['a'] b ['-999', '-1'] None 20 None True None"


@pytest.mark.parametrize(
    "words", [["a", "--top", "0"], ["a", "--share", "1.5"], ["a", "--top", "x"], []]
)
def test_what_a_type_forbids_is_refused(words):
    assert CliRunner().invoke(command("made", made), words).exit_code == 2


def test_the_help_lists_arguments_options_and_defaults():
    found = " ".join(told("--help").split())
    assert "Do it. And say so." in found
    assert "Files to read." in found
    assert "Words." in found
    assert "[default: 20; x>=1]" in found
    assert command("made", made).get_short_help_str() == "Do it."
