"""Predict: a question is asked, what is seen is what the model does, and the address keeps what was said."""

import pytest

from explorer.rooms.script import bank
from explorer.ui.format import plain
from tests.pages.helpers import component, fine, session_of, visit


def page(**link):
    at = visit(link, "predict")
    assert fine(at)
    return at


def buttons(at):
    return {button.label: button for button in at.main.button}


def asks(at, words):
    return any(words in each.value for each in at.main.markdown)


def press(at, label):
    buttons(at)[label].click()
    at.run()
    assert fine(at)
    return at


def test_it_asks_shows_what_happens_and_asks_a_new_case():
    at = page(question="3")
    assert asks(at, "femme") and not at.main.success and not at.main.info
    assert buttons(at)["See what happens"].disabled and "Pass" in buttons(at)
    shown = component(at, "before-first-2")["picture"]
    assert shown["scissors"] and shown["words"][1] == "femme"
    assert not at.main.text_input
    at.main.radio[0].set_value(3)
    at.run()
    at.main.text_input[0].set_value("the noun is *gone*")
    at.run()
    press(at, "See what happens")
    assert "As you expected" in at.main.success[0].value and "la Chine" in at.main.success[0].value
    assert component(at, "outcome-2")["picture"]["words"][1] == "Chine"
    at.main.radio[1].set_value(0)
    at.run()
    press(at, "See what happens")
    assert "You expected: still “chien”" in at.main.info[0].value
    assert session_of(at).controls.remembered["said"] == "______3_0"
    press(at, "Next question")
    assert session_of(at).controls.remembered["question"] == 4
    session_of(at).controls.remembered["question"] = 13
    at.run()
    assert fine(at)
    assert at.main.table[0].value["because"].tolist() == [plain("the noun is *gone*")]


def test_everything_can_be_passed_over_and_the_list_is_the_visitor_s_own():
    at = page(question="13")
    assert "passed over" in at.main.markdown[-1].value
    at = page(question="13", said="010101___101201")
    assert "You were right in 2 of 4 questions, and in 2 of 4 new cases" in at.main.markdown[-1].value
    assert len(at.main.table[0].value) == 4
    press(at, "Begin again")
    assert session_of(at).controls.remembered["said"] == ""


@pytest.mark.parametrize("said", ["9", "999", "_1_", "1__" * 13, "abc", "7__"])
def test_nonsense_in_a_link_is_left_out(said):
    at = page(said=said, question="99")
    assert [each.icon for each in at.main.info] == [":material/link_off:"] and not at.main.success
    assert "Pass" in buttons(at)


def test_it_asks_in_chinese():
    at = page(lang="zh_CN", question="2", said="___201")
    assert asks(at, bank("zh_CN")[1].question) and (at.main.success or at.main.info)
