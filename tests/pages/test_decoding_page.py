"""Pins the decoding page: both lanes, every step and the whole tree are what a new model computes, pass by pass."""

import math
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from everyday.translation import TRANSLATIONS
from explorer import resources
from explorer.model_on_screen.decoding import TeacherForcing, teacher_forcing
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.sequences import Sequences
from explorer.model_on_screen.shown_model import ShownModel
from tests.pages.helpers import (
    SIZES,
    WORDS,
    config,
    figure,
    figures,
    fine,
    fresh,
    learned_file,
    open_page,
    rounded,
    session_of,
    shown,
    softmax,
    table_with,
    told,
    traced,
    turn,
    visit,
)
from tests.transformer_core.helpers import train_steps
from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import SentenceTask
from transformer_core.model.beam_search import beam_search
from transformer_core.model.cache import CachedDecoder

# Words that are no sentence: there is no right answer, whose words would stand among the likeliest.
SENTENCES = {"src": "cat the red sees dog the", "tgt": "le chat rouge"}
GUESS = {"guess": SENTENCES["src"]}  # words in no order that was taught
SRC, TGT = (WORDS.encode(SENTENCES[name]) for name in ("src", "tgt"))
GENERATION, BEAM = {"part": "generation"}, {"part": "beam_search"}
FORCING = {"part": "teacher_forcing"}
CHAT = WORDS.encode("chat")[0]
SAID = {word for word in TRANSLATIONS["everyday-fr"].words if word.isalpha()}  # words of its answers


def model(seed: int = 5, **changes) -> Transformer:
    return Transformer(config(**SIZES, **changes), torch.Generator().manual_seed(seed)).eval()


def opened(**state) -> AppTest:
    at = open_page("decoding", FORCING | GUESS, **{"seed": 5, **SIZES, **SENTENCES} | state)
    assert fine(at)
    return at


def logits_of(net: Transformer, given: list[int], src: list[int] = SRC) -> np.ndarray:
    """The last position's logits, from a pass of its own."""
    with torch.no_grad():
        return net(torch.tensor([src]), torch.tensor([given]))[0, -1].double().numpy()


def greedily(net: Transformer, steps: int, forced: dict[int, int] | None = None, src: list[int] = SRC) -> list[int]:
    """What the model generates by itself; step -> token forces another one."""
    given = [WORDS.start]
    for step in range(steps):
        logits = logits_of(net, given, src)
        logits[net.cfg.pad_id] = -np.inf  # no token to say
        given.append((forced or {}).get(step, int(logits.argmax())))
    return given[1:]


def column(at: AppTest, key: str, i: int) -> list[str]:
    """One column of a lane, its marks taken off."""
    return [text.removeprefix("✓ ").removeprefix("✗ ") for text in figure(at, key).data[i]["text"]]


def headings(at: AppTest, key: str) -> list[str]:
    return figure(at, key).layout["xaxis"]["ticktext"]


def escaped(ids: list[int]) -> list[str]:
    return [word.replace("<", "&lt;").replace(">", "&gt;") for word in WORDS.decode(ids)]


def metric(at: AppTest, start: str) -> str:
    (value,) = (each.value for each in at.metric if each.label.startswith(start))
    return value


def chips(at: AppTest) -> list[str]:
    """The answer as a row of tokens; the one on screen and those to come are taken out of their colours."""
    (row,) = (words.value for words in at.markdown if words.value.startswith("`"))
    return [re.sub(r"^:[\w-]+\[(.*)\]$", r"\1", chip).strip("*") for chip in row.split(" → ")]


def press(at: AppTest, label: str) -> AppTest:
    (button,) = (button for button in at.button if button.label == label)
    assert not button.disabled
    assert fine(button.click().run())
    return at


