from math import inf

from ccviz.views.lessons.by_hand import Box, sketch


def test_a_child_is_closed_by_the_best_clustering():
    box = Box("1–2 together", 10.0, 12.0)
    assert not box.is_closed(11.0)
    assert box.is_closed(10.0)
    assert box.is_closed(10.0005)


def test_the_sketch_draws_what_is_known_so_far():
    root = Box("all clusterings", 9.0, 10.0)
    assert sketch([root]).count("<rect") == 1
    drawn = sketch([root, Box("1–2 together", 10.5, 11.0), Box("1–2 apart", 9.5, inf)])
    assert drawn.count("<rect") == 3
    assert drawn.count('class="closed"') == 1
    assert 'aria-label="all clusterings: at least 9; 1–2 together: at least 10.5' in drawn
