"""A session as an address: the same problem, solver and seed."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import quote as escaped
from urllib.parse import unquote, urlencode

from ccviz.arrays import IntArray
from ccviz.data.datasets import GENERATORS, Dataset, load
from ccviz.data.link_files import short_source
from ccviz.errors import ArchiveError, CcvizError, ProblemError, quote
from ccviz.numbers import whole
from ccviz.problem.asked import AnyAsked, AskedRule, joined, parts_of, split_either, split_rule
from ccviz.problem.fixed_centers import centers_text, read_centers_text
from ccviz.problem.sizes import read_sizes, sizes_text
from ccviz.runs.archive import Archive
from ccviz.runs.stop import Limits
from ccviz.solvers import Solver, make_solver, parse_setting, solver_class
from ccviz.views.draft import Draft, draft_of
from ccviz.views.lab.loading import clustering_of, rejoin, solver_of
from ccviz.views.lab.notice import watched_settings
from ccviz.views.lab.personal_archive import KeptDrafts
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Kind, Link, LinkTable

# --------------------------------------------------------------------------------------------------
# Rules in an address: their own words, with the clustering or column that one names beside it.


_DIGITS = string.digits + string.ascii_lowercase
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}

Finder = Callable[[str], IntArray]
"""Returns the labels of a stored run by its name."""


def rules_text(rules: Iterable[AnyAsked]) -> str:
    """Return rules as an address has them, such as ``diameter<=3;difference(first:0011)>=2``.

    The values of a column are joined by commas: ``sum(people:3,5.5,1,2)>=4``.
    The numbers of clusters or words are digits, or joined by commas where there are many.
    """
    return ";".join(" or ".join(map(_text, parts_of(rule))) for rule in rules)


def _text(rule: AskedRule) -> str:
    if not rule.known:
        return rule.text
    name = escaped(rule.words.name, safe=" ")
    if rule.words.names_column:
        return _renamed(rule.text, f"{name}:{','.join(f'{value:.17g}' for value in rule.known)}")
    if max(rule.known) >= len(_DIGITS):
        return _renamed(rule.text, f"{name}:{','.join(map(str, rule.known))}")
    return _renamed(rule.text, f"{name}:{''.join(_DIGITS[int(each)] for each in rule.known)}")


def read_rules(text: str, find: Finder) -> list[AnyAsked]:
    """Return the rules of an address.

    `text`: As `rules_text` writes them; a clustering may be a stored run's name alone. `find`:
    Returns the labels of such a run. Raises `CcvizError` if a word is no rule, or a run or the
    values of a column are not there.
    """
    words = (word for word in text.split(";") if word.strip())
    return [joined(_read(each, find) for each in split_either(word)) for word in words]


def _read(word: str, find: Finder) -> AskedRule:
    words = split_rule(word)
    if not words.name:
        return AskedRule.read(word)
    called, colon, given = words.name.rpartition(":")
    if words.names_column:
        known: Sequence[float] = _values(given)
    elif colon:
        known = _decoded(given)
    else:
        known, called = find(unquote(given)).tolist(), given
    return AskedRule(_renamed(word.strip(), unquote(called)), tuple(known))


def _values(given: str) -> list[float]:
    try:
        return [float(word) for word in given.split(",")]
    except ValueError:
        raise ProblemError("the address has a column with values that are no numbers.") from None


def _decoded(digits: str) -> list[int]:
    if "," in digits:
        values = _values(digits)
        if not all(value.is_integer() for value in values):
            raise ProblemError("the address has a column with values that are no whole numbers.")
        return [*map(int, values)]
    if not digits or not set(digits) <= set(_VALUES):
        raise ProblemError("the address has a clustering with letters that are no labels.")
    return [_VALUES[digit] for digit in digits]


def _renamed(text: str, name: str) -> str:
    """Return a rule's text with another name for its clustering or column."""
    start, end = text.index("("), text.rindex(")")
    return f"{text[: start + 1]}{name}{text[end:]}"


