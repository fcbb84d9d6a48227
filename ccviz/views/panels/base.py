"""The base of all panels: one message for the changes of a gesture, what they follow, HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import cache, wraps
from operator import attrgetter
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, TypeVar

import panel as pn
import param
from bokeh.models import Tooltip
from markupsafe import Markup, escape
from panel.custom import JSComponent

from ccviz.errors import FileFormatError
from ccviz.views.lab.download import Download, DownloadRequest, deliver
from ccviz.views.lab.importing import Upload, begin_upload
from ccviz.views.lab.session import Session
from ccviz.views.upstream import HTMLPane

# --- One message to the browser for all changes of one gesture ------------------------------------


@contextmanager
def one_message() -> Iterator[None]:
    """Send all changes of this block in one message at its end.

    While a page is still being drawn, Panel drops messages that it holds back, since it believes
    that the browser has no document yet. So the changes of a click are sent one by one then.
    """
    with pn.io.hold() if pn.state.loaded else nullcontext():
        yield


def in_one_message(action: Callable[..., Any]) -> Callable[..., None]:
    """Return the action with all its changes sent in one message at its end."""

    @wraps(action)
    def whole(*args: Any) -> None:
        with one_message():
            action(*args)

    return whole


@contextmanager
def rebuilt() -> Iterator[None]:
    """Let Bokeh walk through the page once for all models added and removed in this block.

    Otherwise it does so for each change. Use it within `one_message`: the message must know which
    models are new.
    """
    document = pn.state.curdoc
    with document.models.freeze() if document is not None else nullcontext():
        yield


def button(
    name: str,
    on_click: Callable[[], Any],
    help_text: str = "",
    position: Literal["top", "bottom", "left", "right"] = "top",
    **params: Any,
) -> pn.widgets.Button:
    """Return a button that sends all changes of a click in one message."""
    if help_text:
        params["description"] = Tooltip(content=help_text, position=position)
    made = pn.widgets.Button(name=name, **params)
    made.on_click(lambda _: in_one_message(on_click)())
    return made


# --- Widgets that follow the state must not take their own change for a person's ------------------


class Following:
    """While it is entered, the callbacks that it wrapped stay silent.

    Examples
    --------
    >>> following, heard = Following(), []
    >>> on = following.unless(heard.append)
    >>> on(1)
    >>> with following:
    ...     on(2)
    >>> heard
    [1]
    """

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> Following:
        self._depth += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    def unless(self, callback: Callable[[Any], None]) -> Callable[[Any], None]:
        """Return the callback in one message; it does nothing while the state is followed."""
        whole = in_one_message(callback)

        def heard(event: Any) -> None:
            if not self._depth:
                whole(event)

        return heard

    def hear(self, widget: pn.widgets.Widget, on_value: Callable[[Any], Any]) -> None:
        """Have a callback called with each value that a person gives a widget."""
        widget.param.watch(self.unless(lambda event: on_value(event.new)), "value")

    def hear_or_restore(
        self, widget: pn.widgets.Widget, take: Callable[[Any], Any], held: Callable[[], Any]
    ) -> None:
        """The same, but nothing, or a value that is refused, gives way to the one in force."""

        def on_value(value: Any) -> None:
            if value is not None:
                take(value)
            with self:
                widget.value = held()

        self.hear(widget, on_value)


# --- A method says which changes it follows, and the base sees to it ------------------------------


Method = TypeVar("Method", bound=Callable[..., None])


def watches(*names: str) -> Callable[[Method], Method]:
    """Have a method called when one of these parameters changes, once `Watching.follow` is called.

    `names`: ``"draft"`` is of the session, ``"player.shot"`` of a part of it, ``"self.in_front"``
    of the panel itself, and any other, such as ``"inspection.node"``, of what `follow` is given
    under its first word.
    """

    def mark(method: Method) -> Method:
        vars(method)["watched"] = names
        return method

    return mark


class Watching:
    """Something whose methods follow changes; those declared first hear first."""

    @classmethod
    def watched(cls) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the methods that follow changes, each with the names of these."""
        kinds = [kind for kind in reversed(cls.__mro__) if issubclass(kind, Watching)]
        for name, value in {
            name: each for kind in kinds for name, each in vars(kind).items()
        }.items():
            if isinstance(value, FunctionType) and (names := vars(value).get("watched")):
                yield name, names

    def follow(self, session: Session | None = None, **parts: Any) -> None:
        """Hear of the changes that the methods follow, until the session ends.

        `parts`: What else they name.
        """
        watchers = []
        for method, names in self.watched():
            by_source: dict[str, list[str]] = {}
            for name in names:
                source, _, parameter = name.rpartition(".")
                by_source.setdefault(source, []).append(parameter)
            for source, parameters in by_source.items():
                found = self._source(source, session, parts)
                if found is not None:
                    watcher = found.param.watch(getattr(self, method), parameters)
                    watchers.append((found, watcher))

        def leave() -> None:
            for found, watcher in watchers:
                found.param.unwatch(watcher)

        if session is not None:
            session.at_end(leave)

    def _source(self, name: str, session: Session | None, parts: dict[str, Any]) -> Any:
        """Return what has the parameters; None if this panel was given none of it."""
        first, _, rest = name.partition(".")
        if first == "self":
            return attrgetter(rest)(self) if rest else self
        if first in parts:
            return parts[first]
        return attrgetter(name)(session) if name else session


