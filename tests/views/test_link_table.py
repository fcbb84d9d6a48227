from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ccviz.views.link_table import Link, LinkTable

links = st.lists(
    st.builds(
        Link,
        st.sampled_from(["must", "cannot"]),
        st.integers(0, 3),
        st.integers(4, 7) | st.just(10**6),
        st.sampled_from([np.inf, 1.0, 0.25]),
        st.sampled_from(["", "R", "merged by hand"]),
    ),
    max_size=12,
)


def merged(*lists):
    """Return links, the newest word on a pair and kind where the first one stood."""
    return list({(link.kind, link.pair): link for each in lists for link in each}.values())


@given(links, links)
def test_it_is_the_sequence_of_its_links(some, more):
    table = LinkTable.of(some)
    assert list(table) == merged(some)
    assert [table[place] for place in range(len(table))] == merged(some)
    assert table.with_links(more) == merged(some, more)
    assert table.without(more) == [link for link in merged(some) if link not in merged(more)]
    assert [link in table for link in more] == [link in merged(some) for link in more]
    assert list(reversed(table)) == merged(some)[::-1]
    assert table[1:4] == merged(some)[1:4]


@given(links, links)
def test_a_link_keeps_its_source_until_it_is_made_again(some, more):
    table, expected = LinkTable.of(some).with_links(more), merged(some, more)
    assert [link.source for link in table] == [link.source for link in expected]
    assert [link.source for link in table.taken(table.is_hard)] == [
        link.source for link in expected if link.is_hard
    ]
    assert table.many_of() == Counter(link.source for link in expected)
    assert table.of_source("R") == [link for link in expected if link.source == "R"]
    assert not table.of_source("another")


@given(links)
def test_columns_say_what_links_do(some):
    table = LinkTable.of(some)
    must = table.of_kind("must")
    assert list(must) == [link for link in table if link.kind == "must"]
    assert table.has("cannot") == (len(must) < len(table))
    assert table.is_hard.tolist() == [link.is_hard for link in table]
    assert must.rows.tolist() == [[*link.pair, link.weight] for link in must]


@given(links)
def test_rows_of_two_or_three_become_links(some):
    table = LinkTable.of(some)
    rows = [
        [link.pair if link.is_hard else (*link.pair, link.weight) for link in table.of_kind(kind)]
        for kind in ("must", "cannot")
    ]
    assert LinkTable.of_pairs(*rows) == [*table.of_kind("must"), *table.of_kind("cannot")]


def test_the_larger_point_may_come_first_and_a_table_of_pairs_is_hard():
    table = LinkTable.of_pairs(np.array([[5, 2], [1, 3]]), [])
    assert table == (Link("must", 2, 5), Link("must", 1, 3))


def test_nothing_can_be_written_to():
    table = LinkTable.of([Link("must", 0, 1)])
    assert not any(each.flags.writeable for each in (table.is_must, table.pairs, table.weights))