@pytest.mark.teaches(point="A12")
def test_teacher_forcing_gives_the_target_shifted_right_and_use_gives_the_model_its_own():
    at = opened()
    given, labels = [WORDS.start, *TGT], [*TGT, WORDS.end]
    logits = fresh(config(**SIZES), 5, **SENTENCES)["logits"]
    predicted, own = logits.argmax(axis=1).tolist(), greedily(model(), 4)
    assert [column(at, "lane-training", i) for i in range(3)] == [escaped(ids) for ids in (labels, given, predicted)]
    marks = [text[0] for text in figure(at, "lane-training").data[2]["text"]]
    assert marks == ["✓" if a == b else "✗" for a, b in zip(predicted, labels, strict=True)]
    assert [column(at, "lane-use", i) for i in range(2)] == [escaped([WORDS.start, *own[:-1]]), escaped(own)]
    same = sum(a == b for a, b in zip(own, predicted, strict=True))
    assert f"agree at {same} of 4 positions" in shown(at)
    assert own[0] != TGT[0] and f"at position 1: “le” in training, “{WORDS.decode(own[:1])[0]}” in use" in shown(at)

    # And the logits and the loss of the same pass.
    rows, own_logs = table_with(at, "loss (−log p)"), np.log(softmax(logits.astype(np.float64)))[range(4), labels]
    np.testing.assert_allclose(rows["logit"], logits[range(4), labels], atol=6e-5)
    np.testing.assert_allclose(rows["log-probability"], own_logs, atol=6e-5)
    np.testing.assert_allclose(rows["loss (−log p)"], -own_logs, atol=6e-5)
    assert float(metric(at, "mean of −log p")) == pytest.approx(-own_logs.mean(), abs=6e-5)
    assert metric(at, "… given log-prob") == metric(at, "F.cross_entropy")
    assert float(metric(at, "… given probabilities")) > float(metric(at, "F.cross_entropy"))
    assert float(metric(at, "equal probabilities")) == pytest.approx(math.log(len(WORDS)), abs=6e-5)


@pytest.mark.teaches(point="C8")
def test_what_each_position_of_four_words_may_attend_to():
    at = opened(tgt="la voiture est rouge")
    assert column(at, "lane-training", 1) == ["&lt;start&gt;", "la", "voiture", "est", "rouge"]
    lower = np.where(np.tri(5) == 1, 1.0, np.nan)
    np.testing.assert_array_equal([figure(at, f"sees-{lane}").cells[0] for lane in ("training", "use")], [lower, lower])
    assert figure(at, "sees-training").columns == ["0 <start>", "1 la", "2 voiture", "3 est", "4 rouge"]
    assert figure(at, "sees-training").rows[3:] == ["3 est → rouge", "4 rouge → <end>"]
    assert figure(at, "sees-use").columns == token_labels(WORDS.decode([WORDS.start, *greedily(model(), 4)]))
    # The model's own words as the target: then the lanes are the same.
    seed = next(n for n in range(5, 200) if {*WORDS.decode(greedily(model(n), 3))} <= SAID)
    own = greedily(model(seed), 4)
    turn(at, seed=seed, tgt=" ".join(WORDS.decode(own[:3])))
    assert column(at, "lane-training", 2) == column(at, "lane-use", 1) == escaped(own)
    assert "agree at 4 of 4 positions. The inputs are the same so far" in shown(at)
    turn(at, tgt="chat " * 40)
    assert fine(at) and len(column(at, "lane-training", 0)) == len(column(at, "lane-use", 0)) == 12
    assert "The first 12 of 41 positions are drawn." in shown(at)
    assert len(table_with(at, "loss (−log p)")) == len(figure(at, "probabilities").cells[0]) == 41


