"""Mutation testing, `make mutants`: change the code in one place, and see whether a test notices.

    python tools/mutants.py [--sample N] [MODULE ...]

mutmut makes the mutants and runs, for each, the tests that reach it, until the first fails; one
that does not end is noticed too. All of it happens in a copy, so the checkout stays as it is.
Mutants that change nothing that could be seen are listed by hand in `equivalent_mutants.toml`.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mutants.md"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
_TOGETHER = {
    "question": "columns", "pricing": "columns", "partition_pricing": "columns",
    "blocks": "constraints", "part_tree": "parts",
}  # fmt: skip
"""Modules whose tests are those of another one."""

PROOF = sorted(path.stem for path in (ROOT / "ccviz" / "proof").glob("[!_]*.py"))


def tests_of(name: str) -> str:
    """Return the tests that mirror a module of proofs."""
    return f"tests/proof/test_{_TOGETHER.get(name, name)}.py"


# Each with the tests that mirror it.
MODULES = {
    "problem/blocks": "tests/problem/test_blocks.py",
    "solvers/search/tree": "tests/solvers/search/test_tree.py",
    **{f"proof/{name}": tests_of(name) for name in PROOF},
}
QUIET = ("-p", "no:xdist", "--hypothesis-seed=0")
NOTICED = ("killed", "timeout", "segfault")
HEAD = """# Mutants

What `make mutants` found. A mutant is the module changed in one place; it is noticed if one of the
module's tests fails, or does not end. Where fewer were tried than there are, they are a sample,
the same each time. Equivalent mutants have a reason; the rate leaves them out. A row is of the
sources of its day; a module without a row was not tried yet.

| Module | Mutants | Tried | Noticed | Equivalent | Rate | Day |
|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Outcome:
    """The result of one module's mutants."""

    module: str
    mutants: int
    tried: int
    noticed: int
    missed: tuple[str, ...]  # The changes that no test noticed, though it could
    equivalent: dict[str, str]
    day: str

    def row(self) -> str:
        hidden = len(self.missed) + self.noticed
        numbers = f"{self.mutants} | {self.tried} | {self.noticed} | {self.tried - hidden}"
        rate = f"{100 * self.noticed / max(hidden, 1):.0f} %"
        return f"| `{self.module}` | {numbers} | {rate} | {self.day} |"

    def section(self) -> str:
        lines = [f"## {self.module}", ""]
        lines += [f"- `{change}`: {reason}" for change, reason in self.equivalent.items()]
        lines += [f"- `{change}`: not noticed." for change in self.missed]
        return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def mutmut(folder: Path, *words: str) -> str:
    """Run mutmut in the copy, and return what it prints."""
    command = [sys.executable, "-m", "mutmut", *words]
    alone = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        command, cwd=folder, env=alone, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
    return done.stdout


def dotted(module: str) -> str:
    return f"ccviz.{module.replace('/', '.')}."


def statuses(folder: Path) -> dict[str, str]:
    """Return the status of each mutant, by its name."""
    lines = mutmut(folder, "results", "--all", "true").splitlines()
    return dict(line.strip().split(": ") for line in lines if "__mutmut_" in line)


def change(folder: Path, name: str) -> str:
    """Return what a mutant changes, as one line, after the name of the function."""
    function = re.split("x_|ǁ", name.partition("__mutmut_")[0], maxsplit=1)[-1].replace("ǁ", ".")
    told = mutmut(folder, "show", name).splitlines()
    parts = [[line[1:].strip() for line in told if re.match(f"[{sign}] ", line)] for sign in "-+"]
    return f"{function}: {' '.join(parts[0])} → {' '.join(parts[1])}".replace("`", "")


def outcomes(tests: str, modules: list[str], sample: int) -> Iterator[Outcome]:
    """Try the mutants of the modules that have these tests: all, or always the same sample."""
    known = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("ccviz", "tests", "tools"):
            shutil.copytree(ROOT / part, folder / part)
        settings = {
            "source_paths": ["ccviz"],
            "also_copy": ["tools"],
            "only_mutate": [f"ccviz/{module}.py" for module in modules],
            # mutmut adds an import of its own, which that test would see.
            "pytest_add_cli_args": [*QUIET, "-k", "not uses_no_code"],
            "pytest_add_cli_args_test_selection": [tests],
            "timeout_multiplier": 5.0,
            "use_git_change_detection": False,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        told = "\n".join([project, "[tool.mutmut]", *lines, ""])
        (folder / "pyproject.toml").write_text(told, encoding="utf-8")
        # A few runs, after which the names of all are known.
        mutmut(folder, "run", "--max-children", "1", f"{dotted(modules[0])}*__mutmut_1")
        names = sorted(statuses(folder))
        for module in modules:
            every = [each for each in names if each.startswith(dotted(module))]
            taken = random.Random(0).sample(every, min(sample or len(every), len(every)))
            mutmut(folder, "run", "--max-children", "1", *taken)
            found = statuses(folder)
            left = [each for each in sorted(taken) if found[each] not in NOTICED]
            changes, reasons = [change(folder, each) for each in left], known.get(module, {})
            yield Outcome(
                module,
                len(every),
                len(taken),
                len(taken) - len(left),
                tuple(each for each in changes if each not in reasons),
                {each: reasons[each] for each in changes if each in reasons},
                time.strftime("%F"),
            )


def write(outcome: Outcome) -> None:
    """Write a module's row and section; those of the others stay."""
    before = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    rows = {row.split("`")[1]: row for row in re.findall(r"^\| `.*$", before, re.MULTILINE)}
    sections = {text.split("\n")[0]: f"## {text.strip()}\n" for text in before.split("\n## ")[1:]}
    rows[outcome.module], sections[outcome.module] = outcome.row(), outcome.section()
    known = [module for module in MODULES if module in rows]
    told = [sections[module] for module in known if sections.get(module)]
    table = HEAD + "\n".join(rows[module] for module in known) + "\n"
    RESULTS.write_text("\n".join([table, *told]), encoding="utf-8")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="such as solvers/search/tree; default: all")
    parser.add_argument("--sample", type=int, default=60, help="mutants a module; 0 for all")
    options = parser.parse_args()
    chosen = options.modules or [*MODULES]
    for tests in dict.fromkeys(MODULES[module] for module in chosen):
        alike = [module for module in chosen if MODULES[module] == tests]
        for outcome in outcomes(tests, alike, options.sample):
            print(outcome.row(), outcome.section(), sep="\n", flush=True)
            write(outcome)


if __name__ == "__main__":
    main()
