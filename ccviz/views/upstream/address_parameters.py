"""Panel converts each parameter of an address to a number, a list or a dict.

Defect: `panel.util.parse_query` calls `int` on every parameter of digits. Python refuses to convert
more than 4,300 of them, the error ends the session before it has a page, and the page stays blank.
Seen in: Panel 1.9.4.
Upstream: no issue found.
"""

from __future__ import annotations

from urllib.parse import parse_qsl

from panel.io import location


def keep_parameters_as_text() -> None:
    """Let Panel keep the parameters of an address as text, for all pages of this server.

    ccviz reads the parameters itself, see `ccviz.views.share.address`.
    """
    location.parse_query = parameters_of


def parameters_of(query: str) -> dict[str, str]:
    """Return the parameters of an address as text.

    Parameters
    ----------
    query : str
        From its question mark on.

    Returns
    -------
    dict of str to str
    """
    return dict(parse_qsl(query.removeprefix("?")))
