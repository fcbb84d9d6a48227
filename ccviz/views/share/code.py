"""The laboratory's problem and run as code: Python lines, or a command line."""

from __future__ import annotations

import shlex
from inspect import signature

from ccviz.data.datasets import GENERATORS
from ccviz.data.table import ROLES, Origin
from ccviz.errors import UnsupportedError
from ccviz.problem.asked import AnyAsked, AskedEither
from ccviz.problem.fixed_centers import centers_text
from ccviz.problem.sizes import sizes_text
from ccviz.studies.model_code import model_code
from ccviz.views.draft import Draft
from ccviz.views.lab.session import Session
from ccviz.views.link_table import Kind
from ccviz.views.share.address import changed_settings, exact

MOST_WRITTEN = 1000
"""Links that the lines hold; more are read from the file that they are exported to."""


def as_python(session: Session) -> str:
    """Return the Python lines that make the same run; data of one's own are read from a file."""
    draft = session.draft
    name = draft.data.name
    options = f", n={draft.n}" if name in GENERATORS else ""
    known, origin = draft.data.is_named, origin_of(draft)
    reader = "load" if known else "read_table" if origin else "read_data"
    source = f'load("{name}"{options})' if known else f"{reader}({_reading(draft, origin)})"
    scaled = draft.scaling != "none"
    many = len(draft.links) > MOST_WRITTEN
    brought = [reader, *(["read_links_file"] if many else []), *(["scale"] if scaled else [])]
    brought += ["scale_as"] if scaled and draft.fixed_centers else []
    either = any(isinstance(rule, AskedEither) for rule in draft.rules)
    centers = str([list(row) for row in draft.fixed_centers])
    centers = f"scale_as({centers}, data.X, {draft.scaling!r})" if scaled else centers
    given = {"seed": session.seed, **session.limits.given, **changed_settings(session)}
    words = [repr(session.solver.name), *(f"{name}={value!r}" for name, value in given.items())]
    lines = [
        "from ccviz import Problem, solve",
        f"from ccviz.data import {', '.join(brought)}",
        *(
            [
                f"from ccviz.problem.asked import {'AskedEither, ' * either}AskedRule",
                "from ccviz.problem.reduction import with_rules",
            ]
            if draft.rules
            else []
        ),
        *(["from ccviz.data.neighbors import neighbors_of"] if draft.neighbors else []),
        "",
        f"data = {source}",
        *(['links = read_links_file("links.txt", len(data.X))'] if many else []),
        "problem = Problem(",
        f"    {f'scale(data.X, {draft.scaling!r})' if scaled else 'data.X'},",
        f"    k={draft.k},",
        f"    must_link={_list(draft, 'must')},",
        f"    cannot_link={_list(draft, 'cannot')},",
        *([f"    sizes={[list(draft.lower), list(draft.upper)]},"] if draft.lower else []),
        "    truth=data.truth,",
        *([f"    outliers={draft.outliers},"] if draft.outliers else []),
        *([f"    fixed_centers={centers},"] if draft.fixed_centers else []),
        *(["    weights=data.weights,"] if draft.data.weights is not None else []),
        *([f"    neighbors=neighbors_of(data, {draft.neighbors!r}),"] if draft.neighbors else []),
        ")",
        *_rules(draft, session.solver.supports.rules),
        f"result = solve(problem, {', '.join(words)})",
        "print(result.status, result.objective, result.lower_bound)",
    ]
    return "\n".join(lines)


def as_model(session: Session) -> str:
    """Return the Python lines that state the model of the session's solver in cvxpy."""
    draft = session.draft
    if draft.rules or draft.neighbors:
        raise UnsupportedError("the models in cvxpy have no rules and no neighbours.")
    model = _MODELS.get(session.solver.name, "assignment")
    return f"{as_python(session)}\n\n{model_code(draft.problem, model)}"


_MODELS = {"sdp": "relaxation", "divide": "relaxation", "colgen": "master"}


def _rules(draft: Draft, keeps_rules: bool) -> list[str]:
    """Return the lines that add rules, each with the clustering or column that it names."""
    if not draft.rules:
        return []
    made = [f"    {_made(rule)}," for rule in draft.rules]
    return ["rules = [", *made, "]", f"problem = with_rules(problem, rules, {keeps_rules})"]


def _made(rule: AnyAsked) -> str:
    if isinstance(rule, AskedEither):
        return f"AskedEither(({', '.join(map(_made, rule.rules))}))"
    return f"AskedRule({rule.text!r}{f', {rule.known}' if rule.known else ''})"


