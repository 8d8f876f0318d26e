"""Pins the parts of the heads page: lines, matrices, the split into heads, what each head looks at, and what heads cost."""

import math
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from explorer.components.attention_view import Selection
from explorer.exhibits.heads import head_cost, words_and_lines
from explorer.model_on_screen import incremental, model_caption
from explorer.model_on_screen.held_out import shares_right
from explorer.ui.format import share_words
from tests.pages.helpers import (
    SIZES,
    Cells,
    array,
    attention_view,
    close,
    component,
    config,
    figure,
    figures,
    fine,
    fresh,
    go,
    learned_file,
    measured,
    open_page,
    rounded,
    session_of,
    shown,
    traced,
    turn,
    visit,
)
from transformer_core import TASKS, CopyTask, Transformer, TransformerConfig
from transformer_core.analysis import head_split
from transformer_core.analysis.attention_metrics import token_kind
from transformer_core.analysis.cutting import HeadCut

SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge le"}
SRC, TGT = SENTENCES["src"].split(), ["<start>", *SENTENCES["tgt"].split()]
SCOPES = {"encoder": "encoder.1.self_attn", "decoder": "decoder.1.self_attn", "cross": "decoder.1.cross_attn"}


def opened(part: str, kind: str = "encoder", **more):
    at = open_page("heads", part=part, kind=kind, layer=1, head=2, seed=5, **SIZES, **SENTENCES, **more)
    assert fine(at)
    return at


def sides(kind: str, src: list[str] = SRC, tgt: list[str] = TGT) -> tuple[list[str], list[str], np.ndarray]:
    """Queries, keys, and who may attend to whom."""
    queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
    allowed = np.ones((len(queries), len(keys)), bool)
    return queries, keys, np.tril(allowed) if kind == "decoder" else allowed


def test_the_lines_are_the_weights_of_the_model_between_its_words():
    at, stages = opened("words_and_lines"), fresh(config(**SIZES), 5, **SENTENCES)
    for kind, scope in SCOPES.items():
        assert fine(turn(at, kind=kind))
        sent, (queries, keys, allowed) = attention_view(at), sides(kind)
        close(sent["weights"], stages[f"{scope}.weights"])
        assert ([pair.split(" → ")[0] for pair in sent["rows"]], sent["columns"]) == (queries, keys)
        writes = [pair.split(" → ")[-1] for pair in sent["rows"]]
        assert writes[:-1] == (queries[:-1] if kind == "encoder" else queries[1:]) and sent["same"] is (kind != "cross")
        assert (sent["valid"] == allowed).all()


def test_the_bars_follow_the_word_that_is_selected(monkeypatch):
    browser = SimpleNamespace(selection=None)
    monkeypatch.setattr(words_and_lines.attention_view, "show", lambda *_, **__: browser.selection)
    at = opened("words_and_lines", "decoder")
    weights = fresh(config(**SIZES), 5, **SENTENCES)["decoder.1.self_attn.weights"]
    strongest = 1 + weights[:, 1:].max(axis=(0, 2)).argmax()  # the first word has no choice
    for browser.selection, bars, place in (
        (None, weights[:, strongest], strongest),
        (Selection("query", 3), weights[:, 3], 3),
        (Selection("key", 2), weights[:, :, 2], 2),
    ):
        turn(at)
        close(figure(at, "selected-word").lines, bars)
        following = "" if browser.selection == Selection("key", 2) else f" → {[*TGT[1:], '<end>'][place]}"
        assert f"“{place} {TGT[place]}{following}”" in shown(at).replace("\\", "")


def test_the_matrices_are_the_weights_of_every_head():
    at, stages = opened("side_by_side"), fresh(config(**SIZES), 5, **SENTENCES)
    for kind, scope in SCOPES.items():
        assert fine(turn(at, kind=kind))
        weights, (_queries, _keys, allowed) = stages[f"{scope}.weights"], sides(kind)
        following = [*TGT[1:], "<end>"]
        if kind != "encoder":
            both = [f"{i} {read} → {said}" for i, (read, said) in enumerate(zip(TGT, following, strict=True))]
            assert list(figure(at, "heads").rows) == both == Cells(at, "head-large").data["rows"]
        drawn = np.where(allowed, weights, np.nan)
        close(np.stack(figure(at, "heads").cells), drawn)
        close(Cells(at, "head-large").weights, drawn[2])
        assert len(figures(at)) == (2 if kind == "cross" else 3), "positions of two sentences have no distance"


