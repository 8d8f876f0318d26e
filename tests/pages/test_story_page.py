"""Pins the story: every scene stands and says at most two sentences, and what it says is what its picture shows."""

import re
from dataclasses import replace
from html import unescape
from itertools import chain

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explorer import resources
from explorer.components.slides import heard
from explorer.exhibits.story import findings, scenes, story_runs
from explorer.i18n import share_text
from explorer.learning import ablations
from explorer.learning.plan import TrainingPlan
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from tests.explorer.learning.helpers import wait_until
from tests.pages.helpers import (
    attention_view,
    component,
    figure,
    figures,
    fine,
    go,
    sent_to,
    shown,
    told,
    traced,
    turn,
    visit,
)
from transformer_core import CopyTask, Recipe, TransformerConfig, greedy_decode
from transformer_core.analysis.pronoun import AnswersChanged
from transformer_core.data.sentence_text import sentence_text
from transformer_core.errors import InputError
from transformer_core.model.intervened import IntervenedModel

STEPS = range(1, len(scenes.SCENES) + 1)
WORDS = "my sister likes the red car".split()


@pytest.fixture(autouse=True)
def small_recordings(monkeypatch):
    """Two runs of a few steps in place of the story's own."""

    def plan(causal: bool) -> TrainingPlan:
        cfg = TransformerConfig(src_vocab=5, tgt_vocab=5, d_model=12, n_heads=3, d_ff=10, n_layers=1, causal=causal)
        return TrainingPlan(cfg, CopyTask(vocab=5, length=6), Recipe(steps=20, batch_size=6, evaluate_on=10, device="cpu"))

    monkeypatch.setattr(story_runs, "recorded_plans", lambda: {"baseline": plan(True), "ablated": plan(False)})


def decoded(ids: torch.Tensor) -> list[str]:
    return CopyTask(vocab=5, length=6).vocabulary.decode(ids.tolist())


def opened(step: int, **link: str) -> AppTest:
    if step in (7, 8):
        wait_until(lambda: None not in story_runs.recordings().values(), "the recordings")
    return visit({"scene": str(step)} | link, "story")


def test_every_scene_has_its_title_and_at_most_two_sentences_beside_one_picture_and_the_last_sums_up():
    for step in STEPS:
        at = opened(step)
        assert fine(at)
        assert at.header[0].value == scenes.SCENES[step - 1].title
        slides, *pictures = at.main.get("bidi_component")
        assert sent_to(slides)["step"] == step - 1
        assert len(pictures) <= 1 and (pictures or figures(at) or at.metric or at.get("page_link"))
        words = [each.value for each in at.main.markdown][2:]  # the first two are the page's own: its sentence, and the rest
        if step == STEPS[-1]:
            today = words.pop()
            assert len(words) == 3 and today.startswith("**What people call AI today**")
        assert len(words) <= (3 if step == STEPS[-1] else 2) and words and all(len(each) < 200 for each in words), words


def test_what_is_said_of_today_names_its_sources_and_the_size_of_this_translator():
    at = opened(len(STEPS))
    (today,) = [each.value for each in at.main.markdown if each.value.startswith("**What people")]
    size = sum(each.numel() for each in model_of(show_model(ModelSettings()).choice).parameters())
    assert f"175 billion parameters where this translator has {size:,}," in today
    named = ["Vaswani et al. 2017", "Radford et al. 2018", "Brown et al. 2020", "Ouyang et al. 2022"]
    assert re.findall(r"\[(\w+ et al. \d+)\]\(https://", today) == named


def test_plain_scenes_number_no_head():
    for step in STEPS:
        at = opened(step, **({"story_mask": "off"} if step == 8 else {}))
        assert not re.search(r"\bheads? \d", shown(at)), step
        for view in at.main.get("bidi_component")[1:]:
            sent = sent_to(view)
            assert "weights" not in sent or (sent["numbered"] is False and "{heads}" not in str(sent["texts"]["query"]))


