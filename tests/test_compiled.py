"""Without a compiler, every solver does the same on small problems."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ccviz
from ccviz.solvers import SOLVERS

_QUICK = {
    "dils": {"generations": 30}, "hg-means": {"generations": 4},
    "s-mdeclust": {"restarts": 0, "generations": 8}, "cop-kmeans": {"n_init": 2},
}  # fmt: skip
_SCRIPT = """
import json, sys
import numpy as np
from dataclasses import fields
from ccviz import Problem, start
from ccviz.solvers import SOLVERS, make_solver

quick = json.loads(sys.argv[1])
X = np.random.default_rng(4).normal(size=(14, 2))
hard = Problem(X, 3, [(0, 1), (2, 3)], [(0, 2), (1, 5), (5, 6)])
soft = Problem(X, 3, [(0, 1, 0.4), (2, 3, 0.4)], [(0, 2, 0.4), (1, 5, 0.4)])
for solver in SOLVERS:
    problem = soft if solver.supports.soft and not solver.supports.hard else hard
    run = start(problem, solver.name, seed=3, **quick.get(solver.name, {}))
    kinds = [type(record.event).__name__ for record in run]
    state = run.run
    labels = None if state.incumbent is None else state.incumbent.labels.tolist()
    print(json.dumps([solver.name, kinds, labels, state.lower_bound, state.status]), flush=True)
print(json.dumps("numba" in sys.modules))
"""


def runs(compiled):
    """Return what each solver does in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, json.dumps(_QUICK)],
        env=os.environ | {"CCVIZ_COMPILED": compiled}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_plain_kernels_do_what_compiled_ones_do():
    *compiled, with_numba = runs("1")
    *plain, without = runs("0")
    assert (with_numba, without) == (True, False)
    assert [row[0] for row in plain] == [solver.name for solver in SOLVERS]
    for (name, *ours), (_, *theirs) in zip(plain, compiled, strict=True):
        assert ours[0] == theirs[0], name  # the same events
        assert ours[1] == theirs[1], name  # the same clustering
        assert ours[2] == pytest.approx(theirs[2], rel=1e-9), name
        assert ours[3] == theirs[3], name


_KERNEL = """
from typing import NamedTuple
import numpy as np
from ccviz.compiled import njit

class {name}(NamedTuple):
    values: np.ndarray

@njit(cache=True)
def total(data):
    return data.values.sum()

print(total({name}(np.arange({size}.0))))
"""


@pytest.mark.slow
def test_a_cache_of_a_class_that_was_renamed_is_compiled_again(tmp_path):
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "CCVIZ_COMPILED": "1",
        # Both sources have one length: byte code of the same second would be taken for the new.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for name, size, printed in (("Old", 3, "3.0"), ("New", 5, "10.0")):
        script = tmp_path / "kernel.py"
        script.write_text("import module_of_kernel\n")
        (tmp_path / "module_of_kernel.py").write_text(_KERNEL.format(name=name, size=size))
        run = subprocess.run(
            [sys.executable, str(script)], env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert run.stdout.strip() == printed, run.stderr


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(decorator).startswith("njit") for decorator in node.decorator_list
    )


def names_in_plain_code(node):
    """Yield the names that are read outside of kernels."""
    for child in ast.iter_child_nodes(node):
        if not is_kernel(child):
            if isinstance(child, ast.Name):
                yield child.id
            yield from names_in_plain_code(child)


def test_private_kernels_that_python_calls_say_so():
    """The others have no wrapper for it, see `ccviz.kernel_cache.cached_njit`."""
    differ = []
    for path in sorted(Path(ccviz.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        private = [node for node in tree.body if is_kernel(node) and node.name[0] == "_"]
        plain = set(names_in_plain_code(tree)) if private else set()
        for kernel in private:
            says = any("entry=True" in ast.unparse(each) for each in kernel.decorator_list)
            if says != (kernel.name in plain):
                differ.append(f"{path.name}: {kernel.name}")
    assert differ == []


def test_python_calls_no_kernel_that_is_no_entry():
    root = Path(ccviz.__file__).parent
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in root.rglob("*.py")}
    inner = set()
    for path, tree in trees.items():
        module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        inner |= {
            (module, node.name)
            for node in tree.body
            if is_kernel(node) and "entry=False" in ast.unparse(node.decorator_list[0])
        }
    called = set()
    for path, tree in trees.items():
        module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        home = {node.name: (module, node.name) for node in tree.body if is_kernel(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                home |= {each.asname or each.name: (node.module, each.name) for each in node.names}
        called |= {home[name] for name in names_in_plain_code(tree) if name in home}
    assert inner
    assert inner & called == set()
