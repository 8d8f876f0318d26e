"""The scripts and styles of a room's pages, put into the page itself: a phone loads one file, and what is kept is one."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from explorer.root import ROOT

_HERE = Path(__file__).with_name("room_page")
_PICTURES = ROOT / "explorer" / "components" / "outcome"  # the app draws them as well


@cache
def bundled(*names: str) -> str:
    """Returns these modules as one, those that are imported first; their names differ throughout."""
    text = "\n".join(map(template, names))
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)


@cache
def style(*names: str) -> str:
    return "\n".join(map(template, names))


@cache
def template(name: str) -> str:
    """Returns the text of a file of the rooms' pages."""
    return ((_PICTURES if name.startswith("pictures.") else _HERE) / name).read_text(encoding="utf-8")


def as_script(value: Any) -> str:
    """Returns a value as it stands in a script of a page, whatever text is in it."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").encode("utf-8", "replace").decode()
