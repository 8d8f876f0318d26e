"""Pins what the parts of the shapes page show: the encoder's shape, parameters that add up, printouts, costs, and the check."""

import re

import numpy as np
import pytest
import torch

from explorer.exhibits.shapes import against_torch, cost_and_length, parameters
from explorer.model_on_screen.forward import model_of
from tests.pages.helpers import (
    ROOT,
    SIZES,
    WORDS,
    array,
    component,
    config,
    figure,
    figures,
    fine,
    open_page,
    session_of,
    shown,
    turn,
    visit,
)
from transformer_core import PRESETS, Transformer, TransformerConfig
from transformer_core.analysis.accounting import parameter_parts, stage_shapes
from transformer_core.analysis.length_cost import Measured
from transformer_core.analysis.parameter_check import reconcile
from transformer_core.analysis.parity import SABOTAGES, TOLERANCE, parity, random_case
from transformer_core.analysis.torch_reference import ALWAYS_IN_TORCH
from transformer_core.data.batch import Batch
from transformer_core.model.stages import attention_path
from transformer_core.training.cost import count_by_formula

SWITCHES = [
    {},
    {"norm": "post"},
    {"tie_embeddings": "all"},
    {"tie_embeddings": "output", "d_ff": 192},
    {"position": "learned"},
    {"cross_attention": False, "score": "additive"},
    {"attention_bias": False},
]


def number(words: str) -> int:
    return int(words.replace(",", "").replace("−", "-"))


@pytest.mark.teaches(point="E2")
def test_every_stage_of_one_layer_and_what_a_change_has_changed():
    at = open_page("shapes", batch=3, src="the red cat sees the dog", norm="post", layer=1, **SIZES)
    assert fine(at)
    every = stage_shapes(config(**SIZES, norm="post"), 3, 6, len(session_of(at).shown().tgt))
    rows = at.dataframe[0].value
    listed = [stage for stage in every if not re.match(r"(en|de)coder\.0\.", stage.name)]
    assert list(rows["stage"]) == [stage.name for stage in listed]
    assert list(rows["shape"]) == [str(stage.shape) for stage in listed] and set(rows["changed"]) == {""}
    chain = at.code[0].value.split("\n→ ")
    ends = [f"encoder.{i}.{part}.norm_out" for i in range(SIZES["n_layers"]) for part in ("self_attn", "feed_forward")]
    assert chain == [f"{name} (3, 6, 48)" for name in ("encoder.embedding.sum", *ends, "memory")]
    assert f"each of its {len(ends)} parts hands to the next, and what leaves it are (3, 6, 48)." in shown(at)
    turn(at, n_heads=4)
    rows = at.dataframe[0].value
    changed = {stage for stage, mark in zip(rows["stage"], rows["changed"], strict=True) if mark}
    assert changed == {stage.name for stage in listed if "head" in stage.axes}
    assert f"{len(changed)} of {len(listed)}" in shown(at)


def test_a_block_in_the_address_brings_its_numbers_and_follows_the_layer():
    weights = attention_path("cross", 1).stage("weights")
    at = open_page("shapes", {"stages_block": weights}, **SIZES)
    assert fine(at)
    session = session_of(at)
    selected = component(at, "shape-map")["selected"]
    assert selected["id"] == weights
    np.testing.assert_array_equal(array(selected["values"]), session.shown().forward()[weights])
    assert fine(turn(at, layer=0))
    selected = component(at, "shape-map")["selected"]
    assert selected["id"] == attention_path("cross", 0).stage("weights")
    for nonsense in ("encoder.9.self_attn.q", "<b>", "memory.x"):
        at = open_page("shapes", {"stages_block": nonsense}, **SIZES)
        assert fine(at)
        assert nonsense == "encoder.9.self_attn.q" or component(at, "shape-map")["selected"] is None


