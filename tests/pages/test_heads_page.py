"""Pins the parts of the heads page: words and lines, the cut into heads, what each head looks at, and what heads cost."""

import numpy as np
import pytest
import torch

from explorer import server
from explorer.components.attention_view import Selection
from explorer.sections import what_heads_cost, words_and_lines
from tests.pages.helpers import attention_view, config, figure, figures, fine, fresh, open_page, shown, traced, turn
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.attention_metrics import token_kind
from transformer_core.analysis.head_split import head_cost, split_steps

SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}
SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge le"}
SCOPES = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}
LENGTHS = {"encoder": (6, 6), "decoder": (5, 5), "cross": (5, 6)}
kinds = pytest.mark.parametrize("kind", list(SCOPES))


def opened(part: str, kind: str = "encoder", **more):
    at = open_page("heads", part=part, kind=kind, layer=1, head=2, seed=5, **SIZES, **SENTENCES, **more)
    assert fine(at)
    return at


@kinds
def test_the_lines_are_the_weights_of_the_model_between_its_words(kind):
    at = opened("Words and lines", kind)
    weights = fresh(config(**SIZES), 5, **SENTENCES)[f"{SCOPES[kind]}.weights"]
    sent = attention_view(at)
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-5, atol=1e-7)
    src, tgt = SENTENCES["src"].split(), ["<start>", *SENTENCES["tgt"].split()]
    assert (sent["rows"], sent["columns"]) == (src if kind == "encoder" else tgt, tgt if kind == "decoder" else src)
    assert (sent["valid"] == (np.tri(5, dtype=bool) if kind == "decoder" else True)).all()
    assert sent["same"] == (kind != "cross")


@pytest.mark.parametrize("selection", [None, Selection("query", 3), Selection("key", 2)])
def test_the_bars_follow_the_word_that_is_held(monkeypatch, selection):
    monkeypatch.setattr(words_and_lines.attention_view, "show", lambda *_, **__: selection)
    at = opened("Words and lines", "decoder")
    weights = fresh(config(**SIZES), 5, **SENTENCES)["decoder.1.self_attn.weights"]
    strongest = 1 + weights[:, 1:].max(axis=(0, 2)).argmax()  # the first word has no choice
    place = strongest if selection is None else selection.place
    expected = weights[:, :, place] if selection is not None and selection.side == "key" else weights[:, place]
    np.testing.assert_allclose(figure(at, "held-word").lines, expected, rtol=1e-5, atol=1e-7)
    word = ["<start>", *SENTENCES["tgt"].split()][place].replace("<", "\\<")
    said = (
        "What each word takes from “{}”"
        if selection is not None and selection.side == "key"
        else "What “{}” takes from each word"
    )
    assert said.format(f"{place} {word}") in shown(at)
    assert ("You hold no word" in shown(at)) == (selection is None)


