"""The numbers of a drawing, as the program compares them with its own."""

import base64
import zlib
from collections.abc import Sequence
from html import unescape
from typing import Any

import numpy as np

from explorer.figures.matrix import Matrices
from explorer.programs.template import Code, listed

_FEW = 60  # numbers that are written out; more are packed
_WIDE = 100  # characters of a line


def numbers_of(drawing: Any) -> list[np.ndarray]:
    """Returns the numbers of matrices, or of a figure's curves or bars, in their order. NaN for a masked cell.

    Raises:
        TypeError: for another drawing, whose template has to read it.
    """
    if isinstance(drawing, Matrices):
        return [np.where(drawing.valid, drawing.values, np.nan)]
    if isinstance(drawing, dict) and "layout" in drawing:
        return [np.asarray(each["x" if each.get("orientation") == "h" else "y"], np.float32) for each in drawing["data"]]
    raise TypeError("these are neither matrices nor a figure")


def words_of(figure: dict[str, Any]) -> list[str]:
    """Returns the words of a figure of words, without their marks ✓ and ✗."""
    return [unescape(text).removeprefix("✓ ").removeprefix("✗ ") for trace in figure["data"] for text in trace["text"]]


def as_one(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Puts numbers in one row, NaN for those that are not finite. Shape: -> (numbers,) float32"""
    row = np.concatenate([np.ravel(each) for each in arrays]).astype(np.float32)
    return np.where(np.isfinite(row), row, np.float32(np.nan))


def array_of(numbers: np.ndarray) -> str:
    """Writes the expression that makes these numbers, over several lines if there are many. Shape: (numbers,) float32"""
    if len(numbers) <= _FEW:
        return f"np.array({listed([Code('np.nan' if not np.isfinite(each) else str(each)) for each in numbers])})"
    packed = base64.b64encode(zlib.compress(numbers.astype("<f4").tobytes(), 9)).decode()
    rows = [f'    "{packed[at : at + _WIDE]}"' for at in range(0, len(packed), _WIDE)]
    return "\n".join(["np.frombuffer(zlib.decompress(base64.b64decode(  # 4 bytes a number", *rows, ')), "<f4")'])