@pytest.mark.teaches(point="E3")
def test_the_difference_is_explained_to_the_last_parameter():
    changes = {"tie_embeddings": "output", "d_ff": 192}
    at = open_page("shapes", part="parameters", **(SIZES | changes))
    assert fine(at)
    every, five, because = (frame.value for frame in at.dataframe)
    cfg = config(**(SIZES | changes))
    lines = reconcile(cfg)
    assert [number(n) for n in every["counted"]] == [*(p.by_count for p in parameter_parts(cfg)), count_by_formula(cfg)]
    for column, numbers in (
        ("by formula", [line.by_formula for line in lines]),
        ("this model", [line.built for line in lines]),
        ("difference", [line.difference for line in lines]),
    ):
        assert [number(n) for n in five[column]] == [*numbers, sum(numbers)]
    amounts = [term.amount for line in lines for term in line.terms]
    assert [number(n) for n in because["parameters"]] == [*amounts, sum(amounts)]
    assert "Left unexplained: 0." in shown(at)


@pytest.mark.teaches(point="E3")
def test_the_model_of_the_formulas_differs_in_nothing():
    sizes = {"d_model": 512, "n_heads": 8, "d_ff": 2048, "n_layers": 6}
    at = open_page("shapes", part="parameters", norm="pre", tie_embeddings="all", **sizes)
    assert set(at.dataframe[1].value["difference"]) == {"+0"} and "there is no difference" in shown(at)


@pytest.mark.parametrize("score", ["scaled_dot", "dot", "additive", "concat_linear"])
def test_whether_the_number_of_heads_changes_that_of_parameters_is_said_of_this_model_s_score(score):
    sizes = SIZES | {"score": score}
    same = count_by_formula(config(**sizes)) == count_by_formula(config(**sizes | {"n_heads": 4}))
    for part, yes in (("stages", "the number of parameters does not"), ("parameters", "so their number does not matter")):
        words = shown(open_page("shapes", part=part, **sizes))
        assert (yes in words) == same
        assert (
            "with this score the number of parameters" in words or "whose number depends on that of the heads" in words
        ) == (not same)


@pytest.mark.teaches(point="E1")
def test_of_the_paper_s_base_model_both_numbers_are_said():
    """Its table 3 says 65 million, with a vocabulary that it calls about 37,000."""
    words = shown(open_page("shapes", part="parameters", **SIZES))
    assert count_by_formula(PRESETS["paper_base"]) == 63_082_496
    assert "63.08 million parameters; the paper's table 3 says 65 million" in words


def test_all_that_the_core_calls_its_rows_can_be_translated():
    configs = [config(**(SIZES | changes)) for changes in SWITCHES]
    alone = {"stacks": "decoder", "position": "learned"}
    configs += [config(**(SIZES | alone | {"tie_embeddings": tied})) for tied in ("none", "output")]
    assert {part.name for cfg in configs for part in parameter_parts(cfg)} <= set(parameters.PART_NAMES)
    assert {line.name for line in reconcile(configs[0])} == set(parameters.LINE_NAMES)
    terms = [term for cfg in (*configs, *PRESETS.values()) for line in reconcile(cfg) for term in line.terms]
    assert {term.reason for term in terms} == set(parameters.REASONS)
    assert all(parameters.REASONS[term.reason].format(**term.values) for term in terms)


@pytest.mark.teaches(point="B1")
def test_the_printouts_of_lecture_notes():
    at = open_page("shapes", part="printout")
    assert fine(at)
    rows = {row["stage"]: row for _, row in at.dataframe[0].value.iterrows()}
    assert rows["src"]["shape"] == "(2, 4)"
    assert rows["encoder.embedding.sum"]["shape"] == rows["memory"]["shape"] == "(2, 4, 512)"
    assert rows["encoder.0.self_attn.weights"]["shape"] == "(2, 8, 4, 4)"
    assert rows["encoder.0.self_attn.weights"]["of one head"] == "(2, 4, 4)"
    turn(at, print_batch=3, print_length=7, print_width=24, print_heads=2)
    expected = stage_shapes(TransformerConfig(len(WORDS), len(WORDS), 24, 2, 96, 1, norm="pre"), 3, 7, 7)
    assert list(at.dataframe[0].value["shape"])[1:] == [str(stage.shape) for stage in expected]


