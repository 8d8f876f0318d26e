"""Pins the decoding page: both lanes, every step and the whole tree are what a fresh model computes, pass by pass."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from explorer.decoded import Lesson, lesson
from explorer.state import ModelKey, View
from streamlit.testing.v1 import AppTest

from explorer import server
from explorer.model_store.store import StoredModel
from tests.pages.helpers import WORDS, config, figure, figures, fine, fresh, open_page, shown, told, traced, turn
from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, checkpoint, train_steps
from transformer_core.data.corpora import CORPORA

SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}
SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge"}
SRC, TGT = (WORDS.encode(SENTENCES[name]) for name in ("src", "tgt"))
STEPS, BEAM = {"part": "Step by step"}, {"part": "Beam search"}


def model(seed: int = 5, **changes) -> Transformer:
    return Transformer(config(**SIZES, **changes), torch.Generator().manual_seed(seed)).eval()


def opened(**state) -> AppTest:
    at = open_page("decoding", **{"seed": 5, **SIZES, **SENTENCES} | state)
    assert fine(at)
    return at


def logits_of(net: Transformer, given: list[int], src: list[int] = SRC) -> np.ndarray:
    """The newest position's logits, from a pass of its own."""
    with torch.no_grad():
        return net(torch.tensor([src]), torch.tensor([given]))[0, -1].double().numpy()


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def greedily(
    net: Transformer, steps: int, forced: dict[int, int] | None = None, src: list[int] = SRC, start: int = 1
) -> list[int]:
    """What the model says by itself; step -> token says otherwise."""
    given = [start]
    for step in range(steps):
        given.append((forced or {}).get(step, int(logits_of(net, given, src).argmax())))
    return given[1:]


def column(at: AppTest, key: str, i: int) -> list[str]:
    """One column of a lane, its marks taken off."""
    return [text.removeprefix("✓ ").removeprefix("✗ ") for text in figure(at, key).data[i]["text"]]


def escaped(ids: list[int]) -> list[str]:
    return [word.replace("<", "&lt;").replace(">", "&gt;") for word in WORDS.decode(ids)]


def table(at: AppTest, name: str):
    """The one table that has a column of this name."""
    (found,) = (frame.value for frame in at.dataframe if name in frame.value)
    return found


def metric(at: AppTest, start: str) -> str:
    (value,) = (each.value for each in at.metric if each.label.startswith(start))
    return value


def test_a12_in_training_the_decoder_is_given_the_answer_moved_one_place_on():
    at = opened()
    given, labels = [WORDS.start, *TGT], [*TGT, WORDS.end]
    assert column(at, "lane-training", 0) == escaped(labels)
    assert column(at, "lane-training", 1) == escaped(given)
    assert column(at, "lane-training", 1)[1:] == column(at, "lane-training", 0)[:-1]
    said = fresh(config(**SIZES), 5, **SENTENCES)["logits"].argmax(axis=1).tolist()
    assert column(at, "lane-training", 2) == escaped(said)
    marks = [text[0] for text in figure(at, "lane-training").data[2]["text"]]
    assert marks == ["✓" if a == b else "✗" for a, b in zip(said, labels, strict=True)]


def test_a12_in_use_it_is_given_what_it_has_said():
    at = opened()
    said = greedily(model(), 4)
    assert column(at, "lane-use", 1) == escaped(said)
    assert column(at, "lane-use", 0) == escaped([WORDS.start, *said[:-1]])
    forced = fresh(config(**SIZES), 5, **SENTENCES)["logits"].argmax(axis=1).tolist()
    same = sum(a == b for a, b in zip(said, forced, strict=True))
    assert f"the same word at {same} of 4 positions" in shown(at)
    assert said[0] != TGT[0]
    assert f"They part at position 1: in training it is given “le”, in use “{WORDS.decode(said[:1])[0]}”" in shown(at)


def test_a12_lanes_that_are_given_the_same_say_the_same():
    """The model's own words as the target: then there is nothing to part over."""
    own = greedily(model(), 4)
    own_words = WORDS.decode(own[:3])
    assert not {"<pad>", "<start>", "<end>", "<unk>"} & set(own_words)
    at = opened(tgt=" ".join(own_words))
    assert column(at, "lane-training", 2) == column(at, "lane-use", 1) == escaped(own)
    assert "the same word at 4 of 4 positions. So far they have been given the same words" in shown(at)


