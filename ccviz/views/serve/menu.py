"""An entry in the desktop's menu, an icon, and the kinds of files that it opens.

After the specifications of freedesktop.org: desktop entries, icon themes, shared MIME info.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from ccviz.errors import CcvizError
from ccviz.wholefile import whole_file

_ICON = Path(__file__).with_name("ccviz.svg")

_ENTRY = """[Desktop Entry]
Type=Application
Version=1.0
Name=ccviz
Comment=A laboratory for constrained clustering
Exec={command} desktop %f
Icon=ccviz
Terminal=false
Categories=Education;Science;Math;
MimeType=application/x-ccviz-project;application/x-ccviz-run;text/csv;
StartupWMClass=ccviz
"""
_KINDS = """<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-ccviz-project">
    <comment>ccviz project</comment><glob pattern="*.ccvizlab"/><icon name="ccviz"/>
  </mime-type>
  <mime-type type="application/x-ccviz-run">
    <comment>ccviz run</comment><glob pattern="*.ccviz"/><icon name="ccviz"/>
  </mime-type>
</mime-info>
"""


def install_entry() -> list[Path]:
    """Write the menu entry, the icon and the kinds of files for this person.

    Returns
    -------
    list of path
        The files that were written.

    Raises
    ------
    CcvizError
        If one cannot be.
    """
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    files = {
        data / "applications" / "ccviz.desktop": _ENTRY.format(command=_command()),
        data / "icons" / "hicolor" / "scalable" / "apps" / "ccviz.svg": _ICON.read_text("utf-8"),
        data / "mime" / "packages" / "ccviz.xml": _KINDS,
    }
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(path) as file:
                file.write(text.encode())
        except OSError as broken:
            raise CcvizError(f"{path} cannot be written: {broken.strerror}.") from None
    _tell("update-desktop-database", data / "applications")
    _tell("update-mime-database", data / "mime")
    return list(files)


def _command() -> str:
    """Return this installation's command, quoted as a desktop entry has it."""
    path = str(Path(sys.executable).with_name("ccviz"))
    for letter in '\\"`$':
        path = path.replace(letter, f"\\{letter}")
    return '"{}"'.format(path.replace("\\", "\\\\").replace("%", "%%"))


def _tell(program: str, folder: Path) -> None:
    """Have the desktop look again; one without the program looks by itself."""
    if shutil.which(program):
        subprocess.run([program, str(folder)], check=False, capture_output=True)