def test_colours_reach_to_1_or_to_the_largest_weight():
    largest = fresh(config(**SIZES), 5, **SENTENCES)["encoder.1.self_attn.weights"].max(axis=(1, 2))
    at = opened("side_by_side")
    for scale, tops, enlarged in (("1", [1], 1), ("layer", [largest.max()], largest.max()), ("head", largest, largest[2])):
        turn(at, scale=scale)
        close(figure(at, "heads").ends[:, 1], np.broadcast_to(tops, len(largest)))
        assert Cells(at, "head-large").data["top"] == pytest.approx(enlarged, rel=1e-4)


def test_whatever_changes_the_model_changes_its_picture():
    at = opened("side_by_side", "cross")
    before = figure(at, "heads").data
    for change in (
        {"n_heads": 4},
        {"d_model": 32},
        {"n_heads": 8},
        {"d_ff": 256},
        {"norm": "post"},
        {"norm": "pre"},
        {"tie_embeddings": "all"},
        {"src": "a dog"},
        {"tgt": "un chien"},
        {"seed": 6},
    ):
        assert fine(turn(at, **change))
        after = figure(at, "heads").data
        assert before != after, change
        before = after
    turn(at, seed=7)
    turn(at, seed=6)
    assert figure(at, "heads").data == before


def test_d6_how_much_attention_the_wrong_split_moves():
    at = opened("split_and_join", norm="pre")
    for norm, kind in (("pre", "encoder"), ("post", "decoder"), ("post", "cross"), ("pre", "cross")):
        assert fine(turn(at, norm=norm, kind=kind))
        right, wrong = (np.nan_to_num(each) for each in figure(at, "split-weights").cells)
        close(right, fresh(config(**SIZES, norm=norm), 5, **SENTENCES)[f"{SCOPES[kind]}.weights"][2])
        assert f"{0.5 * np.abs(right - wrong).sum(axis=1).mean():.0%} of its attention" in shown(at)


