"""The server's side of the codec for numbers sent to the browser; shared/arrays.js unpacks what is packed here."""

import base64
import json
import struct
from collections.abc import Mapping
from typing import Any, TypedDict

import numpy as np

_WIDEST = {"f": 8, "i": 4, "u": 4}  # bytes: JavaScript's arrays hold no wider integers
_NARROWEST = {"f": 4, "i": 1, "u": 1}  # nor, in every browser, floats of 16 bits
_ALIGNED = 8  # bytes: where JavaScript's arrays may begin
_LENGTH = struct.Struct("<I")


class Packed(TypedDict):
    """An array as JSON, in the form that plotly.js also accepts.

    dtype: "f4", "u1", ... as in numpy; shape: "5, 3"; bdata: the bytes, little-endian, row by row, in base64.
    """

    dtype: str
    shape: str
    bdata: str


def pack(values: np.ndarray) -> Packed:
    """Packs numbers or booleans, in a quarter of the bytes that they would take as text.

    64-bit integers become 32-bit ones, booleans bytes, and 16-bit floats 32-bit ones; all others keep their type.

    Raises:
        TypeError: for an array of anything else.
        OverflowError: for integers of more than 32 bits.
    """
    sent = _portable(values)
    return {"dtype": _type(sent), "shape": _shape(sent), "bdata": base64.b64encode(sent.tobytes()).decode()}


def packed(message: Mapping[str, Any]) -> dict[str, Any]:
    """Packs the arrays of a message of plain values, for a component."""
    return {
        name: pack(value) if isinstance(value, np.ndarray) else packed(value) if isinstance(value, Mapping) else value
        for name, value in message.items()
    }


def frame(message: Mapping[str, Any]) -> bytes:
    """Serialises a message for a WebSocket: the length of a head, the head in JSON, and then the bytes of the arrays, each at a
    multiple of 8; the head holds their positions.
    """
    parts: list[bytes] = []

    def placed(values: np.ndarray) -> dict[str, Any]:
        sent, at = _portable(values), sum(map(len, parts))
        parts.append(sent.tobytes() + bytes(-sent.nbytes % _ALIGNED))
        return {"dtype": _type(sent), "shape": _shape(sent), "at": at}

    head = json.dumps(message, default=placed, allow_nan=False).encode()
    head += b" " * (-(len(head) + _LENGTH.size) % _ALIGNED)
    return b"".join([_LENGTH.pack(len(head)), head, *parts])


def _type(sent: np.ndarray) -> str:
    return sent.dtype.str[1:]


def _shape(sent: np.ndarray) -> str:
    return ", ".join(map(str, sent.shape))


def _portable(values: np.ndarray) -> np.ndarray:
    """Converts an array to a type that JavaScript has, little-endian, row by row; raises the errors of `pack`."""
    given = values.astype(np.uint8) if values.dtype.kind == "b" else values
    kind = given.dtype.kind
    if kind not in _WIDEST:
        raise TypeError(f"an array of {values.dtype} cannot be packed")
    size = max(_NARROWEST[kind], min(given.dtype.itemsize, _WIDEST[kind]))
    sent = given.astype(f"<{kind}{size}")
    if size < given.dtype.itemsize and not np.array_equal(sent, given):
        raise OverflowError(f"integers from {given.min()} to {given.max()} do not fit in {8 * size} bits")
    return sent
