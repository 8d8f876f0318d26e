"""One step of learning: the film, the sentence among 64, and one weight to the last digit."""

import re

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.one_step import lesson_of, output_gradient_of, step_of
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures.one_step import one_step, output_gradient
from explorer.ui.format import digits
from tests.pages.helpers import component, fine, session_of, shown, table_with, turn, visit
from transformer_core import CopyTask, Transformer, TransformerConfig, checkpoint
from transformer_core.analysis import one_step as of_core
from transformer_core.data.tasks import facts_of

PAGE = "one_step"


def lesson(task: str = "everyday-fr", after: int = 510):
    return lesson_of(show_model(of_task(task)), after)


def film(task: str = "everyday-fr", after: int = 510):
    return one_step.of_json(show_model(of_task(task)), {"one_step_after": after})


def opened(facts, **changes) -> str:
    """The id of a model in a file, which says of it these facts."""
    cfg = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=12, n_heads=2, d_ff=14, n_layers=1, **changes)
    return resources.model_store().add(checkpoint.to_bytes(Transformer(cfg, torch.Generator().manual_seed(3)), facts)).id


def number_in(text: str) -> float:
    return float(text.replace("−", "-"))


def page(**link):
    at = visit(link, PAGE, folded=True)
    assert fine(at)
    return at


def test_the_film_shows_what_one_step_does():
    drawn, found = film(), step_of(lesson())
    assert drawn["words"] == ["est-ce", "que", "tu", "aimes", "ma", "voiture", "rouge", "?", "the end"]
    assert drawn["before"] == found.before.tolist() and drawn["after"] == found.after.tolist()
    assert drawn["words"][drawn["weakest"]] == "est-ce" and drawn["source"] == "do you like my red car".split()


@pytest.mark.parametrize("task", ["everyday-fr", "copy", "stories-en"])
def test_the_map_has_the_whole_gradient_in_its_boxes_once(task):
    drawn = film(task)
    parts = [box for box in drawn["map"]["boxes"] if "gradient" in box]
    assert np.sqrt(sum(box["gradient"] ** 2 for box in parts)) == pytest.approx(drawn["norm"])
    assert len({box["name"] for box in parts}) == len(parts)
    nudge = np.sqrt(sum(box["nudge"] ** 2 for box in parts))
    assert nudge == pytest.approx(drawn["rate"] * min(drawn["norm"], 1), rel=1e-5)
    assert all(box["label"] != "add" for box in parts)


def test_the_address_says_station_and_step():
    at = page(station="3", one_step_after="1363")
    assert component(at, "six-stations")["station"] == 3
    assert component(at, "six-stations")["before"] == film(after=1363)["before"]
    assert component(page(station="9"), "six-stations")["station"] == 0


def test_a_question_comes_before_and_the_model_answers_it():
    at = page(**{"ask-step": "on"})
    turn(at, **{next(key for key in (each.key for each in at.radio) if key.startswith("expect-first-step")): 3})
    at.button(next(each.key for each in at.button if each.key.startswith("see-first-step"))).click().run()
    assert fine(at) and "As you expected. The probability of “est-ce” went from 13.4% to 54.1%." in shown(at)
    assert component(at, "six-stations")["station"] == 5
    turn(at, **{next(each.key for each in at.radio if each.key.startswith("expect-new-step")): 2})
    at.button(next(each.key for each in at.button if each.key.startswith("see-new-step"))).click().run()
    assert "The probability of “est-ce” went from 13.4% to 16.7%." in shown(at)


def test_the_parts_follow_another_task_and_say_where_nothing_is_right():
    assert component(page(task="copy"), "six-stations")["words"][:2] == ["5", "3"]
    assert "Random words have no right answer" in shown(page(input="lengths"))
    assert "A step of training takes the mean gradient" in shown(page(part="in_a_batch", task="letters"))


def test_a_weight_is_moved_as_the_step_moves_it():
    learner = lesson()
    found, step = output_gradient_of(learner), step_of(learner)
    moved = of_core.nudged(
        model_of(learner.choice), of_core.differentiate(model_of(learner.choice), of_core.row_of(*learner.batch(0, 0)))
    )
    drawn = output_gradient.of_json(show_model(of_task("everyday-fr")), {"one_step_after": 510})
    row, number = np.unravel_index(np.abs(drawn.values[0]).argmax(), drawn.values[0].shape)
    word = learner.vocabulary.ids([drawn.rows[row]])[0]
    at = page(part="one_weight")
    assert digits(found.found[word, number]) in shown(at)
    assert f"= **{digits(moved.output.weight[word, number].item())}**" in shown(at)
    assert f"× {digits(step.clipping)} ×" in shown(at)
    assert session_of(at).rerun.drawn["gradient_word"][0] == row


@pytest.mark.parametrize("tie", ["output", "all"])
def test_a_weight_that_is_read_too_has_both_gradients_added(tie):
    file = opened(facts_of(CopyTask(11, 4)), tie_embeddings=tie)
    learner = lesson_of(show_model(ModelSettings(model=file, numbers="4 7 10 5")), 0)
    found, (src, tgt, labels) = output_gradient_of(learner), learner.batch(0, 0)
    model = model_of(learner.choice)
    moved = of_core.nudged(model, of_core.differentiate(model, of_core.row_of(src, tgt, labels)))
    for row, word in enumerate(dict.fromkeys(labels)):
        at = page(part="one_weight", model=file, numbers="4 7 10 5", gradient_word=str(row), gradient_number="3")
        (total, by_autograd) = re.findall(r"add up to (\S+), .* autograd found (\S+)\. Where", shown(at))[0]
        assert by_autograd == digits(found.found[word, 3])
        assert number_in(total) == pytest.approx(number_in(by_autograd), rel=1e-4)
        assert f"= **{digits(moved.tgt_embedding.table.weight[word, 3].item())}**" in shown(at)
        readers = [("encoder", src), ("decoder", tgt)][tie == "output" :]
        read = [f"{stack}, {place} {word}" for stack, ids in readers for place in np.flatnonzero(np.array(ids) == word)]
        assert ("is not read from it here" in shown(at)) == (not read)
        if read:
            table = table_with(at, "read by")
            assert [*table["read by"]] == [*read, "sum"]
            assert number_in(table["product"].iloc[-1]) == pytest.approx(found.as_table[word, 3], rel=1e-5)


def test_a_file_is_told_of_what_it_says():
    at = page(model=opened({}))
    assert "not known from which examples this model learned" in shown(at)
    at = page(model=opened(facts_of(CopyTask(11, 4))), **{"details-six_stations": "on"})
    question = component(at, "six-stations")["texts"]["stations"][0]["says"]
    assert question.startswith("After an unknown number of steps") and component(at, "six-stations")["step"] is None
    assert at.segmented_control(key="one_step_after").options == ["an unknown number of steps"]
    assert "The steps offered" not in shown(at)
    assert "The steps offered" in shown(page(**{"details-six_stations": "on"}))


def test_a_changed_weight_changes_nothing_here_and_it_says_so():
    at = page(edit="decoder.0.cross_attn.w_v.weight:0-0:5")
    assert "without your cuts and changed weights" in shown(at) and component(at, "six-stations")["before"] == film()["before"]
    assert "without your cuts" not in shown(page())


def test_every_digit_of_a_number_is_written_and_no_more():
    assert [digits(each) for each in (0.1, -2.5, 0.00001, 1 / 3)] == ["0.1", "−2.5", "0.00001", "0.33333334"]
