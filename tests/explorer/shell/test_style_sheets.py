"""Pins that no change of a page makes a browser look at the style of every element anew."""

import re
from pathlib import Path

import pytest

EXPLORER = Path(__file__).parents[3] / "explorer"
SHEETS = sorted(EXPLORER.rglob("*.css"))


def selectors(sheet: str) -> list[str]:
    """The selectors of all rules of a style sheet, also of nested ones, one by one."""
    preludes = re.findall(r"([^{}@;]+)\{", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    return [part.strip() for prelude in preludes for part in re.split(r",(?![^()]*\))", prelude)]


def is_dear(selector: str) -> bool:
    """Whether it asks the whole body for what it has, or styles every element beside or below what has something."""
    return "body:has(" in selector or bool(re.search(r":has\(.*\)[^()]*[\s>~+]\*$", selector))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: str(sheet.relative_to(EXPLORER)))
def test_no_rule_is_about_everything_that_stands_beside_something(sheet):
    assert not list(filter(is_dear, selectors(sheet.read_text(encoding="utf-8"))))


def test_such_rules_are_found():
    sheet = ".a { & > b:has(> .c) > * { color: red } } .m:not(:has(.x .y)) :has(> .z) ~ * , p:has(q) { margin: 0 }"
    assert list(filter(is_dear, selectors(sheet))) == ["& > b:has(> .c) > *", ".m:not(:has(.x .y)) :has(> .z) ~ *"]
    assert is_dear("body:has(.a) .b") and not is_dear(".a > *") and not is_dear(".st-key-opening > :has(.stMarkdown)")
