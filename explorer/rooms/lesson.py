"""A lesson: steps of a room's script that each show a page of the app. It is a file of the same format, and a link holds that
file, compressed: nothing is stored on a server.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from explorer.rooms.script import ScriptError, Step, read, shipped

LONGEST_LINK = 6_000  # letters of a packed lesson: proxies take addresses of about 8,000
_LARGEST = 64_000  # bytes of its file


def read_lesson(text: str) -> tuple[Step, ...]:
    """Reads the file of a lesson. Raises ScriptError, also for a script in which a step shows no page."""
    steps = read(text)
    for number, step in enumerate(steps, 1):
        if not step.page:
            raise ScriptError(f"step {number} ({step.title:.40}): page is missing, and a step of a lesson shows one")
    return steps


def written(steps: Sequence[Step]) -> str:
    """Returns the file of a lesson."""
    return "\n".join(_table(step) for step in steps)


def packed(steps: Sequence[Step]) -> str:
    """Returns a lesson as one word of an address."""
    squeezed = zlib.compress(written(steps).encode(), 9, wbits=-zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def unpacked(word: str) -> tuple[Step, ...]:
    """Reads a lesson from such a word. Raises ScriptError."""
    try:
        squeezed = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        text = unpacking.decompress(squeezed, _LARGEST).decode()
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ScriptError("a part of the link is missing, or was changed") from error
    if not unpacking.eof:
        raise ScriptError("the end of the link is missing, or it is too long")
    return read_lesson(text)


def led(word: str, language: str) -> tuple[Step, ...]:
    """Returns the script of a room that goes through a packed lesson: first its people join. Raises ScriptError."""
    if len(word) > LONGEST_LINK:
        raise ScriptError(f"it has {len(word)} letters, which is too long for a link")
    return shipped(language)[0], *unpacked(word)


def _table(step: Step) -> str:
    return "[[step]]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in _said(step).items())


def _said(part: Any) -> dict[str, Any]:
    """Returns what a step, a phase or a choice says beside the defaults."""
    needed = [each.name for each in fields(part) if each.default is MISSING and each.default_factory is MISSING]
    return {name: value for name, value in vars(part).items() if value or name in needed}


def _value(value: Any) -> str:
    match value:
        case str():
            return json.dumps(value.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
        case bool():
            return str(value).lower()
        case float() | int():
            return f"{value:g}"
        case Mapping():
            return "{ " + ", ".join(f"{_value(name)} = {_value(each)}" for name, each in value.items()) + " }"
        case tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            return _value(_said(value))
