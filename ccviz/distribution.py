"""The package as it is installed: its version, its name on an index, and who else has its name."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata

__version__ = "0.3.0"
NAME = "ccviz-lab"
"""Of the distribution; the import name and the command are ``ccviz``."""

_OURS_BEFORE = "An interactive laboratory for constrained clustering"
"""How the summary of versions up to 0.2 begins: a checkout may have been installed as ccviz."""
_WRONG_PACKAGE = (
    "the package 'ccviz' of the package index is installed in the place of this one. It is the "
    "work of others and has nothing to do with clustering. Run: pip uninstall ccviz, then "
    "pip install --force-reinstall --no-deps {name}"
)


def install_command(extra: str = "") -> str:
    """Return the command that installs the package with an extra.

    `extra`: Such as ``"app"``; none if empty.
    """
    return f"pip install '{NAME}[{extra}]'" if extra else f"pip install {NAME}"


def wrong_package_message() -> str:
    """Return a sentence if another package named ccviz is installed over this one; else empty.

    Its files replace those of the same name, among them ``ccviz/__init__.py``.
    """
    try:
        summary = str(metadata("ccviz")["Summary"])
    except PackageNotFoundError:
        return ""
    return "" if summary.startswith(_OURS_BEFORE) else _WRONG_PACKAGE.format(name=NAME)
