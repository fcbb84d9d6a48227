"""Settings of the documentation: numpydoc pages from the docstrings, Markdown for the rest."""

import shutil
import sys
from dataclasses import fields
from pathlib import Path

from ccviz.solvers import SOLVERS
from ccviz.solvers.base import label_of

sys.path.insert(0, str(Path(__file__).parent))
from gallery import write_gallery

project = "ccviz"
author = "the ccviz authors"
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
]
html_theme = "furo"
html_title = "ccviz"
html_static_path = ["../assets", "_static"]
html_css_files = ["cards.css"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
nb_execution_mode = "off"  # the tests run every notebook; the site shows what they hold
# Made by scikit-learn, or with a signature that no formatter can read.
not_shown = ["set_fit_request", "set_predict_request", "set_score_request"]
not_shown += ["cKDTree", "Alternatives", "BoundedBlocks", "Rank"]
autodoc_default_options = {"exclude-members": ", ".join(not_shown)}
numpydoc_show_class_members = False
autosummary_generate = True
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3


def write_solver_pages(app):
    """Write the table of solvers and the parameters of each, from the registry."""
    lines = ["# Solvers", "", "[Choose a solver](choose.md) says which one suits which problem."]
    lines += ["", "| Name | Method | Paper | Supports |", "|---|---|---|---|"]
    lines += [
        f"| [`{s.name}`](#{s.name}) | {s.title} | {s.paper} | {supported(s)} |" for s in SOLVERS
    ]
    for solver in SOLVERS:
        lines += ["", f"## {solver.name}", "", *parameters(solver), ""]
        lines += ["```{eval-rst}", f".. autoclass:: {solver.__module__}.{solver.__name__}", "```"]
    Path(app.srcdir, "solvers.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def copy_notebooks(app):
    """Bring the notebooks to where the builder looks for pages."""
    pages = Path(app.srcdir, "notebooks")
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(
        Path(app.srcdir).parent / "notebooks", pages, ignore=shutil.ignore_patterns(".*")
    )


def make_gallery(app):
    """Make the runs of the gallery, and the pages around them."""
    if app.builder.format == "html":
        write_gallery(Path(app.srcdir, "gallery"), Path(app.outdir, "runs"))


_SUPPORTED = {
    "hard": "hard links",
    "soft": "soft links",
    "sizes": "sizes",
    "bounds": "bounds",
    "exact": "proofs",
}


def supported(solver):
    """Return what a solver supports, in words."""
    can = vars(solver.supports)
    return ", ".join(_SUPPORTED.get(name, name) for name in can if can[name])


def parameters(solver):
    """Return a solver's settings as the lines of a table."""
    rows = [
        f"| `{f.name}` | {label_of(f.name, solver)} | `{f.default!r}` | {f.metadata['doc']} |"
        for f in fields(solver)
    ]
    head = ["| Parameter | On the page | Default | Meaning |", "|---|---|---|---|"]
    return [*head, *rows] if rows else []


def setup(app):
    """Connect what is made for the build to it."""
    app.connect("builder-inited", write_solver_pages)
    app.connect("builder-inited", copy_notebooks)
    app.connect("builder-inited", make_gallery)
