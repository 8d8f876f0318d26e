"""Pins the one codec for numbers: what arrays.py packs, arrays.js unpacks, in node, by the code that the browser gets."""

import base64
import json

import numpy as np
import pytest

from explorer.components import HERE
from explorer.components.shared.arrays import frame, pack, packed
from tests.components import node

# Every number of an array as text that loses nothing.
_UNPACK = f"""
import {{ unpack }} from {json.dumps((HERE / "shared" / "arrays.js").as_uri())};
const number = (value) => Object.is(value, -0) ? "-0.0" : String(value).replace("Infinity", "inf").replace("NaN", "nan");
console.log(JSON.stringify(given.map((packed) => {{
  const {{ values, shape, rows, columns, at, row }} = unpack(packed);
  const matrix = shape.length === 2 && Array.from({{ length: rows }}, (_, i) =>
    Array.from({{ length: columns }}, (_, j) => [number(at(i, j)), number(row(i)[j])]));
  return {{ type: values.constructor.name, shape, values: Array.from(values, number), matrix }};
}})));
"""
_RANDOM = np.random.default_rng(3)
_FLOATS = _RANDOM.normal(size=(5, 7)).astype(np.float32)
_FLOATS[0, :4] = [np.nan, np.inf, -np.inf, -0.0]
ARRAYS = {
    "weights of some heads": (_RANDOM.dirichlet(np.ones(4), (2, 3, 5)).astype(np.float32), "Float32Array"),
    "floats with all that floats can be": (_FLOATS, "Float32Array"),
    "double floats": (_RANDOM.normal(size=(3, 2)), "Float64Array"),
    "half floats": (_RANDOM.normal(size=9).astype(np.float16), "Float32Array"),
    "big-endian floats": (_FLOATS.astype(">f4"), "Float32Array"),
    "a mask": (_RANDOM.random((4, 6)) < 0.5, "Uint8Array"),
    "places": (np.arange(-4, 8), "Int32Array"),
    "small integers": (np.array([[-128, 127, 0]], dtype=np.int8), "Int8Array"),
    "large integers without a sign": (np.array([2**32 - 1, 0], dtype=np.uint64), "Uint32Array"),
    "columns of a larger array": (_FLOATS.T[1:6:2, ::-1], "Float32Array"),
    "nothing": (np.zeros((0, 3), dtype=np.float32), "Float32Array"),
    "one number": (np.array(2.5), "Float64Array"),
}


def test_the_browser_reads_the_very_numbers():
    packed = [pack(values) for values, _kind in ARRAYS.values()]
    for (name, (values, kind)), read in zip(ARRAYS.items(), node.run(_UNPACK, packed), strict=True):
        assert (read["type"], read["shape"]) == (kind, list(values.shape)), name
        got = np.array([float(number) for number in read["values"]], dtype=np.float64).reshape(values.shape)
        np.testing.assert_array_equal(got, values.astype(np.float64), err_msg=name)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(values.astype(np.float64)), err_msg=name)
        if values.ndim == 2 and values.size:
            cells = np.array([[[float(n) for n in cell] for cell in row] for row in read["matrix"]])
            np.testing.assert_array_equal(cells, np.stack([values, values], axis=-1), err_msg=name)


_UNFRAME = f"""
import {{ unframe, unpack }} from {json.dumps((HERE / "shared" / "arrays.js").as_uri())};
const plain = (value) => ArrayBuffer.isView(value?.values)
  ? [value.values.constructor.name, value.shape, Array.from(value.values, String)]
  : Array.isArray(value) ? value.map(plain)
  : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))
  : value;
const {{ buffer }} = Uint8Array.from(atob(given.frame), (letter) => letter.charCodeAt(0));
const framed = unframe(buffer);
const one = given.packed.one;
console.log(JSON.stringify([plain(framed), plain({{ ...framed, one: unpack(framed.one) }}), plain(unpack(one))]));
"""


def test_a_frame_holds_the_very_numbers_that_are_packed():
    message = {
        "n": 3,
        "words": ["“été”", "\u4f60"],
        "nothing": None,
        "one": _FLOATS,
        "more": {name: values for name, (values, _kind) in ARRAYS.items()},
        "last": np.arange(3, dtype=np.uint8),
    }
    given = {"frame": base64.b64encode(frame(message)).decode(), "packed": packed(message)}
    framed, again, one = node.run(_UNFRAME, given)
    assert framed == again
    assert framed["one"] == one
    assert {name: framed[name] for name in ("n", "words", "nothing")} == {"n": 3, "words": ["“été”", "你"], "nothing": None}
    assert framed["last"] == ["Uint8Array", [3], ["0", "1", "2"]]
    for name, (values, kind) in ARRAYS.items():
        found_kind, shape, numbers = framed["more"][name]
        assert (found_kind, shape) == (kind, list(values.shape)), name
        numbers = [float(number.replace("Infinity", "inf")) for number in numbers]
        np.testing.assert_array_equal(np.array(numbers).reshape(values.shape), values.astype(np.float64), err_msg=name)


@pytest.mark.parametrize("wrong", [np.array(["a"]), np.array([1j]), np.array([None])], ids=str)
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(TypeError, match="cannot be packed"):
        pack(wrong)


@pytest.mark.parametrize("wrong", [2**31, -(2**31) - 1])
def test_integers_that_javascript_could_not_hold_are_refused(wrong):
    with pytest.raises(OverflowError, match="32 bits"):
        pack(np.array([0, wrong]))
