"""The scripts and styles of a room's pages, put into the page itself: a phone loads one file, and what is kept is one."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).with_name("room_page")


@cache
def bundled(*names: str) -> str:
    """Returns these modules as one, those that are imported first; their names differ throughout."""
    text = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)


@cache
def style(*names: str) -> str:
    return "\n".join((_HERE / name).read_text(encoding="utf-8") for name in names)


@cache
def template(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def as_script(value: Any) -> str:
    """Returns a value as it stands in a script of a page, whatever text is in it."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").encode("utf-8", "replace").decode()