class Panel(Watching, pn.viewable.Viewer):
    """A part of the page that is made of Panel's own widgets; `_box` holds them all."""

    _box: Any

    def __panel__(self) -> Any:
        return self._box


class Component(Watching, JSComponent):
    """A part of the page with a script of its own, whose messages go to `_act`.

    `session`: Is followed, if it is given.
    """

    def __init__(self, session: Session | None = None, **params: Any) -> None:
        super().__init__(**params)
        if session is not None:
            self._session = session
            self.follow(session)

    def _handle_msg(self, data: Any) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: Any) -> None:
        raise NotImplementedError

    def _hand(self, download: Download) -> None:
        """Have the browser save a file."""
        self._send_msg(asdict(download))


class Sender(Component):
    """A part of the page that only sends messages, to a callback."""

    def __init__(self, on_message: Callable[[Any], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_message = on_message

    def _act(self, message: Any) -> None:
        self._on_message(message)


def reactions(parameter: str, kind: type[Watching] = Watching) -> Iterator[tuple[str, str]]:
    """Yield the panels that follow a parameter, each with its method."""
    for each in kind.__subclasses__():
        for method, names in each.watched():
            if parameter in names and method in vars(each):
                yield each.__name__, method
        yield from reactions(parameter, each)


# --- HTML on the page: the only place where text becomes markup -----------------------------------
#
#     Html("a < b")                                       # text: shown as it is
#     Html(Markup("<b>{}</b>").format(draft.data.name))   # markup, and a text in it
#
# Anything but `markupsafe.Markup` is text and is escaped; `Markup.format` and `Markup.join` escape
# their arguments. So a name from a file cannot become a script, and a forgotten `Markup` shows
# angle brackets on the page.


class Html(HTMLPane):
    """A pane for markup; other text is escaped."""

    def _transform_object(self, obj: Any) -> dict[str, Any]:
        return super()._transform_object(str(escape(obj or "")))


def step_heading(number: int, words: str) -> Markup:
    """Return the heading of one of the three steps on the left."""
    return Markup('<h2 class="step"><b>{}</b>{}</h2>').format(number, words)


WIDE: Any = {"sizing_mode": "stretch_width", "margin": (2, 4)}
"""Of a field that takes the width that is there."""


def about(words: str) -> Markup:
    """Return words in the type of explanations; nothing without any."""
    return Markup('<p class="about">{}</p>').format(words) if words else Markup()


# --- Icons as SVG text, so that none is fetched from anywhere -------------------------------------


def _icon(body: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
        f"{body}</svg>"
    )


PLAY = _icon('<path d="M7 4v16l13-8z" fill="currentColor"/>')
PAUSE = _icon('<path d="M8 5v14M16 5v14" stroke-width="4"/>')
STOP = _icon('<rect x="5" y="5" width="14" height="14" rx="2" fill="currentColor"/>')
STEP = _icon('<path d="M6 5v14l9-7z" fill="currentColor"/><path d="M19 5v14"/>')
BACK = _icon('<path d="M18 5v14l-9-7z" fill="currentColor"/><path d="M5 5v14"/>')
UNDO = _icon('<path d="M9 14L4 9l5-5"/><path d="M4 9h10a6 6 0 0 1 0 12h-4"/>')
REDO = _icon('<path d="M15 14l5-5-5-5"/><path d="M20 9H10a6 6 0 0 0 0 12h4"/>')
THEME = _icon(
    '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>'
)
CLOSE = _icon('<path d="M6 6l12 12M18 6L6 18"/>')
KEYS = _icon(
    '<rect x="2" y="6" width="20" height="12" rx="2"/>'
    '<path d="M6 10h.01M10 10h.01M14 10h.01M18 10h.01M8 14h8"/>'
)
PRESENT = _icon('<rect x="3" y="4" width="18" height="12" rx="1"/><path d="M12 16v4M8 20h8"/>')
BRUSH = _icon('<path d="M20 4L10 14"/><path d="M10 14c-3 0-5 2-5 6 4 0 6-2 6-5z"/>')
TAG = _icon('<path d="M3 12V4h8l10 10-8 8z"/><circle cx="8" cy="9" r="1.2" fill="currentColor"/>')
LAMP = _icon(
    '<path d="M9 18h6M10 21h4"/><path d="M8 15a6 6 0 1 1 8 0c-.7.6-1 1.2-1 2H9c0-.8-.3-1.4-1-2z"/>'
)


# --------------------------------------------------------------------------------------------------
# Scripts and style sheets of this folder; all scripts share one template that escapes markup.


_HERE = Path(__file__).parent


def with_template(*names: str) -> str:
    """Return scripts of this folder, after the shared `template.js`."""
    return _text("template.js", *names)


def assets(script: str, *sheets: str) -> tuple[str, list[str]]:
    """Return the script and the style sheets of a component, as Panel has it declare them."""
    return with_template(script), [css(*sheets)]


def css(*names: str) -> str:
    """Return style sheets of this folder as one text, with what all controls share."""
    return _text(*names, "controls.css")


@cache
def _text(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


# --- A field on which a file is dropped or chosen; its bytes arrive in parts, with the share shown


class FileField(JSComponent):
    """The field. The browser sends a part when the part before it has been answered.

    `take`: Is passed name and bytes of each file that has arrived whole.
    """

    label = param.String()  # What is dropped here, such as "Open, drop or paste a table"
    most_bytes = param.Integer()  # Size of the largest file that is taken
    # Whether the whole page takes a file that is dropped, and cells that are pasted.
    anywhere = param.Boolean(default=False)

    _esm = with_template("../keyboard.js", "file_field.js")
    _stylesheets = [css("file_field.css")]  # noqa: RUF012, Panel's way to declare it

    def __init__(self, take: Callable[[str, bytes], None], **params: Any) -> None:
        super().__init__(**params)
        self._take, self._upload = take, Upload("", 0)

    def _handle_msg(self, part: dict[str, Any]) -> None:
        try:
            self._add(part)
        except FileFormatError as refused:
            self._upload = Upload("", 0)
            self._answer(part, refusal=str(refused))
            return
        upload = self._upload
        self._answer(part, arrived=len(upload.content))
        if upload.is_whole:
            self._upload = Upload("", 0)
            in_one_message(self._take)(upload.name, bytes(upload.content))

    def _add(self, part: dict[str, Any]) -> None:
        if part["at"] == 0:
            self._upload = begin_upload(part["name"], part["size"], self.most_bytes)
        self._upload.add(part["at"], part["data"])

    def _answer(self, part: dict[str, Any], **answer: Any) -> None:
        self._send_msg({"upload": part["upload"], **answer})


# --- A download button whose file is written on a click -------------------------------------------


class FileButton(Component):
    """The button; the page stays responsive while the file is written.

    `request`: Returns how the file is written, or raises `CcvizError`. `is_ready`: Whether the run
    that is shown can be written; always, if not given.
    """

    label = param.String()
    hint = param.String(default="")
    ready = param.Boolean(default=True)

    _esm, _stylesheets = assets("file_button.js", "file_button.css")

    def __init__(
        self,
        session: Session,
        label: str,
        request: Callable[[], DownloadRequest],
        is_ready: Callable[[], bool] = lambda: True,
        **params: Any,
    ) -> None:
        super().__init__(session, label=label, ready=is_ready(), **params)
        self._order, self._is_ready = request, is_ready

    @watches("player.shot")
    def _on_shot(self, _: Any) -> None:
        self.ready = self._is_ready()

    def _act(self, _: Any) -> None:
        self.press()

    def press(self) -> None:
        """Begin to write the file."""
        with self._session.reporting_errors():
            deliver(self._session, self._order(), self._hand)