def test_a7_d6_the_steps_of_the_split_and_how_much_the_wrong_one_misplaces():
    at = opened("split_and_join", "cross")
    for size, d_model, n_heads in (("model", 48, 3), ("8-2", 8, 2), ("1000-4", 1000, 4)):
        assert fine(turn(at, split_size=size))
        steps = head_split.split_steps(d_model, n_heads, 1, 5, 6)
        assert at.dataframe[0].value.to_numpy()[:, 1:3].tolist() == [[step.code, str(step.shape)] for step in steps]
        wrong, own = (np.arange(5 * d_model) // d_model).reshape(n_heads, 5, -1), np.arange(5)[:, None]
        assert f"**{(wrong != own).mean():.0%}**" in shown(at)
        assert f"**{(wrong > own).mean():.0%}**" in shown(at)


TITLES = {  # of the patterns below
    "same place": "same position",
    "place before": "previous position",
    "place after": "next position",
    "first": "first word",
    "same word": "same word",
    "special": "<…> tokens",
    "words": "words",
    "numbers": "numbers",
}


def shares(weights: np.ndarray, kind: str, src: list[str] = SRC, tgt: list[str] = TGT) -> dict[str, list]:
    """What each head, and last uniform attention, gives to each pattern, pair by pair."""
    queries, keys, allowed = sides(kind, src, tgt)
    tests = {
        "same place": lambda i, j: i == j,
        "place before": lambda i, j: j == i - 1,
        "place after": lambda i, j: j == i + 1,
        "first": lambda i, j: j == 0,
        "same word": lambda i, j: queries[i] == keys[j] and (kind == "cross" or i != j),
        "special": lambda i, j: token_kind(keys[j]) == "special",
        "numbers": lambda i, j: token_kind(keys[j]) == "number",
        "words": lambda i, j: token_kind(keys[j]) == "word",
    }
    heads = [*weights, allowed / allowed.sum(axis=1, keepdims=True)]
    found = {}
    for name, test in tests.items():
        rows = [[j for j in range(len(keys)) if test(i, j) and allowed[i, j]] for i in range(len(queries))]
        if any(rows):
            found[TITLES[name]] = [np.mean([head[i, row].sum() for i, row in enumerate(rows) if row]) for head in heads]
    return found


def drawn(found: dict[str, list]) -> dict[str, list]:
    """Less the kinds that all words are of."""
    return {name: column for name, column in found.items() if not np.isclose(column[-1], 1)}


def test_a7_what_heads_look_at_is_measured():
    at, stages = opened("head_patterns"), fresh(config(**SIZES), 5, **SENTENCES)
    for kind, scope in SCOPES.items():
        assert fine(turn(at, kind=kind, patterns_padding=0))
        weights = stages[f"{scope}.weights"]
        expected = shares(weights, kind)
        (picture,) = figures(at)
        assert picture.columns == list(drawn(expected))
        close(picture.cells[0], np.array(list(drawn(expected).values())).T)
        table = at.dataframe[0].value
        for name, column in expected.items():
            np.testing.assert_allclose(table[name], column, atol=1e-3)
        bits = [-(w[w > 0] * np.log2(w[w > 0])).sum() / len(w) for w in weights]
        np.testing.assert_allclose(table["entropy (bits)"][:3], bits, atol=1e-3)
        assert ("mean distance" in table) is (kind != "cross")
        excess = {(name, head): column[head] - column[3] for name, column in expected.items() for head in range(3)}
        name, head = max(excess, key=lambda pair: excess[pair])
        assert f"**head {head}**: {expected[name][head]:.0%} of its attention" in shown(at)

        assert fine(turn(at, patterns_padding=2))
        padded = at.dataframe[0].value
        assert "padding" not in table
        assert set(padded["padding"]) == {0.0}
        for name in table.columns[1:]:
            np.testing.assert_allclose(table[name].to_numpy(float), padded[name].to_numpy(float), atol=2e-3)


def test_a7_the_clearest_heads_of_the_model_come_first():
    at, stages = opened("head_patterns", "cross"), fresh(config(**SIZES), 5, **SENTENCES)
    rows = []
    for kind, scope in SCOPES.items():
        for layer in range(2):
            found = shares(stages[f"{scope.replace('.1.', f'.{layer}.')}.weights"], kind)
            for head in range(3):
                name = max(found, key=lambda name: found[name][head] - found[name][3])
                rows.append((found[name][head] - found[name][3], kind, layer, head, name, found[name][head]))
    rows.sort(key=lambda row: -row[0])
    table = at.dataframe[1].value.to_numpy().tolist()
    assert [tuple(row[:4]) for row in table] == [row[1:5] for row in rows[:10]]
    np.testing.assert_allclose([row[4] for row in table], [row[5] for row in rows[:10]], atol=1e-3)
    assert fine(turn(at, cross_attention=False))
    assert at.session_state["kind"] == "encoder" and len(at.button_group(key="kind").options) == 2
    assert set(at.dataframe[1].value["attention"]) <= {"encoder", "decoder"}
    assert fine(turn(at, part="split_and_join"))


def test_a7_a_later_step_stands_beside_step_0():
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=24, n_heads=3, d_ff=16, n_layers=1)
    nets = {step: Transformer(cfg, torch.Generator().manual_seed(seed)) for step, seed in ((0, 2), (40, 9))}
    model = learned_file(CopyTask(), {40: nets[40]}, seed=2)
    src = [1, 5, 3, 5, 8]
    tgt = src[:-1]
    at = visit({"model": model, "step": "40", "part": "head_patterns", "numbers": "1 5 3 5 8"}, "heads")
    for kind, scope in SCOPES.items():
        assert fine(turn(at, kind=kind))
        for key, net in (("patterns", rounded(nets[40])), ("patterns-initial", nets[0])):
            stages = traced(net, src, tgt)
            expected = shares(stages[f"{scope.replace('.1.', '.0.')}.weights"], kind, [*map(str, src)], [*map(str, tgt)])
            close(figure(at, key).cells[0], np.array(list(drawn(expected).values())).T)
    turn(at, step=0)
    assert fine(at) and not [each for each in figures(at) if each.id.endswith("patterns-initial")]
    assert "does so by chance" in shown(at)


def test_a7_the_model_that_copies_looks_where_the_page_says():
    at = visit({"task": "copy", "part": "head_patterns", "kind": "cross"}, "heads")
    assert fine(at)
    table = at.dataframe[0].value
    share = table["next position"]
    assert min(share[:-1]) > 3 * share.iloc[-1], "every head, three times what uniform attention would give"
    assert at.dataframe[1].value["attends to"][0] == "next position"


