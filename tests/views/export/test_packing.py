import base64
import json
import string
import zlib

import numpy as np

from ccviz.views.export.page import pack


def unpacked(word):
    """Read a packed value, as ``unpack`` in fold.js does."""
    whole = zlib.decompress(base64.b64decode(word))
    length = int.from_bytes(whole[:8], "little")

    def revive(value):
        if "array" not in value:
            return value
        start = 8 + length + value["at"]
        assert start % 8 == 0
        many = int(np.prod(value["shape"]))
        return np.frombuffer(whole, f"<{value['array']}", many, start).reshape(value["shape"])

    return json.loads(whole[8 : 8 + length], object_hook=revive)


def test_arrays_come_back_as_they_were():
    arrays = {
        "small": np.array([[1, -1], [127, 0]]), "middle": np.array([128, 40_000]),
        "large": np.array([1 << 40]), "real": np.array([0.1, np.nan, np.inf]),
        "yes": np.array([True, False]), "none": np.zeros((0, 2), dtype=np.int64),
    }  # fmt: skip
    back = unpacked(pack({"of": [arrays, "ü", 3, None]}))["of"]
    assert back[1:] == ["ü", 3, None]
    for name, array in arrays.items():
        assert np.array_equal(back[0][name], array, equal_nan=array.dtype.kind == "f")
    assert back[0]["small"].dtype == np.int8


def test_no_letter_of_it_means_anything_in_html():
    word = pack({"name": "</script><!--", "more": np.random.default_rng(0).normal(size=50)})
    assert set(word) <= set(string.ascii_letters + string.digits + "+/=")
