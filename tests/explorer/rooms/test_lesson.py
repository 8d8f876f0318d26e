"""Pins the format of a lesson: file, link and room's script are one, and a wrong one names its place."""

import base64
import re
import zlib

import pytest

from explorer import i18n
from explorer.rooms import lesson
from explorer.rooms.script import PAGES, ScriptError, Step, read, shipped
from explorer.root import ROOT
from explorer.ui.navigation import CONTENTS

STEPS = (
    Step(
        "watch", "Heads", 3.0, page="heads", view={"layer": "1", "src": 'say "a\\b"'}, lock=("layer", "n_heads"), show="Look.\n"
    ),
    Step("watch", "屏蔽", 0.0, page="masks", parts=("triangle", "caption"), question="为什么？ {here} \x7f"),
)


def word_of(text: str) -> str:
    squeezed = zlib.compress(text.encode(), wbits=-zlib.MAX_WBITS)
    return base64.urlsafe_b64encode(squeezed).decode().rstrip("=")


def test_a_lesson_goes_into_a_link_a_file_and_a_script_and_comes_back_as_it_was():
    assert lesson.unpacked(lesson.packed(STEPS)) == STEPS
    assert lesson.read_lesson(lesson.written(STEPS)) == STEPS == read(lesson.written(STEPS))


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_the_writer_writes_all_that_a_script_can_say(language):
    assert read(lesson.written(shipped(language))) == shipped(language)


def test_six_steps_with_a_note_each_are_a_short_link():
    note = "Step {n}: look at the second head. Which word does it look at, and why not at the word beside it?"
    view = {"part": "side_by_side", "kind": "cross", "layer": "1", "more": "on", "src": "the red cat sees the dog"}
    steps = [Step("watch", "Heads", 3.0, page="heads", view=view, lock=("kind",), show=note.format(n=n)) for n in range(6)]
    word = lesson.packed(steps)
    assert len(word) < 1000 and word.replace("-", "").replace("_", "").isalnum()


def test_every_page_but_the_hosts_and_the_makers_can_be_a_step():
    assert {*PAGES} == CONTENTS.keys() - {"host", "lesson"}


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("nothing", "a part of the link is missing"),
        ("über", "a part of the link is missing"),
        (lesson.packed(STEPS)[:-8], "the end of the link is missing"),
        (word_of("[[step]]\n" + "#" * 100_000), "too long"),
        (word_of(lesson.written(STEPS).replace("heads", "hads", 1).replace("hads", "head")), "line 5: page must be one of"),
        (word_of('[[step]]\nkind = "join"\ntitle = "Join"\nminutes = 1\n'), "step 1 (Join): page is missing"),
        (word_of('[[step]]\nkind = "join"\ntitle = "Join"\nminutes = 1\npage = "heads"\n'), "line 5: page is shown in a step"),
        (word_of('[[step]]\nkind = "watch"\ntitle = "W"\nminutes = 1\nlock = ["layer"]\n'), "line 5: lock is of a page"),
        (word_of('[[step]]\nkind = "watch"\ntitle = "W"\nminutes = 1\npage = "heads"\nview = { layer = 1 }\n'), "line 6: view"),
    ],
)
def test_a_wrong_link_names_its_place(word, says):
    with pytest.raises(ScriptError) as refused:
        lesson.unpacked(word)
    assert says in str(refused.value)


def test_the_file_in_the_guide_is_a_lesson():
    (text,) = re.findall(r"```toml\n(\[\[step\]\].*?)```", (ROOT / "docs" / "guide.md").read_text(encoding="utf-8"), re.DOTALL)
    (step,) = lesson.read_lesson(text)
    assert (step.page, step.lock, step.parts[0]) == ("heads", ("src", "n_heads"), "words_and_lines")
