"""Look the packages of a lock up in an advisory database, `make audit`.

    python tools/audit.py requirements.lock

pip-audit asks the database of the package index. It counts a package that the index says nothing
about as one without vulnerabilities, so where no database is reached it finds none. This script
names what was not looked up. Exit code 0: every package was looked up, and none is known to be
vulnerable; 1: some are; 2: some or all could not be looked up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_MOST_NAMED = 5
_AUDIT = ["--progress-spinner=off", "--format=json", "--require-hashes", "--disable-pip"]


def looked_up(lock: str) -> list[dict[str, Any]] | None:
    """Return an entry for each package of a lock, or None where no database answered."""
    command = [sys.executable, "-m", "pip_audit", *_AUDIT, "--requirement", lock]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(ran.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None


def report(packages: list[dict[str, Any]] | None) -> tuple[int, list[str]]:
    """Return the exit code and the sentences about what was looked up."""
    if packages is None:
        return 2, ["No advisory database can be reached: no package was looked up."]
    found = [
        f"{each['name']} {each['version']}: {flaw['id']}, mended in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for each in packages
        for flaw in each.get("vulns", ())
    ]
    missed = [each["name"] for each in packages if "skip_reason" in each]
    known = len(packages) - len(missed)
    if not known:
        return 2, ["The index has no advisory database: no package was looked up."]
    if missed:
        named = ", ".join(missed[:_MOST_NAMED]) + (", ..." if len(missed) > _MOST_NAMED else "")
        found.append(f"{len(missed)} of {len(packages)} packages were not looked up: {named}.")
    else:
        found.append(f"All {known} packages were looked up.")
    vulnerable = any(each.get("vulns") for each in packages)
    return (1 if vulnerable else 2 if missed else 0), found


def main() -> int:
    code, sentences = report(looked_up(sys.argv[1]))
    print("\n".join(sentences))
    return code


if __name__ == "__main__":
    sys.exit(main())
