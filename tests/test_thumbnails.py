"""The moving pictures of the gallery show a run from its first event to its last."""

import sys
from pathlib import Path

import numpy as np
import pytest

from ccviz import Problem, start
from ccviz.views.export.story import Play

ROOT = Path(__file__).parents[1]


@pytest.fixture
def thumbnails(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import thumbnails

    return thumbnails


def play(solver):
    X = np.random.default_rng(0).normal(size=(24, 2))
    problem = Problem(X, 3, must_link=[(0, 1)], cannot_link=[(2, 3)])
    records = list(start(problem, solver, seed=0))
    return Play(solver, problem, records, len(records))


def test_a_run_moves_and_ends_with_its_answer(thumbnails, tmp_path):
    from PIL import Image

    thumbnails.save_thumbnail(play("k-means"), tmp_path / "run.gif", tmp_path / "run.png")
    with Image.open(tmp_path / "run.gif") as moving, Image.open(tmp_path / "run.png") as still:
        assert moving.n_frames > 1
        assert moving.size == still.size == (thumbnails.WIDTH, thumbnails.HEIGHT)
        first = np.asarray(moving.convert("RGB"), dtype=int)
        moving.seek(moving.n_frames - 1)
        last = np.asarray(moving.convert("RGB"), dtype=int)
        assert np.abs(first - last).max() > 50
        assert np.abs(last - np.asarray(still.convert("RGB"), dtype=int)).mean() < 5
    assert (tmp_path / "run.gif").stat().st_size < 100_000


def test_a_long_run_has_few_frames(thumbnails):
    assert thumbnails._chosen(list(range(1000)))[0] == 0
    assert thumbnails._chosen(list(range(1000)))[-1] == 999
    assert len(thumbnails._chosen(list(range(1000)))) == thumbnails._MOST_FRAMES
