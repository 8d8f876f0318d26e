"""Pins that no caption says where a picture stands: pictures beside one another stand below one another on a phone."""

import re

import pytest
from babel.messages.pofile import read_po

from explorer.i18n.lookup import LOCALE

# A picture or a column that has a side; and what has one all the same, however narrow the window is.
_SIDES = {
    "en": r"\b(left|middle) (picture|one)\b|\bon the (left|right)\b|\bleft plus\b|\b(Left|Right): (what|its|it|how|the)\b",
    "zh_CN": "[左右]图|左：|右：|左加|左边|右边",
}
_SAME_EVERYWHERE = (
    "from the bottom up. The encoder (left)",
    "one row per position",
    "each row is a position",
    "Set the base to 10",
    "Choose the decoder's self-attention",
)


@pytest.mark.parametrize("language", _SIDES)
def test_captions_name_pictures_by_their_titles(language: str) -> None:
    with (LOCALE / "zh_CN" / "LC_MESSAGES" / "explorer.po").open("rb") as file:
        messages = [(str(each.id), str(each.id if language == "en" else each.string)) for each in read_po(file) if each.id]
    assert [
        said for message, said in messages if re.search(_SIDES[language], said) and not message.startswith(_SAME_EVERYWHERE)
    ] == []
