import io
from base64 import b64decode

import numpy as np
import pytest
from PIL import Image

from ccviz.data import load
from ccviz.data.datasets import Dataset
from ccviz.views.frames.projection import addresses, pictures, pixels


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        ([f"pixel{p}" for p in range(16)], (4, 4)),
        ([f"pixel_{r}_{c}" for r in range(2) for c in range(8)], (2, 8)),
        ([f"pixel{p}" for p in range(17)], None),
        ([f"x{p}" for p in range(16)], None),
        (["pixel0", "pixel1", "pixel2", "pixel3"], None),
    ],
)
def test_only_whole_pictures_are_pictures(names, shape):
    assert pixels(tuple(names)) == shape


def test_the_picture_of_a_point_is_what_its_pixels_say():
    data = load("digits")
    address = addresses(data)[17]
    kind, _, content = address.partition(",")
    assert kind == "data:image/png;base64"
    shown = np.asarray(Image.open(io.BytesIO(b64decode(content)))) / 255
    assert np.allclose(1.0 - shown, pictures(data, [17])[0], atol=1 / 255)


def test_what_is_no_picture_has_none():
    assert addresses(load("iris")) == []
    assert pictures(load("iris")) is None


def test_no_word_of_a_table_gets_into_a_picture():
    names = tuple(f"pixel{p}" for p in range(16))
    evil = Dataset("<b>", np.eye(16), names, names=tuple(f"<img src=x{p}>" for p in range(16)))
    assert not any("<" in address or '"' in address for address in addresses(evil))
