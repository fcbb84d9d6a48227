"""Modules of the API page at their paths of before: each import of one gives the module of now."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "ccviz.active.error_rate": "ccviz.active.learner",
    "ccviz.active.oracles.chat": "ccviz.active.oracles.external",
    "ccviz.active.oracles.classes": "ccviz.active.oracles.question",
    "ccviz.active.oracles.interview": "ccviz.active.oracles.question",
    "ccviz.active.oracles.program": "ccviz.active.oracles.external",
    "ccviz.data.examples": "ccviz.data.datasets",
    "ccviz.data.files": "ccviz.data.read_table",
    "ccviz.data.origin": "ccviz.data.table",
    "ccviz.estimator_init": "ccviz.estimator_parameters",
    "ccviz.estimator_sizes": "ccviz.estimator_parameters",
    "ccviz.frame_links": "ccviz.row_links",
    "ccviz.problem.kept": "ccviz.problem.reduction",
    "ccviz.problem.rule_text": "ccviz.problem.asked",
    "ccviz.problem.rule_words": "ccviz.problem.asked",
    "ccviz.runs.child": "ccviz.runs.worker_pool",
}
"""Where the public names of each module of 0.2 and 0.3 are now."""


class _Alias(Loader):
    """Puts the module of now in the place of one that is imported by its old path."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return no module: the usual one is replaced."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Replace the module by that of now, with a warning."""
        name = module.__name__
        warnings.warn(f"{name} is {MOVED[name]} now", DeprecationWarning, stacklevel=2)
        sys.modules[name] = import_module(MOVED[name])


class _Finder(MetaPathFinder):
    """Finds the modules that have moved, after all other finders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a moved module is loaded; None for every other."""
        return ModuleSpec(fullname, _Alias()) if fullname in MOVED else None


def find_moved() -> None:
    """Let old paths of modules be imported."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
