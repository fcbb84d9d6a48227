"""Scripts of the page: markup all through one template that escapes, sheets all of one kind."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def with_template(name: str) -> str:
    """Return a script of this folder with what all of them share in front.

    Parameters
    ----------
    name : str
        Of its file.

    Returns
    -------
    str
    """
    files = (_HERE / "template.js", _HERE / name)
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
