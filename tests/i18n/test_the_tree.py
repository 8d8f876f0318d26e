"""Everything on screen is looked up when it is shown, in one piece."""

import re
from pathlib import Path

import pytest

from tests.i18n.rules import offences

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("explorer", "pages") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_words_are_looked_up_when_shown_and_whole(path):
    in_pages = path.is_relative_to(ROOT / "pages")
    found = offences(path.read_text(encoding="utf-8"), runs_per_rerun=in_pages)
    assert not found, "\n".join(f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in found)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_words_of_a_formula_are_looked_up(path):
    found = re.findall(r"\\text\{{1,2} ?[A-Za-z]+", path.read_text(encoding="utf-8"))
    assert not found, "see `document.formula`"
