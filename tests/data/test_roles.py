import pytest

from ccviz.data import read_table

ROWS = "\n".join(f"{i}.5,{'AB'[i % 2]},{'uvw'[i % 3]}" for i in range(12))


def test_the_last_of_several_columns_of_a_few_words_is_no_class():
    data = read_table(f"x,city,segment\n{ROWS}\n".encode())
    assert data.truth is None
    assert data.k is None


@pytest.mark.parametrize("name", ["notes", "Remarks", "salesComment"])
def test_notes_are_no_class(name):
    text = f"x,{name}\n" + "\n".join(f"{i}.5,{['late', 'paid'][i % 2]}" for i in range(12))
    data = read_table(text.encode())
    assert data.truth is None
    assert f"Column {name!r} is left out (notes, by its name)." in data.notices


def test_a_mostly_empty_column_is_no_class():
    text = "x,kind\n" + "\n".join(f"{i}.5,{'ab'[i % 2] if i < 5 else ''}" for i in range(12))
    assert read_table(text.encode()).truth is None


def test_a_class_from_its_place_gives_no_k_but_one_by_name_or_asked_for_does():
    rows = "\n".join(f"{i}.5,{'ab'[i % 2]}" for i in range(12))
    guessed = read_table(f"x,kind\n{rows}".encode())
    assert (guessed.classes, guessed.k) == (("a", "b"), None)
    assert read_table(f"x,class\n{rows}".encode()).k == 2
    assert read_table(f"x,kind\n{rows}".encode(), label="kind").k == 2