@kinds
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_d6_the_page_cuts_the_models_own_numbers_both_ways(kind, norm):
    at = opened("Split and join", kind, norm=norm)
    stages = fresh(config(**SIZES, norm=norm), 5, **SENTENCES)
    q, k, weights, concat, output = (stages[f"{SCOPES[kind]}.{name}"] for name in ("q", "k", "weights", "concat", "output"))
    queries, keys = LENGTHS[kind]
    flat, flat_k = (x.transpose(1, 0, 2).reshape(-1, 48) for x in (q, k))
    np.testing.assert_allclose(figure(at, "projected").cells[0], flat, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(figure(at, "head-q").cells[0], q[2], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(figure(at, "concat").cells[0], concat, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(figure(at, "mixed").cells[0], output, rtol=1e-4, atol=1e-5)
    model = Transformer(config(**SIZES, norm=norm), torch.Generator().manual_seed(5))
    module = model.get_submodule(SCOPES[kind])
    np.testing.assert_allclose(figure(at, "head-matrix").cells[0], module.w_q.weight[32:48].detach().numpy().T, rtol=1e-6)
    allowed = np.tri(queries, dtype=bool) if kind == "decoder" else np.ones((queries, keys), bool)
    scores = np.where(allowed, flat.reshape(3, queries, 16)[2] @ flat_k.reshape(3, keys, 16)[2].T / 4, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    wrong = powers / powers.sum(axis=1, keepdims=True)
    right, shown_wrong = figure(at, "cut-weights").cells
    np.testing.assert_allclose(right, np.where(allowed, weights[2], np.nan), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(shown_wrong, np.where(allowed, wrong, np.nan), rtol=1e-3, atol=1e-5)
    away = 0.5 * np.abs(weights[2] - wrong).sum(axis=1).mean()
    assert f"would have to move {away:.0%} of its attention" in shown(at)


@pytest.mark.parametrize(("size", "d_model", "n_heads"), [("this model", 48, 3), ("8 in 2", 8, 2), ("1000 in 4", 1000, 4)])
def test_a7_d6_the_page_says_which_token_each_number_came_from(size, d_model, n_heads):
    at = opened("Split and join", "cross", split_size=size)
    table = at.dataframe[0].value
    steps = split_steps(d_model, n_heads, 1, 5, 6)
    assert list(table["shape"]) == [str(step.shape) for step in steps]
    assert list(table["code"]) == [step.code for step in steps]
    d_k = d_model // n_heads
    token = np.arange(5 * d_model).reshape(5, d_model) // d_model
    right = token.reshape(5, n_heads, d_k).transpose(1, 0, 2)
    wrong = token.reshape(n_heads, 5, d_k)
    np.testing.assert_array_equal(figure(at, "origin-right").cells[0], right.reshape(-1, d_k))
    np.testing.assert_array_equal(figure(at, "origin-wrong").cells[0], wrong.reshape(-1, d_k))
    own = np.arange(5)[:, None]
    assert f"**{(wrong != own).mean():.0%}** of the numbers stand in the row of another token" in shown(at)
    assert f"and **{(wrong > own).mean():.0%}** in that of an earlier one" in shown(at)
    assert "0% stand in the row of another token" in shown(at)
    if size == "1000 in 4":
        assert "(1, 4, 5, 250)" in set(table["shape"])


def shares(weights: np.ndarray, allowed: np.ndarray, queries: list[str], keys: list[str], across: bool) -> dict[str, list]:
    """What each head gives to each relation, pair by pair."""
    tests = {
        "same place": lambda i, j: i == j,
        "place before": lambda i, j: j == i - 1,
        "place after": lambda i, j: j == i + 1,
        "first word": lambda i, j: j == 0,
        "same word": lambda i, j: queries[i] == keys[j] and (across or i != j),
        "<…> tokens": lambda i, j: token_kind(keys[j]) == "special",
        "words": lambda i, j: token_kind(keys[j]) == "word",
        "numbers": lambda i, j: token_kind(keys[j]) == "number",
    }
    found = {}
    for name, test in tests.items():
        rows = [[j for j in range(len(keys)) if test(i, j) and allowed[i, j]] for i in range(len(queries))]
        if any(rows):
            found[name] = [np.mean([head[i, row].sum() for i, row in enumerate(rows) if row]) for head in weights]
    return found


def telling(found: dict[str, list]) -> dict[str, list]:
    """Less the kinds that all words are of."""
    return {name: column for name, column in found.items() if not np.isclose(column[-1], 1)}


def even(allowed: np.ndarray) -> np.ndarray:
    return (allowed / allowed.sum(axis=1, keepdims=True))[None]


@kinds
def test_a7_the_page_measures_what_heads_look_at(kind):
    at = opened("What they look at", kind)
    weights = fresh(config(**SIZES), 5, **SENTENCES)[f"{SCOPES[kind]}.weights"]
    src, tgt = SENTENCES["src"].split(), ["<start>", *SENTENCES["tgt"].split()]
    queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
    allowed = np.tri(5, dtype=bool) if kind == "decoder" else np.ones(LENGTHS[kind], bool)
    expected = shares(np.concatenate([weights, even(allowed)]), allowed, queries, keys, kind == "cross")
    (cells,) = figure(at, "looks").cells
    drawn = telling(expected)
    assert figure(at, "looks").layout["xaxis"]["ticktext"] == [name.replace("<", "&lt;").replace(">", "&gt;") for name in drawn]
    np.testing.assert_allclose(cells, np.array(list(drawn.values())).T, rtol=1e-4, atol=1e-6)
    table = at.dataframe[0].value
    for name, column in expected.items():
        np.testing.assert_allclose(table[name], column, atol=1e-3)
    bits = [-(w[w > 0] * np.log2(w[w > 0])).sum() / len(w) for w in weights]
    np.testing.assert_allclose(table["entropy (bits)"][:3], bits, atol=1e-3)
    excess = {(name, head): column[head] - column[3] for name, column in expected.items() for head in range(3)}
    name, head = max(excess, key=lambda pair: excess[pair])
    assert f"**head {head}** stands out most: {expected[name][head]:.0%} of its attention" in shown(at)
    assert "These weights are random: what stands out here is chance" in shown(at)
    assert "looks-random" not in {each.id.rsplit("-", 1)[-1] for each in figures(at)}


@kinds
def test_a7_padding_gets_nothing_and_filler_does_not_ask(kind):
    plain, padded = opened("What they look at", kind), opened("What they look at", kind, filler=2)
    table, with_filler = (at.dataframe[0].value for at in (plain, padded))
    assert "padding" not in table
    assert set(with_filler["padding"]) == {0.0}
    for name in table.columns[1:]:
        np.testing.assert_allclose(table[name].to_numpy(float), with_filler[name].to_numpy(float), atol=2e-3)


@kinds
def test_a7_a_trained_model_stands_beside_its_random_twin(kind):
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=24, n_heads=3, d_ff=16, n_layers=1)
    stored = server.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(9))))
    at = open_page("heads", {"model": stored.id, "part": "What they look at", "kind": kind}, numbers="1 5 3 5 8")
    assert fine(at)
    src = [1, 5, 3, 5, 8]
    tgt = src[:-1]
    queries, keys = ([str(i) for i in ids] for ids in (src if kind == "encoder" else tgt, tgt if kind == "decoder" else src))
    allowed = np.ones((len(queries), len(keys)), bool)
    if kind == "decoder":
        allowed = np.tril(allowed)
    for key, seed in (("looks", 9), ("looks-random", 0)):
        stages = traced(Transformer(cfg, torch.Generator().manual_seed(seed)), src, tgt)
        weights = np.concatenate([stages[f"{SCOPES[kind].replace('.1.', '.0.')}.weights"], even(allowed)])
        expected = shares(weights, allowed, queries, keys, kind == "cross")
        drawn = np.array(list(telling(expected).values())).T
        np.testing.assert_allclose(figure(at, key).cells[0], drawn, rtol=1e-3, atol=1e-5)
    assert "same sizes with random weights (seed 0)" in shown(at)
    assert "what stands out here is chance" not in shown(at)


@pytest.mark.parametrize(("model", "place"), [("copy", "place after"), ("translate-fr", "same place")])
def test_a7_the_trained_models_look_where_the_page_says(model, place):
    at = open_page("heads", {"model": model, "part": "What they look at", "kind": "cross"})
    assert fine(at)
    table = at.dataframe[0].value
    assert min(table[place][:-1]) > 3 * table[place].iloc[-1], "every head, three times what looking at all alike would give"
    assert f"goes to “{place}”" in shown(at)
    assert at.dataframe[1].value["looks at"][0] == place


def test_a7_the_clearest_heads_of_the_model_come_first():
    at = opened("What they look at", "cross")
    stages = fresh(config(**SIZES), 5, **SENTENCES)
    src, tgt = SENTENCES["src"].split(), ["<start>", *SENTENCES["tgt"].split()]
    rows = []
    for kind, scope in SCOPES.items():
        queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
        allowed = np.tri(5, dtype=bool) if kind == "decoder" else np.ones(LENGTHS[kind], bool)
        for layer in range(2):
            weights = np.concatenate([stages[f"{scope.replace('.1.', f'.{layer}.')}.weights"], even(allowed)])
            found = shares(weights, allowed, queries, keys, kind == "cross")
            for head in range(3):
                name = max(found, key=lambda name: found[name][head] - found[name][3])
                rows.append((found[name][head] - found[name][3], kind, layer, head, name, found[name][head]))
    rows.sort(key=lambda row: -row[0])
    table = at.dataframe[1].value
    assert len(table) == 10
    for (_, row), expected in zip(table.iterrows(), rows, strict=False):
        assert (row["attention"], row["layer"], row["head"], row["looks at"]) == expected[1:5]
        assert row["share"] == pytest.approx(expected[5], abs=1e-3)


def test_c4_the_page_counts_what_heads_cost():
    at = opened("What they cost", cost_length=20)
    table = at.dataframe[0].value
    assert list(table["heads"]) == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    costs = [head_cost(48, h, 20) for h in table["heads"]]
    assert list(table["operations"]) == [f"{cost.flops:,}" for cost in costs]
    assert set(table["parameters"]) == {f"{4 * (48 * 48 + 48):,}"}
    assert list(table["numbers through the softmax"]) == [f"{h * 400:,}" for h in table["heads"]]
    shared, full = figure(at, "cost").lines
    assert shared.tolist() == [1] * 9
    assert full.tolist() == list(table["heads"])


def test_c4_nothing_is_measured_before_the_button_and_once_for_each_size(monkeypatch):
    asked = []

    def measure(d_model, choices, length, batch, repeats):
        asked.append((d_model, length))
        return [1.0 + 0.5 * i for i in range(len(choices))]

    monkeypatch.setattr(what_heads_cost, "measure_heads", measure)
    what_heads_cost._milliseconds.clear()
    at = opened("What they cost", cost_length=20)
    assert not asked and len(figures(at)) == 1
    (button,) = (each for each in at.button if each.label == "Measure here")
    button.click().run()
    assert asked == [(48, 20)]
    assert figure(at, "cost-measured").lines[0].tolist() == [1.0 + 0.5 * i for i in range(9)]
    assert "24 heads took 5.00 times as long as one" in shown(at)
    assert "Another machine" in shown(at)
    turn(at, seed=6)
    assert asked == [(48, 20)] and len(figures(at)) == 2, "a rerun shows the numbers and measures nothing"
    turn(at, cost_length=21)
    assert asked == [(48, 20)] and len(figures(at)) == 1, "another size waits for the button"
    what_heads_cost._milliseconds.clear()


@pytest.mark.parametrize("part", ["Split and join", "What they look at", "What they cost"])
@pytest.mark.parametrize("lengths", [(1, 1), (128, 127)])
def test_a7_d6_c4_the_shortest_and_the_longest_sentences(part, lengths):
    at = open_page("heads", part=part, kind="cross", input="lengths", src_len=lengths[0], tgt_len=lengths[1], n_heads=16)
    assert fine(at)
    nothing_to_compare = part == "What they look at" and lengths == (1, 1)
    assert bool(figures(at)) != nothing_to_compare


@pytest.mark.parametrize("page", ["attention", "heads"])
def test_a7_a_model_without_cross_attention_has_two_attentions_to_choose(page):
    at = open_page(page, kind="cross", **SIZES)
    assert fine(at)
    assert fine(turn(at, cross_attention=False))
    assert at.session_state["kind"] == "encoder"
    assert len(at.button_group(key="kind").options) == 2


def test_a7_the_whole_model_is_what_there_is_of_it():
    at = opened("What they look at", cross_attention=False)
    assert set(at.dataframe[1].value["attention"]) <= {"encoder", "decoder"}
    assert fine(open_page("heads", part="Split and join", cross_attention=False))


@pytest.mark.parametrize(
    "link", [{"split_size": "9 in 4"}, {"filler": "99"}, {"cost_length": "0"}, {"cost_length": "x"}, {"part": ""}], ids=str
)
def test_d6_a7_c4_a_link_with_nonsense_shows_the_defaults(link):
    for part in ("Split and join", "What they look at", "What they cost"):
        at = open_page("heads", {"part": part} | link)
        assert fine(at)
        plain = open_page("heads", {"part": "Words and lines" if "part" in link else part})
        assert [each.data for each in figures(at)] == [each.data for each in figures(plain)]


def test_where_heads_cannot_differ_no_empty_picture_is_drawn():
    at = open_page("heads", {"part": "What they look at", "kind": "encoder"}, src="cat", tgt="chat")
    assert fine(at) and figures(at) == []
    assert "heads cannot differ in this" in shown(at)
    turn(at, src="cat dog")
    assert fine(at) and len(figures(at)) == 1
    assert "heads cannot differ in this" not in shown(at)