@pytest.mark.teaches(point="E6")
def test_ten_tokens_of_an_untrained_model_step_by_step():
    at = opened(**GENERATION, layer=1)
    net, generated = model(), greedily(model(), 10)
    assert chips(at) == [f"`{word}`" for word in WORDS.decode([WORDS.start, *generated])]
    for step in (1, 10):
        turn(at, decode_step=step)
        assert fine(at)
        given = [WORDS.start, *generated[: step - 1]]
        grown = table_with(at, "appended (id)")
        assert list(grown["decoder input so far (ids)"]) == [str([WORDS.start, *generated[:i]]) for i in range(step)]
        assert list(grown["shape"]) == [f"(1, {i})" for i in range(1, step + 1)]
        assert list(grown["appended (id)"]) == generated[:step]
        rows, order = table_with(at, "logit"), np.argsort(-logits_of(net, given))[:10].tolist()
        assert list(rows["token"]) == WORDS.decode(order) and list(rows["taken"]) == ["▶", *[""] * 9]
        shapes = list(table_with(at, "tensor")["shape"])
        assert shapes == ["(1, 6)", "(1, 6, 48)", f"(1, {step})", f"(1, {step}, {len(WORDS)})", f"(1, {len(WORDS)})"]
    picture, (read, following) = figure(at, "cross-row"), WORDS.decode(generated[8:10])
    assert picture.data["axes"].startswith(f"rows: query: 9 {read} → {following} · ")
    assert session_of(press(at, "Back")).controls.remembered["decode_step"] == 9
    press(press(at, "Back"), "Next")
    assert at.slider(key="decode_step").value == 9
    assert at.query_params["decode_step"] == "9"


@pytest.mark.parametrize("cross", [True, False])
def test_what_a_kv_cache_keeps_is_what_the_cached_decoder_has_kept(cross):
    at = turn(opened(**GENERATION, cross_attention=cross), decode_step=4)
    net = model(cross_attention=cross)
    with torch.no_grad():
        decoder = CachedDecoder(
            net, net.encode(torch.tensor([SRC]), net.src_mask(torch.tensor([SRC]))), net.src_mask(torch.tensor([SRC]))
        )
        for token in [WORDS.start, *greedily(net, 3)]:
            decoder.next_logits(torch.tensor([[token]]))
    kept = [pair for layer in decoder._layers for pair in (layer._own, *([layer._source] if cross else []))]
    rows = table_with(at, "numbers in all layers")
    assert list(rows["shape of the keys, and of the values"]) == [str(tuple(k.shape)) for k, _v in kept[: 1 + cross]]
    numbers = [int(each.replace(",", "")) for each in rows["numbers in all layers"]]
    assert sum(numbers) == sum(each.numel() for pair in kept for each in pair)
    assert "KV cache" in shown(at) and f"{sum(numbers):,} numbers" in shown(at)


def test_without_a_causal_mask_nothing_can_be_kept():
    at = opened(**GENERATION, causal=False)
    assert "Nothing, in this model: without the causal mask" in shown(at)
    assert not [frame for frame in at.dataframe if "numbers in all layers" in frame.value]


def test_which_words_are_drawn_is_said_and_the_model_s_likeliest_only_where_they_are():
    at = open_page("decoding", {"part": "generation"})
    assert (
        fine(at)
        and "the one that is taken, right ones, and the most likely of the others. Press one to write it instead. Taken:"
        in shown(at)
    )
    at = open_page("decoding", {"part": "generation", "task": "copy"})
    assert "the 10 most likely of 11 tokens. Press one to write it instead. Taken:" in shown(at)


def test_sampling_by_temperature_top_k_and_seed():
    assert "under greedy they change nothing" in shown(opened(**GENERATION))
    at = opened(**GENERATION, decode_how="sample", temperature=0.5, top_k=4, draw_seed=3)
    assert "under greedy they change nothing" not in shown(at)
    logits, rows = logits_of(model(), [WORDS.start]), table_with(at, "sampling probability")
    order = np.argsort(-logits)[:10]
    np.testing.assert_allclose(rows["sampling probability"], [*softmax(logits[order[:4]] / 0.5), *[0] * 6], atol=2e-6)
    np.testing.assert_allclose(rows["probability"], softmax(logits)[order], atol=2e-6)
    assert list(rows["taken"]).index("▶") < 4
    one, other, again = (chips(turn(at, temperature=1.0, top_k=0, draw_seed=seed)) for seed in (1, 2, 1))
    assert one == again != other
    turn(at, top_k=1)  # one token is left to draw: greedy
    assert chips(at) == [f"`{word}`" for word in WORDS.decode([WORDS.start, *greedily(model(), 10)])]


