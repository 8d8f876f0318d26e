"""Pins the parts of the heads page: lines, matrices, the split into heads, what each head looks at, and what heads cost."""

import math
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from explorer.components.attention_view import Selection
from explorer.exhibits.heads import head_cost, words_and_lines
from explorer.exhibits.heads.every_head import favourite_places
from explorer.exhibits.heads.head_patterns import PATTERNS, patterns, shares
from explorer.exhibits.heads.side_by_side import entropy
from explorer.model_on_screen import incremental, model_caption
from explorer.model_on_screen.held_out import shares_right
from explorer.model_on_screen.shown_run import run_of
from explorer.ui.format import share_words
from tests.pages.helpers import (
    SIZES,
    Cells,
    Drawn,
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
    session_of,
    shown,
    turn,
    visit,
)
from transformer_core import TASKS, CopyTask, Transformer, TransformerConfig
from transformer_core.analysis import head_split
from transformer_core.analysis.cutting import HeadCut

SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge le"}
SRC, TGT = SENTENCES["src"].split(), ["<start>", *SENTENCES["tgt"].split()]
KINDS = ("encoder", "decoder", "cross")


def opened(part: str, kind: str = "encoder", **more):
    at = open_page("heads", part=part, kind=kind, layer=1, head=2, seed=5, **SIZES, **SENTENCES, **more)
    assert fine(at)
    return at


def sides(kind: str, src: list[str] = SRC, tgt: list[str] = TGT) -> tuple[list[str], list[str], np.ndarray]:
    """Queries, keys, and who may attend to whom."""
    queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
    allowed = np.ones((len(queries), len(keys)), bool)
    return queries, keys, np.tril(allowed) if kind == "decoder" else allowed


def overview(at: Any, kind: str) -> Drawn:
    found = figure(at, f"every-head-{kind}")
    assert isinstance(found, Drawn)
    return found


def test_every_head_is_drawn_as_the_model_attends_and_the_chosen_one_large():
    stages = fresh(config(**SIZES), 5, **SENTENCES)
    at = opened("every_head", "decoder")
    for kind, path in (
        ("encoder", "encoder.{}.self_attn"),
        ("decoder", "decoder.{}.self_attn"),
        ("cross", "decoder.{}.cross_attn"),
    ):
        drawn, (queries, keys, allowed) = overview(at, kind), sides(kind)
        weights = np.concatenate([stages[f"{path.format(layer)}.weights"] for layer in range(2)])
        close(np.array(drawn.cells), np.where(allowed, weights, np.nan))
        assert (len(drawn.rows), len(drawn.columns)) == (len(queries), len(keys))
        assert drawn.names == ["0 · 0", "0 · 1", "0 · 2", "1 · 0", "1 · 1", "1 · 2"]
        assert drawn.data["wide"] == 3 and drawn.data["chosen"] == ("1 · 2" if kind == "decoder" else "")
        panel, row, column = np.unravel_index(np.nanargmax(drawn.cells), np.shape(drawn.cells))
        assert f"in {drawn.names[panel]}, row “{drawn.rows[row]}”, column “{drawn.columns[column]}”" in drawn.alt
    large = attention_view(at, "opened-head")
    close(large["weights"], stages["decoder.1.self_attn.weights"])
    assert large["on"] == [2] and "**decoder · layer 1 · head 2**" in shown(at)


def test_how_many_heads_favour_one_place_is_counted():
    at = opened("every_head")
    run = run_of(session_of(at).shown())
    found = np.concatenate([favourite_places(run, kind, 0) for kind in KINDS])
    said = f"**{(found >= 0).sum()} of 18 heads**" if (found >= 0).any() else "none of the 18 heads"
    assert said in shown(at)


def test_what_is_cut_is_marked_among_all_heads():
    at = opened("every_head", cut="encoder.0.1,cross.1.2:3-4,tgt:1,decoder.0.self_attn")
    assert overview(at, "encoder").data["crossed"] == [1]
    assert overview(at, "encoder").data["cut_cells"] is None
    assert overview(at, "decoder").data["crossed"] == [0, 1, 2], "a whole sublayer"
    word = array(overview(at, "decoder").data["cut_cells"]).astype(bool)
    assert word[:, :, 1].all() and word.sum() == word[:, :, 1].size
    link = array(overview(at, "cross").data["cut_cells"])
    assert link[5, 3, 4] == link.sum() == 1 and np.isnan(overview(at, "cross").cells[5][3, 4])
    assert fine(turn(at, cut=""))
    assert not any(overview(at, kind).data["crossed"] or overview(at, kind).data["cut_cells"] for kind in KINDS)


def test_padding_and_colours_of_all_heads():
    at = opened("every_head", "cross", patterns_padding=2, scale="head")
    drawn = overview(at, "cross")
    assert drawn.columns[-2:] == ["6 <pad>", "7 <pad>"] and np.isnan(np.array(drawn.cells)[:, :, -2:]).all()
    close(drawn.ends[:, 1], np.nanmax(drawn.cells, axis=(1, 2)))
    assert attention_view(at, "opened-head")["columns"][-2:] == ["<pad>", "<pad>"]


def test_the_lines_are_drawn_between_the_words():
    at = opened("words_and_lines")
    for kind in KINDS:
        assert fine(turn(at, kind=kind))
        sent, (queries, keys, allowed) = attention_view(at), sides(kind)
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