def test_c8_what_each_position_of_i_love_you_now_may_see():
    at = opened()
    (button,) = (button for button in at.button if "I love you now" in button.label)
    assert fine(button.click().run())
    assert at.text_input(key="tgt").value == "i love you now"
    assert column(at, "lane-training", 0) == ["i", "love", "you", "now", "&lt;end&gt;"]
    assert column(at, "lane-training", 1) == ["&lt;start&gt;", "i", "love", "you", "now"]
    lower = np.where(np.tri(5) == 1, 1.0, np.nan)
    training, use = figure(at, "sees-training"), figure(at, "sees-use")
    np.testing.assert_array_equal(training.cells[0], lower)
    np.testing.assert_array_equal(use.cells[0], lower)
    assert training.layout["xaxis"]["ticktext"] == ["0 &lt;start&gt;", "1 i", "2 love", "3 you", "4 now"]
    said = greedily(model(), 4)
    own = [f"{i} {word}" for i, word in enumerate(escaped([WORDS.start, *said]))]
    assert use.layout["xaxis"]["ticktext"] == own
    assert use.layout["yaxis"]["ticktext"] == [f"step {i}" for i in range(1, 6)]
    # And what is hidden does not enter: without the last word, the rows above it are the same.
    short = softmax(fresh(config(**SIZES), 5, src=SENTENCES["src"], tgt="i love you")["logits"])
    everything = escaped(list(range(len(WORDS))))
    ids = [everything.index(name) for name in figure(at, "probabilities").layout["xaxis"]["ticktext"]]
    np.testing.assert_allclose(figure(at, "probabilities").cells[0][:4], short[:, ids], rtol=1e-4)


def test_a13_the_probability_of_every_shown_token_at_every_position():
    at = opened()
    probabilities = softmax(fresh(config(**SIZES), 5, **SENTENCES)["logits"].astype(np.float64))
    names = figure(at, "probabilities").layout["xaxis"]["ticktext"]
    everything = escaped(list(range(len(WORDS))))
    ids = [everything.index(name) for name in names]
    best = np.argsort(-probabilities.max(axis=0))[:16]
    assert ids == sorted({*TGT, WORDS.end, *best.tolist()})
    (cells,) = figure(at, "probabilities").cells
    np.testing.assert_allclose(cells, probabilities[:, ids], rtol=1e-4)
    assert figure(at, "probabilities").layout["coloraxis"]["cmax"] == pytest.approx(cells.max(), rel=1e-4)


def test_c10_logits_log_probabilities_and_the_loss():
    at = opened()
    logits = fresh(config(**SIZES), 5, **SENTENCES)["logits"]
    labels = [*TGT, WORDS.end]
    own = np.log(softmax(logits.astype(np.float64)))[range(4), labels]
    rows = table(at, "loss (−log p)")
    np.testing.assert_allclose(rows["logit"], logits[range(4), labels], atol=6e-5)
    np.testing.assert_allclose(rows["log-probability"], own, atol=6e-5)
    np.testing.assert_allclose(rows["probability"], np.exp(own), rtol=1e-4)
    np.testing.assert_allclose(rows["loss (−log p)"], -own, atol=6e-5)
    torchs = float(F.cross_entropy(torch.tensor(logits), torch.tensor(labels)))
    assert float(metric(at, "mean of −log p")) == pytest.approx(-own.mean(), abs=6e-5)
    assert float(metric(at, "F.cross_entropy")) == pytest.approx(torchs, abs=1e-4)
    assert metric(at, "… given log-prob") == metric(at, "F.cross_entropy") == metric(at, "mean of −log p")
    twice = float(F.cross_entropy(torch.tensor(softmax(logits.astype(np.float64))), torch.tensor(labels)))
    assert float(metric(at, "… given probabilities")) == pytest.approx(twice, abs=6e-5)
    assert float(metric(at, "guessing")) == pytest.approx(math.log(len(WORDS)), abs=6e-5)


