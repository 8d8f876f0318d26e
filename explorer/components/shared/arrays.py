"""The server's side of the codec for numbers sent to the browser; shared/arrays.js unpacks what is packed here."""

import base64
from typing import TypedDict

import numpy as np

_WIDEST = {"f": 8, "i": 4, "u": 4}  # bytes: JavaScript's arrays hold no wider integers
_NARROWEST = {"f": 4, "i": 1, "u": 1}  # nor, in every browser, floats of 16 bits


class Packed(TypedDict):
    """An array as JSON, in the form that plotly.js accepts, too.

    dtype: "f4", "u1", ... as in numpy; shape: "5, 3"; bdata: the bytes, little-endian, row by row, in base64.
    """

    dtype: str
    shape: str
    bdata: str


def pack(values: np.ndarray) -> Packed:
    """Numbers or booleans, in a quarter of the bytes that they would take as text.

    64-bit integers become 32-bit ones, booleans bytes, and 16-bit floats 32-bit ones; all others keep their type.

    Raises:
        TypeError: for an array of anything else.
        OverflowError: for integers of more than 32 bits.
    """
    given = values.astype(np.uint8) if values.dtype.kind == "b" else values
    kind = given.dtype.kind
    if kind not in _WIDEST:
        raise TypeError(f"an array of {values.dtype} cannot be packed")
    size = max(_NARROWEST[kind], min(given.dtype.itemsize, _WIDEST[kind]))
    sent = given.astype(f"<{kind}{size}")
    if size < given.dtype.itemsize and not np.array_equal(sent, given):
        raise OverflowError(f"integers from {given.min()} to {given.max()} do not fit in {8 * size} bits")
    return {
        "dtype": f"{kind}{size}",
        "shape": ", ".join(map(str, sent.shape)),
        "bdata": base64.b64encode(sent.tobytes()).decode(),
    }
