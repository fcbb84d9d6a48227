from urllib.parse import parse_qsl

import numpy as np
import pytest

from ccviz.archive import Archive
from ccviz.datasets import Dataset, load
from ccviz.errors import CcvizError
from ccviz.views.draft import Link
from ccviz.views.queue import RunQueue
from ccviz.views.session import Session
from ccviz.views.sharing import apply_query, as_command, as_python, query


@pytest.fixture
def open_session(tmp_path):
    """Return a maker of sessions over one archive."""
    with Archive(tmp_path / "runs.sqlite") as archive:
        yield lambda: Session(archive, RunQueue(), load("iris"))


@pytest.fixture
def session(open_session):
    """Return a session with much changed."""
    session = open_session()
    session.load(load("blobs", n=60), k=3)
    session.set_scaling("range")
    session.add_links([Link("must", 0, 5), Link("cannot", 3, 10, 2.5)])
    session.set_solver("blp-kmeans", max_iter=7)
    session.seed = 11
    return session


def test_an_address_makes_the_same_session(session, open_session):
    other = open_session()
    apply_query(other, dict(parse_qsl(query(session))))
    assert other.notice is None
    assert np.array_equal(other.draft.X, session.draft.X)
    assert (other.draft.k, other.draft.links) == (session.draft.k, session.draft.links)
    assert (other.solver, other.seed) == (session.solver, session.seed)
    assert query(other) == query(session)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"data": "atlantis"}, "no data set 'atlantis'"),
        ({"k": "many"}, "k = 'many'"),
        ({"k": "151"}, "k = 151"),
        ({"ml": "3"}, "'3' for a link"),
        ({"ml": "0-5", "cl": "0-5"}, "contradicts"),
        ({"x": "height"}, "no axis 'height'"),
        ({"solver": "oracle"}, "no solver 'oracle'"),
        ({"solver": "blp-kmeans", "set.max_iter": "-1"}, "max_iter = -1"),
        ({"scaling": "upwards"}, "no scaling 'upwards'"),
    ],
)
def test_a_bad_address_is_a_sentence(open_session, values, words):
    session = open_session()
    apply_query(session, values)
    assert words in session.notice.text


def test_data_without_a_name_fit_into_no_address(open_session):
    session = open_session()
    session.load(Dataset("mine", np.eye(4), ("a", "b", "c", "d")))
    with pytest.raises(CcvizError, match="do not fit into an address"):
        query(session)


def test_the_python_lines_run_and_agree(session):
    session.remove_links([Link("cannot", 3, 10, 2.5)])
    session.add_links([Link("cannot", 3, 10)])
    lines = as_python(session).splitlines()
    scope: dict = {}
    exec("\n".join(line for line in lines if not line.startswith("print")), scope)
    assert np.allclose(scope["problem"].X, session.draft.X)
    assert scope["problem"].cannot_link.pairs.tolist() == [[3, 10]]
    assert scope["result"].solver == "blp-kmeans"
    assert scope["result"].seed == 11


def test_the_command_line(session):
    session.set_scaling("standard")
    session.time_limit = 5.0
    assert as_command(session) == (
        "ccviz solve blobs -k 3 --solver blp-kmeans --seed 11 --standardize --links links.txt "
        "--time-limit 5 --param max_iter=7"
    )