def test_e6_ten_ids_from_an_untrained_model_step_by_step_with_their_shapes():
    at = opened(**STEPS)
    net, said = model(), greedily(model(), 10)
    assert at.slider(key="decode_steps").value == 10
    for step in (1, 7, 10):
        turn(at, decode_step=step)
        assert fine(at)
        given = [WORDS.start, *said[: step - 1]]
        logits = logits_of(net, given)
        rows = table(at, "logit")
        order = np.argsort(-logits)[:10].tolist()
        assert list(rows["token"]) == WORDS.decode(order)
        np.testing.assert_allclose(rows["logit"], logits[order], atol=1e-4)
        np.testing.assert_allclose(rows["log-probability"], np.log(softmax(logits))[order], atol=1e-4)
        np.testing.assert_allclose(rows["probability"], softmax(logits)[order], atol=2e-6)
        np.testing.assert_allclose(figure(at, "step-bars").lines[0], 100 * softmax(logits)[order], rtol=1e-4)
        assert list(rows["said"]) == ["▶", *[""] * 9]
        shapes = dict(zip(table(at, "numbers")["tensor"], table(at, "numbers")["numbers"], strict=True))
        assert list(shapes.values()) == ["(1, 6)", "(1, 6, 48)", f"(1, {step})", f"(1, {step}, 450)", "(1, 450)"]
    chips = next(words.value for words in at.markdown if " → " in words.value)
    assert [word.strip("`:*[]").split("`")[1] if "[" in word else word.strip("`") for word in chips.split(" → ")] == (
        WORDS.decode([WORDS.start, *said])
    )


def test_e6_what_the_newest_word_looks_at():
    at = opened(**STEPS, decode_step=4, layer=1)
    said = greedily(model(), 3)
    weights = traced(model(), SRC, [WORDS.start, *said])["decoder.1.cross_attn.weights"]
    np.testing.assert_allclose(figure(at, "cross-row").cells[0], weights[:, -1], rtol=1e-4)


def test_forward_and_back():
    at = opened(**STEPS)

    def press(label: str) -> None:
        (button,) = (button for button in at.button if button.label == label)
        assert not button.disabled
        button.click().run()

    press("On")
    press("On")
    assert at.slider(key="decode_step").value == 3
    press("Back")
    assert at.slider(key="decode_step").value == 2
    assert fine(at)


def test_drawn_words_have_the_chances_of_temperature_and_top_k():
    at = opened(**STEPS, decode_how="sample", temperature=0.5, top_k=4, draw_seed=3)
    logits = logits_of(model(), [WORDS.start])
    rows = table(at, "chance")
    order = np.argsort(-logits)[:10]
    expected = softmax(logits[order[:4]] / 0.5)
    np.testing.assert_allclose(rows["chance"], [*expected, *[0] * 6], atol=2e-6)
    np.testing.assert_allclose(rows["probability"], softmax(logits)[order], atol=2e-6)
    assert list(rows["said"]).index("▶") < 4
    turn(at, top_k=1)
    assert [w.value for w in at.markdown if " → " in w.value] == [
        w.value for w in opened(**STEPS).markdown if " → " in w.value
    ]  # one token left to draw: greedy


def test_the_seed_of_the_draws_says_what_is_drawn():
    def said(seed: int) -> str:
        return next(w.value for w in opened(**STEPS, decode_how="sample", draw_seed=seed).markdown if " → " in w.value)

    assert said(1) == said(1)
    assert said(1) != said(2)


