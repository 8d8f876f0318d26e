"""The pseudo-locale marks and lengthens a message and leaves all that is inside as it was."""

import re
from pathlib import Path

import pytest

from explorer.i18n.pseudo import pseudo
from tools.catalogue import extract, placeholders

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("message", "marked"),
    [
        ("Heads", "⟦Headséé⟧"),  # one longer word
        ("Words and lines", "⟦Words and lines ééééé⟧"),
        ("How the answer is written, word by word", "⟦How the answer is written, word by word éééééé éééééé é⟧"),
        ("{n:,} parameters", "⟦{n:,} parameters éééé⟧"),  # eleven visible characters
        ("Turn **heads** down to 1", "⟦Turn **heads** down to 1 éééééé é⟧"),
        ("**Trained**", "⟦**Trained** ééé⟧"),
        ("`triu(k)` moves", "⟦`triu(k)` moves ééééé⟧"),
        ("$W^Q$ **of head {i}**", "⟦$W^Q$ **of head {i}** ééé⟧"),
        ("[the paper](https://arxiv.org/abs/1706.03762)", "⟦[the paper](https://arxiv.org/abs/1706.03762) ééé⟧"),
        (":material/pan_tool: forced; ", "⟦:material/pan_tool: forced; ééé⟧ "),
        (":blue[Q]", "⟦:blue[Q] é⟧"),
        ("{links}.", "⟦{links}. é⟧"),
        ("{word}", "⟦{word} é⟧"),
        ("- one word\n- two words", "- ⟦one word ééé⟧\n- ⟦two words ééé⟧"),
        ("## Heads", "## ⟦Headséé⟧"),
        ("1. Heads\n\n> Masks", "1. ⟦Headséé⟧\n\n> ⟦Maskséé⟧"),
        ("Softmax:\n\n$$\n{x}\n$$", "⟦Softmax: ééé⟧\n\n$$\n{x}\n$$"),
        ("```\nrun\n```", "```\nrun\n```"),
        ("", ""),
    ],
)
def test_each_line_is_marked_at_both_ends_and_a_third_longer(message, marked):
    assert pseudo(message) == marked


def test_every_message_of_the_sources_stays_what_it_was_inside():
    messages = [form for message in extract(ROOT) for form in ([message] if isinstance(message, str) else message)]
    assert len(messages) > 500
    for message in messages:
        assert re.sub(r"⟦(.*?) ?é[é ]*⟧", r"\1", pseudo(message)) == message
        assert placeholders(pseudo(message)) == placeholders(message)
