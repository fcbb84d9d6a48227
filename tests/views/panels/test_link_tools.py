from ccviz.views.panels.link_tools import LinkTools


def field(panel, name):
    return next(each for each in panel.__panel__().select() if each.name == name)


def test_the_field_is_emptied_once_its_points_are_picked(session):
    points = field(LinkTools(session), "Pick points by number or name")
    points.value = "3, 999"
    assert session.notice.text == "'999' is no point: they are 0 to 149."
    assert points.value == "3, 999"
    points.value = "3, 140"
    assert session.picked == (3, 140)
    assert session.notice is None
    assert points.value == ""


def test_without_a_weight_new_links_are_hard(session):
    weight = field(LinkTools(session), "Weight of new links")
    weight.value = 2.5
    assert session.weight == 2.5
    weight.value = None
    assert session.weight == float("inf")
    assert weight.get_root().value is None