@pytest.mark.parametrize("by", ["link", "hand"])
def test_a_forced_word_is_said_shown_and_read_by_what_follows(by):
    chat = WORDS.encode("chat")[0]
    if by == "link":
        at = open_page("decoding", {"part": "Step by step", "forced": "2=chat", "decode_step": "3", "seed": "5",
                                    **{name: str(value) for name, value in (SIZES | SENTENCES).items()}})  # fmt: skip
    else:
        at = opened(**STEPS, decode_step=2)
        assert fine(at.selectbox(key="force").set_value(chat).run())
        assert at.text_input(key="forced").value == "2=chat"
        assert "forced by hand" in shown(at)
        assert list(table(at, "said")["token"][table(at, "said")["said"] == "▶"]) == ["chat"]
        turn(at, decode_step=3)
    assert fine(at)
    net = model()
    said = greedily(net, 10, {1: chat})
    assert said != greedily(net, 10)
    logits = logits_of(net, [WORDS.start, *said[:2]])
    rows = table(at, "logit")
    np.testing.assert_allclose(rows["logit"], np.sort(logits)[::-1][:10], atol=1e-4)
    chips = next(words.value for words in at.markdown if " → " in words.value)
    assert "`chat` :material/pan_tool:" in chips
    (button,) = (button for button in at.button if button.label == "Force nothing")
    assert fine(button.click().run())
    assert at.text_input(key="forced").value == ""
    free = logits_of(net, [WORDS.start, *greedily(net, 2)])
    np.testing.assert_allclose(table(at, "logit")["logit"], np.sort(free)[::-1][:10], atol=1e-4)


def test_one_forced_word_of_several_is_taken_back():
    at = opened(**STEPS, forced="1=dog 2=chat")
    turn(at, decode_step=2)
    assert at.selectbox(key="force").value == WORDS.encode("chat")[0]
    assert fine(at.selectbox(key="force").set_value(-1).run())
    assert at.text_input(key="forced").value == "1=dog"


def test_a_forced_end_ends_the_answer():
    at = opened(**STEPS, forced="3=<end>")
    assert at.slider(key="decode_step").max == 3
    turn(at, forced="1=<end>")  # one step only: nothing to walk through
    assert fine(at)
    assert not [slider for slider in at.slider if slider.key == "decode_step"]
    assert len(figures(at)) == 2


@pytest.mark.parametrize("typed", ["chat", "0=chat", "x=chat", "2=", "=", "2=zebra", "²=chat", "2=<b>x</b>", "-1=chat"])
def test_forced_nonsense_is_told(typed):
    at = open_page("decoding", **STEPS, forced=typed)
    assert told(at).startswith("Forced words: ")
    assert len(figures(at)) == 2
    assert fine(turn(at, forced=""))


def test_a_word_forced_behind_the_last_step_changes_nothing():
    at, plain = opened(**STEPS, decode_steps=3, forced="9=chat"), opened(**STEPS, decode_steps=3)
    assert [each.data for each in figures(at)] == [each.data for each in figures(plain)]


def searched(net: Transformer, width: int, steps: int, end: int = WORDS.end) -> tuple[list[dict], dict]:
    """A beam search by whole passes: per step all candidates with their sums, and the finished and last answers."""
    beams, room, done, tried = {(): 0.0}, width, {}, []
    for _step in range(steps):
        candidates = {}
        for said, total in beams.items():
            logs = np.log(softmax(logits_of(net, [WORDS.start, *said])))
            candidates |= {(*said, token): total + logs[token] for token in range(len(logs))}
        tried.append(candidates)
        kept = dict(sorted(candidates.items(), key=lambda pair: -pair[1])[:room])
        done |= {said: total for said, total in kept.items() if said[-1] == end}
        beams = {said: total for said, total in kept.items() if said[-1] != end}
        room = len(beams)
    return tried, done | beams


@pytest.mark.parametrize("width", [1, 3])
def test_the_tree_is_that_of_a_search_by_whole_passes(width):
    at = opened(**BEAM, beam_width=width, beam_steps=3, beam_penalty=0.6)
    tried, answers = searched(model(), width, 3)
    notes = [note["text"] for note in figure(at, "beam-tree").layout["annotations"]]
    kept = [note for note in notes if "<br>" in note]
    assert len(kept) == 3 * width
    expected = [sorted(level.items(), key=lambda pair: -pair[1])[:width] for level in tried]
    assert sorted(kept) == sorted(
        f"<b>{escaped([said[-1]])[0]}</b><br>{total:.2f}" for level in expected for said, total in level
    )
    assert sum(note.startswith("× ") for note in notes) == 3 * min(width, 3)
    rows = table(at, "answer")
    best = sorted(answers.items(), key=lambda pair: -pair[1])
    assert list(rows["answer"])[:width] == [" ".join(WORDS.decode(said)) for said, _total in best]
    np.testing.assert_allclose(rows["sum of log-probabilities"][:width], [total for _said, total in best], atol=2e-4)
    evened = [total / ((5 + 3) / 6) ** 0.6 for _said, total in best]
    np.testing.assert_allclose(rows["score, length evened out"][:width], evened, atol=2e-4)
    assert f"{sum(map(len, tried)):,} candidates were looked at" in shown(at)


