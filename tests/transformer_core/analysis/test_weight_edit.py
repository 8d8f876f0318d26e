"""Pins: a model with weights changed by hand is, to the bit, the one whose state dict was changed; the given one stays."""

import pytest
import torch

from tests.transformer_core.helpers import config, perturbed_model, token_ids
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.weight_edit import WeightEdit, fits, parse, value_text, weight_shapes, with_weights
from transformer_core.model.transformer import Transformer

EDITS = [
    WeightEdit("encoder.0.self_attn.w_q.weight", (3, 5), 8.0),
    WeightEdit("decoder.1.feed_forward.w_2.weight", (0, 7), -100.0),
    WeightEdit("decoder.0.cross_attn_residual.norm.weight", (2,), 4.5),
    WeightEdit("tgt_embedding.table.weight", (4, 1), 0.1),
]


@pytest.mark.parametrize("tied", ["none", "all"])
def test_it_is_the_model_whose_state_dict_was_changed(tied):
    model = perturbed_model(config(tie_embeddings=tied, tgt_vocab=19), 0)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = {name: tensor.clone() for name, tensor in before.items()}
    for edit in EDITS:
        for name, tensor in state.items():
            if model.state_dict()[name].data_ptr() == model.get_parameter(edit.parameter).data_ptr():  # tied ones as well
                tensor[edit.index] = edit.value
    by_hand = Transformer(model.cfg, initialise=False)
    by_hand.load_state_dict(state)
    src, tgt = token_ids(model.cfg)
    edited = with_weights(model, EDITS)
    with torch.no_grad():
        assert torch.equal(edited(src, tgt), by_hand.eval()(src, tgt)) and not torch.equal(edited(src, tgt), model(src, tgt))
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    changed = {edit.parameter for edit in EDITS}
    for name, parameter in edited.named_parameters():
        assert (parameter is model.get_parameter(name)) is (name not in changed)
    assert not edited.training and edited.cfg == model.cfg


def test_it_can_be_cut_and_the_later_of_two_edits_counts():
    model = perturbed_model(config(), 0)
    edited = with_weights(model, [EDITS[0], WeightEdit(*EDITS[0].place, -3.0)])
    assert edited.get_parameter(EDITS[0].parameter)[3, 5] == -3
    src, tgt = token_ids(model.cfg)
    with torch.no_grad():
        cut = [cut_out(each, [HeadCut("cross", 0, 1)])(src, tgt) for each in (edited, model)]
    assert not torch.equal(*cut)


def test_the_line_of_a_program_reaches_the_weight():
    model = perturbed_model(config(), 0)
    for edit in EDITS:
        assert eval(edit.code, {"model": model}) == model.get_parameter(edit.parameter)[edit.index]
    assert EDITS[0].code == "model.encoder[0].self_attn.w_q.weight[3, 5]"


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_written_is_read(edit):
    assert parse(str(edit)) == edit


def test_values_are_written_in_few_digits():
    values = [0.1, -7.5, 100.0, 1e-9, -1e-9, 0.00012, 1 / 3]
    assert [value_text(value) for value in values] == ["0.1", "-7.5", "100", "0", "0", "0.0001", "0.3333"]


@pytest.mark.parametrize(
    "text",
    ["", "output.weight", "output.weight:1-2", "output.weight:1-2:", "output.weight:1-2-3:4", "output.weight:-1-2:4",
     "output.weight:1-2:nan", "output.weight:1-2:1e3", "output.weight:1-2:1001", "output.weight:01-2:1", "Output:1-2:1",
     "output.weight:1-2:٣", "output..weight:1-2:3", "output.weight:1-2:3\n"],
)  # fmt: skip
def test_nonsense_changes_nothing(text):
    with pytest.raises(ValueError, match="changes no weight"):
        parse(text)


def test_only_weights_of_the_model_fit():
    cfg = config()
    assert all(fits(edit, cfg) for edit in EDITS)
    rows, columns = weight_shapes(cfg)["output.weight"]
    foreign = ["output.weight:0:1", "decoder_norm.weight:0-0:1", f"output.weight:{rows}-0:1", f"output.weight:0-{columns}:1",
               "encoder.9.self_attn.w_q.weight:0-0:1", "cfg:0:1"]  # fmt: skip
    assert not any(fits(parse(text), cfg) for text in foreign)