@pytest.mark.parametrize("by", ["link", "hand"])
def test_a_forced_token_is_taken_shown_and_read_by_what_follows(by):
    if by == "link":
        said = {"forced": "2=chat", "decode_step": "3", "seed": "5"} | {k: str(v) for k, v in (SIZES | SENTENCES).items()}
        at = open_page("decoding", GENERATION | GUESS | said)
    else:
        at = opened(**GENERATION, decode_step=2)
        assert fine(at.selectbox(key="force").set_value(CHAT).run())
        assert at.text_input(key="forced").value == "2=chat" and "forced by hand" in shown(at)
        assert list(table_with(at, "taken")["token"][table_with(at, "taken")["taken"] == "▶"]) == ["chat"]
        turn(at, decode_step=3)
    assert fine(at)
    net = model()
    generated = greedily(net, 10, {1: CHAT})
    assert generated != greedily(net, 10)
    forced = np.sort(logits_of(net, [WORDS.start, *generated[:2]]))[::-1][:10]
    np.testing.assert_allclose(table_with(at, "logit")["logit"], forced, atol=1e-4)
    assert "`chat` :material/pan_tool:" in chips(at)
    press(at, "Clear")
    assert at.text_input(key="forced").value == ""
    free = np.sort(logits_of(net, [WORDS.start, *greedily(net, 2)]))[::-1][:10]
    np.testing.assert_allclose(table_with(at, "logit")["logit"], free, atol=1e-4)


def test_what_is_typed_to_be_forced():
    at = opened(**GENERATION, forced="1=dog 2=chat", decode_step=2)
    assert at.selectbox(key="force").value == CHAT
    assert fine(at.selectbox(key="force").set_value(-1).run())
    assert at.text_input(key="forced").value == "1=dog"
    plain = chips(turn(at, forced="", decode_steps=3))
    assert chips(turn(at, forced="9=chat")) == plain, "behind the last step it changes nothing"
    assert turn(at, decode_steps=10, forced="3=<end>").slider(key="decode_step").max == 3
    turn(at, forced="1=<end>")  # one step only: nothing to walk through
    assert fine(at) and not [slider for slider in at.slider if slider.key == "decode_step"]
    for typed in ["chat", "0=chat", "x=chat", "2=", "=", "2=zebra", "²=chat", "2=<b>x</b>", "-1=chat"]:
        assert told(turn(at, forced=typed)).startswith("Forced tokens: ") and len(figures(at)) == 2
    assert fine(turn(at, forced=""))


def test_the_answers_of_a_beam_search_stand_below_its_tree():
    at = opened(**BEAM, beam_steps=3, beam_penalty=0.6)
    found = beam_search(model(), torch.tensor([SRC]), WORDS.start, 3, width=3, penalty=0.6, end_id=WORDS.end)
    notes = [note["text"] for note in figure(at, "beam-tree").layout["annotations"]]
    assert len([note for note in notes if "<br>" in note]) == sum(note.startswith("× ") for note in notes) == 3 * 3
    rows = table_with(at, "answer")
    assert list(rows["answer"])[:3] == [" ".join(WORDS.decode(each.tokens)) for each in found.hypotheses]
    np.testing.assert_allclose(rows["sum of log-probabilities"][:3], [each.score for each in found.hypotheses], atol=2e-4)
    np.testing.assert_allclose(rows["score with length penalty"][:3], [each.normalised for each in found.hypotheses], atol=2e-4)
    assert f"{sum(len(level.token) for level in found.levels):,} candidates were compared" in shown(at)


def test_greedy_decoding_stands_in_the_table_of_answers_or_below_it():
    at = opened(**BEAM, beam_width=1, beam_steps=4)
    rows = table_with(at, "answer")
    own = " ".join(WORDS.decode(greedily(model(), 4)))
    assert (list(rows["answer"]), list(rows["greedy"]), list(rows["rank"])) == ([own], ["▶ greedy"], ["1"])
    assert "find the same answer" in shown(at)
    for seed in range(8):  # with some seed the beam finds another answer
        rows = table_with(turn(at, beam_width=3, seed=seed), "answer")
        marked = [answer for answer, mark in zip(rows["answer"], rows["greedy"], strict=True) if mark]
        assert marked == [" ".join(WORDS.decode(greedily(model(seed), 4)))]
        if len(rows) == 4:
            break
    assert len(rows) == 4 and list(rows["rank"])[-1] == "–"