def test_greedy_is_marked_in_the_table_or_added_to_it():
    at = opened(**BEAM, beam_width=1, beam_steps=4)
    rows = table(at, "answer")
    said = " ".join(WORDS.decode(greedily(model(), 4)))
    assert (list(rows["answer"]), list(rows["greedy"]), list(rows["place"])) == ([said], ["▶ greedy"], ["1"])
    assert "the same answer" in shown(at)
    for seed in range(8):  # with some seed the beam leaves greedy's way
        at = opened(**BEAM, beam_width=3, beam_steps=4, seed=seed)
        rows = table(at, "answer")
        marked = [answer for answer, mark in zip(rows["answer"], rows["greedy"], strict=True) if mark]
        assert marked == [" ".join(WORDS.decode(greedily(model(seed), 4)))]
        if len(rows) == 4:
            break
    assert len(rows) == 4 and list(rows["place"])[-1] == "–"


NUMBERS = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=16, n_heads=2, d_ff=16, n_layers=1, dropout=0.0, norm="pre")


def trained(facts: dict | None = None, cfg: TransformerConfig = NUMBERS, steps: int = 30) -> tuple[Transformer, str]:
    """A model that has learned a little, on the shelf."""
    net = Transformer(cfg, torch.Generator().manual_seed(3))
    if steps:
        list(train_steps(net, CopyTask(5, 4), Recipe(steps=steps, batch_size=8, seed=3)))
    stored = server.model_store().add(checkpoint.to_bytes(net, {"task": "copy", "seed": 3} if facts is None else facts))
    return net.eval(), stored.id


def test_e6_trained_and_untrained_side_by_side():
    net, model_id = trained()
    at = open_page("decoding", {"model": model_id, **STEPS}, numbers="1 3 2 4", compare="yes", decode_step=2, decode_steps=4)
    assert fine(at)
    before = Transformer(NUMBERS, torch.Generator().manual_seed(3)).eval()
    src = [1, 3, 2, 4]
    rows = table(at, "trained says")
    for name, each, key in (("trained says", net, ""), ("Before training (seed 3)", before, "-random")):
        said = greedily(each, 4, src=src)
        for step in range(4):
            p = softmax(logits_of(each, [1, *said[:step]], src))[said[step]]
            word = "<pad>" if said[step] == 0 else str(said[step])
            assert rows[name][step] == f"{word} ({p:.1%})"
        weights = traced(each, src, [1, said[0]])["decoder.0.cross_attn.weights"][:, -1]
        np.testing.assert_allclose(figure(at, f"cross-row{key}").cells[0], weights, rtol=1e-4)
        bars = figure(at, "random-bars" if key else "step-bars").lines[0]
        np.testing.assert_allclose(bars, 100 * np.sort(softmax(logits_of(each, [1, said[0]], src)))[::-1], rtol=1e-3)
    assert list(rows["trained says"]) != list(rows["Before training (seed 3)"])


def test_a12_the_lanes_of_a_trained_model_read_its_numbers():
    net, model_id = trained()
    at = open_page("decoding", {"model": model_id}, numbers="1 3 2 4 4")
    assert fine(at)
    assert column(at, "lane-training", 0) == ["3", "2", "4", "4"]
    assert column(at, "lane-training", 1) == ["1", "3", "2", "4"]
    assert column(at, "lane-use", 1) == [
        "&lt;pad&gt;" if token == 0 else str(token) for token in greedily(net, 4, src=[1, 3, 2, 4, 4])
    ]
    assert not [button for button in at.button if "I love you" in button.label]
    assert len(figure(at, "probabilities").cells[0][0]) == 5  # a small vocabulary is shown whole


