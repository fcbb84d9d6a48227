"""`ccviz desktop`: the dashboard in a window of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ccviz.cli.common import out
from ccviz.cli.parameters import Argument, option
from ccviz.cli.serve import find_page
from ccviz.errors import CcvizError


def desktop(
    file: Annotated[
        str, Argument(help="A project, a run or a table to open; else the last project.")
    ] = "",
    install: Annotated[
        bool, option("--install", help="Put it into the desktop's menu, with an icon.")
    ] = False,
) -> None:
    """Open the dashboard in a window of its own; the server ends with the window."""
    main = find_page()
    # Imported here: Panel takes a second, and no other command needs it.
    from ccviz.views.serve.desktop import run_desktop
    from ccviz.views.serve.menu import install_entry

    if install:
        for path in install_entry():
            out.print(str(path), markup=False)
        return
    if file and not Path(file).is_file():
        raise CcvizError(f"there is no file {file}.")
    run_desktop(main, Path(file) if file else None)