NUMBERS = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=16, n_heads=2, d_ff=16, n_layers=1, dropout=0.0, norm="pre")


def from_file(facts: dict, cfg: TransformerConfig = NUMBERS) -> tuple[Transformer, str]:
    """A model of which a file holds the end alone."""
    net = Transformer(cfg, torch.Generator().manual_seed(3))
    return net.eval(), resources.model_store().add(checkpoint.to_bytes(net, facts)).id


def trained(steps: int) -> tuple[Transformer, str]:
    """A model that has learned a little, and the file of its learning."""
    net = Transformer(NUMBERS, torch.Generator().manual_seed(3))
    list(train_steps(net, CopyTask(5, 4), Recipe(steps=steps, batch_size=8, seed=3)))
    return rounded(net), learned_file(CopyTask(5, 4), {steps: net}, seed=3)


@pytest.mark.teaches(point="E6")
def test_a_later_step_and_step_0_side_by_side():
    net, model_id = trained(steps=30)
    at = open_page(
        "decoding",
        {"model": model_id, "step": "30", **GENERATION},
        numbers="1 3 2 4",
        compare="yes",
        decode_step=2,
        decode_steps=4,
    )
    assert fine(at)
    before = Transformer(NUMBERS, torch.Generator().manual_seed(3)).eval()
    src, rows = [1, 3, 2, 4], table_with(at, "At step 30")
    for name, each, key in (("At step 30", net, ""), ("At step 0", before, "-initial")):
        generated = greedily(each, 4, src=src)
        for step in range(4):
            p = softmax(logits_of(each, [1, *generated[:step]], src))[generated[step]]
            word = "<pad>" if generated[step] == 0 else str(generated[step])
            assert rows[name][step] == f"{word} ({p:.2%})"
        assert figure(at, f"cross-row{key}")
        bars = figure(at, "initial-bars" if key else "step-bars").lines[0]
        np.testing.assert_allclose(bars, 100 * np.sort(softmax(logits_of(each, [1, generated[0]], src)))[::-1], rtol=1e-3)
    assert list(rows["At step 30"]) != list(rows["At step 0"])


def test_step_0_is_not_offered_where_it_is_not_known_or_on_screen():
    _net, model_id = from_file({"task": "copy"})
    for link in ({"model": model_id, "numbers": "1 3 2 4"}, {}):
        at = open_page("decoding", link | GENERATION | {"compare": "yes"})
        assert fine(at) and not [control for control in at.button_group if control.key == "compare"]
        assert "At step 0" not in shown(at)


@pytest.mark.teaches(point="A12")
@pytest.mark.parametrize(
    ("task", "answer"), [("reverse", [2, 4, 3]), ("sort", [2, 3, 4]), ("copy", [3, 4, 2]), ("?", [3, 4, 2])]
)
def test_the_target_is_that_of_the_model_s_task(task, answer):
    _net, model_id = from_file({"task": task})
    at = open_page("decoding", FORCING | {"model": model_id}, numbers="1 3 4 2")
    assert fine(at)
    assert column(at, "lane-training", 0) == [str(token) for token in answer]
    assert column(at, "lane-training", 1) == [str(token) for token in [1, *answer[:-1]]]
    assert len(figure(at, "probabilities").cells[0][0]) == 5  # a small vocabulary is shown whole


