import numpy as np
import pandas as pd
import pytest

from ccviz.data import read_table
from ccviz.data.cells import read_days
from ccviz.errors import FileFormatError


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2024-02-28", "2024-03-01"], [0, 2]),
        (["1.3.2024", "28.02.2024"], [2, 0]),
        (["1/3/24", "28/2/24"], [2, 0]),
        (["2/28/1999", "3/1/1999"], [0, 1]),
        (["31.12.99", "1.1.00"], [0, 1]),
        (["2024-01-01 06:00", "2024-01-01T18:00:00"], [0, 0.5]),
        (["2024-01-01 12:30 am", "2024-01-01 12:30 pm"], [0, 0.5]),
        (["2024-01-01T12:00+02:00", "2024-01-01T12:00Z"], [0, 2 / 24]),
    ],
)
def test_days_since_the_first_date(cells, days):
    assert read_days(cells) == pytest.approx(days)


@pytest.mark.parametrize("cells", [["1/3/24", "2/3/24"], ["13/1/24", "1/13/24"], ["9:30"], []])
def test_what_can_be_read_two_ways_is_not_read(cells):
    assert np.isnan(read_days(cells)).all()


def test_a_day_that_is_in_no_calendar_is_no_number():
    assert np.isnan(read_days(["2024-02-30", "2024-01-01"])).tolist() == [True, False]


def test_days_agree_with_pandas():
    days = pd.date_range("1998-11-03", periods=400, freq="97h")
    expected = (days - days[0]) / pd.Timedelta("1D")
    assert read_days(days.strftime("%d.%m.%Y %H:%M:%S")) == pytest.approx(expected.to_numpy())


def test_a_column_of_dates_is_a_feature_on_wish():
    text = b"day,x\n2024-01-31,1.5\n,2.5\n2024-02-01,3.5\n"
    assert read_table(text).features == ("x",)
    data = read_table(text, roles={"day": "feature"}, missing="drop")
    assert data.X.tolist() == [[0, 1.5], [1, 3.5]]
    with pytest.raises(FileFormatError, match="column 'at' holds times of day"):
        read_table(b"at,x\n9:30,1\n9:40,2\n", roles={"at": "feature"})


def test_percentages_are_features_and_said_to_be():
    text = b"x;rate\n1,5;46,6 %\n2,5;7 %\n3,5;100%\n"
    data = read_table(text)
    assert data.X.tolist() == [[1.5, 46.6], [2.5, 7], [3.5, 100]]
    assert "Column 'rate' is a feature (percent, read as numbers)." in data.notices
    assert read_table(b"x,rate\n1.5,5%\n2.5,many\n3.5,9%\n", label="").features == ("x",)