MOST_CHARACTERS = 4000
"""Longer addresses are cut off somewhere on their way."""

_TOO_LONG = (
    "There are too many links for an address, or a rule names a clustering of too many points; "
    "export links to a file, or save a project instead."
)

_DRAFT = "draft"
"""What an address calls the secret word of a problem that it does not hold."""

_KINDS: dict[str, Kind] = {"ml": "must", "cl": "cannot"}

_WORDS = frozenset({"data", "n", "k", "scaling", *_KINDS, "sources", "sizes", "outliers",
                    "fixed_centers", "neighbors", "rules", "x", "y", "solver", "seed"})  # fmt: skip
_DOTTED = ("set.", "limit.")


def is_word(name: str) -> bool:
    """Return whether a word of an address belongs to a problem, a solver or its settings."""
    return name in _WORDS or name.startswith(_DOTTED)


def query(session: Session, own: str = "") -> str:
    """Return the session's settings as the query of an address.

    `own`: What data are called that no address can name; empty if these are refused. Raises
    `CcvizError` if the data cannot be named in an address, or there are too many links for one.
    """
    text = urlencode(_problem_values(session, own) | _settings_values(session))
    if len(text) > MOST_CHARACTERS:
        raise CcvizError(_TOO_LONG)
    return text


def _problem_values(session: Session, own: str) -> dict[str, Any]:
    draft = session.draft
    if len(draft.links) > MOST_CHARACTERS:
        raise CcvizError(_TOO_LONG)
    if not draft.data.is_named and not own:
        raise CcvizError("Data from a file or an old run do not fit into an address.")
    name = draft.data.name if draft.data.is_named else own
    values: dict[str, Any] = {"data": name, "k": draft.k}
    if name in GENERATORS:
        values["n"] = draft.n
    if draft.scaling != "none":
        values["scaling"] = draft.scaling
    pairs = {name: _pairs(draft, kind) for name, kind in _KINDS.items()}
    # An example problem has links of its own; empty words say that they were removed.
    values |= {name: text for name, text in pairs.items() if text or draft.data.setup}
    values |= _sources_word(draft.links)
    if draft.lower:
        values["sizes"] = sizes_text(draft.lower, draft.upper)
    if draft.outliers:
        values["outliers"] = draft.outliers
    if draft.fixed_centers:
        values["fixed_centers"] = centers_text(draft.fixed_centers)
    if draft.neighbors:
        values["neighbors"] = draft.neighbors
    if draft.rules:
        values["rules"] = rules_text(draft.rules)
    return values


def _settings_values(session: Session) -> dict[str, Any]:
    values: dict[str, Any] = {"x": session.x_axis, "y": session.y_axis}
    values |= {f"limit.{name}": value for name, value in session.given_limits.items()}
    if not session.chosen:  # another page chooses the same
        return values | ({"seed": session.seed} if session.seed else {})
    values |= {"solver": session.solver.name, "seed": session.seed}
    return values | {f"set.{name}": value for name, value in changed_settings(session).items()}


def _pairs(draft: Draft, kind: Kind) -> str:
    return ",".join(
        f"{link.i}-{link.j}" + ("" if link.is_hard else f"*{exact(link.weight)}")
        for link in draft.links
        if link.kind == kind
    )


def exact(value: float) -> str:
    """Return a number as short as it is read back the same: six digits may not be enough."""
    return str(value).removesuffix(".0")


def changed_settings(session: Session) -> dict[str, Any]:
    """Return those of the solver's settings that differ from their defaults."""
    solver = session.solver
    return {
        each.name: getattr(solver, each.name)
        for each in fields(solver)
        if getattr(solver, each.name) != each.default
    }


