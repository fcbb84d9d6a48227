"""Words that a reader has to decode are in no text that people read: see CONTRIBUTING, *Style*."""

import ast
import json
import re
import tokenize
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"`[^`\n]*`")  # a name in the program is no word of a sentence
AVOIDED = re.compile(
    r"\b(so many|so much|nobody|somebody|anew|dear|dearer|what there is|stands?|comes? to|tells?"
    r"|told|is worth)\b",
    re.IGNORECASE,
)
# Words that are in no name of the program, but for those of the learner.
UNNAMED = {"told", "tell", "tells", "teller", "anew", "nobody", "somebody", "stranger", "dress"}
NAMED = {"tell", "tell_set"}  # the learner takes answers by these: `Learner.tell`
# Names of controls and columns that new users of the page did not understand.
UNCLEAR = re.compile(
    "good to know|Note: keys|another word in every row|Wrong share|Leave all out"
    "|Iterations a round|Divide first, from blocks|Export the run shown|Take 1 clusters"
)


def pages():
    """Yield README, docs and changes, by name."""
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md"))
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted((ROOT / "docs").glob("gallery*.py"))


def cells(notebook):
    """Return the texts of a notebook's cells."""
    found = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in found)


def shown(source):
    """Return the strings of a module that are no docstrings: labels, help, notices, errors."""
    tree = ast.parse(source.read_text(encoding="utf-8"))
    # Docstrings, and the texts behind constants.
    plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return "\n".join(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain
    )


def explained(source):
    """Return the docstrings and the comments of a module, without the names in them."""
    text = source.read_text(encoding="utf-8")
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
    plain = [node.value.value for node in nodes if isinstance(node.value, ast.Constant)]
    tokens = tokenize.generate_tokens(StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return CODE.sub("", "\n".join([*map(str, plain), *comments]))


def named(source):
    """Return the names that a module gives to functions, classes, parameters and variables."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def offenders(texts):
    """Return the avoided words of each text, by its name."""
    found = {name: sorted(set(AVOIDED.findall(text))) for name, text in texts.items()}
    return {name: words for name, words in found.items() if words}


def test_no_page_has_them():
    texts = {path.name: CODE.sub("", path.read_text(encoding="utf-8")) for path in pages()}
    assert len(texts) > 15
    assert offenders(texts) == {}


def test_no_notebook_has_them():
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert len(notebooks) >= 10
    assert offenders({path.name: cells(path) for path in notebooks}) == {}


def test_no_text_of_the_program_has_them():
    sources = {
        str(path.relative_to(ROOT)): shown(path) for path in sorted((ROOT / "ccviz").rglob("*.py"))
    }
    lessons = {str(path): path.read_text("utf-8") for path in (ROOT / "ccviz").rglob("*.toml")}
    assert len(lessons) >= 8
    assert offenders(sources | lessons) == {}


def test_no_docstring_or_comment_has_them():
    paths = sorted((ROOT / "ccviz").rglob("*.py"))
    assert offenders({str(path.relative_to(ROOT)): explained(path) for path in paths}) == {}


def test_no_name_of_the_program_has_them():
    names = {name for path in (ROOT / "ccviz").rglob("*.py") for name in named(path)} - NAMED
    parts = re.compile(r"[A-Z]?[a-z]+")
    found = {name for name in names if UNNAMED & {each.lower() for each in parts.findall(name)}}
    assert found == set()
    assert len(names) > 5000


def test_no_control_has_a_name_that_was_not_understood():
    scripts = {path.name: path.read_text("utf-8") for path in (ROOT / "ccviz").rglob("*.js")}
    sources = {str(path): shown(path) for path in (ROOT / "ccviz" / "views").rglob("*.py")}
    found = {name: UNCLEAR.findall(text) for name, text in (scripts | sources).items()}
    assert not {name: words for name, words in found.items() if words}
    assert UNCLEAR.findall("Export the run shown")


def test_the_words_are_found():
    assert AVOIDED.findall("So many, dearer than anybody's") == ["So many", "dearer"]
    assert shown(ROOT / "ccviz" / "errors.py") != ""
