"""A person at a panel: reads what it says, presses its buttons, fills in its fields."""

from markupsafe import Markup


class At:
    """What a panel shows, by the names and the kinds of its parts."""

    def __init__(self, panel):
        self.root = panel.__panel__()

    def __getitem__(self, name):
        """Return the part of a name."""
        return next(each for each in self.root.select() if each.name == name)

    def of(self, kind):
        """Return the first part of a kind."""
        return next(each for each in self.root.select(kind))

    def press(self, name):
        """Press a button."""
        self[name].clicks += 1

    @property
    def seen(self):
        """Whether there is anything to see."""
        return self.root.visible

    @property
    def text(self):
        """All that it says, as markup."""
        parts = (getattr(each, "object", "") for each in self.root.select())
        return Markup("\n").join(Markup(each) for each in parts if isinstance(each, str) and each)


def popups(plot):
    """Return whether the buttons of a link, and those of a question, float over a plot."""
    frames = plot.__panel__().object.elements
    return [each.styles["visibility"] == "visible" for each in frames]
