"""Pins: beside a model that translates stands the grammar's truth, step by step, for a hundred samples, and for the beam."""

import math
import re
from collections import Counter

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from everyday.translation import TRANSLATIONS
from explorer.exhibits.decoding import greedy_or_beam
from tests.pages.helpers import (
    Figure,
    array,
    complaints,
    figure,
    figures,
    fine,
    learned_file,
    open_page,
    rounded,
    session_of,
    shown,
    softmax,
    table_with,
    traced,
    turn,
    visit,
)
from tests.transformer_core.helpers import teach
from transformer_core import TASKS, Transformer, TransformerConfig
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.model.decoding import Sampling, decode_steps

LANGUAGE = TRANSLATIONS["everyday-fr"]
WORDS = everyday_vocabulary(LANGUAGE)
SOURCE = "do you like my house"
SRC, ANSWERS = WORDS.encode(SOURCE), LANGUAGE.answers(tuple(SOURCE.split()))
CFG = TransformerConfig(
    src_vocab=len(WORDS), tgt_vocab=len(WORDS), d_model=16, n_heads=2, d_ff=24, n_layers=1, norm="pre", dropout=0.0
)
GENERATION, SAMPLES, BEAM = ({"part": part} for part in ("generation", "samples", "beam_search"))


@pytest.fixture(scope="module")
def net() -> Transformer:
    """It has learned one sentence, and not yet well: some of what it says is wrong."""
    return rounded(teach(Transformer(CFG, torch.Generator().manual_seed(2)), WORDS, {tuple(SOURCE.split()): ANSWERS}, steps=45))


@pytest.fixture
def opened(net):
    model = learned_file(TASKS["everyday-fr"](), {45: net})

    def opened(link: dict[str, str], **state) -> AppTest:
        at = open_page("decoding", {"model": model, "step": "45", "src": SOURCE} | link, **state)
        assert fine(at)
        return at

    return opened


def own(net: Transformer, given: list[int], temperature: float = 1.0) -> np.ndarray:
    """The model's probabilities of the next word, from a whole pass."""
    logits = traced(net, SRC, [WORDS.start, *given])["logits"][-1].astype(np.float64)
    return softmax(logits / temperature)


def truth(given: list[int]) -> np.ndarray:
    """The grammar's, counted here anew."""
    words, nexts = tuple(WORDS.decode(given)), np.zeros(len(WORDS))
    for answer, p in ANSWERS.items():
        if answer[: len(words)] == words:
            nexts[WORDS.ids([(*answer, "<end>")[len(words)]])] += p
    return nexts / nexts.sum()


def probability(net: Transformer, answer: tuple[int, ...]) -> float:
    return math.prod(own(net, list(answer[:n]))[token] for n, token in enumerate(answer))


def labels(picture: Figure) -> list[str]:
    return [text.replace("&lt;", "<").replace("&gt;", ">") for text in picture.layout["xaxis"]["ticktext"]]


def press(at: AppTest, key: str) -> AppTest:
    (button,) = (button for button in at.button if button.key == key)
    assert fine(button.click().run())
    return at


def test_all_right_answers_are_named_on_top(opened):
    said = shown(opened(GENERATION))
    assert f"**{len(ANSWERS)} right answers**: “est-ce que tu aimes ma maison" in said
    p = next(iter(ANSWERS.values()))
    assert f"” {p:.1%} · “" in said


@pytest.mark.parametrize("step", [1, 3])
def test_the_grammar_s_words_stand_beside_the_model_s(opened, net, step):
    best = WORDS.ids(next(iter(ANSWERS)))[: step - 1]
    forced = " ".join(f"{i + 1}={word}" for i, word in enumerate(WORDS.decode(best)))
    at = opened(GENERATION, decode_step=step, forced=forced)
    picture, p, q = figure(at, "step-bars"), truth(best), own(net, best)
    ids = WORDS.ids(labels(picture))
    assert len(ids) == 10 and set(np.flatnonzero(p)) <= set(ids)
    assert list(q[ids]) == sorted(q[ids], reverse=True)
    np.testing.assert_allclose(table_with(at, "grammar")["grammar"], p[ids], atol=1e-6)
    there = p > 0
    kl = float(np.sum(p[there] * np.log(p[there] / q[there])))
    (found,) = re.findall(r"grammar at this step: \*\*(.*?)\*\* nats", shown(at))
    assert float(found) == pytest.approx(kl, abs=1e-4)
    assert f"The model gives {'them' if there.sum() > 1 else 'it'} {q[there].sum():.2%}" in shown(at)


