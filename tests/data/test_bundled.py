import subprocess
import sys

import numpy as np
import pytest
from sklearn import datasets as of_sklearn

from ccviz.data import datasets
from ccviz.data.datasets import FEATURES, read_bundled
from ccviz.errors import CcvizError


@pytest.mark.parametrize("name", FEATURES)
def test_a_table_is_what_scikit_learn_loads(name):
    theirs, ours = getattr(of_sklearn, f"load_{name}")(), read_bundled(name)
    assert np.array_equal(ours.X, theirs.data)
    assert np.array_equal(ours.truth, theirs.target)
    assert ours.features == tuple(map(str, theirs.feature_names))
    assert ours.classes == tuple(map(str, theirs.target_names))


def test_scikit_learn_is_not_loaded():
    code = (
        "import sys; from ccviz.data.datasets import load; load('iris');"
        " assert not {'sklearn', 'pandas'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_scikit_learn_a_sentence_names_it(monkeypatch):
    monkeypatch.setattr(datasets, "find_spec", lambda _: None)
    with pytest.raises(CcvizError, match="iris is a data set of scikit-learn"):
        read_bundled("iris")


def test_without_the_file_a_sentence_names_the_data_set(monkeypatch):
    monkeypatch.setitem(datasets._FILES, "wine", "gone.csv")
    with pytest.raises(CcvizError, match="no data set wine"):
        read_bundled("wine")
