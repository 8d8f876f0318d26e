"""Everything on screen is looked up when it is shown, in one piece."""

import re
from pathlib import Path

from tests.i18n.rules import offences

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(path for folder in ("explorer", "pages") for path in (ROOT / folder).rglob("*.py"))


def test_words_are_looked_up_when_shown_and_whole():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in FILES
        for line, what in offences(path.read_text(encoding="utf-8"), runs_per_rerun=path.is_relative_to(ROOT / "pages"))
    ]
    assert not found, "\n".join(found)


def test_the_words_of_a_formula_are_looked_up():
    pattern = re.compile(r"\\text\{{1,2} ?[A-Za-z]+")
    found = {str(path.relative_to(ROOT)): pattern.findall(path.read_text(encoding="utf-8")) for path in FILES}
    assert not {file: words for file, words in found.items() if words}, "see `document.formula`"
