"""Pins the part Weights: the matrix is the model's, a change of a weight stands on every page, and is undone."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from explorer.model_on_screen import incremental, weight_edits
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.held_out import shares_right
from explorer.ui.format import share_words
from explorer.ui.weight_names import kind_of
from tests.pages.helpers import (
    VIEWS,
    close,
    component,
    figure,
    fine,
    go,
    measured,
    model_line,
    session_of,
    shown,
    turn,
    visit,
)
from tests.pages.test_live_pictures import asked, same_numbers
from transformer_core import TASKS
from transformer_core.analysis.weight_edit import weight_shapes

ONE = "decoder.1.cross_attn.w_v.weight:15-53:100"
TWO = f"{ONE},encoder.0.self_attn.w_q.weight:3-5:7.5"
PART = {"part": "weights"}


def matrix_of(at):
    return figure(at, "matrix-weights").cells[0]


def weights_of(at, parameter):
    return model_of(session_of(at).shown().choice).get_parameter(parameter).detach().numpy()


def test_each_matrix_shows_the_weights_of_the_model_and_the_largest_is_chosen():
    at = visit(PART, "shapes")
    assert fine(at) and component(at, "cut-answer")["texts"]["unchanged"] == "No weight is changed."
    model = session_of(at).shown()
    cross = weights_of(at, "decoder.1.cross_attn.w_v.weight")[:22]  # head 0
    close(matrix_of(at), cross)
    knob = component(at, "weight-knob")
    place = np.unravel_index(np.abs(cross).argmax(), cross.shape)
    assert knob["index"] == [*place] and knob["value"] == knob["learned"] == cross[place]
    assert component(at, "matrix-weights")["framed"] == [*place]

    assert fine(turn(at, head=2, weight_kind="encoder.self_attn.w_o", layer=0))
    close(matrix_of(at), weights_of(at, "encoder.0.self_attn.w_o.weight")[:, 44:66])
    assert fine(turn(at, weight_kind="encoder.feed_forward.w_1", weight_units=7))
    close(matrix_of(at), weights_of(at, "encoder.0.feed_forward.w_1.weight")[224:])
    assert fine(turn(at, weight_kind="src_embedding.table"))
    close(matrix_of(at), weights_of(at, "src_embedding.table.weight")[[*model.src]])
    assert figure(at, "matrix-weights").rows == model.vocabulary.decode(model.src)
    assert fine(turn(at, weight_kind="decoder_norm"))
    close(matrix_of(at), weights_of(at, "decoder_norm.weight")[None])
    assert len(component(at, "weight-knob")["index"]) == 1


@pytest.mark.parametrize(
    "link", [{"task": "repeat"}, {"tie_embeddings": "all", "position": "learned", "score": "additive", "step": "0"}]
)
def test_every_matrix_of_other_models_can_be_shown(link):
    at = visit(PART | link, "shapes", folded=True)
    (picker,) = (each for each in at.selectbox if each.key == "weight_kind")
    shapes = weight_shapes(session_of(at).shown().cfg)
    kinds = dict.fromkeys(kind_of(name) for name, shape in shapes.items() if len(shape) > 1 or name.endswith("norm.weight"))
    assert len(kinds) == len(picker.options) == len({*picker.options})
    for kind in kinds:
        assert fine(turn(at, weight_kind=kind)) and matrix_of(at).size, kind


def test_a_changed_weight_stands_on_the_page_and_is_undone():
    at, other = visit(PART | {"edit": TWO}, "shapes"), visit(PART, "shapes")
    assert fine(at) and at.query_params["edit"] == TWO
    before, now = session_of(other).shown(), session_of(at).shown()
    assert now.original.choice == before.choice
    line = component(at, "cut-answer")
    assert line["edited"] == "2 weights are changed by hand." and not line["cut"]
    assert line["before"] == "est-ce que tu aimes ma voiture rouge\xa0?" and any(differs for _text, differs in line["after"])
    said = model_line(at)["words"]
    assert "2 weights changed by hand" in said and said.endswith("held-out sequences right (before the changes)")
    names = [each.label for each in at.button if each.key.startswith("uncut-weight")]
    assert names[0].startswith("cross · W\\_V · layer 1 \\[15, 53\\] = 100") and "\\[3, 5\\] = 7.5" in names[1]
    knob = component(at, "weight-knob")
    assert (knob["value"], knob["others"], knob["setting"]) == (100, TWO.partition(",")[2], TWO)
    assert knob["learned"] == component(other, "weight-knob")["learned"] != 100
    close(figure(at, "matrix-weights").ends, figure(other, "matrix-weights").ends)

    at.button(key="uncut-weight-1").click().run()
    assert fine(at) and at.query_params["edit"] == ONE == session_of(at).settings.edit
    at.button(key="uncut-weight-0").click().run()
    assert fine(at) and "edit" not in at.query_params and session_of(at).shown().choice == before.choice
    assert fine(turn(other)) and "edited" not in model_line(other)["words"]


def test_heads_say_whether_a_changed_weight_moves_them():
    def said(edit, **link):
        at = visit({"edit": edit, **link}, "heads")
        assert fine(at)
        return [each.value for each in at.markdown if "as it was" in each.value or "Since the change" in each.value]

    for part in ("words_and_lines", "every_head"):
        assert said(ONE, part=part) == [
            "Every number here is as it was: none depends on the weight that you changed. The answer has changed all the same."
        ], part
    (told,) = said(TWO, part="every_head")
    n, count, top = re.search(r"\*\*(\d+) of (\d+) heads\*\* .* difference is (\d\.\d\d)", told).groups()
    assert 0 < int(n) <= int(count) == 24 and 0 < float(top) <= 1
    assert said(TWO, part="words_and_lines", kind="encoder", layer="0")[0].endswith("the model reads the same words.")
    (told,) = said("encoder.0.self_attn.w_q.weight:3-5:0.01", part="every_head")
    assert "no head gives any word as much as 0.01" in told and re.search(r"difference is 0\.00\d+\. Before", told)
    assert said(TWO, part="every_head", cut="cross.0.1") == said("", part="every_head") == []


def test_undo_all_undoes_cuts_and_changed_weights():
    at = visit({"edit": TWO, "cut": "cross.0.1"}, "heads")
    assert fine(at) and component(at, "cut-answer")["cut"] and component(at, "cut-answer")["edited"]
    at.button(key="uncut-all").click().run()
    assert fine(at) and {"edit", "cut"}.isdisjoint(at.query_params)
    assert not session_of(at).shown().choice.is_changed


def test_it_goes_with_its_visitor_to_every_page_but_not_to_another_task():
    at = visit({"edit": ONE}, "heads", folded=True)
    for page in VIEWS:
        go(at, page)
        assert fine(at), page
        assert "1 weight changed by hand" in model_line(at)["words"], page
        assert component(at, "cut-answer")["edited"] == "1 weight is changed by hand.", page
        assert at.query_params["edit"] == ONE, page
    assert fine(turn(at, task="copy")) and not session_of(at).shown().choice.edits and "edit" not in at.query_params


@pytest.mark.parametrize(
    ("said", "left"), [("nonsense", ""), (f"{ONE},output.weight:9-9999:1", ONE), (f"decoder.9.{ONE}", ""), ("<b>", "")]
)
def test_what_changes_no_weight_is_said_in_one_sentence(said, left):
    at = visit(PART | {"edit": said}, "shapes", folded=True)
    assert not at.exception and "which changes no weight of this model" in at.info[0].value
    assert at.query_params.get("edit", "") == left == session_of(at).settings.edit
    assert weight_edits.written(session_of(at).shown().choice.edits) == left


def test_what_a_dragged_weight_shows_is_what_the_page_shows():
    keys = ("cut-answer", "matrix-weights")
    at = visit(PART, "shapes")
    before = [component(at, key) for key in keys]
    asked_for = replace(session_of(at).settings, edit=ONE)
    pictures = asked(asked_for, "edit", *(each["live"] for each in before))["pictures"]
    at = visit(PART | {"edit": ONE}, "shapes")
    assert session_of(at).settings == asked_for
    for picture, was, now in zip(pictures, before, (component(at, key) for key in keys), strict=True):
        same_numbers(picture, now)
        assert any(was[name] != now[name] for name in picture)


def test_what_it_did_to_the_answers_is_counted_when_asked():
    incremental._finding.clear()  # nobody has asked yet
    at = visit(PART | {"edit": ONE}, "shapes")
    assert fine(measured(at, "cuts"))
    choice = session_of(at).shown().choice
    before, now = shares_right([choice.original, choice], TASKS["everyday-fr"](), math.inf)
    assert f"{share_words(before, 200)} were answered right before the changes, and {share_words(now, 200)} now" in shown(at)
    assert now < before
    assert fine(measured(at, "weights"))
    counts = [int(n) for n in re.findall(r"\*\*(\d+) of 40\*\* change the answer", shown(at))]
    assert len(counts) == 3 and counts[0] < counts[-1]


def test_no_more_weights_can_be_changed_than_a_link_holds():
    full = ",".join(f"decoder.1.cross_attn.w_v.weight:0-{i}:1" for i in range(weight_edits.MOST))
    at = visit(PART | {"edit": full}, "shapes", folded=True)
    knob = component(at, "weight-knob")
    assert knob["locked"] and "Up to 8 weights" in knob["texts"]["full"]
    at = visit(PART | {"edit": full, "weight": "0-3"}, "shapes", folded=True)
    assert not component(at, "weight-knob")["locked"]


def test_the_prediction_is_answered_by_the_model():
    at = visit(PART, "shapes", **{"ask-edit": True})
    place = component(at, "weight-knob")["place"]
    (choices,) = (each for each in at.radio if each.key.startswith("expect-first-edit"))
    choices.set_value(0).run()
    next(each for each in at.button if each.key.startswith("see-first-edit")).click().run()
    assert fine(at) and session_of(at).settings.edit == f"{place}:100"
    happened = session_of(at).shown()
    assert (happened.answer == happened.original.answer) is any("As you expected" in each.value for each in at.success)


def test_a_lesson_can_lock_the_weights():
    at = visit(PART | {"edit": ONE, "lock": "edit"}, "shapes", folded=True)
    assert fine(at) and component(at, "weight-knob")["locked"]
    assert next(each for each in at.button if each.key == "uncut-weight-0").disabled