def test_behind_a_wrong_word_the_model_stands_alone(opened, net):
    at = opened(GENERATION, decode_step=2, forced="1=maison")
    assert "No right answer begins with “maison”" in shown(at) and "KL divergence of the model" not in shown(at)
    picture = figure(at, "step-bars")
    (bars,) = picture.lines
    np.testing.assert_allclose(bars, 100 * np.sort(own(net, WORDS.ids(["maison"])))[::-1][:10], rtol=1e-3)
    assert "grammar" not in table_with(at, "taken")


def test_a_source_beyond_the_grammar_has_the_model_alone(opened):
    beyond = dict.fromkeys(("src", "guess"), "house house my my")
    for link in (GENERATION, SAMPLES, BEAM):
        at = opened(link | beyond)
        assert sum("outside the grammar" in note.value for note in at.info) == 1
        assert "right answers**" not in shown(at)
    assert [trace["name"] for trace in figure(opened(SAMPLES | beyond), "samples").data] == [
        "drawn",
        "probability of being drawn",
    ]


def test_what_temperature_top_k_and_top_p_do_to_both(opened, net):
    at = opened(GENERATION, decode_how="sample", temperature=0.7, top_k=4)
    p, q = truth([]), own(net, [])
    sharp = q ** (1 / 0.7)
    sharp[np.argsort(-sharp)[4:]] = 0
    sharp /= sharp.sum()
    assert labels(figure(at, "step-bars")) == labels(figure(at, "step-sampled-bars"))
    said = shown(at)
    assert f"A right word is now drawn with {sharp[p > 0].sum():.2%}, without them with {q[p > 0].sum():.2%}" in said
    assert f"{p[sharp == 0].sum():.2%} of what the grammar would say can no longer be drawn" in said
    at = turn(at, decode_how="greedy")
    assert not [each for each in figures(at) if each.id.endswith("sampled-bars")]


def draws(net: Transformer, seed: int, sampling: Sampling) -> Counter:
    steps = decode_steps(
        net,
        torch.tensor([SRC] * 100),
        WORDS.start,
        24,
        sampling=sampling,
        generator=torch.Generator().manual_seed(seed),
        end_id=WORDS.end,
    )
    *_, last = steps
    rows = [row[: row.index(WORDS.end) + 1] if WORDS.end in row else row for row in last.tokens[:, 1:].tolist()]
    return Counter(map(tuple, rows))


def test_a_hundred_samples_beside_both_distributions(opened, net):
    at = opened(SAMPLES, draw_seed=4)
    counts = draws(net, 4, Sampling())
    right = {(*WORDS.ids(answer), WORDS.end): p for answer, p in ANSWERS.items()}
    drawn = {trace["name"]: trace for trace in figure(at, "samples").data}
    top = sorted({**dict.fromkeys(right, 0), **counts}.items(), key=lambda each: (-each[1], -right.get(each[0], 0)))[:10]
    assert sum(answer not in right for answer, _count in top) > 0, "some of what this model says is wrong"
    for name, wanted in (("drawn", True), ("drawn, and wrong", False)):
        np.testing.assert_allclose(array(drawn[name]["x"]), [count for answer, count in top if (answer in right) == wanted])
    assert len(drawn) == 4, "and both probabilities"

    found = sum(count for answer, count in counts.items() if answer in right)
    centre, half = (found / 100 + 1.96**2 / 200) / (1 + 1.96**2 / 100), 1.96 / (1 + 1.96**2 / 100)
    half *= math.sqrt(found / 100 * (1 - found / 100) / 100 + 1.96**2 / 40000)
    assert f"**Right: {found / 100:.1%} ({100 * (centre - half):.1f}–{centre + half:.1%})** of 100 draws" in shown(at)
    q = np.array([probability(net, answer) for answer in right])
    p = np.array(list(right.values()))
    assert f"with a probability of **{q.sum():.2%}**" in shown(at)
    (kl,) = re.findall(r"from the grammar: \*\*(.*?)\*\* nats", shown(at))
    assert float(kl) == pytest.approx(float(np.sum(p * np.log(p / q))), abs=2e-3)

    press(at, "draw-again")
    assert session_of(at).controls.remembered["draw_seed"] == 5
    again = draws(net, 5, Sampling())
    assert again != counts
    assert f"**Right: {sum(again[answer] for answer in right) / 100:.1%} (" in shown(at)


def test_of_one_word_at_each_step_one_answer_is_left(opened, net):
    at = opened(SAMPLES, top_k=1)
    bars = [array(trace["x"]).tolist() for trace in figure(at, "samples").data if trace["type"] == "bar"]
    assert sorted(value for each in bars for value in each if value) == [100]
    assert "from the grammar: **∞**" in shown(at)


