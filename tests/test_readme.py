"""Pins: the README's table of what is taught names every point once, parts that exist, and tests that exist."""

import re
from pathlib import Path

from explorer.contents import CONTENTS

from tests.pages.helpers import PARTS

ROOT = Path(__file__).parents[1]
POINTS = [f"{letter}{n}" for letter, most in zip("ABCDE", (13, 3, 10, 6, 7), strict=True) for n in range(1, most + 1)]
ROWS = re.findall(r"^\| ([A-E]\d+) \| (.+) \| (.+) \| `(\w+)` \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)


def test_every_point_stands_there_once():
    assert [row[0] for row in ROWS] == POINTS


def test_every_test_named_exists_and_carries_its_point():
    tests = set(
        re.findall(r"^def (test_\w+)", "\n".join(p.read_text(encoding="utf-8") for p in ROOT.glob("tests/**/*.py")), re.M)
    )
    for point, _taught, _where, test in ROWS:
        assert test in tests, test
        assert test.startswith(f"test_{point.lower()}_")


def test_every_page_and_part_named_exists():
    for point, _taught, where, _test in ROWS:
        if " / " in where:
            page, rest = where.split(" / ")
            named = [part for part in PARTS[next(n for n, e in CONTENTS.items() if e.title == page)] if part and part in rest]
            assert named, (point, where)