def test_the_matrices_are_those_of_the_attention_that_is_chosen():
    at = opened("side_by_side")
    following = [*TGT[1:], "<end>"]
    both = [f"{i} {read} → {said}" for i, (read, said) in enumerate(zip(TGT, following, strict=True))]
    for kind in KINDS:
        assert fine(turn(at, kind=kind))
        if kind != "encoder":
            assert list(figure(at, "heads").rows) == both == Cells(at, "head-large").data["rows"]
        np.testing.assert_array_equal(Cells(at, "head-large").weights, figure(at, "heads").cells[2])
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


@pytest.mark.teaches(point="D6")
def test_how_much_attention_the_wrong_split_moves():
    at = opened("split_and_join", "cross")
    right, wrong = (np.nan_to_num(each) for each in figure(at, "split-weights").cells)
    assert f"{0.5 * np.abs(right - wrong).sum(axis=1).mean():.0%} of its attention" in shown(at)


@pytest.mark.teaches(point="A7")
@pytest.mark.teaches(point="D6")
def test_the_steps_of_the_split_and_how_much_the_wrong_one_misplaces():
    at = opened("split_and_join", "cross")
    for size, d_model, n_heads in (("model", 48, 3), ("8-2", 8, 2), ("1000-4", 1000, 4)):
        assert fine(turn(at, split_size=size))
        steps = head_split.split_steps(d_model, n_heads, 1, 5, 6)
        assert at.dataframe[0].value.to_numpy()[:, 1:3].tolist() == [[step.code, str(step.shape)] for step in steps]
        wrong, own = (np.arange(5 * d_model) // d_model).reshape(n_heads, 5, -1), np.arange(5)[:, None]
        assert f"**{(wrong != own).mean():.0%}**" in shown(at)
        assert f"**{(wrong > own).mean():.0%}**" in shown(at)


@pytest.mark.teaches(point="A7")
@pytest.mark.parametrize("kind", KINDS)
def test_what_heads_look_at_is_in_the_table_and_the_most_striking_is_said(kind):
    at = opened("head_patterns", kind, patterns_padding=0)
    run = run_of(session_of(at).shown())
    found = shares(run, kind, 1, 0, False)
    there = {title: column for title, column in zip(PATTERNS.values(), found.T, strict=True) if np.isfinite(column[0])}
    assert figure(at, "patterns").columns == [title for title, column in there.items() if not np.isclose(column[-1], 1)]
    assert "padding" not in there
    table = at.dataframe[0].value
    for title, column in there.items():
        np.testing.assert_allclose(table[title], column, atol=1e-3)
    np.testing.assert_allclose(table["entropy (bits)"][:3], entropy(run, kind, 1), atol=1e-3)
    assert ("mean distance" in table) is (kind != "cross")
    excess = {(title, head): column[head] - column[3] for title, column in there.items() for head in range(3)}
    title, head = max(excess, key=lambda pair: excess[pair])
    assert f"**head {head}**: {there[title][head]:.0%} of its attention" in shown(at)

    assert fine(turn(at, patterns_padding=2))
    padded = at.dataframe[0].value
    assert set(padded["padding"]) == {0.0}
    for name in table.columns[1:]:
        np.testing.assert_allclose(table[name].to_numpy(float), padded[name].to_numpy(float), atol=2e-3)


@pytest.mark.teaches(point="A7")
def test_the_clearest_heads_of_the_model_come_first():
    at = opened("head_patterns", "cross")
    run, titles, rows = run_of(session_of(at).shown()), list(PATTERNS.values()), []
    for kind in KINDS:
        for layer in range(2):
            found = shares(run, kind, layer, 0, False)
            excess = found[:3] - found[3]
            for head, best in enumerate(np.nanargmax(excess, axis=1)):
                rows.append((excess[head, best], kind, layer, head, titles[best], found[head, best]))
    rows.sort(key=lambda row: -row[0])
    table = at.dataframe[1].value.to_numpy().tolist()
    assert [tuple(row[:4]) for row in table] == [row[1:5] for row in rows[:10]]
    np.testing.assert_allclose([row[4] for row in table], [row[5] for row in rows[:10]], atol=1e-3)
    assert fine(turn(at, cross_attention=False))
    assert at.session_state["kind"] == "encoder" and len(at.button_group(key="kind").options) == 2
    assert set(at.dataframe[1].value["attention"]) <= {"encoder", "decoder"}
    assert fine(turn(at, part="split_and_join"))


@pytest.mark.teaches(point="A7")
def test_a_later_step_stands_beside_step_0():
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=24, n_heads=3, d_ff=16, n_layers=1)
    net = Transformer(cfg, torch.Generator().manual_seed(9))
    link = {"model": learned_file(CopyTask(), {40: net}, seed=2), "step": "40", "numbers": "1 5 3 5 8"}
    at = visit(link | {"part": "head_patterns", "kind": "cross"}, "heads")
    assert fine(at)
    for key, initial in (("patterns", False), ("patterns-initial", True)):
        values = patterns(run_of(session_of(at).shown()), "cross", 0, 0, initial)
        close(figure(at, key).cells[0], values)
    turn(at, step=0)
    assert fine(at) and not [each for each in figures(at) if each.id.endswith("patterns-initial")]
    assert "does so by chance" in shown(at)


@pytest.mark.teaches(point="A7")
def test_the_model_that_copies_looks_where_the_page_says():
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


@pytest.mark.teaches(point="C4")
def test_what_heads_cost_by_formula_and_by_the_clock(monkeypatch):
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
    assert model_caption.words(model)["right"].endswith("held-out sequences right (before the changes)")

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
    assert f"Of 200 held-out sequences, {share_words(before, 200)} were" in shown(at)
    assert f"and {share_words(after, 200)} now" in shown(at)
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
