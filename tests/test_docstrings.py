"""Everything public has a sentence, and says the shapes of its arrays and the errors it raises."""

import ast
import importlib
import inspect
import re
import textwrap
from pathlib import Path

from numpydoc.docscrape import NumpyDocString

import ccviz

ROOT = Path(__file__).parents[1]
MODULES = re.findall(
    r"^   (ccviz\.\S+)", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE
)

SENTENCE_TELLS = ("Return ", "Yield ", "Whether ")
"""How a summary begins that says by itself what comes back."""


def public(name):
    """Return the functions and classes of a module that are its own and public, by name."""
    module = importlib.import_module(name)
    offered = getattr(module, "__all__", [each for each in vars(module) if each[0] != "_"])
    members = ((each, getattr(module, each)) for each in offered)
    return {
        member: value
        for member, value in members
        if not member.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == name
    }


def methods(owner):
    """Return the public methods and properties that a class brings, inherited promises aside."""
    promised = {name for base in owner.__mro__[1:] for name in vars(base)}
    found = {}
    for name, value in vars(owner).items():
        plain = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if not name.startswith("_") and name not in promised and inspect.isfunction(plain):
            found[name] = plain
    return found


def everything(module):
    """Return all that is public in a module, by name."""
    found = public(module)
    for name, value in list(found.items()):
        if inspect.isclass(value):
            found |= {f"{name}.{method}": each for method, each in methods(value).items()}
    return found


def functions(module):
    """Return a module's public functions, methods and properties, by name."""
    return {name: each for name, each in everything(module).items() if inspect.isfunction(each)}


def described(thing, *sections):
    """Return the names that sections of a docstring describe."""
    read = NumpyDocString(textwrap.dedent(thing.__doc__))
    names = (entry.name or entry.type for section in sections for entry in read[section])
    return {name.strip().lstrip("*") for joined in names for name in joined.split(",")}


def taken(thing):
    """Return the names of the arrays that a caller gives: a shape is in no annotation."""
    given = inspect.signature(thing).parameters.items()
    return {name for name, each in given if "Array" in str(each.annotation) and name[0] != "_"}


def raised(function):
    """Return the names of the errors that a function raises in its own lines."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {call.func.id for call in calls if isinstance(getattr(call, "func", None), ast.Name)}


def test_what_the_package_offers_is_on_the_api_page():
    modules = {getattr(ccviz, name).__module__ for name in ccviz.__all__}
    assert modules <= set(MODULES)


def tells_what_comes_back(function):
    """Say whether a sentence or a section tells of the arrays that come back, if any do."""
    if "Array" not in str(function.__annotations__.get("return")):
        return True
    if not inspect.signature(function).parameters.keys() - {"self"}:
        return True  # a property
    by_itself = inspect.getdoc(function).startswith(SENTENCE_TELLS)
    return by_itself or bool(described(function, "Returns", "Yields"))


def offenders(wrong):
    """Return each public thing with which something is wrong, and what."""
    found = {f"{module}.{name}": what for module in MODULES for name, what in wrong(module)}
    return {name: what for name, what in found.items() if what}


def test_everything_has_a_sentence():
    def unfinished(module):
        for name, thing in everything(module).items():
            line = inspect.getdoc(thing).splitlines()[0]
            yield name, "" if line.endswith((".", ":")) else line

    assert not offenders(unfinished)


def test_functions_describe_the_arrays_they_take_and_return():
    def silent(module):
        for name, function in functions(module).items():
            if name.startswith("Archive."):  # the class says it once for all of them
                continue
            missing = taken(function) - described(function, "Parameters")
            yield name, missing | (set() if tells_what_comes_back(function) else {"the result"})

    assert not offenders(silent)


def test_classes_describe_the_arrays_they_take():
    def silent(module):
        for name, kind in public(module).items():
            is_protocol = getattr(kind, "_is_protocol", False)
            if not inspect.isclass(kind) or issubclass(kind, Exception) or is_protocol:
                continue
            if kind.__init__ is not object.__init__:
                yield name, taken(kind) - described(kind, "Parameters", "Attributes")

    assert not offenders(silent)


def test_functions_name_the_errors_they_raise():
    def silent(module):
        for name, function in functions(module).items():
            yield name, raised(function) - described(function, "Raises")

    assert not offenders(silent)
