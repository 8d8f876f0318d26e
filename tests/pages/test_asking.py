"""The small question elsewhere than on Predict: it waits folded, the model answers, a new case follows, a link keeps it."""

from dataclasses import replace

import pytest

from explorer.model_on_screen.given_rows import given_row
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from tests.pages.helpers import component, figure, fine, session_of, visit

PLACES = {
    "heads": ("cut", {}),
    "be_the_head": ("press", {}),
    "story": ("story", {"scene": "6"}),
    "positions": ("longer", {"part": "trained_length"}),
}
SENTENCE = "the black cat sleeps on the bed"


def opened(page, **link):
    name, view = PLACES[page]
    at = visit({f"ask-{name}": "on"} | view | link, page, folded=True)
    assert fine(at)
    return at


def see(at, which, choice):
    """Chooses, and has it shown."""
    radio = next(each for each in at.main.radio if each.key.startswith(f"expect-{which}-"))
    radio.set_value(choice)
    at.run()
    next(each for each in at.main.button if each.key.startswith(f"see-{which}-")).click()
    at.run()
    assert fine(at)
    return at


def verdicts(at):
    return [each.value for each in (*at.main.success, *at.main.info)]


@pytest.mark.parametrize("page", PLACES)
def test_it_waits_folded_and_is_passed_over_by_doing_nothing(page):
    _name, view = PLACES[page]
    at = visit(view, page, folded=True)
    assert fine(at) and not at.main.radio
    assert sum(each.label == "First say what will happen" for each in at.main.expander) == 1


@pytest.mark.parametrize("page", PLACES)
def test_a_choice_and_its_new_case_are_answered_and_stand_in_the_address(page):
    name, _view = PLACES[page]
    at = see(opened(page), "first", 0)
    assert len(verdicts(at)) == 1 and any(each.value == "**A new case**" for each in at.main.markdown)
    at = see(at, "new", 1)
    assert len(verdicts(at)) == 2
    said = session_of(at).controls.remembered[f"said-{name}"]
    assert said[:3] == "0_1"
    link = dict(at.query_params)
    assert link[f"said-{name}"] == said
    again = visit(link, page, folded=True)
    assert fine(again) and verdicts(again) == verdicts(at)


@pytest.mark.parametrize("page", PLACES)
@pytest.mark.parametrize("said", ["999", "_1_", "0_7", "0__0000", "x"])
def test_nonsense_in_a_link_is_nothing_said(page, said):
    name, _view = PLACES[page]
    mark = session_of(see(opened(page), "first", 0)).controls.remembered[f"said-{name}"][3:]
    at = opened(page, **{f"said-{name}": said if len(said) > 3 else said + mark})
    assert not [each for each in verdicts(at) if "ou expected" in each]
    assert not at.main.radio[0].disabled


def test_two_words_that_are_asked_about_move_on_the_page():
    at = visit({"part": "in_attention", "ask-turn": "on"}, "positions", folded=True)
    at = see(at, "first", 2)
    knobs = session_of(at).controls.remembered
    assert at.main.success[0].value.startswith("As you expected. It was 1.95, and is 1.95")
    assert (knobs["turn_both"], knobs["turn_query"]) == (10, 2)
    at = see(at, "new", 1)
    assert at.main.success[1].value.startswith("As you expected. It was 1.95, and is 1.75")
    assert (session_of(at).controls.remembered["turn_both"], knobs["turn_query"]) == (10, 5)
    assert "all 11 pairs, drawn or not: a score of 1.75" in figure(at, "turned-pairs").alt


def test_the_cut_that_is_asked_about_is_made_on_the_page_and_the_other_way_round():
    at = see(opened("heads"), "first", 0)
    assert session_of(at).settings.cut == "cross.1.3"
    assert "The answer stays “est-ce que tu aimes ma voiture rouge" in at.main.success[0].value
    at = see(at, "new", 0)
    assert session_of(at).settings.cut == "cross.1.0,cross.1.1,cross.1.2"
    assert "It writes “tu aimes ma voiture rouge" in at.main.info[0].value


def test_another_sentence_is_another_question():
    at = see(opened("heads"), "first", 0)
    at.sidebar.text_input(key="src").set_value("the dog eats the bread").run()
    assert fine(at) and not verdicts(at) and not at.main.radio[0].disabled


def test_the_press_that_is_asked_about_is_made_in_the_game_and_the_next_row_is_the_new_case():
    at = see(opened("be_the_head", src=SENTENCE), "first", 1)
    sent = component(at, "be-the-head")
    assert sent["place"]["goal"] == 0 and sent["place"]["looks"] == [[1, 100]], "black"
    shown = show_model(replace(of_task("everyday-fr"), src=SENTENCE))
    row = given_row(shown, "cross", sent["drawn"]["levels"][0][0]["query"], [float(key == 1) for key in range(7)])
    (word,) = shown.vocabulary.decode([int(row.argmax())])
    assert word == "noir" and f"it writes “{word}”" in at.main.success[0].value
    at = see(at, "new", 0)
    assert component(at, "be-the-head")["place"]["goal"] == 1


@pytest.mark.parametrize("level", range(1, 5))
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_each_level_asks_about_a_press_that_does_not_solve_it(level, language):
    at = opened("be_the_head", level=str(level), lang=language)
    at = see(at, "first", 0)
    sent = component(at, "be-the-head")
    assert sent["look"]["next"][0][0] != sent["drawn"]["levels"][level - 1][sent["place"]["goal"]]["word"]


def test_the_story_asks_the_question_of_the_bank_in_its_scene_alone():
    at = see(opened("story"), "first", 0)
    assert component(at, "outcome-" + key_of(at))["picture"]["kind"] == "arcs"
    assert "The answer was “the cup”" in at.main.success[0].value
    assert not visit({"scene": "5", "ask-story": "on"}, "story", folded=True).main.radio


def key_of(at):
    return at.main.radio[0].key.removeprefix("expect-first-")