def test_random_weights_that_the_training_may_not_have_begun_with_are_not_called_so():
    _net, model_id = trained({"task": "copy"})
    at = open_page("decoding", {"model": model_id, **STEPS}, numbers="1 3 2 4", compare="yes")
    assert fine(at)
    assert "Random weights (seed 0)" in table(at, "trained says")
    assert "Before training" not in shown(at)


@pytest.mark.parametrize(
    ("task", "answer"), [("reverse", [2, 4, 3]), ("sort", [2, 3, 4]), ("copy", [3, 4, 2]), ("?", [3, 4, 2])]
)
def test_a12_the_right_answer_is_that_of_the_model_s_task(task, answer):
    net, model_id = trained({"task": task})
    at = open_page("decoding", {"model": model_id}, numbers="1 3 4 2")
    assert fine(at)
    assert column(at, "lane-training", 0) == [str(token) for token in answer]
    assert column(at, "lane-training", 1) == [str(token) for token in [1, *answer[:-1]]]
    logits = traced(net, [1, 3, 4, 2], [1, *answer[:-1]])["logits"]
    np.testing.assert_allclose(table(at, "loss (−log p)")["logit"], logits[range(3), answer], atol=1e-4)


def sentences(src: str, typed: str = "") -> Lesson:
    """What the teacher of a model that reads words would hand it."""
    words = CORPORA["translate-fr"]().vocabulary
    cfg = TransformerConfig(src_vocab=len(words), tgt_vocab=len(words), d_model=16, n_heads=2, d_ff=16, n_layers=1)
    stored = StoredModel("x", cfg, {"task": "translate-fr"}, b"")
    own = (words.start, 7, 8)  # what the model says itself
    return lesson(View(ModelKey(cfg, 0, "x"), words, tuple(words.encode(src)), own, stored=stored), typed)


def test_a12_a_sentence_of_the_corpus_has_its_answer_there():
    corpus = CORPORA["translate-fr"]()
    for row in (0, 100, len(corpus.examples) - 1):
        found = sentences(" ".join(corpus.examples[row].src))
        assert found.known
        assert found.given == tuple(i for i in corpus.tgt[row].tolist() if i != 0)
        assert found.labels == tuple(i for i in corpus.labels[row].tolist() if i != 0)
    example = corpus.examples[3]
    typed = sentences(" ".join(example.src), "le chat")
    chat = tuple(corpus.vocabulary.encode("le chat"))
    assert (typed.given, typed.labels, typed.known) == ((1, *chat), (*chat, 2), True)


def test_a12_without_a_right_answer_the_model_s_own_stands_in_for_it():
    found = sentences("the the the")
    assert (found.given, found.labels, found.known) == ((1, 7, 8), (7, 8, 2), False)


def test_a12_the_teacher_of_the_translator_takes_its_answers_from_the_corpus():
    corpus = CORPORA["translate-fr"]()
    row = corpus.train + 5  # a sentence that it was not trained on
    example = corpus.examples[row]
    at = open_page("decoding", {"model": "translate-fr", "src": " ".join(example.src)})
    assert fine(at)
    assert column(at, "lane-training", 0) == [*example.tgt, "&lt;end&gt;"]
    assert column(at, "lane-training", 1) == ["&lt;start&gt;", *example.tgt]
    net = server.model_store().load("translate-fr")
    logits = traced(net, corpus.vocabulary.encode(" ".join(example.src)), [1, *corpus.vocabulary.encode(" ".join(example.tgt))])
    labels = [i for i in corpus.labels[row].tolist() if i != 0]
    own = np.log(softmax(logits["logits"].astype(np.float64)))[range(len(labels)), labels]
    assert float(metric(at, "mean of −log p")) == pytest.approx(-own.mean(), abs=6e-5)
    assert "not in the model's corpus" not in shown(at)


def test_a12_its_own_answer_is_not_called_right():
    at = open_page("decoding", {"model": "translate-fr", "src": "the the cat"})
    assert fine(at)
    assert "not in the model's corpus" in shown(at) and "the most likely word is the right one" not in shown(at)
    assert figure(at, "lane-training").layout["xaxis"]["ticktext"][0] == "its own answer"
    assert not any(text[0] in "✓✗" for text in figure(at, "lane-training").data[2]["text"])
    assert fine(turn(at, answer="le chat"))
    assert column(at, "lane-training", 0) == ["le", "chat", "&lt;end&gt;"]
    assert figure(at, "lane-training").layout["xaxis"]["ticktext"][0] == "right answer"


