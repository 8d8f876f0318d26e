"""Pins the names of Streamlit's page that our styles and scripts rely on: none of them is documented.

Each is looked for in the scripts of the installed Streamlit. A class and a test id of the same name are two names. Those that
Streamlit puts together are looked at in a browser, by `tests/browser/test_tour.py`.
"""

import re
from pathlib import Path

import streamlit

ROOT = Path(__file__).parents[3]
STATIC = Path(streamlit.__file__).parent / "static"

# Names that stand in its scripts apart from what they name: a page that draws each.
PUT_TOGETHER = {
    ".stHorizontalBlock": "masks",
    ".stVerticalBlock": "masks",
    "[data-testid=stHorizontalBlock]": "masks",
    "[data-testid=stVerticalBlock]": "masks",
    "[data-testid=stSidebarNavLink]": "masks",
    "[data-testid=stBaseButton-primary]": "training",
    ".stMarkdownEllipsis": "host",
}
_USED = re.compile(r'(?P<id>\[data-testid="?st[\w-]+)|(?<!\w)(?P<name>\.st[A-Z]\w+)|(data-test-[\w-]+|data-collapsed|st-key-)')


def used() -> dict[str, set[str]]:
    """The files that use each name."""
    paths = [path for ending in ("css", "js", "py") for path in (ROOT / "explorer").rglob(f"*.{ending}")]
    found: dict[str, set[str]] = {}
    for path in paths:
        if "plotly_js" not in path.parts:
            for each in _USED.finditer(path.read_text(encoding="utf-8")):
                name = each["id"].replace('"', "") + "]" if each["id"] else each[0]
                found.setdefault(name, set()).add(path.name)
    return found


def spelled_out(static: Path) -> set[str]:
    """The names that Streamlit's scripts give to what they draw."""
    found = set()
    for path in static.rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        for given in re.findall(r'"data-testid":([^",{}]*)', script):
            found |= {f"[data-testid={name}]" for name in re.findall(r"`([\w-]+)`", given)}
        for given in re.findall(r'className[:=]([^"{}]*)', script):
            found |= {f".{name}" for names in re.findall(r"`([^`]*)`", given) for name in names.split()}
        found |= {*re.findall(r'"(data-[\w-]+)":', script), *re.findall(r"`(st-key-)`", script)}
    return found


def test_streamlit_draws_every_name_that_we_rely_on():
    drawn, ours = spelled_out(STATIC), used()
    assert len(ours) > 50, "names are found"
    missing = {name: files for name, files in ours.items() if name not in drawn}
    assert missing.keys() == PUT_TOGETHER.keys(), missing
