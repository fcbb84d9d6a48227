"""Scripts and style sheets of this folder; all scripts share one template that escapes markup."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def with_template(name: str) -> str:
    """Return a script of this folder, after the shared `template.js`.

    Parameters
    ----------
    name : str
        File name.

    Returns
    -------
    str
    """
    return _text("template.js", name)


def css(*names: str) -> str:
    """Return style sheets of this folder as one text, with what all controls share.

    Parameters
    ----------
    *names : str
        File names.

    Returns
    -------
    str
    """
    return _text(*names, "controls.css")


def _text(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
