"""The next word: what follows a text, what a hidden word is worth, what counting knows; the tables; heads that repeat."""

import numpy as np
import pytest
import torch

from everyday.stories import KINDS, stories
from explorer.components.next_word.component import heard
from explorer.exhibits.shared.story_teller import BEGINNINGS
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.repeat_course import (
    after_without,
    cliff,
    cost_of_heads,
    course_of,
    models,
    repeated_places,
    rows,
)
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.story_counts import known_by_kind
from explorer.pictures.going_on import going_on
from tests.pages.helpers import array, component, figure, fine, visit
from tests.pages.helpers import shown as words_on
from transformer_core.analysis.cutting import HeadCut, WordCut, cut_out
from transformer_core.analysis.repeat_heads import head_scores

EMMA = "emma wants to buy a red flower . it costs two euros , but"
NAMES = {filling["word"] for language in ("en", "zh") for filling in stories(language).fillings["person"]}
PLAIN = {"hidden": (), "samples": False, "temperature": 1.0, "top_k": 0, "top_p": 1.0}


def drawn(text: str = EMMA, task: str = "stories-en", **choices):
    return going_on.of_json(show_model(of_task(task)), {"text": text} | PLAIN | choices)


def page(**link):
    at = visit(link, "next_word")
    assert fine(at)
    return component(at, "next-word")


def model(task: str = "stories-en"):
    shown = show_model(of_task(task))
    return model_of(shown.choice), shown.vocabulary


def test_the_bars_are_the_model_s_probabilities_behind_the_whole_text():
    net, words = model()
    tgt = torch.tensor([[words.start, *words.encode(EMMA)]])
    with torch.no_grad():
        expected = net(tgt[:, :0], tgt)[0, -1].softmax(-1)
    likely = drawn()["next"]
    assert [word for word, *_ in likely] == words.decode(expected.topk(8).indices.tolist())
    assert [share for _, share, _ in likely] == pytest.approx(expected.topk(8).values.tolist(), abs=1e-6)
    assert likely[0][0] == "she" and likely[0][1] > 0.99


def test_nothing_may_look_at_a_hidden_word_and_another_pronoun_is_likeliest():
    net, words = model()
    tgt = torch.tensor([[words.start, *words.encode(EMMA)]])
    with torch.no_grad():
        expected = cut_out(net, [WordCut("tgt", 1)])(tgt[:, :0], tgt)[0, -1].softmax(-1)
    found = drawn(hidden=(0, 99))
    assert found["hidden"] == [0] and found["looks"][0] == 0
    (he,) = words.ids(["he"])
    assert found["without"][0][:2] == ["he", pytest.approx(float(expected[he]), abs=1e-6)]
    assert drawn()["without"] is None and drawn()["looks"][0] == max(drawn()["looks"])


def test_a_counter_of_triples_does_not_know_who_is_meant():
    counted = dict(drawn()["counted"])
    assert 0.1 < counted["she"] < 0.4 and 0.1 < counted["he"] < 0.4


def test_what_is_drawn_by_is_after_temperature_top_k_and_top_p():
    text = "emma can not find her"
    hot = drawn(text, samples=True, temperature=2.0)["next"]
    assert sum(share for *_, share in hot) == pytest.approx(1, abs=1e-4)
    assert hot[0][2] < hot[0][1]
    two = drawn(text, samples=True, top_k=2)["next"]
    assert [share > 0 for *_, share in two] == [True, True] + 6 * [False]
    assert drawn(text)["next"][0][2] == 1.0, "the likeliest is taken"


def test_an_unknown_word_is_named_and_a_text_that_is_too_long_is_refused():
    assert "“dragon”" in drawn("emma sees a dragon")["refused"]
    assert "shorten" in drawn(" ".join(["emma"] * 200))["refused"]
    sent = page(task="stories-en", src="emma sees a dragon")
    assert "“dragon”" in sent["refused"] and sent["drawn"]["text"] == EMMA


@pytest.mark.parametrize("task", BEGINNINGS)
def test_of_every_beginning_the_next_word_is_decided_and_hiding_the_name_changes_it(task):
    for text in BEGINNINGS[task]:
        found = drawn(text, task)
        likeliest, share, _ = found["next"][0]
        assert share > 0.9, text
        names = {word for word in found["words"] if word in NAMES}
        hidden = [tuple(at for at, word in enumerate(found["words"]) if word == name) for name in names]
        assert any(drawn(text, task, hidden=places)["without"][0][0] != likeliest for places in hidden), text


def test_the_address_names_the_text_the_hidden_words_and_the_choice():
    sent = page(
        task="stories-en", src="anna is sick today .", hidden="0", word_how="sample", word_temperature="0.5", word_top_k="3"
    )
    assert sent["place"] == {
        "text": "anna is sick today .", "hidden": [0], "how": "sample", "temperature": 0.5, "topK": 3, "topP": 1.0,
    }  # fmt: skip
    assert page(hidden="x", word_how="y", word_temperature="99", word_top_p="7")["place"] == page()["place"]