def test_where_heads_cannot_differ_no_empty_picture_is_drawn():
    at = open_page("heads", {"part": "head_patterns", "kind": "encoder"}, src="cat", tgt="chat")
    assert fine(at) and figures(at) == []
    assert "heads cannot differ" in shown(at) and "striking" not in shown(at)
    assert fine(turn(at, src="my cat")) and len(figures(at)) == 1


def test_c4_what_heads_cost_by_formula_and_by_the_clock(monkeypatch):
    calls = []

    def measure(d_model, choices, length, batch, repeats):
        calls.append((d_model, length))
        return [1.0 + 0.5 * i for i in range(len(choices))]

    monkeypatch.setattr(head_cost, "measure_heads", measure)
    head_cost._milliseconds.clear()
    at = opened("head_cost", cost_length=20)
    heads, _d_k, parameters, operations, weights, _full = at.dataframe[0].value.to_numpy().T
    assert heads.tolist() == [1, 2, 3, 4, 6, 8, 12, 16, 24]
    assert operations.tolist() == [f"{head_split.head_cost(48, h, 20).flops:,}" for h in heads]
    assert set(parameters) == {f"{4 * (48 * 48 + 48):,}"}
    assert weights.tolist() == [f"{h * 400:,}" for h in heads]
    shared, full = figure(at, "cost").lines
    assert (shared.tolist(), full.tolist()) == ([1] * 9, heads.tolist())

    assert not calls and len(figures(at)) == 1 and "depends on that of the heads" not in shown(at)
    (button,) = (each for each in at.button if each.label == "Measure on this machine")
    button.click().run()
    assert calls == [(48, 20)]
    assert figure(at, "cost-measured").lines[0].tolist() == [1.0 + 0.5 * i for i in range(9)]
    assert "24 heads took 5.00 times as long as one" in shown(at)
    turn(at, seed=6)
    assert calls == [(48, 20)] and len(figures(at)) == 2, "a rerun shows the numbers and measures nothing"
    assert "whose number depends on that of the heads" in shown(opened("head_cost", score="additive"))
    turn(at, cost_length=21)
    assert calls == [(48, 20)] and len(figures(at)) == 1, "another size waits for the button"
    head_cost._milliseconds.clear()


@pytest.mark.parametrize("lengths", [(1, 1), (128, 127)])
def test_the_shortest_and_the_longest_sentences(lengths):
    link = {"input": "lengths", "src_len": str(lengths[0]), "tgt_len": str(lengths[1]), "n_heads": "16", "kind": "cross"}
    at = open_page("heads", link | {"part": "side_by_side"})
    assert fine(at)
    assert {cells.shape for cells in figure(at, "heads").cells} == {(lengths[1] + 1, lengths[0])}
    for part in ("words_and_lines", "split_and_join", "head_patterns", "head_cost"):
        assert fine(turn(at, part=part)), part


CUT = "cross.all.all:1-2,decoder.0.1,src:2"


def test_what_is_cut_stands_on_the_page_with_the_answer_before_and_after():
    at = visit({"src": "the red cat sees a big house", "cut": CUT, "instead": "uniform"}, "heads")
    assert fine(at)
    model = session_of(at).shown()
    assert model.choice.cuts.instead == "uniform" and len(model.choice.cuts.made) == 3
    sent = attention_view(at)
    assert sent["weights"][:, 1, 2].max() == 0 and not sent["valid"][1, 2]
    close(sent["weights"], model.attention("cross", 1).map.weights)
    before, after = (" ".join(each.vocabulary.decode(each.answer[1:])) for each in (model.whole, model))
    assert before == "le chat rouge voit une grande maison" != after
    line = component(at, "cut-answer")
    assert line["cut"] and line["before"] == before and " ".join(text for text, _differs in line["after"]) == after
    assert any(differs for _text, differs in line["after"])
    kept = " ".join(text for text, differs in line["after"] if not differs).split()
    words = iter(before.split())
    assert kept and all(word in words for word in kept)  # in the same order
    names = [each.label for each in at.button if each.key.startswith("uncut-") and each.key != "uncut-all"]
    assert names[0].startswith("cross · every layer: chat → cat") and names[1].startswith("decoder · layer 0 · head 1")
    assert model_caption.words(model)["right"].endswith("held-out sequences right (before the cuts)")

    bars = figure(at, "next-word-cut")
    probabilities = [torch.tensor(each.forward()["logits"]).softmax(-1) for each in (model.whole, model)]
    place = int((probabilities[0].argmax(-1) != probabilities[1].argmax(-1)).nonzero()[0])
    words = [unescape(label) for label in bars.layout["xaxis"]["ticktext"]]
    for drawn, expected in zip(bars.data, probabilities, strict=True):
        close(array(drawn["y"]), expected[place][model.vocabulary.ids(words)].numpy())

    at.button(key="uncut-0").click().run()
    assert fine(at) and session_of(at).settings.cut == "decoder.0.1,src:2" and at.query_params["cut"] == "decoder.0.1,src:2"
    at.button(key="uncut-all").click().run()
    assert fine(at) and session_of(at).shown().choice == model.choice.whole
    assert not [each for each in at.button if each.key.startswith("uncut")] and "cut" not in at.query_params
    assert not component(at, "cut-answer")["cut"]