def test_a_token_stands_for_a_row_of_the_table():
    at = opened(1)
    model = show_model(ModelSettings(src=" ".join(WORDS)))
    for place in (0, 4):
        at.button_group(key="token").set_value(place).run()
        row = model_of(model.choice).src_embedding.table.weight[model.src[place]].detach().numpy()
        np.testing.assert_allclose(np.ravel(figure(at, "story-row").cells), row, rtol=1e-5)
        assert f"Here are those of “{WORDS[place]}”" in shown(at)


def test_the_way_through_is_kept_in_the_address():
    at = opened(3, present="on", say="the cat eats")
    assert component(at, "slides")["present"] is True
    turn(at, say="the dog eats")
    assert dict(at.query_params) == {"scene": "3", "present": "on", "say": "the dog eats"}
    turn(go(at, "masks"))
    assert not {"scene", "present", "say"} & set(at.query_params)
    assert heard({"step": 2, "present": True}, 9) == (2, True)
    wrong = ({"step": 9, "present": True}, {"step": -1, "present": False}, {"step": 1}, {"step": "1", "present": True}, None)
    assert [heard(answer, 9) for answer in wrong] == [None] * 5


def test_a_sentence_of_one_s_own_goes_through_the_story():
    at = opened(1)
    at.text_input(key="say").set_value("The black dog doesn’t see the cat!").run()
    assert fine(at)
    options = at.button_group(key="token").options
    assert [each.split()[0] for each in options] == "the black dog does not see the cat".split()
    at.text_input(key="say").set_value("the black dog sees the Zebra").run()
    assert told(at).startswith("The model has never seen “zebra”. Words like it that it knows: ")
    options = at.button_group(key="token").options
    assert [each.split()[0] for each in options] == "the black dog does not see the cat".split(), "the one before stays"
    at.button(key="nearest-src-0").click().run()
    assert fine(at) and at.text_input(key="say").value == "the black dog sees the horse" == at.query_params["say"]
    for step in (2, 3, 5):  # a single word
        assert fine(opened(step, say="house"))
    for nothing, why in {" ": "The sentence is empty", "the " * 300: "The sentence has 300 tokens"}.items():
        at.text_input(key="say").set_value(nothing).run()
        assert told(at).startswith(why)


def test_what_was_never_taught_is_named_in_the_story_and_its_guess_shown_on_demand():
    at = opened(5)
    at.text_input(key="say").set_value("I am going to sleep").run()
    assert told(at) == "The model was never taught “going to sleep”."
    assert "sister" in attention_view(at, "story-cross")["columns"], "the picture before stays"
    at.button(key="show-guess").click().run()
    assert fine(at) and at.query_params["guess"] == "I am going to sleep"
    assert "going" in attention_view(at, "story-cross")["columns"]


def test_the_looks_are_those_of_the_translator():
    model = show_model(ModelSettings(src=" ".join(WORDS)))
    last = model.cfg.n_layers - 1
    stages = traced(model_of(model.choice), list(model.src), list(model.tgt))
    at = opened(2)
    weights = stages[f"encoder.{last}.self_attn.weights"]
    sent = attention_view(at, "story-look")
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-4, atol=1e-6)
    head, query, key = findings.strongest_link(weights, 1)
    assert WORDS[query] == "sister", "the first content word"
    assert (sent["on"], sent["first"]) == ([head], {"side": "query", "place": query})
    assert f"“{WORDS[query]}” gives {weights[head, query, key]:.0%} of its attention to “{WORDS[key]}”" in shown(at)

    at = opened(5)
    sent, weights = attention_view(at, "story-cross"), stages[f"decoder.{last}.cross_attn.weights"]
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-4, atol=1e-6)
    answer = model.vocabulary.decode(model.tgt[1:])
    assert sent["rows"] == [f"{a} → {b}" for a, b in zip(["<start>", *answer], [*answer, "<end>"], strict=True)]
    assert sent["mean"]
    looks = weights.mean(axis=0)
    assert findings.crossing(looks[: len(answer)], answer, WORDS) in shown(at)
    assert sentence_text(answer, "fr") in shown(at)

    word = answer.index("voiture")
    turn(at, story_line=word)
    key = int(looks[word].argmax())
    cut = show_model(ModelSettings(src=" ".join(WORDS), cut=f"cross.all.all:{word}-{key}"))
    after = sentence_text(cut.vocabulary.decode(cut.answer[1:]), "fr")
    assert (
        WORDS[key] == "car"
        and f"“{after}”" in shown(at)
        and not attention_view(at, "story-cross")["weights"][:, word, key].any()
    )

    turn(at, story_line=(word := answer.index("sœur")))
    cut = show_model(ModelSettings(src=" ".join(WORDS), cut=f"cross.all.all:{word}-{WORDS.index('sister')}"))
    broken = cut.vocabulary.decode(cut.answer[1:])
    rows = [f"{a} → {b}" for a, b in zip(["<start>", *broken], [*broken, "<end>"], strict=True)]
    assert broken[word] != "sœur" and attention_view(at, "story-cross")["rows"] == rows, "the broken word stands in its row"


