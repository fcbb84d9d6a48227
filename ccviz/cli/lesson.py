"""`ccviz lesson`: a lesson to read, or to hand out."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

from ccviz.cli.common import out, tell
from ccviz.cli.parameters import Argument, option
from ccviz.distribution import install_command
from ccviz.errors import CcvizError


def lesson(
    name: Annotated[str, Argument(help="A lesson, or how its name begins; none lists them.")] = "",
    html: Annotated[
        str, option(help="Write it to this HTML file, with its runs and exercises.")
    ] = "",
) -> None:
    """Say what a lesson does; or walk it, and write a handout that needs no network."""
    if find_spec("param") is None:
        raise CcvizError(f"the lessons are not installed; {install_command('app')} brings them.")
    # Imported here: no other command needs them.
    from ccviz.views.export.page import save_html
    from ccviz.views.lessons.catalogue import LESSONS
    from ccviz.views.lessons.walk import lesson_named, walk

    if not name:
        for each in LESSONS:
            out.print(f"{each.name}: {each.title}", markup=False)
        return
    chosen = lesson_named(name)
    if html:
        tell(f"walking {chosen.title!r}")
        plays, told = walk(chosen)
        save_html(html, plays, told)
        return
    out.print(chosen.title, markup=False)
    out.print(chosen.aim, markup=False)
    for place, step in enumerate(chosen.steps, start=1):
        out.print(f"{place}. {step.text}", markup=False)