def test_a_cut_goes_with_its_visitor_from_page_to_page_but_not_to_another_task():
    at = visit({"cut": "cross.0.1"}, "heads")
    for page in ("attention", "decoding", "layers"):
        at = go(at, page)
        assert fine(at) and session_of(at).shown().choice.cuts.made == (HeadCut("cross", 0, 1),)
        assert any(each.key == "uncut-0" for each in at.button)
    assert fine(turn(at, task="copy")) and not session_of(at).shown().choice.cuts


def test_what_a_head_is_worth_is_counted_when_asked():
    incremental._finding.clear()  # nobody has asked yet
    at = visit({"cut": "decoder.1.cross_attn"}, "heads")
    assert fine(measured(at, "cuts"))
    choice = session_of(at).shown().choice
    before, after = (shares_right([each], TASKS["everyday-fr"](), math.inf)[0] for each in (choice.whole, choice))
    assert f"Of 200 held-out sequences, {share_words(before, 200)}" in shown(
        at
    ) and f"and {share_words(after, 200)} with" in shown(at)
    assert after < before
    assert not any(each.key == "measure-cuts" for each in visit({"cut": "src:1"}, "heads").button)


def test_what_a_determiner_agrees_with_is_told_where_its_row_looks_at_that_noun():
    at = visit({"layer": "0"}, "heads")
    model = session_of(at).shown()
    weights, words = model.attention("cross", 0).map.weights, model.vocabulary.decode(model.src)
    row, car = model.vocabulary.decode(model.tgt).index("aimes"), words.index("car")
    head = int(weights[:, row, car].argmax())
    said = f"Before it writes “ma”, head {head} gives {weights[head, row, car]:.0%} of its attention to “car”."
    assert f"{said} “ma” has to agree with “voiture”, a feminine noun that is not written yet." in shown(at)
    assert "“mon” has to agree with “chien”, a masculine noun" in shown(
        visit({"src": "do you like my red dog", "layer": "0"}, "heads")
    )
    for other in ({"layer": "1"}, {"kind": "encoder"}, {"task": "everyday-zh"}, {"src": "i am happy"}, {"cut": f"src:{car}"}):
        assert "has to agree with" not in shown(visit({"layer": "0"} | other, "heads"))


@pytest.mark.parametrize(
    ("page", "link", "key"), [("attention", {}, "weights"), ("heads", {"part": "side_by_side"}, "head-large")]
)
def test_the_link_of_the_chosen_cell_is_cut_by_a_button(page, link, key):
    choice = {"kind": "decoder", "layer": "1", "head": "2"}
    at = visit({**choice, **link, "query": "3", "key": "1"}, page)
    before = session_of(at).shown().attention("decoder", 1).map.weights[2, 3]
    at.button(key="cut-link").click().run()
    assert fine(at) and session_of(at).settings.cut == "decoder.1.2:3-1" and any(each.key == "uncut-0" for each in at.button)
    after = session_of(at).shown().attention("decoder", 1).map.weights[2, 3]
    close(after, np.where(np.arange(len(before)) == 1, 0, before) / (1 - before[1]))
    assert at.button(key="cut-link").disabled, "it has been cut already"
    cells = Cells(at, key)
    assert cells.data["cut"] == [[3, 1]] and not cells.allowed[3, 1] and cells.allowed[3, [0, 2, 3]].all()
    assert visit({**choice, **link, "query": "1", "key": "3"}, page).button(key="cut-link").disabled, "the mask hides it"