def apply_query(
    session: Session,
    values: Mapping[str, str],
    drafts: KeptDrafts | None = None,
    own: Dataset | None = None,
) -> None:
    """Set a session up from an address; other settings stay, and all do if it is refused.

    `own`: The data, if they are none that `load` knows.
    """
    with session.reporting_errors():
        if "run" in values:
            _check_run(session.archive, values["run"])
        kept, values = _kept(session, values, drafts)
        draft = draft_of_query(session, values, own) if kept is None else kept
        settings = _limits(values)
        if "seed" in values:
            settings["seed"] = _whole("seed", values["seed"])
        if "solver" in values:
            settings["solver"] = _solver(values, draft)
        elif "data" in values and (solver := solver_of(draft)) is not None:
            settings["solver"] = solver
        session.take_over(draft, (values.get("x", ""), values.get("y", "")), **settings)
        if "run" in values:
            rejoin(session, values["run"], keeps_problem=kept is not None or "data" in values)


def _kept(
    session: Session, values: Mapping[str, str], drafts: KeptDrafts | None
) -> tuple[Draft | None, Mapping[str, str]]:
    """Return the draft that an address names, and what else is to be done.

    Raises `CcvizError` if it is not kept any more, and no run brings its problem.
    """
    if _DRAFT not in values:
        return None, values
    kept = None if drafts is None else drafts.find(values[_DRAFT], session.person)
    if kept is None and "run" not in values:
        raise CcvizError(
            "This address works only in the browser that made it, and not for ever: load the table."
        )
    return kept, values if kept is not None else {"run": values["run"]}


def _check_run(archive: Archive, run_id: str) -> None:
    """Raise `CcvizError` unless the run can be opened; hidden and absent are refused alike."""
    try:
        archive.info(run_id)
    except ArchiveError:
        raise CcvizError(f"There is no run {quote(run_id)} that this page can open.") from None


def reload_query(session: Session, drafts: KeptDrafts | None = None) -> str:
    """Return the query that opens the session again, with its run.

    `drafts`: Where a problem is put that no address holds. Without one the run, if there is one,
    brings its problem.
    """
    run_id = session.player.run_id or session.runner.run_id
    is_example = bool(run_id) and session.archive.is_in_library(run_id)  # each server has its own
    words = "" if is_example and not session.edits.can_undo else _words(session, drafts)
    theme = "dark" if session.dark else "light"
    parts = (
        words,
        urlencode({"run": run_id}) if run_id and not is_example else "",
        "" if session.dark == session.prefers_dark else f"theme={theme}",
    )
    return "&".join(filter(None, parts))


def _words(session: Session, drafts: KeptDrafts | None) -> str:
    try:
        # An address holds no names of clusters.
        if drafts is None or not session.draft.cluster_names:
            return query(session)
    except CcvizError:
        if drafts is None:
            return ""
    word = drafts.keep(session, session.person, session.draft)
    return urlencode({_DRAFT: word} | _settings_values(session))


def _solver(values: Mapping[str, str], draft: Draft) -> Solver:
    kind = solver_class(values["solver"])
    given = {
        name: parse_setting(kind, name, text)
        for name, text in ((key.removeprefix("set."), text) for key, text in values.items()
                           if key.startswith("set."))
    }  # fmt: skip
    return make_solver(kind.name, **watched_settings(kind.name, draft.problem) | given)


