"""One step of learning: the film, the sentence among 64, and one weight to the last digit."""

import numpy as np
import pytest

from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.one_step import lesson_of, output_gradient_of, step_of
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures.one_step import one_step, output_gradient
from explorer.ui.format import digits
from tests.pages.helpers import component, fine, session_of, shown, turn, visit
from transformer_core.analysis import one_step as of_core

PAGE = "one_step"


def lesson(task: str = "everyday-fr", after: int = 510):
    return lesson_of(show_model(of_task(task)), after)


def film(task: str = "everyday-fr", after: int = 510):
    return one_step.of_json(show_model(of_task(task)), {"one_step_after": after})


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


def test_every_digit_of_a_number_is_written_and_no_more():
    assert [digits(each) for each in (0.1, -2.5, 0.00001, 1 / 3)] == ["0.1", "−2.5", "0.00001", "0.33333334"]