def test_a_browser_s_message_is_read_or_refused():
    place = {"text": EMMA, "hidden": [0], "how": "greedy", "temperature": 1, "topK": 0, "topP": 1}
    assert heard(place) == place | {"temperature": 1.0, "topP": 1.0}
    for wrong in (
        {"text": 3},
        {"hidden": [-1]},
        {"hidden": ["0"]},
        {"how": "luck"},
        {"temperature": "hot"},
        {"text": "a" * 2000},
    ):
        assert heard(place | wrong) is None
    assert heard(None) is None


@pytest.mark.parametrize("task", ["stories-en", "stories-zh"])
def test_what_can_be_known_stands_under_details_by_kind_of_word(task):
    at = visit({"task": task, "details-going_on": "on"}, "next_word")
    assert fine(at)
    (table,) = (each.value for each in at.dataframe if "likeliest, model" in each.value)
    model = known_by_kind(show_model(of_task(task)).choice, task)
    assert table["likeliest, model"].tolist() == [f"{model[kind].right:,} of {model[kind].n:,}" for kind in KINDS]
    assert table["loss, model"].tolist() == [f"{model[kind].loss:.3f}" for kind in KINDS]
    assert table["least loss"].tolist()[:2] == ["0.000", "0.000"] and 0.4 < float(table["least loss"][2]) < 0.5


def test_the_table_beside_chatgpt_counts_this_model():
    at = visit({"part": "beside_chatgpt"}, "next_word")
    assert fine(at)
    shown = show_model(of_task("stories-en"))
    assert f"{shown.model.parameters:,}" in words_on(at) and "175 billion" in words_on(at)
    assert shown.model.parameters == sum(each.numel() for each in model_of(shown.choice).parameters())


@pytest.mark.parametrize("name", models())
def test_heads_that_repeat_are_measured_step_by_step(name):
    shown = show_model(models()[name])
    course = course_of(shown)
    assert course.steps == shown.learning.steps and course.after.shape[1:] == (shown.cfg.n_layers, shown.cfg.n_heads)
    expected = head_scores(model_of(shown.choice), rows())
    np.testing.assert_allclose(course.after[-1], expected.after, atol=1e-6)
    np.testing.assert_allclose(course.before[-1], expected.before, atol=1e-6)
    at = visit({"part": "repeating", "repeat_model": name}, "next_word")
    assert fine(at)


def test_the_letter_that_is_copied_stands_where_the_head_looks():
    shown = show_model(models()["one"])
    assert shown.sentences[1] == "<start> T B H K D Q A F K D Q A" and repeated_places(shown.tgt) == {9: 5, 10: 6, 11: 7}
    at = visit({"part": "repeating", "repeat_at": "10"}, "next_word")
    drawn = figure(at, "repeat-copied").data
    weights = [shown.attention("decoder", layer).map.weights[0] for layer in range(2)]
    after, before = float(weights[1][10, 6]), float(weights[0][6, 5])
    assert weights[1][10].argmax() == 6 and weights[0][6].argmax() == 5
    ends = [(x[0], x[-1]) for x in (array(trace["x"]) for trace in drawn[:2])]
    assert ends == [(10, 6), (6, 5)]
    words = words_on(at)
    assert f"second **D** a head gives {after:.0%} of its attention to **Q**" in words
    assert f"At the first **Q**, another head looks one back, with {before:.0%}, at **D**." in words
    assert "The model says **Q**" in words


def test_layers_are_counted_from_0_in_the_legend_the_captions_and_the_words_as_on_all_pages():
    at = visit({"part": "repeating"}, "next_word")
    names = [trace["name"] for trace in figure(at, "repeat-heads").data]
    assert names[0] == "layer 0: the letter before" and names[-1] == "layer 1: what came after"
    assert "layer 1, head 0; of “the letter before”, layer 0, head 0" in words_on(at)
    assert "first layer" not in words_on(at) and "second layer" not in words_on(at)


def test_places_that_go_on_as_the_last_time_and_the_steep_part_of_a_curve():
    assert repeated_places((1, 5, 6, 7, 5, 6, 5, 8)) == {4: 2} and repeated_places((1, 5, 6, 5, 6, 5, 6)) == {3: 2, 4: 3, 5: 4}
    assert cliff(np.array([0.1, 0.3, 0.29, 0.5, 0.8, 0.7, 0.9])) == (2, 4)
    assert cliff(np.array([0.1, 0.35, 0.4])) is None


def test_one_head_a_layer_cannot_be_spared_and_of_four_one_can():
    one, four, flat = (show_model(settings) for settings in models().values())
    last = course_of(one).last
    assert last.best(last.after) == HeadCut("decoder", 1, 0) and last.best(last.before) == HeadCut("decoder", 0, 0)
    found = cost_of_heads(one, [last.best(last.after)])
    assert found.whole > 0.85 and found.without < 0.15
    assert cost_of_heads(one, [last.best(last.before)]).without < 0.3
    assert after_without(one, last.best(last.after), last.best(last.before)) < last.after.max() / 2
    last = course_of(four).last
    assert cost_of_heads(four, [last.best(last.after)]).without > 0.7
    every = [HeadCut("decoder", int(layer), int(head)) for layer, head in np.argwhere(last.after >= 0.3)]
    assert len(every) > 1 and cost_of_heads(four, every).without < 0.15
    assert cost_of_heads(flat, []).whole < 0.45
