"""Find the fault: what it shows of a puzzle, that a link keeps the game, and that its numbers are the models' own."""

import datetime

import numpy as np
import pytest

from explorer.exhibits.hunt import looks, words
from explorer.exhibits.hunt.game import PRICES, Puzzle, puzzle_of, puzzle_of_day
from explorer.model_on_screen import sabotages
from explorer.model_on_screen.sabotages import WHOLE
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.ui.navigation import CONTENTS
from tests.pages.helpers import component, fine, shown, visit
from transformer_core.analysis.sabotage import SABOTAGES, SUSPECTS

POSITIONS = Puzzle(2, 5)


def hunt(**link):
    at = visit(link, "hunt")
    assert fine(at)
    return component(at, "hunt")


def played(puzzle=POSITIONS, **link):
    return hunt(puzzle=str(puzzle.code), **link)


def panels(sent):
    return {panel["look"]: panel for panel in sent["panels"]}


def said(pieces):
    return "".join(text for text, _differs in pieces)


def suspects(sent):
    return {each["id"]: each for box in sent["boxes"] for each in box["suspects"]}


def test_it_begins_with_the_puzzle_of_the_day_and_says_nothing_of_the_fault(monkeypatch):
    monkeypatch.setattr("explorer.exhibits.hunt.puzzle._today", lambda: puzzle_day)
    puzzle_day = next(day for day in days() if puzzle_of_day(day).number == 2)
    sent = hunt()
    assert sent["puzzle"] == puzzle_of_day(puzzle_day).code and "Today" in sent["name"]
    assert sent["points"] == sent["most"] == 12 and not sent["panels"] and sent["story"] is None
    assert {look["id"]: look["open"] for look in sent["looks"]} == dict.fromkeys(PRICES, True)
    assert {each["state"] for each in suspects(sent).values()} == {""}
    assert sent["counts"]["whole"] == 199 and sent["counts"]["broken"] < 100 and sent["counts"]["n"] == 200
    assert all(said(row["whole"]) != said(row["broken"]) for row in sent["answers"]["rows"])


def days():
    return (datetime.date(2026, 11, 29) + datetime.timedelta(days=i) for i in range(len(SABOTAGES)))


def test_a_link_keeps_the_game():
    sent = played(looks="shares.encoder", accused="norm-encoder")
    assert sent["points"] == 12 - 1 - 2 - 3 and not sent["over"]
    assert list(panels(sent)) == ["shares", "encoder"]
    cleared = suspects(sent)["norm-encoder"]
    assert cleared["state"] == "cleared" and "1.0 times as long" in cleared["against"]
    rows = {row["name"]: (row["broken"], row["whole"], row["n"]) for row in panels(sent)["shares"]["rows"]}
    assert rows["all"] == (sent["counts"]["broken"], 199, 200)
    assert rows["with “the” or “my”"][2] + rows["without these two"][2] == 200


def test_what_is_found_has_a_story_with_its_numbers():
    sent = played(looks="shares", accused="positions-encoder")
    assert sent["over"] and sent["points"] == 11
    assert sent["story"]["title"] == "Found, with 11 of 12 points left. The encoder has no positions."
    first, told, _why = (card["text"] for card in sent["story"]["cards"])
    assert first == "All numbers are the same up to the encoder’s embedding, positions: that differs by 100%."
    assert told == "What is added to a word’s vector for its place is 0 long."


def test_after_the_end_all_looks_are_free():
    sent = played(looks="shares", accused="positions-encoder", after="first.lengths")
    assert sent["points"] == 11 and list(panels(sent)) == ["shares", "first", "lengths"]
    assert [look["id"] for look in sent["looks"] if not look["open"]] == ["shares", "lengths", "first"]
    assert list(panels(played(looks="shares", after="first"))) == ["shares"], "it is not over"