def test_what_a_look_brings_is_the_next_words_probabilities_with_it_and_without_it():
    """Both passes are made here."""
    model = show_model(ModelSettings(src=" ".join(WORDS)))
    answer = model.vocabulary.decode(model.tgt[1:])
    word, key = answer.index("sœur"), WORDS.index("sister")

    def without(scores: torch.Tensor) -> torch.Tensor:
        scores = scores.clone()
        scores[:, :, word, key] = float("-inf")
        return scores

    edits = {f"decoder.{layer}.cross_attn.masked_scores": without for layer in range(model.cfg.n_layers)}
    both = model_of(model.choice), IntervenedModel(model_of(model.choice), edits)
    passes = [each(torch.tensor([model.src]), torch.tensor([model.tgt]))[0, word].softmax(-1).detach() for each in both]
    at = opened(5, story_line=str(word))
    (drawn,) = [each.proto.body for each in at.get("html") if "next-words" in each.proto.body]
    lines = [tuple(map(unescape, each)) for each in re.findall(r"<b>(.+?)</b>.*?<span>(.+?)</span>", drawn)]
    best = [each.topk(2) for each in passes]
    words = [model.vocabulary.decode(each.indices.tolist()) for each in best]
    shares = [[share_text(share) for share in each.values.tolist()] for each in best]
    assert lines == list(zip(chain(*words), chain(*shares), strict=True))
    instead = words[1][0]
    assert words[0][0] == "sœur" != instead
    percent = [share_text(float(each.max())) for each in passes]
    assert f"What the look at “sister” brings: the next word is “sœur” with {percent[0]};" in shown(at)
    assert f"without it, in any head or layer, “{instead}” with {percent[1]}." in shown(at)
    at = opened(5, story_line=str(answer.index("voiture")))
    assert "it still is, with" in shown(at)


def test_order_is_told_by_positions_alone():
    at = opened(4)
    answers = [each.value for each in at.metric]
    translator = show_model(ModelSettings())
    vocabulary, model = translator.vocabulary, model_of(translator.choice)
    for answer, sentence in zip(answers, scenes._ORDERS, strict=True):
        said = greedy_decode(model, torch.tensor([vocabulary.encode(sentence)]), vocabulary.start, 12)[0].tolist()
        assert answer == sentence_text(vocabulary.decode(said[1 : said.index(vocabulary.end)]), "fr")
    assert answers[0] != answers[1] and "another translation" in shown(at)
    at.button_group(key="order_positions").set_value("off").run()
    assert len({each.value for each in at.metric}) == 1
    assert "cannot tell the two sentences apart" in shown(at)


