"""Pins what the parts of the shapes page show: the encoder's shape, reconciled parameters, printouts, and costs."""

import numpy as np
import pytest
from explorer.sections import cost_and_length

from tests.pages.helpers import config, figure, figures, fine, open_page, shown, turn
from transformer_core import TransformerConfig
from transformer_core.analysis.length_cost import Measured
from transformer_core.model.accounting import count_by_formula, stage_shapes

SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}


def number(words: str) -> int:
    return int(words.replace(",", ""))


def test_c7_the_encoder_s_one_shape_is_named():
    at = open_page("shapes", batch=3, src="the red cat sees the dog", norm="post", **SIZES)
    stages = [
        stage for stage in stage_shapes(config(**SIZES, norm="post"), 3, 6, 8) if stage.axes == ("batch", "src", "d_model")
    ]
    assert f"all {len(stages)} tables with the sides (batch, src, d_model) are (3, 6, 48)." in shown(at)
    assert "from `encoder.embedding.tokens` to `memory`" in shown(at)


@pytest.mark.parametrize(
    "changes",
    [{}, {"norm": "post"}, {"tie_embeddings": "all"}, {"tie_embeddings": "output", "d_ff": 192}, {"position": "learned"},
     {"cross_attention": False, "score": "additive"}],
    ids=str,
)  # fmt: skip
def test_e3_the_difference_is_explained_to_the_last_parameter(changes):
    at = open_page("shapes", part="Parameters", **(SIZES | changes))
    assert fine(at)
    five, because = at.dataframe[1].value, at.dataframe[2].value
    cfg = config(**(SIZES | changes))
    d = 48
    formulas = [18 * 4 * (d * d + d), 12 * (8 * d * d + 5 * d), 32 * 2 * d, cfg.tgt_vocab * d]
    assert [number(n) for n in five["by formula"]] == [*formulas, 168 * d * d + 196 * d + cfg.tgt_vocab * d]
    assert number(five["this model"].iloc[-1]) == count_by_formula(cfg) == sum(map(number, five["this model"][:-1]))
    assert (
        number(five["difference"].iloc[-1]) == count_by_formula(cfg) - sum(formulas) == number(because["parameters"].iloc[-1])
    )
    assert sum(map(number, because["parameters"][:-1])) == number(five["difference"].iloc[-1])
    assert "What they leave unexplained: 0." in shown(at)


def test_e3_the_model_of_the_formulas_differs_in_nothing():
    at = open_page("shapes", part="Parameters", d_model=512, n_heads=8, d_ff=2048, n_layers=6, norm="pre", tie_embeddings="all")
    assert set(at.dataframe[1].value["difference"]) == {"+0"}
    assert "nothing differs" in shown(at)
    assert number(at.dataframe[1].value["this model"].iloc[-1]) == 44_140_544 + 512 * config().tgt_vocab


def test_b1_the_printouts_of_textbooks():
    at = open_page("shapes", part="The notes' printout")
    assert fine(at)
    rows = {row["stage"]: row for _, row in at.dataframe[0].value.iterrows()}
    assert rows["src"]["numbers"] == "(2, 4)"
    assert rows["encoder.embedding.sum"]["numbers"] == rows["memory"]["numbers"] == "(2, 4, 512)"
    assert rows["encoder.0.self_attn.weights"]["numbers"] == "(2, 8, 4, 4)"
    assert rows["encoder.0.self_attn.weights"]["of one head"] == "(2, 4, 4)"
    assert rows["decoder.0.feed_forward.output"]["numbers"] == "(2, 4, 512)"
    turn(at, print_batch=3, print_length=7, print_width=24, print_heads=2)
    expected = stage_shapes(TransformerConfig(450, 450, 24, 2, 96, 1, norm="pre"), 3, 7, 7)
    found = list(at.dataframe[0].value["numbers"])[1:]
    assert found[:-1] == [str(stage.shape) for stage in expected][:-1]  # but for the vocabulary


def test_c1_the_curves_are_the_formulas_and_cross_where_marked():
    at = open_page("shapes", part="Cost and length", kernel=5, src="the red cat", **SIZES)
    assert fine(at)
    n, d = 2.0 ** np.arange(13), 48
    for found, expected in zip(figure(at, "operations").lines, (n * n * d, n * d * d, 5 * n * d * d), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert [line["x0"] for line in figure(at, "operations").layout["shapes"]] == [48, 240]
    for found, expected in zip(figure(at, "sequential").lines, (n**0, n, n**0), strict=True):
        np.testing.assert_array_equal(found, expected)
    path = np.maximum(1, np.ceil(np.log(n) / np.log(5) - 1e-9))
    for found, expected in zip(figure(at, "path").lines, (n**0, n, path), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert [number(each) for each in at.dataframe[0].value["for your 3 words"]] == [9 * 48, 3 * 48 * 48, 5 * 3 * 48 * 48]


def test_c1_nothing_is_measured_before_the_button_is_pressed(monkeypatch):
    asked = []

    def measure(lengths, *sizes):
        asked.append(sizes)
        names = ("self-attention", "recurrent (RNN)", "recurrent (GRU)", "convolution")
        return Measured(tuple(lengths), {name: np.arange(1.0, 5.0) + i for i, name in enumerate(names)}, 2)

    monkeypatch.setattr(cost_and_length, "measure_layers", measure)
    cost_and_length._time.clear()
    at = open_page("shapes", part="Cost and length", **SIZES)
    assert not asked and len(figures(at)) == 3
    at.button(key="measure").click().run()
    assert fine(at) and asked == [(48, 3, 3)]
    np.testing.assert_array_equal(figure(at, "milliseconds").lines, np.arange(1.0, 5.0) + np.arange(4)[:, None])
    turn(at)
    assert asked == [(48, 3, 3)] and len(figures(at)) == 4, "it is kept"
    turn(at, kernel=5)
    assert asked == [(48, 3, 3)] and len(figures(at)) == 3, "other sizes are another measurement"
    cost_and_length._time.clear()


@pytest.mark.parametrize("part", ["Parameters", "The notes' printout", "Cost and length"])
@pytest.mark.parametrize("sizes", [{"d_model": 8, "n_heads": 8}, {"d_model": 512, "n_heads": 16, "n_layers": 6}], ids=str)
def test_the_parts_open_at_the_ends_of_the_knobs(part, sizes):
    assert fine(open_page("shapes", part=part, **sizes))