def test_who_has_no_points_left_is_told():
    sent = played(looks="first", accused="norm-encoder.keys-cross")
    assert sent["over"] and sent["points"] == 0 and sent["story"]["title"].startswith("Not found.")
    assert suspects(sent)["positions-encoder"]["state"] == "guilty"


def test_nonsense_in_a_link_is_left_out_and_said():
    at = visit({"puzzle": "2052", "looks": "x", "accused": "y"}, "hunt")
    assert not at.exception
    sent = component(at, "hunt")
    assert sent["points"] == 12 and "puzzle=2052" in shown(at)


FIRST_OF_KIND = {each.suspect.kind: number for number, each in reversed(SABOTAGES.items())}.values()


@pytest.mark.parametrize(
    "number", [number if number in FIRST_OF_KIND else pytest.param(number, marks=pytest.mark.slow) for number in SABOTAGES]
)
def test_every_fault_is_played_to_its_end(number):
    """Each look is drawn, each other suspect is cleared by a number, and the story is told."""
    puzzle, guilty = Puzzle(number, 3), SABOTAGES[number].suspect
    model = show_model(of_task("everyday-fr"))
    row = looks.examples(model, puzzle)[0]
    drawn = {look: panel(model, puzzle, row) for look, panel in looks.PANELS.items()}
    assert {panel["kind"] for panel in drawn.values()} == {"shares", "writing", "heads", "lengths", "first"}
    found, without = sabotages.evidence(model, number), looks.right_without(model, number)
    for suspect in SUSPECTS:
        if suspect != guilty:
            assert "{" not in words.clears(suspect, found, without)
    right = int(sabotages.rows_answered_right(model, number).sum())
    assert "{" not in words.convicts(guilty, found, without, right) + words.reason(guilty.kind) + words.where_first(found)
    assert CONTENTS[words.WAYS[guilty.kind].page]


def test_a_sentence_of_ones_own_is_answered_by_both_and_a_strange_word_is_named():
    sent = played(looks="ask", tried="the dog sees the black cat")
    (row,) = sent["asked"]["rows"]
    assert said(row["whole"]) == "le chien voit le chat noir"
    assert [text for text, differs in row["whole"] if differs] == [" chien", " noir"]
    strange = played(looks="ask", tried="the elephant sleeps")
    assert "elephant" in strange["refused"] and "the horse sleeps" in strange["offered"] and strange["asked"] is None
    assert "Type a letter" in played(looks="ask", tried="zzzz")["refused"]
    assert played(tried="the dog sees the black cat")["asked"] is None, "it has a price"


def test_the_numbers_of_a_panel_are_those_of_the_two_models():
    model = show_model(of_task("everyday-fr"))
    row = looks.examples(model, POSITIONS)[0]
    drawn = looks.attention("cross", model, POSITIONS, row)
    for which, number in (("whole", WHOLE), ("broken", POSITIONS.number)):
        weights = sabotages.attention_of_row(model, number, row)["cross", 1]
        heads = np.array([head[which] for head in drawn["layers"][1]["heads"]])
        np.testing.assert_allclose(heads, weights, atol=1e-3)
        assert heads.shape == (4, len(drawn["queries"]), len(drawn["keys"]))
    assert len(looks.attention("encoder", model, POSITIONS, row)["queries"]) < len(drawn["keys"]), "no row for padding"


def test_it_speaks_chinese_and_poses_puzzles():
    sent = hunt(lang="zh_CN")
    assert sent["answerLanguage"] == "zh" and sent["counts"]["whole"] == 198


def test_a_posed_puzzle_is_an_address_that_does_not_name_its_fault():
    at = visit({"looks": "first", "accused": "norm-encoder", "pose": "on"}, "hunt")
    assert fine(at) and sum(button.key.startswith("pose-") for button in at.button) == len(SABOTAGES)
    at.button(key="pose-15").click().run()
    assert fine(at)
    assert puzzle_of(component(at, "hunt")["puzzle"]).number == 15 and not {"looks", "accused", "pose"} & {*at.query_params}
    assert component(at, "hunt")["points"] == 12
