"""The base of all panels: what they follow, and one message to the browser for all its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from operator import attrgetter
from types import FunctionType
from typing import Any, Literal, TypeVar

import panel as pn
from bokeh.models import Tooltip
from panel.custom import JSComponent

from ccviz.views.lab.session import Session

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
    """A part of the page with a script of its own, whose messages go to `_act`."""

    def _handle_msg(self, data: Any) -> None:
        in_one_message(self._act)(data)

    def _act(self, message: Any) -> None:
        raise NotImplementedError


def reactions(parameter: str, kind: type[Watching] = Watching) -> Iterator[tuple[str, str]]:
    """Yield the panels that follow a parameter, each with its method."""
    for each in kind.__subclasses__():
        for method, names in each.watched():
            if parameter in names and method in vars(each):
                yield each.__name__, method
        yield from reactions(parameter, each)
