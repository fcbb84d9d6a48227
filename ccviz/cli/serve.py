"""Commands that serve the page: app, desktop, lesson."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from ccviz.cli.common import out, say
from ccviz.cli.parameters import Argument, option
from ccviz.distribution import install_command
from ccviz.errors import CcvizError

# --- `ccviz app`: the dashboard -------------------------------------------------------------------


_PACKAGE = Path(__file__).parents[1]
_PLACES = (_PACKAGE.parent / "apps" / "main.py", _PACKAGE / "apps" / "main.py")


def serve(
    port: Annotated[int, option(help="Port on this machine.", min=0, max=65535)] = 5006,
    show: Annotated[bool, option("--show/--no-show", help="Open it in the browser.")] = False,
    address: Annotated[
        str, option(help="Address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    host: Annotated[
        list[str] | None, option(help="A name by which others reach this machine.")
    ] = None,
    token: Annotated[
        str, option(envvar="CCVIZ_TOKEN", help="What people must know to come in.")
    ] = "",
    class_: Annotated[
        bool, option("--class", help="Each browser sees and changes its own runs only.")
    ] = False,
    teacher_token: Annotated[
        str, option(envvar="CCVIZ_TEACHER_TOKEN", help="With it, one sees all runs of a class.")
    ] = "",
    ssl_certfile: Annotated[str, option(help="Certificate, to be served by TLS.")] = "",
    ssl_keyfile: Annotated[str, option(help="Its private key.")] = "",
) -> None:
    """Serve the dashboard until Ctrl-C; on this machine only, by default."""
    main = find_page()
    # Imported here: Panel takes a second, and no other command needs it.
    from ccviz.views.serve.server import Serving
    from ccviz.views.serve.server import serve as serve_page

    serving = Serving(
        port=port, address=address, hosts=tuple(host or ()), token=token,
        teacher_token=teacher_token, is_class=class_, show=show,
        certificate=ssl_certfile, private_key=ssl_keyfile,
    )  # fmt: skip
    scheme = "https" if ssl_certfile else "http"
    say(f"{scheme}://{(host or ['localhost'])[0]}:{port}/main")
    serve_page(serving, main)


def find_page() -> Path:
    """Return the script that builds the page.

    Raises `CcvizError` if the extra ``app`` is not installed.
    """
    main = next((place for place in _PLACES if place.is_file()), None)
    if main is None or find_spec("panel") is None:
        raise CcvizError(f"the dashboard is not installed; {install_command('app')} brings it.")
    return main


# --- `ccviz desktop`: the dashboard in a window of its own ----------------------------------------


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
    from ccviz.views.serve.desktop import install_entry, run_desktop

    if install:
        for path in install_entry():
            out.print(str(path), markup=False)
        return
    if file and not Path(file).is_file():
        raise CcvizError(f"there is no file {file}.")
    run_desktop(main, Path(file) if file else None)


# --- `ccviz lesson`: a lesson to read, or to hand out ---------------------------------------------


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
    from ccviz.views.lessons.catalogue import LESSONS, lesson_named, walk

    if not name:
        for each in LESSONS:
            out.print(f"{each.name}: {each.title}", markup=False)
        return
    chosen = lesson_named(name)
    if html:
        say(f"walking {chosen.title!r}")
        plays, handout = walk(chosen)
        save_html(html, plays, handout)
        return
    out.print(chosen.title, markup=False)
    out.print(chosen.aim, markup=False)
    for place, step in enumerate(chosen.steps, start=1):
        out.print(f"{place}. {step.text}", markup=False)