def test_the_samples_of_a_model_without_a_language(opened):
    at = visit({"task": "copy", "numbers": "3 1 2", **SAMPLES}, "decoding")
    assert fine(at) and "right answer" not in shown(at)
    assert [trace["name"] for trace in figure(at, "samples").data] == ["drawn", "probability of being drawn"]
    assert figure(at, "samples").layout["annotations"][0]["text"] == "3 1 2"
    at = open_page("decoding", SAMPLES, causal=False)
    assert not complaints(at)
    names = {trace["name"] for trace in figure(at, "samples").data}
    assert names <= {"drawn", "drawn, and wrong", "probability in the grammar"}, "no single pass gives the model's own"


def test_a_wrong_word_is_forced_by_one_click_and_has_consequences(opened, net):
    at = opened(GENERATION)
    ranked = [int(token) for token in np.argsort(-own(net, []))]
    p = truth([])
    wrong = next(token for token in ranked if p[token] == 0 and token not in (0, 1, 3))
    (title,) = (button.label for button in at.button if button.key == "force-wrong")
    assert WORDS.decode([wrong])[0] in title and f"{own(net, [])[wrong]:.2%}" in title
    press(at, "force-wrong")
    assert at.text_input(key="forced").value == f"1={WORDS.decode([wrong])[0]}"
    rows = table_with(at, "with what is forced")
    name = WORDS.decode([wrong])[0]
    assert rows["right so far (with what is forced)"][0] == "✗"
    assert re.fullmatch(rf"{re.escape(name)} \(.*%\), forced", rows["with what is forced"][0])
    given = [wrong]
    while given[-1] != WORDS.end and len(given) < 10:
        given.append(int(own(net, given).argmax()))
    cells = [cell.split(" (")[0] for cell in rows["with what is forced"] if cell]
    assert cells == WORDS.decode(given), "what follows has read it"
    assert "(wrong from step 1 on)" in shown(at) and ":material/close:" in shown(at)


def test_another_right_word_leads_to_another_right_answer(opened, net):
    at = press(opened(GENERATION), "force-right")
    p, ranked = truth([]), [int(token) for token in np.argsort(-own(net, []))]
    taken = ranked[0]
    other = next(token for token in ranked if p[token] > 0 and token != taken)
    assert at.text_input(key="forced").value == f"1={WORDS.decode([other])[0]}"
    marks = list(table_with(at, "with what is forced")["right so far (with what is forced)"])
    assert marks[0] == "✓"


def test_greedy_or_beam_for_the_model_and_in_the_grammar(opened, net):
    at = opened(BEAM, beam_steps=10)
    rows = table_with(at, "probability (grammar)")
    given = []
    while WORDS.end not in given and len(given) < 10:
        given.append(int(own(net, given).argmax()))
    assert list(rows["decoding"]) == ["greedy", "beam search"]
    assert rows["probability (model)"][0] == f"{probability(net, tuple(given)):.2%}"
    right = {(*WORDS.ids(answer), WORDS.end): p for answer, p in ANSWERS.items()}
    assert rows["probability (grammar)"][0] == f"{right.get(tuple(given), 0):.2%}"
    assert rows["right"][0] == ("✓" if tuple(given) in right else "✗")


def test_sentences_where_they_differ_are_looked_for_when_asked_and_opened_by_a_click(opened, net, monkeypatch):
    monkeypatch.setattr(greedy_or_beam, "sentences_that_differ", lambda *given: ("you are happy", "i love you"))
    at = opened(BEAM)
    assert not [button for button in at.button if button.key.startswith("beam-example")]
    press(at, "find-beam-examples")
    assert [button.label for button in at.button if button.key.startswith("beam-example")] == ["you are happy", "i love you"]
    press(at, "beam-example-1")
    assert session_of(at).settings.src == "i love you"
    monkeypatch.setattr(greedy_or_beam, "sentences_that_differ", lambda *given: ())
    assert "there was none" in shown(turn(at))


def test_an_answer_is_typed_as_one_writes_it(opened):
    at = opened({"part": "teacher_forcing"}, answer="Aimes-tu ma maison ?")
    column = [text.removeprefix("✓ ").removeprefix("✗ ") for text in figure(at, "lane-training").data[0]["text"]]
    assert column == ["aimes", "-tu", "ma", "maison", "?", "&lt;end&gt;"]
    turn(at, answer="le zèbre")
    assert any("zèbre" in error.value for error in at.error)


def test_step_0_stands_beside_the_same_truth(opened):
    at = opened(GENERATION, compare="yes")
    taught, initial = figure(at, "step-bars"), figure(at, "initial-bars")
    p = truth([])
    for picture in (taught, initial):
        np.testing.assert_allclose(picture.lines[1], 100 * p[WORDS.ids(labels(picture))], rtol=1e-5)
    near, far = map(float, re.findall(r"grammar at this step: \*\*(.*?)\*\* nats", shown(at)))
    assert near < far, "what it has learned"
