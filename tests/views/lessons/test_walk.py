import pytest

from ccviz.errors import CcvizError
from ccviz.views.export.page import save_html
from ccviz.views.lessons.catalogue import LESSONS
from ccviz.views.lessons.walk import lesson_named, walk


def test_a_lesson_is_named_by_its_beginning():
    assert lesson_named("why-cop").title == "Why COP-k-means dies"
    with pytest.raises(CcvizError, match="no lesson 'x'; there are why-cop-k-means-dies, what-a"):
        lesson_named("x")
    assert len({lesson.name for lesson in LESSONS}) == len(LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_lesson_has_what_a_handout_says(lesson):
    assert all((lesson.paper, lesson.look))
    assert len(lesson.exercises) >= 2


def test_a_lesson_is_walked_to_its_end(tmp_path):
    plays, told = walk(lesson_named("why-cop"))
    assert [play.title for play in plays] == [
        "Step 2: cop-kmeans on iris", "Step 3: blp-kmeans on iris",
    ]  # fmt: skip
    assert all(finding for _, finding, _ in told.steps)
    save_html(tmp_path / "handout.html", plays, told)