def _limits(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the limits that an address sets, as the session names them."""
    asked = {name: values[f"limit.{name}"] for name in LIMITS if f"limit.{name}" in values}
    given = {name: _limit(name, text) for name, text in asked.items()}
    Limits(**given)  # raises the sentence
    return {LIMITS[name]: value for name, value in given.items()}


def draft_of_query(
    session: Session, values: Mapping[str, str], own: Dataset | None = None
) -> Draft:
    """Return the problem that an address asks for, without taking it.

    `own`: The data, if they are none that `load` knows.
    """
    draft = session.draft
    if own is not None:
        draft = draft_of(own)
    elif "data" in values:
        options = {"n": _whole("n", values["n"])} if "n" in values else {}
        session.person.quota.check_generated(options.get("n", 0))
        draft = draft_of(load(values["data"], **options))
        if not _KINDS.keys().isdisjoint(values):
            draft = replace(draft, links=LinkTable())
    if "k" in values:
        draft = draft.with_k(_whole("k", values["k"]))
    if "scaling" in values:
        draft = draft.with_scaling(values["scaling"])
    links = _links(values)
    draft = draft.with_links(links) if links else draft
    if "sizes" in values:
        draft = draft.with_sizes(*read_sizes(values["sizes"], draft.n, draft.k))
    if "outliers" in values:
        draft = draft.with_outliers(_whole("outliers", values["outliers"]))
    if "fixed_centers" in values:
        draft = draft.with_fixed_centers(read_centers_text(values["fixed_centers"]))
    if "neighbors" in values:
        draft = draft.with_neighbors(values["neighbors"])
    return _with_rules(session, draft, values)


def _with_rules(session: Session, draft: Draft, values: Mapping[str, str]) -> Draft:
    if "rules" not in values:
        return draft
    return draft.with_rules(read_rules(values["rules"], partial(_stored, session.archive)))


def _stored(archive: Archive, name: str) -> IntArray:
    try:
        run_id = archive.find(name)
    except ArchiveError:
        raise CcvizError(f"There is no run {quote(name)}, or several have that name.") from None
    return clustering_of(archive, run_id)


LIMITS = {"time_limit": "time_limit", "gap": "gap_limit", "node_limit": "node_limit"}
"""Limits as programs call them, and as the session does."""


def _limit(name: str, text: str) -> Any:
    try:
        value: float = int(text) if name == "node_limit" else float(text)
    except ValueError:
        value = -1
    if not value >= (name == "node_limit"):
        raise CcvizError(f"The address says limit.{name} = {quote(text)}, which is no limit.")
    return value


def _whole(name: str, text: str) -> int:
    value = whole(text)
    if value is None:
        raise CcvizError(f"The address says {name} = {quote(text)}, which is no whole number here.")
    return value


def _links(values: Mapping[str, str]) -> list[Link]:
    links = [
        _link(kind, word)
        for name, kind in _KINDS.items()
        for word in values.get(name, "").split(",")
        if word
    ]
    if not values.get("sources"):
        return links
    sources = _sources(values["sources"], len(links))
    return [replace(link, source=each) for link, each in zip(links, sources, strict=True)]


def _sources_word(links: LinkTable) -> dict[str, str]:
    """Return what links come from, must-links first, as ``9*merged by hand,1*rule R``."""
    ordered = [link.source for kind in _KINDS.values() for link in links.of_kind(kind)]
    runs = [f"{len([*some])}*{escaped(each, ' ')}" for each, some in groupby(ordered)]
    return {"sources": ",".join(runs)} if any(ordered) else {}


def _sources(text: str, many: int) -> list[str]:
    """Return what links come from, of a text as above."""
    pairs = [word.partition("*")[::2] for word in text.split(",")]
    numbers = [whole(number) or 0 for number, _ in pairs]
    if sum(numbers) != many:
        raise CcvizError(f"The address says what {sum(numbers)} links come from, and has {many}.")
    called = [short_source(unquote(each)) for _, each in pairs]
    return [each for number, each in zip(numbers, called, strict=True) for _ in range(number)]


def _link(kind: Kind, word: str) -> Link:
    pair, _, weight = word.partition("*")
    try:
        i, j = map(int, pair.split("-"))
        return Link(kind, i, j, float(weight) if weight else float("inf"))
    except ValueError:
        raise CcvizError(f"The address has {word!r} for a link, not two points.") from None


# --------------------------------------------------------------------------------------------------
# Controls that an address hides: ``?hide=data,solver``. It tidies the page, and guards nothing.


HIDEABLE = ("data", "links", "rules", "solver", "lessons")
"""What can be hidden, by the words of an address."""


def hidden_controls(text: str) -> frozenset[str]:
    """Return the controls that a word of an address hides."""
    names = frozenset(filter(None, text.split(",")))
    if unknown := sorted(names - set(HIDEABLE)):
        raise CcvizError(f"An address can hide {', '.join(HIDEABLE)}; not {quote(unknown[0])}.")
    return names
