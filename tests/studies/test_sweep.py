import numpy as np
import pytest

from ccviz.data.datasets import Dataset, load
from ccviz.errors import FileFormatError, ProblemError
from ccviz.studies.suite import RowFile
from ccviz.studies.sweep import (
    NOISES,
    PENALTIES,
    Curve,
    SweepRow,
    common_range,
    curves,
    noisy_problem,
    sweep,
)


def curve(noise, ari):
    p = np.arange(len(ari)) / 10
    return Curve(noise, p, np.array(ari), np.zeros(len(ari)))


def test_the_papers_grid():
    assert NOISES == (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
    assert len(PENALTIES) == 60
    assert PENALTIES[:2] == (0.0, 0.01)
    assert PENALTIES[50:52] == (0.5, 0.55)
    assert PENALTIES[-1] == 0.95


def test_noise_turns_the_asked_share_of_links_of_each_kind():
    data = load("iris")
    problem = noisy_problem(data, 0.2, seed=0)
    wrong_must = (np.diff(data.truth[problem.must_link.pairs], axis=1) != 0).sum()
    wrong_cannot = (np.diff(data.truth[problem.cannot_link.pairs], axis=1) == 0).sum()
    total = len(problem.must_link) + len(problem.cannot_link)
    assert total == 15 * 14 / 2
    assert (wrong_must + wrong_cannot) / total == pytest.approx(0.2, abs=0.01)


def test_rows_cover_the_grid_and_those_done_are_left_out():
    asked = {"noises": (0.0, 0.2), "penalties": (0.0, 0.2), "seeds": (0,)}
    rows = list(sweep([load("iris")], **asked))
    assert [(row.noise, row.p) for row in rows] == [(0.0, 0.0), (0.0, 0.2), (0.2, 0.0), (0.2, 0.2)]
    assert next(iter(sweep([load("iris")], **asked, done=rows[:3]))).p == 0.2
    assert list(sweep([load("iris")], **asked, done=rows)) == []


def test_data_without_classes_are_refused():
    nameless = Dataset("mine", np.eye(3), ("a", "b", "c"))
    with pytest.raises(ProblemError, match="mine has no known classes"):
        next(sweep([nameless]))


def test_the_good_range_is_the_stretch_around_the_best():
    assert curve(0.1, [0.5, 0.98, 1.0, 0.99, 0.6, 1.0]).good_range == (0.1, 0.3)
    assert curve(0.1, [-0.2, -0.1]).good_range == (0.1, 0.1)


def test_the_common_range_may_be_empty():
    assert common_range([curve(0.0, [0.1, 1.0, 1.0]), curve(0.2, [1.0, 1.0, 0.1])]) == (0.1, 0.1)
    assert common_range([curve(0.0, [0.1, 0.1, 1.0]), curve(0.2, [1.0, 0.1, 0.1])]) is None


def test_curves_average_over_sets_and_seeds():
    rows = [
        SweepRow("a", 0.1, p, seed, ari, 1.0, 0, 2.0)
        for p, seed, ari in ((0.2, 0, 0.4), (0.2, 1, 0.6), (0.1, 0, 0.3))
    ]
    (found,) = curves(rows)
    assert found.p.tolist() == [0.1, 0.2]
    assert found.ari.tolist() == pytest.approx([0.3, 0.5])


def test_rows_come_back_from_the_file(tmp_path):
    path = tmp_path / "sweep.csv"
    assert RowFile(path, SweepRow).rows == []
    row = SweepRow("iris", 0.05, 0.3, 1, 0.75, 140.25, 3, 0.5)
    RowFile(path, SweepRow).add(row)
    RowFile(path, SweepRow).add(row)
    assert RowFile(path, SweepRow).rows == [row, row]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("a,b\n", "other columns"), ("{header}\niris,x\n", "line 2 is no row")],
)
def test_a_file_of_another_kind_is_refused(tmp_path, text, sentence):
    path = tmp_path / "other.csv"
    header = "dataset,noise,p,seed,ari,wcss,violations,time_s"
    path.write_text(text.format(header=header))
    with pytest.raises(FileFormatError, match=sentence):
        RowFile(path, SweepRow)
