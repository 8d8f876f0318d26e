"""Two languages, one map: the maps, their numbers and words, the question, and models that have nothing to turn."""

from dataclasses import replace

import numpy as np
import pytest

from everyday.dictionary import dictionary
from explorer.components.word_map.component import heard
from explorer.exhibits.positions import two_maps
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.model_on_screen.word_map import FRAMES, course_of, entries_of, shares_of
from explorer.pictures import registry
from tests.pages.helpers import array, component, fine, session_of, visit
from tests.pages.helpers import shown as words_on
from tests.pages.test_live_pictures import asked, drawn, same_numbers
from transformer_core.analysis.word_map import best_rotation, halves, output_vectors, source_vectors

PART = {"part": "two_maps"}


def page(**link):
    at = visit(PART | link, "positions")
    assert fine(at)
    return at


def map_of(**link):
    return component(page(**link), "word-map")


@pytest.mark.parametrize(("task", "language"), [("everyday-fr", "fr"), ("everyday-zh", "zh")])
def test_the_second_map_ends_where_one_rotation_of_all_88_numbers_lays_it(task, language):
    sent = map_of(task=task)
    entries, shown = dictionary(language), show_model(of_task(task))
    assert [word[:2] for word in sent["words"]] == [[each.english, each.translation] for each in entries]
    ids, model = shown.vocabulary.ids, model_of(shown.choice)
    english = source_vectors(model, ids([each.english for each in entries]))
    others = output_vectors(model, ids([each.translation for each in entries]))
    given, judged = halves(len(entries))
    turned = others @ best_rotation(others[given], english[given])
    np.testing.assert_array_equal(np.array(sent["turned"])[:, 0], (english @ turned.T).argmax(axis=1))
    np.testing.assert_array_equal(np.array(sent["across"])[:, 0], (english @ others.T).argmax(axis=1))
    source, target = array(sent["source"]), array(sent["target"])
    assert source.shape == (len(entries), 2) and target.shape == (FRAMES, len(entries), 2)
    pairs = np.linalg.norm(target[-1] - source, axis=1)[judged].mean()
    others_apart = np.linalg.norm(target[-1] - source[np.random.default_rng(0).permutation(len(source))], axis=1).mean()
    assert pairs < 0.7 * others_apart, "pairs that had no part in the turn land near each other, as one sees"


def test_the_address_names_the_word_and_the_turn():
    assert map_of(map_word="tea", map_turned="on")["place"] == {"word": "tea", "turned": True}
    assert map_of(map_turned="perhaps")["place"] == {"word": "", "turned": False}


def test_a_browser_s_message_is_read_or_refused():
    assert heard({"word": "cat", "turned": True}) == {"word": "cat", "turned": True}
    for wrong in ({"word": 3, "turned": True}, {"word": "cat", "turned": 1}, {"word": "a" * 99, "turned": True}, None):
        assert heard(wrong) is None


def test_the_words_say_what_was_measured_with_its_n():
    shown = show_model(of_task("everyday-fr"))
    now = shares_of(shown)
    assert (now.n, now.used) == (84, 85)
    before, after = map_of()["said"]
    as_is = round(now.as_is * 84)
    assert before == f"As they are, {as_is} of 84 words have their translation nearest, of 169 French words."
    assert f"Turned, {round(now.turned * 84)} of 84 words that had no part in it" in after
    course = course_of(shown)
    assert [*course] == [0, 71, 191, 510, 1363, 3641, 26000]
    assert course[191].turned < 0.05 and course[510].turned > 0.9
    text = words_on(page())
    assert f"{round(course[191].turned * 84)} of 84 at step 191 and {round(course[510].turned * 84)} of 84 at step 510" in text
    assert "two of 88" in text


def test_the_course_follows_the_step_by_its_name():
    at = page(task="everyday-fr", step="510")
    ((key, data),) = drawn(at).items()
    assert key.endswith("-word-map-course")
    (found,) = asked(session_of(at).on_screen, "step", data["live"])["pictures"]
    same_numbers(found, data)


def test_the_places_of_the_words_are_asked_for_by_their_name():
    sent = map_of(task="everyday-zh")
    found = registry.named("word-map").of_json(show_model(of_task("everyday-zh")), {})
    np.testing.assert_array_equal(found["source"], array(sent["source"]))
    np.testing.assert_array_equal([found["as_is"], found["turned"]], array(sent["target"])[[0, -1]])
    with pytest.raises(ValueError, match="no words"):
        registry.named("word-map").of_json(show_model(of_task("copy")), {})


def test_of_a_model_that_is_still_learning_only_the_step_on_screen_is_measured():
    shown = show_model(of_task("everyday-fr"))
    live = replace(shown, model=replace(shown.model, learning=replace(shown.learning, state="learning", step=510)))
    assert [*course_of(live)] == [510]


@pytest.mark.parametrize(("step", "turned"), [(191, "few"), (None, "most")])
def test_a_word_and_its_translation_are_apart_and_half_of_the_pairs_tell_how_to_turn_the_rest(step, turned):
    shown = show_model(replace(of_task("everyday-zh"), step=step))
    asked = two_maps._asking(shown, entries_of(shown))
    assert asked.first.text == "To this model, do “cat” and “猫” lie in the same place?"
    assert asked.first.happens().found == "no" and asked.new is not None
    outcome, now = asked.new.happens(), shares_of(shown)
    assert outcome.found == turned
    assert outcome.words("en")[0].startswith(f"{round(now.turned * now.n)} of {now.n} do; ")


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("copy", "does not translate"),
        ("pronoun-en", "does not translate"),
        ("stories-en", "with one language"),
        ("small-fr", "is too small for a map"),
    ],
)
def test_other_models_have_nothing_to_turn_and_lead_to_a_translator(task, why):
    at = page(task=task, step="0")
    (said,) = (info.value for info in at.info)
    assert why in said
    (link,) = (each for each in at.get("page_link") if each.proto.label == "The maps of a translator")
    assert "task=everyday-fr" in link.proto.query_string and "part=two_maps" in link.proto.query_string


def test_a_narrow_model_and_one_with_tied_tables_are_mapped_too():
    for change in ({"d_model": "16", "n_heads": "4"}, {"tie_embeddings": "output", "step": "0"}):
        sent = map_of(**change)
        assert np.isfinite(array(sent["target"])).all()