@pytest.mark.teaches(point="C1")
def test_the_curves_are_the_formulas_and_cross_where_marked():
    at = open_page("shapes", part="cost_and_length", kernel=5, src="the red cat", **SIZES)
    assert fine(at)
    assert [line["x0"] for line in figure(at, "operations").layout["shapes"]] == [48, 240]
    assert "self-attention takes 2.1 times as many as the recurrent layer, and 3.0 times where n = d" in shown(at)
    assert [number(each) for each in at.dataframe[0].value["for n = 3"]] == [9 * 48, 3 * 48 * 48, 5 * 3 * 48 * 48]


@pytest.mark.teaches(point="C1")
def test_nothing_is_measured_before_the_button_is_pressed(monkeypatch):
    asked = []

    def measure(lengths, *sizes):
        asked.append(sizes)
        names = ("self-attention", "recurrent (RNN)", "recurrent (GRU)", "convolution")
        return Measured(tuple(lengths), {name: np.arange(1.0, 5.0) + i for i, name in enumerate(names)}, 2)

    monkeypatch.setattr(cost_and_length, "measure_layers", measure)
    cost_and_length._timed.clear()
    at = open_page("shapes", part="cost_and_length", **SIZES)
    assert not asked and len(figures(at)) == 3
    at.button(key="measure").click().run()
    assert fine(at) and asked == [(48, 3, 3)]
    np.testing.assert_array_equal(figure(at, "milliseconds").lines, np.arange(1.0, 5.0) + np.arange(4)[:, None])
    turn(at)
    assert asked == [(48, 3, 3)] and len(figures(at)) == 4, "it is kept"
    turn(at, kernel=5)
    assert asked == [(48, 3, 3)] and len(figures(at)) == 3, "other sizes are another measurement"
    cost_and_length._timed.clear()


def check(at, button: str = "check-this-model"):
    return at.button(key=button).click().run()


def dots(at) -> list[np.ndarray]:
    return figure(at, "parity").lines


def test_the_model_on_screen_is_that_of_torch_and_the_result_goes_with_it():
    at = open_page("shapes", part="against_torch", **SIZES)
    assert fine(at) and not figures(at) and not at.success
    check(at)
    assert fine(at)
    model = session_of(at).shown()
    batch = Batch(*(torch.tensor([ids]) for ids in model.batch(1, 0)))
    for drawn, dtype in zip(dots(at), TOLERANCE, strict=True):
        found = parity(model_of(model.choice), batch, dtype)
        assert found.all_equal and len(drawn) == len(found.stages)
        np.testing.assert_allclose(drawn.max(), max(each.relative for each in found.stages), rtol=1e-6)
    rows = at.dataframe[0].value
    assert list(rows["what"])[:-2] == [each.name for each in found.stages] and set(rows["verdict"]) == {"✓ equal"}
    (said,) = at.success
    assert f"{len(found.stages)} stages, {len(found.gradients)} gradients" in said.value
    assert torch.__version__ in shown(at)
    turn(at, n_heads=4)
    assert fine(at) and not figures(at), "another model has not been checked"
    check(at)
    turn(at, src="the red cat")
    assert fine(at) and not figures(at), "another sentence neither"


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_what_is_broken_turns_red_and_the_first_stage_is_named(sabotage):
    at = open_page("shapes", part="against_torch", **SIZES)
    check(at)
    turn(at, against_torch_broken=sabotage)
    assert not at.exception and not at.success
    first = attention_path("encoder", 0).stage("norm_in" if sabotage == "eps" else "weights")
    (said,) = at.error
    assert f"The first stage that does is `{first}`" in said.value
    assert ("In float32 all differences stay below" in said.value) == all(dots(at)[0] <= TOLERANCE[torch.float32])
    symbols = figure(at, "parity").data[1]["marker"]["symbol"]
    verdicts = list(at.dataframe[0].value["verdict"])
    assert symbols.count("x") == sum(verdict != "✓ equal" for verdict in verdicts[:-2]) > 0
    assert fine(turn(at, against_torch_broken="nothing")) and at.success