@pytest.mark.parametrize(("ending", "noun"), [("full", "cup"), ("empty", "pitcher")])
def test_where_the_pronoun_looks_and_what_its_answer_rests_on(ending, noun):
    """Both cuts are made by hand here: without the look from “it” at its noun the answer stays, without that of the answer
    most change."""
    at = opened(6, ending=ending)
    sent = attention_view(at, "story-it")
    row = sent["weights"][:, 10].mean(axis=0)
    place = int(row.argmax())
    assert sent["columns"][place] == noun
    assert f"answers: “the {noun}”" in shown(at) and f"“it” looks most, with {row.max():.0%}, at “{noun}”. Does" in shown(at)
    model = show_model(replace(of_task("pronoun-en"), src=scenes._POURED.format(ending=ending)))
    src, start = torch.tensor([model.src]), model.vocabulary.start

    def answer(queries: slice, *attentions: str) -> str:
        def without(scores: torch.Tensor) -> torch.Tensor:
            scores = scores.clone()
            scores[:, :, queries, place : place + 1] = float("-inf")
            return scores

        stages = [f"{each}.masked_scores" for each in attentions]
        cut = IntervenedModel(model_of(model.choice), dict.fromkeys(stages, without))
        return " ".join(model.vocabulary.decode(greedy_decode(cut, src, start, 6)[0, 1:3].tolist()))

    own, cross = ([f"{name.format(i)}_attn" for i in range(2)] for name in ("encoder.{}.self", "decoder.{}.cross"))
    turn(at, story_cut="link")
    assert not attention_view(at, "story-it")["weights"][:, 10, place].any()
    assert answer(slice(10, 11), *own) == f"the {noun}" and f"The answer stays “the {noun}”" in shown(at)
    assert (
        "Of 100 other answers, none changes either. **Looking is not always needing**: they rest on something else."
        in shown(at)
    )
    turn(at, story_cut="look")
    assert attention_view(at, "story-it")["weights"][:, 10, place].any(), "“it” still looks"
    instead = answer(slice(None), *cross)
    assert (instead != f"the {noun}") == (ending == "full"), "the pitcher is found in another way"
    said = "becomes" if ending == "full" else "stays"
    assert f"“it” still can. The answer {said} “{instead}”" in shown(at)
    found = re.search(r"Of 100 other answers, (\d+) change without this look, and 0 without the one from “it”\.", shown(at))
    assert int(found[1]) > 70


def test_nothing_is_claimed_of_a_model_that_does_not_show_it(monkeypatch):
    monkeypatch.setattr(scenes, "of_task", lambda task: replace(of_task(task), step=0, seed=8))
    for cut in ("nothing", "link", "look"):
        at = opened(6, story_cut=cut)
        assert fine(at) and ("rest on something else" in shown(at)) <= ("answer stays" in shown(at))
    at = opened(4)
    same = len({each.value for each in at.metric}) == 1
    assert fine(at) and ("get another translation" in shown(at)) != same
    for step in (1, 2, 3, 5):
        assert fine(opened(step))


def test_training_is_played_as_it_was_and_the_mask_is_explained():
    at = opened(7)
    found = story_runs.recordings()["baseline"]
    film, sent = found.snapshots, component(at, "story-film")
    assert [words.split(":")[0].split(",")[0] for words in sent["film"]] == ["step 0", "step 10", "step 20"]
    read, labels, src = (decoded(ids[0]) for ids in (film[0].probe.tgt, film[0].probe.labels, film[0].probe.src))
    queries = [f"{token} → {label}" for token, label in zip(read, labels, strict=True)]
    assert (sent["rows"], sent["columns"]) == (queries, list(src))
    assert [sent["row_title"], sent["column_title"]] == ["reads → writes", "looks at the source"]
    first, last = (
        float(np.mean([each.weights["decoder.0.cross_attn.weights"][0, :, i, i + 1].mean() for i in range(5)]))
        for each in (film[0], film[-1])
    )
    claim = f"at first {first:.0%} of its attention went to the number it must write next, at the end {last:.0%};"
    assert (claim in shown(at)) == (last > first) and f"{found.right:.1%} of {found.rows} new rows" in shown(at)

    at = opened(8)
    sent = attention_view(at, "story-mask")
    assert [sent["row_title"], sent["column_title"]] == ["reads → writes", "looks at its own row"]
    assert "In step 7 it looked at the source; here the **decoder**, the half that writes," in shown(at)
    masked = np.triu(np.ones((5, 5), dtype=bool), 1)
    np.testing.assert_array_equal(sent["valid"], ~masked)
    assert not sent["weights"][:, masked].any() and "a **mask** hides from each number those that come after it" in shown(at)

    at.button_group(key="story_mask").set_value("off").run()
    weights = story_runs.recordings()["ablated"].snapshots[-1].weights["decoder.0.self_attn.weights"][0]
    sent, (head, share) = attention_view(at, "story-peek"), findings.ahead(weights)
    np.testing.assert_allclose(sent["weights"], weights, rtol=1e-4)
    assert sent["on"] == [head] and sent["rows"] == queries
    assert f"Without the mask, one of its 3 heads spends {share:.0%}" in shown(at)