def test_answers_that_end_are_finished():
    at = open_page("decoding", {"model": "translate-fr", "src": "the red cat sees a big house", **BEAM}, beam_steps=8)
    assert fine(at)
    rows = table(at, "answer")
    assert rows["answer"][0] == "le chat rouge voit une grande maison <end>"
    ends = [answer.endswith("<end>") for answer in rows["answer"]]
    assert [finished == "yes" for finished in rows["finished"]] == ends
    squares = [note["text"] for note in figure(at, "beam-tree").layout["annotations"] if note["text"].startswith("■")]
    assert len(squares) == sum(ends) >= 1 and all("&lt;end&gt;" in text for text in squares)
    assert "This model has no end token" not in shown(at)


def test_a_model_that_may_look_ahead_is_not_said_to_be_masked():
    at = opened(causal=False)
    assert np.isfinite(figure(at, "sees-training").cells[0]).all()
    assert np.isnan(figure(at, "sees-use").cells[0]).sum() == 6
    assert "it has seen the whole answer" in shown(at) and "not hidden in this model" in shown(at)
    assert "so they must" not in shown(at)


def test_without_cross_attention_the_newest_word_asks_what_was_said():
    at = opened(**STEPS, cross_attention=False, decode_step=4, layer=1)
    net = model(cross_attention=False)
    said = greedily(net, 3)
    weights = traced(net, SRC, [WORDS.start, *said])["decoder.1.self_attn.weights"]
    np.testing.assert_allclose(figure(at, "cross-row").cells[0], weights[:, -1], rtol=1e-4)
    assert "this model has no cross-attention" in shown(at)
    for part in ("Two lanes", "Beam search"):
        assert fine(turn(at, part=part))


def test_an_answer_that_the_model_has_no_word_for_is_declined():
    _net, model_id = trained({}, TransformerConfig(**{**vars(NUMBERS), "tgt_vocab": 3}), steps=0)
    assert "the label 3 is not among the 3 tokens" in told(open_page("decoding", {"model": model_id}, numbers="1 3"))


def test_long_sentences_are_drawn_in_part_and_counted_whole():
    at = opened(tgt="chat " * 40)
    assert len(column(at, "lane-training", 0)) == len(column(at, "lane-use", 0)) == 12
    assert "The first 12 of 41 positions are drawn." in shown(at)
    assert len(table(at, "loss (−log p)")) == 41
    assert figure(at, "probabilities").cells[0].shape[0] == 41


@pytest.mark.parametrize("part", ["Step by step", "Beam search"])
def test_random_weights_are_called_random_on_every_part(part):
    assert "Random weights (seed 41)" in shown(opened(part=part, seed=41))


@pytest.mark.parametrize(
    "link",
    [{"decode_how": "x"}, {"decode_steps": "-1"}, {"decode_step": "99"}, {"temperature": "0"}, {"top_k": "1000"},
     {"top_p": "nan"}, {"draw_seed": "-3"}, {"beam_width": "99"}, {"beam_steps": "0"}, {"beam_penalty": "x"},
     {"compare": "maybe"}, {"part": "nowhere"}],
    ids=str,
)  # fmt: skip
def test_a_link_with_nonsense_on_the_parts(link):
    for part in (STEPS, BEAM):
        assert fine(open_page("decoding", part | link))


def test_knobs_on_the_parts_are_bound_to_the_address_bar():
    at = opened(**STEPS, decode_how="sample")
    names = {"decode_how", "decode_steps", "temperature", "top_k", "top_p", "draw_seed", "decode_step", "forced", "layer"}
    found = {knob.key: knob.proto.query_param_key for knob in (*at.slider, *at.text_input, *at.button_group)}
    assert {name: found.get(name) for name in names} == {name: name for name in names}
    at = opened(**BEAM)
    assert {slider.key for slider in at.slider if slider.proto.query_param_key} >= {"beam_width", "beam_steps", "beam_penalty"}


def test_the_example_words_are_known():
    assert not WORDS.unknown_words("i love you now")