def taught(src: str, typed: str = "") -> TeacherForcing:
    """What a model that translates is given in training."""
    words = CORPORA["pronoun-en"]().vocabulary
    cfg = TransformerConfig(src_vocab=len(words), tgt_vocab=len(words), d_model=16, n_heads=2, d_ff=16, n_layers=1)
    own = (words.start, 7, 8)  # what the model generates itself
    course = LearningState("learned", 1, (0, 1), model="x")
    task = SentenceTask("pronoun-en")
    model, text = ModelAtStep(task.name, task, words, cfg, course), Sequences(tuple(words.encode(src)), own)
    return teacher_forcing(ShownModel(model, text, model.choice), typed)


@pytest.mark.teaches(point="A12")
def test_a_sentence_of_the_corpus_has_its_target_there_and_another_the_model_s_own_answer():
    corpus = CORPORA["pronoun-en"]()
    for row in (0, 100, len(corpus.examples) - 1):
        found = taught(" ".join(corpus.examples[row].src))
        assert found.known
        assert found.given == tuple(i for i in corpus.tgt[row].tolist() if i != 0)
        assert found.labels == tuple(i for i in corpus.labels[row].tolist() if i != 0)
    typed = taught(" ".join(corpus.examples[3].src), "the dog")
    dog = tuple(corpus.vocabulary.encode("the dog"))
    assert (typed.given, typed.labels, typed.known) == ((1, *dog), (*dog, 2), True)
    assert taught("the the the") == TeacherForcing((1, 7, 8), (7, 8, 2), known=False)


@pytest.mark.teaches(point="A12")
def test_the_translator_s_targets_on_screen():
    language = TRANSLATIONS["everyday-fr"]
    source = "do you like my red car"
    right = next(iter(language.answers(source.split())))  # of several, the most probable
    at = visit(FORCING | {"src": source}, "decoding")
    assert fine(at)
    assert column(at, "lane-training", 0) == [*right, "&lt;end&gt;"]
    assert "not in the model's corpus" not in shown(at)

    session_of(at).ask_guess("the the cat")
    turn(at, src="the the cat")  # what it generates itself is not called right
    assert fine(at) and "not in the model's corpus" in shown(at)
    assert headings(at, "lane-training")[0] == "own output" and "✓: the most likely" not in shown(at)
    assert not any(text[0] in "✓✗" for text in figure(at, "lane-training").data[2]["text"])
    assert fine(turn(at, answer="le chat"))
    assert column(at, "lane-training", 0) == ["le", "chat", "&lt;end&gt;"]
    assert headings(at, "lane-training")[0] == "target"

    turn(at, src=source, part="beam_search", beam_steps=9)  # answers that end are finished
    assert fine(at)
    rows = table_with(at, "answer")
    ends = [answer.endswith("<end>") for answer in rows["answer"]]
    assert [finished == "yes" for finished in rows["finished"]] == ends
    squares = [note["text"] for note in figure(at, "beam-tree").layout["annotations"] if note["text"].startswith("■")]
    assert len(squares) == sum(ends) >= 1 and all("&lt;end&gt;" in text for text in squares)


def test_without_a_causal_mask_and_without_cross_attention():
    at = opened(causal=False, cross_attention=False)
    assert np.isfinite(figure(at, "sees-training").cells[0]).all()
    assert np.isnan(figure(at, "sees-use").cells[0]).sum() == 6
    assert "no causal mask" in shown(at) and "must be, too" not in shown(at)
    turn(at, causal=True, part="generation", decode_step=4, layer=1)
    net = model(cross_attention=False)
    weights = traced(net, SRC, [WORDS.start, *greedily(net, 3)])["decoder.1.self_attn.weights"]
    np.testing.assert_allclose(figure(at, "cross-row").cells[0], weights[:, -1], rtol=1e-4)
    assert "this model has no cross-attention" in shown(at)
    assert fine(turn(at, part="beam_search"))


def test_a_target_that_the_model_has_no_token_for_is_declined_and_the_other_parts_can_be_chosen():
    _net, model_id = from_file({}, TransformerConfig(**{**vars(NUMBERS), "tgt_vocab": 3}))
    at = open_page("decoding", FORCING | {"model": model_id}, numbers="1 3")
    assert "the label 3 is not among the 3 tokens" in told(at)
    assert fine(turn(at, part="generation"))