def test_on_a_fresh_server_the_recorded_scenes_are_there_at_the_first_visit(monkeypatch):
    monkeypatch.setattr(story_runs, "recorded_plans", ablations.recorded_plans)
    assert None not in story_runs.recordings().values(), "they come with the app: run python -m tools.recorded_runs"
    for link in ({"scene": "7"}, {"scene": "8"}, {"scene": "8", "story_mask": "off"}):
        at = visit(link, "story")
        assert fine(at) and not at.info
    assert not resources.training_scheduler().runs()


def test_a_recording_under_way_is_waited_for(monkeypatch):
    monkeypatch.setattr(story_runs, "recordings", lambda: {"baseline": None, "ablated": None})
    for step in (7, 8):
        at = visit({"scene": str(step)}, "story")
        assert fine(at)
        assert "being trained on the server right now" in at.info[0].value


def test_where_the_server_is_full_only_the_scenes_that_need_room_say_so(monkeypatch):
    def full():
        raise InputError("This server is full.")

    monkeypatch.setattr(story_runs, "recordings", full)
    assert fine(visit({"scene": "1"}, "story"))
    assert told(visit({"scene": "7"}, "story")) == "This server is full."


def test_what_is_said_follows_from_the_numbers():
    words = ["a", "b", "c"]
    even = np.full((2, 3, 3), 1 / 3)
    assert "all of them look most at “a”" in findings.views(even, words, 1)
    looks = np.eye(3)[[[1, 0, 2], [2, 0, 1]]]
    assert findings.most_views(looks) == 0
    assert findings.views(looks, words, 0) == "From “a”, they look most at “b” (1 of 2 heads), “c” (1 of 2 heads)."
    assert findings.strongest_link(looks) == (0, 0, 1)
    assert findings.strongest_link(looks, 2) == (1, 2, 1)
    assert "no two neighbouring lines cross" in findings.crossing(np.eye(3), words, words)
    assert "writes “x” it looks at “b”, before “y” at “a”" in findings.crossing(looks[0], ["x", "y", "z"], words)
    few, many = AnswersChanged(50, 0, 40, 45, 0), AnswersChanged(50, 9, 40, 45, 0)
    said, so = findings.without_link("b", "a b", True, few)
    assert "stays “a b”" in said and "**Looking is not always needing**" in so
    _said, so = findings.without_link("b", "a b", True, many)
    assert so == "Of 50 other answers, 9 change without this look."
    said, so = findings.without_link("b", "a c", False, many)
    assert "becomes “a c”" in said and so == "Of 50 other answers, 9 change without this look."
    said, so = findings.without_look("b", "a c", False, many)
    assert "becomes “a c”" in said
    assert so == "Of 50 other answers, 40 change without this look, and 9 without the one from “it”."
    assert "another translation" in findings.order(True, ["x", "y"]) and "cannot tell" in findings.order(False, ["x", "x"])
    assert "the same" in findings.order(True, ["x", "x"]) and "differ" in findings.order(False, ["x", "y"])
    assert "did not grow: 20% at first, 10% at the end;" in findings.learned(0.2, 0.1, 0.5, 30, 3)
    assert "where that number is not there yet, it gets 30% of 50" in findings.peeking((0.9, 0.99), (0.99, 0.3), 50)
    assert "does no worse" in findings.peeking((0.9, 0.99), (0.99, 0.99), 50)
    assert "30% of 50 new rows right, and with the mask 99%." in findings.peeking((0.9, 0.99), (0.8, 0.3), 50)
    assert findings.ahead(np.eye(3)[[[1, 0, 2], [2, 2, 1]]]) == (1, pytest.approx(2 / 3))
