from ccviz.solvers.divide.bounding import PartBound
from ccviz.solvers.divide.schedule import PartState, next_steps

CERTIFICATE = {"weights": None}


def standing(number, lower, *, upper=10.0, gain=0.0, cost=10.0, own=30, **bound):
    known = PartBound(lower, upper, CERTIFICATE, rounds=5, gain=gain, **bound)
    return PartState((number,), own, 0, cost, known)


def chosen(*standings, largest=60, in_vain=(), gains=None):
    found = next_steps(
        list(standings), allowed=1e-3, largest=largest, in_vain=in_vain, gains=gains or {}
    )
    return {(choice.what, choice.group) for choice in found}


def test_what_gains_fast_is_gone_on_with():
    assert chosen(standing(0, 9.0, gain=0.5), standing(1, 9.0)) == {("go on", (0,))}


def test_parts_are_merged_where_the_cut_has_lost_most():
    parts = [standing(number, 9.995, cost=cost) for number, cost in enumerate((10, 12, 10, 12))]
    assert chosen(*parts) == {("merge", (1, 3))}


def test_nothing_is_merged_beyond_the_largest_size_or_in_vain():
    closed = [standing(number, 9.999, cost=12.0) for number in range(2)]
    assert chosen(*closed) == {("merge", (0, 1))}
    assert chosen(*closed, largest=59) == set()
    assert chosen(*closed, in_vain={(0, 1)}) == set()


def test_what_stands_still_is_branched_unless_that_was_in_vain():
    assert chosen(standing(0, 9.0)) == {("branch", (0,))}
    assert chosen(standing(0, 9.0, is_exhausted=True)) == set()
    assert chosen(standing(0, 9.9999)) == set()


def test_what_branching_and_merging_gained_so_far_counts():
    parts = [standing(number, 9.0) for number in range(2)]
    assert chosen(*parts) == {("merge", (0, 1))}
    both = {("branch", (0,)), ("branch", (1,))}
    assert chosen(*parts, gains={"merge": 1e-4, "branch": 0.9}) == both
