"""The weights of the features: what each counts, and a button that learns them again."""

from __future__ import annotations

from typing import Any

import panel as pn
from markupsafe import Markup

from ccviz.data.scaling import LEARNED, is_weighted
from ccviz.numbers import count, number
from ccviz.views.frames.feature_weights import is_outdated, listed_weights, origin_words
from ccviz.views.lab.session import Session
from ccviz.views.panels.html import Html
from ccviz.views.panels.messages import in_one_message
from ccviz.views.panels.template import css

_STYLE = css("feature_weights.css")
_MOST_LISTED = 60
"""Features in the list; those that count less are only counted."""

_WORDS = Markup('<p class="about">{}</p>')
_LIST = Markup(
    "<details><summary>{}</summary>"
    '<div tabindex="0" role="region" aria-label="Weights of the features">'
    "<table><thead><tr><th>Feature</th>"
    '<th title="Part of the squared distances between points">Share</th>'
    '<th title="Of squared differences, in the unit of the feature">Weight</th></tr></thead>'
    "<tbody>{}</tbody></table>{}</div></details>"
)
_ROW = Markup("<tr><td>{}</td><td>{}</td><td>{}</td></tr>")


class FeatureWeightsPanel(pn.viewable.Viewer):
    """Seen only while the features are weighted.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._shown = session, ""
        wide: Any = {"sizing_mode": "stretch_width", "margin": (0, 4), "stylesheets": [_STYLE]}
        self._words = Html("", name="weights of the features", **wide)
        self._list = Html("", name="list of weights", **wide)
        self._again = pn.widgets.Button(name="Learn again", margin=(0, 4), css_classes=["advice"])
        self._again.on_click(lambda _: in_one_message(session.set_scaling)(LEARNED))
        self._box = pn.Column(
            pn.Row(self._words, self._again, sizing_mode="stretch_width", margin=0), self._list,
            sizing_mode="stretch_width", margin=(0, 0, 4, 0), visible=False,
        )  # fmt: skip
        session.param.watch(self._follow, "draft")
        self._follow()

    def __panel__(self) -> Any:
        return self._box

    def _follow(self, *_: Any) -> None:
        draft = self._session.draft
        weighted = is_weighted(draft.scaling)
        if weighted:
            self._words.object = _WORDS.format(origin_words(draft))
            self._again.visible = bool(draft.links) and is_outdated(draft)
            if draft.scaling != self._shown:  # every edit of a link passes here
                self._shown, self._list.object = draft.scaling, self._listed()
        self._box.visible = weighted

    def _listed(self) -> Markup:
        found = listed_weights(self._session.draft)
        rows = Markup().join(
            _ROW.format(each.name, f"{each.share:.1%}", number(each.weight, 4))
            for each in found[:_MOST_LISTED]
        )
        most = ", ".join(f"{each.name} {each.share:.0%}" for each in found[:2])
        rest = len(found) - _MOST_LISTED
        more = _WORDS.format(f"and {count(rest, 'feature')} that count less") if rest > 0 else ""
        return _LIST.format(f"Most: {most}", rows, more)
