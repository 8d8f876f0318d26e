"""Pins: the weights that the settings change are changed in everything on screen, and in no other model."""

import math
from dataclasses import replace

import numpy as np
import torch

from explorer.model_on_screen import weight_edits
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.held_out import ROWS, shares_right
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import is_offered, show_model
from explorer.model_on_screen.weight_trials import changed_answers
from tests.pages.helpers import config
from transformer_core import TASKS, Transformer
from transformer_core.analysis.weight_edit import parse
from transformer_core.training.evaluation import exact_match

TRANSLATOR = of_task("everyday-fr")
EDIT = "decoder.1.cross_attn.w_v.weight:15-53:100,encoder.0.self_attn.w_q.weight:3-5:-7.5"


def by_hand(model: Transformer) -> Transformer:
    edited = Transformer(model.cfg, initialise=False)
    edited.load_state_dict(model.state_dict())
    with torch.no_grad():
        edited.decoder[1].cross_attn.w_v.weight[15, 53] = 100
        edited.encoder[0].self_attn.w_q.weight[3, 5] = -7.5
    return edited.eval()


def test_a_setting_and_its_edits():
    read = weight_edits.read(EDIT)
    assert weight_edits.written(read) == EDIT
    assert weight_edits.read(f" {EDIT},nonsense,,src:0,<b>") == read
    assert weight_edits.read("output.weight:0-0:1,output.weight:0-0:2") == [parse("output.weight:0-0:2")]
    many = ",".join(f"output.weight:0-{i}:1" for i in range(30))
    assert len(weight_edits.read(many)) == weight_edits.MOST
    fitting = weight_edits.edits_of(replace(TRANSLATOR, edit=f"{EDIT},output.weight:9-9999:1"), show_model(TRANSLATOR).cfg)
    assert list(fitting) == read
    assert weight_edits.edits_of(replace(TRANSLATOR, edit="decoder.7.feed_forward.w_1.weight:0-0:1"), config()) == ()


def test_all_that_the_model_does_it_does_with_the_weights_and_nobody_else_is_touched():
    before = show_model(TRANSLATOR)
    kept = {name: tensor.clone() for name, tensor in model_of(before.choice).state_dict().items()}
    shown = show_model(replace(TRANSLATOR, edit=EDIT))
    expected = by_hand(model_of(before.choice))
    with torch.inference_mode():
        logits = expected(torch.tensor([shown.src]), torch.tensor([shown.tgt]))[0].numpy()
    np.testing.assert_array_equal(shown.forward()["logits"], logits)
    assert shown.tgt == before.tgt, "the decoder reads what it did before, so that pictures keep their words"
    assert shown.answer != before.answer == shown.original.answer
    assert shown.original.choice == before.choice and not is_offered(shown.choice, "everyday-fr")
    assert all(torch.equal(tensor, kept[name]) for name, tensor in model_of(before.choice).state_dict().items())
    assert show_model(TRANSLATOR).answer == before.answer


def test_a_cut_is_made_in_the_changed_model():
    shown = show_model(replace(TRANSLATOR, edit=EDIT, cut="cross.0.1", instead="zero"))
    assert shown.whole.choice == show_model(replace(TRANSLATOR, edit=EDIT)).choice
    assert shown.original.choice == show_model(TRANSLATOR).choice
    cut = show_model(replace(TRANSLATOR, cut="cross.0.1", instead="zero"))
    assert not np.array_equal(shown.forward()["logits"], cut.forward()["logits"])


def test_what_is_left_is_counted_on_held_out_rows():
    shown, task = show_model(replace(TRANSLATOR, edit=EDIT)), TASKS["everyday-fr"]()
    rows = task.batch(ROWS, torch.Generator().manual_seed(1), held_out=True)
    before, now = shares_right([shown.choice.original, shown.choice], task, math.inf)
    assert now == exact_match(by_hand(model_of(shown.choice.original)), task, rows) < 0.5 < 0.97 < before


def test_weights_are_tried_one_at_a_time():
    shown = show_model(replace(TRANSLATOR, edit="output.weight:0-0:50"))
    edits = [parse(EDIT.split(",")[0]), parse("encoder.0.self_attn.w_q.weight:3-5:-7.5")]
    answers = [show_model(replace(TRANSLATOR, edit=str(edit))).answer for edit in edits]
    assert changed_answers(shown, edits, math.inf) == [answer != shown.original.answer for answer in answers] == [True, False]
    assert changed_answers(shown, [parse("output.weight:1-1:9")], 0.0) == [None]