def origin_of(draft: Draft) -> Origin | None:
    """Return the table of one's own that the points come from, None if it cannot be named."""
    origin = draft.data.origin
    return origin if origin is not None and origin.file and not draft.data.is_named else None


def _file(draft: Draft) -> str:
    origin = origin_of(draft)
    return origin.file if origin else f"{draft.data.name}.csv"


def _reading(draft: Draft, origin: Origin | None) -> str:
    """Return the arguments that read the user's own file as it was imported."""
    if origin is None:
        return repr(_file(draft))
    missing = f", missing={origin.missing!r}" if origin.missing else ""
    roles = "" if _is_plain(origin) else f", roles={origin.roles!r}"
    columns = "" if "feature" in origin.roles.values() else ", columns=[]"
    unknown = f", unknown={origin.unknown!r}" if origin.unknown else ""
    skip = "".join(f", {name}={many}" for name, many in _skips(origin))
    return f"{origin.file!r}{roles}{columns}{missing}{unknown}{skip}"


def _skips(origin: Origin) -> list[tuple[str, int]]:
    both = zip(("skip_rows", "skip_last"), origin.skip, strict=True)
    return [(name, many) for name, many in both if many is not None]


def _is_plain(origin: Origin) -> bool:
    """Whether a file is of points only, and each of its columns is a feature."""
    return origin.file.lower().endswith(".npy") and set(origin.roles.values()) == {"feature"}


def _options(origin: Origin) -> list[str]:
    """Return the words of a command line that say what the columns of a table are."""
    missing = ["--missing", origin.missing] if origin.missing else []
    missing += [word for each in origin.unknown for word in ("--unknown", each)]
    for name, many in _skips(origin):
        missing += [f"--{name.replace('_', '-')}", str(many)]
    if _is_plain(origin):
        return missing
    columns = [each.column for each in origin.decisions]
    # The features are in one word with commas between; a column's number is as good as its name.
    clear = not any("," in name for name in columns)
    called = {
        role: [name if clear else str(at) for at, name in enumerate(columns)
               if origin.roles[name] == role]
        for role in ROLES
    }  # fmt: skip
    words = ["--columns", ",".join(called["feature"]), "--class-column", *(called["class"] or [""])]
    words += ["--name-column", *called["name"]] if called["name"] else []
    words += ["--weight-column", *called["weight"]] if called["weight"] else []
    return words + missing


def _list(draft: Draft, kind: Kind) -> str:
    if len(draft.links) > MOST_WRITTEN:
        return f"links.{kind}_link"
    pairs = [link.pair if link.is_hard else (*link.pair, link.weight)
             for link in draft.links if link.kind == kind]  # fmt: skip
    return repr(pairs)


def as_command(session: Session) -> str:
    """Return the command line of the same run; links, and data of one's own, are in files."""
    draft = session.draft
    words = ["ccviz", "solve", draft.data.name if _command_knows(draft) else _file(draft)]
    origin = origin_of(draft)
    words += _options(origin) if origin and not _command_knows(draft) else []
    words += ["-k", str(draft.k), "--solver", session.solver.name, "--seed", str(session.seed)]
    words += ["--scale", draft.scaling] if draft.scaling != "none" else []
    # Without the option an example problem would have its own links.
    words += ["--links", "links.txt"] if draft.links or draft.data.setup else []
    words += (
        ["--sizes", sizes_text(draft.lower, draft.upper).replace(" ", "")] if draft.lower else []
    )
    words += ["--outliers", str(draft.outliers)] if draft.outliers else []
    centers = centers_text(draft.fixed_centers)
    words += ["--fixed-centers", centers] if centers else []
    way, _, at = draft.neighbors.partition(" of ")
    words += ["--neighbors", way] if way else []
    words += ["--at", at] if at else []
    for rule in draft.rules:
        words += ["--rule", rule.text]
    for name, value in session.limits.given.items():
        words += [f"--{name.replace('_', '-')}", exact(value)]
    for name, value in changed_settings(session).items():
        words += ["--param", f"{name}={value}"]
    return shlex.join(words)


def _command_knows(draft: Draft) -> bool:
    """Whether the command line makes these data from their name alone."""
    if not draft.data.is_named:
        return False
    generator = GENERATORS.get(draft.data.name)
    return generator is None or bool(signature(generator).parameters["n"].default == draft.n)
