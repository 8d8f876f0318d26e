"""Pins how a lesson is made: views are added, ordered, noted and locked, and taken as a link, a file and a room."""

import random
from urllib.parse import parse_qsl, urlsplit

import pytest

from explorer import i18n
from explorer.exhibits.lesson import example
from explorer.model_on_screen.settings import NAMES
from explorer.rooms import lesson
from explorer.rooms.script import Step
from explorer.session.lesson import LONGEST_NOTE, parsed
from tests.pages.helpers import BASE, PAGES, PARTS, complaints, go, session_of, turn, visit


def add(at, page, **choices):
    """A page is opened, turned, and added."""
    turn(go(at, page), **choices)
    return at.button(key="add-view").click().run()


def lesson_of(at):
    """The steps that the link on the page holds, and where it leads."""
    (link,) = (each.value for each in at.code if each.value.startswith(("./", "http")))
    page, address = parsed(link, ("home", "heads", "masks", "shapes"))
    return page, address, lesson.unpacked(address["lesson"])


def test_views_become_steps_with_notes_and_what_is_locked():
    at = visit(BASE, "home", folded=True)
    at.button(key="add-view").click().run()
    add(at, "heads", n_heads=2)
    add(at, "masks", part="triangle")
    assert "Step 3 of your lesson" in at.toast[0].value
    go(at, "lesson")
    assert [each.split(":")[0] for each in at.get("button_group")[0].options] == ["1. Start", "2. Heads", "3. Masks"]
    turn(at, lesson_step=2, **{"details-lesson": True})
    lock = at.multiselect(key="lesson-lock-2")
    assert {"heads", "source sentence", "task", "attention", "layer"} <= {*lock.options}
    at.text_area(key="lesson-note-2").set_value("Two heads.").run()
    at.text_area(key="lesson-question-2").set_value("Why two?").run()
    at.multiselect(key="lesson-lock-2").set_value(["n_heads"]).run()
    at.multiselect(key="lesson-parts-2").set_value(["picture", "caption"]).run()
    at.button(key="lesson-arrow_upward").click().run()
    assert at.button(key="lesson-arrow_upward").disabled, "it is the first now"
    page, address, steps = lesson_of(at)
    assert page == "heads" and address["n_heads"] == "2" and [step.page for step in steps] == ["heads", "home", "masks"]
    first = steps[0]
    assert (first.show, first.question, first.lock, first.parts) == (
        "Two heads.",
        "Why two?",
        ("n_heads",),
        ("picture", "caption"),
    )
    assert steps[2].view["part"] == "triangle"
    at.button(key="lesson-remove").click().run()
    assert [step.page for step in lesson_of(at)[2]] == ["home", "masks"] and not at.exception


def test_a_step_is_tried_and_the_draft_is_there_afterwards():
    at = visit(BASE, "heads", folded=True)
    at.button(key="add-view").click().run()
    go(at, "lesson")
    at.button(key="lesson-try").click().run()
    assert at.title[0].value == "Heads" and "add-view" not in {each.key for each in at.button}
    at.button(key="lesson-leave").click().run()
    go(at, "lesson")
    assert len(session_of(at).draft.steps) == 1


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_the_example_has_six_steps_that_open_without_a_complaint(language):
    at = visit({"lang": language}, "lesson")
    at.button(key="lesson-example").click().run()
    _page, address, steps = lesson_of(at)
    assert len(steps) == 6 and all(step.show for step in steps)
    for number, step in enumerate(steps, 1):
        opened = visit({**step.view, "lesson": address["lesson"], "at": str(number), "lang": language}, step.page, folded=True)
        assert not opened.exception and not opened.info and not complaints(opened), step.page


def test_link_file_and_room_are_the_same_lesson():
    with i18n.speaking("en"):
        steps = tuple(example.steps())
    at = visit({}, "lesson")
    at.button(key="lesson-example").click().run()
    assert lesson_of(at)[2] == steps
    room = next(each.value for each in at.markdown if "room/new" in each.value)
    word = dict(parse_qsl(urlsplit(room.partition("](")[2].rstrip(")")).query))["lesson"]
    assert lesson.led(word, "en")[1:] == steps and lesson.led(word, "en")[0].kind == "join"
    frame = next(each.value for each in at.code if "<iframe" in each.value)
    assert "&amp;embed=true" in frame and word in frame


def test_a_lesson_too_long_for_a_link_is_told_and_can_be_taken_as_a_file():
    at = visit({}, "lesson")
    letters = random.Random(0)
    for number in range(12):
        note = "".join(chr(0x4E00 + letters.randrange(9000)) for _letter in range(LONGEST_NOTE))
        session_of(at).draft.add(Step("watch", str(number), 1.0, page="heads", show=note))
    at.run()
    assert len(lesson.packed([*session_of(at).draft.steps.values()])) > lesson.LONGEST_LINK
    assert len(at.warning) == 1 and not at.code


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("lesson", "host")])
def test_every_page_can_show_its_pictures_alone_and_have_all_locked(page):
    kinds = ("slider", "select_slider", "selectbox", "text_input", "button_group", "toggle")
    for part in PARTS[page]:
        link = BASE | {"more": "on"} | ({"part": part} if part else {})
        alone = visit(link | {"show": "picture"}, page, folded=True)
        assert not alone.exception and not any("How to read" in each.value for each in alone.caption), part
        assert not {"part", "more", "d_model"} & {each.key for kind in kinds for each in alone.get(kind)}
        names = {*session_of(visit(link, page, folded=True)).rerun.drawn, *NAMES}
        kept = visit(link | {"lock": ",".join(names)}, page, folded=True)
        free = {each.key for kind in kinds for each in kept.get(kind) if not each.disabled}
        assert not kept.exception and not free & names, (part, free & names)