def test_random_sizes_are_others_each_time_and_are_said():
    at = open_page("shapes", part="against_torch", **SIZES)
    for seed in range(2):
        check(at, "check-random")
        assert fine(at)
        cfg = random_case(seed)[0].cfg
        assert f"layers: {cfg.n_layers}, d_model {cfg.d_model}, heads: {cfg.n_heads}, d_ff {cfg.d_ff};" in shown(at)
    turn(at, n_heads=4)
    assert f"d_model {cfg.d_model}, heads: {cfg.n_heads}" in shown(at), "it does not belong to the model on screen"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"layer_norm": "unbiased_std"}, "layer norm with the unbiased standard deviation"),
        ({"score": "additive"}, "scores of the kind “additive” in place of the scaled dot product"),
        ({"residual": False, "cross_attention": False}, "no residual connections, no cross-attention"),
    ],
)
def test_what_torch_has_no_counterpart_for_is_said_and_tested(changes, words):
    at = open_page("shapes", part="against_torch", **SIZES, **changes)
    assert fine(at) and f"no counterpart for this model: {words}." in shown(at)
    assert at.button(key="check-this-model").disabled and f"`{against_torch.NUMPY_TESTS}`" in shown(at)
    assert (ROOT / against_torch.NUMPY_TESTS).is_file() and set(against_torch._reasons(config())) == set(ALWAYS_IN_TORCH)
    assert fine(check(at, "check-random")) and at.success


def test_a_model_that_would_take_too_long_is_not_checked_and_cuts_are_left_out():
    at = open_page("shapes", part="against_torch", d_model=512, d_ff=2048, n_layers=2)
    assert fine(at) and "models of up to 3,000,000 are checked" in shown(at)
    at = open_page("shapes", {"cut": "cross.0.1"}, part="against_torch", **SIZES)
    assert fine(check(at)) and at.success and "without your cuts" in shown(at)


@pytest.mark.teaches(point="A13")
def test_initial_weights_are_drawn_up_to_the_bound():
    at = open_page("shapes", part="initial_weights", seed=5, **SIZES)
    assert fine(at)
    table = at.dataframe[0].value
    net = Transformer(config(**SIZES), torch.Generator().manual_seed(5))
    assert list(table["matrix"]) == [name for name, parameter in net.named_parameters() if parameter.ndim > 1]
    name = "encoder.0.self_attn.w_q.weight"
    weights, bound = net.get_parameter(name).detach().numpy(), np.sqrt(6 / (48 + 48))
    assert f"√(6 / (48 + 48)) = {bound:.4f}: the largest is {np.abs(weights).max():.4f}" in shown(at)
    (shares,) = figure(at, "initial-weights").lines
    assert shares.sum() == pytest.approx(1, abs=1e-5) and len(figure(at, "initial-weights").layout["shapes"]) == 2
    row = table.set_index("matrix").loc["encoder.0.feed_forward.w_1.weight"]
    assert row["bound b"] == f"{np.sqrt(6 / (48 + 80)):.4f}"


@pytest.mark.teaches(point="A13")
def test_a_model_that_has_learned_is_drawn_beside_its_beginning():
    at = visit({"part": "initial_weights", "task": "copy"}, "shapes")
    assert fine(at)
    begun, now = figure(at, "initial-weights").lines
    assert begun.sum() == pytest.approx(1, abs=1e-5) and 0.9 < now.sum() <= 1 + 1e-5
    assert (begun > 0).sum() < (now > 0).sum() and "have gone beyond it" in shown(at)


@pytest.mark.teaches(point="B1")
def test_the_numbers_of_the_printout():
    at = open_page("shapes", part="printout", print_dropout=0.2, print_width=64, **SIZES)
    assert fine(at)
    assert "each weight is 1 / 4 = 0.25" in shown(at) and "0.25 / (1 − p) = 0.3125" in shown(at)


def test_where_linear_leads_is_said_what_it_makes():
    at = open_page("shapes", **SIZES)
    said = f"**logits**, comes from the *linear* layer: at each place a score for each of the {len(WORDS):,} tokens"
    assert said in shown(at)
