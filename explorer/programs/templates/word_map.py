"""The templates of a translator's words in both languages."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.word_map import course_of
from explorer.programs.template import Code, ProgramTemplate


def _language(shown: ShownModel, _choices: Any) -> dict[str, Any]:
    assert shown.translation is not None, "it has words"
    return {"language": shown.translation.language}


def _models(shown: ShownModel, choices: Any) -> dict[str, Any]:
    steps = [*course_of(shown)]
    return _language(shown, choices) | {"models": Code(f"map(course.model, {steps})" if len(steps) > 1 else "[model]")}


def _at_the_end(shown: ShownModel, _choices: Any) -> ShownModel:
    """Returns the model after its last step, without changes: its program holds all of its course."""
    learning = replace(shown.learning, step=shown.learning.last, right=None)
    return replace(shown.at(learning.last), model=replace(shown.model, learning=learning))


def _places(_shown: ShownModel, _choices: Any, drawing: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    return [*drawing.values()]


TEMPLATES = {
    "word-map": ProgramTemplate(
        "the places of words and of their translations, as they are and after one rotation that was found on every second "
        "pair, in the two directions in which both languages vary together most",
        """
entries = dictionary($language)
english = word_map.source_vectors(model, vocabulary.ids([each.english for each in entries]))
others = word_map.output_vectors(model, vocabulary.ids([each.translation for each in entries]))
given, _judged = word_map.halves(len(entries))
rotation = word_map.best_rotation(others[given], english[given])
axes = word_map.common_directions(english[given], others[given] @ rotation)  # (d_model, 2)
values = [each @ axes for each in (english, others, others @ rotation)]  # each (pair, 2)
""",
        _language,
        seen=_places,
        draw="""
figure = go.Figure()
for name, (x, y) in zip(["English", "as they are", "turned"], [each.T for each in values]):
    words = [each.english if name == "English" else each.translation for each in entries]
    figure.add_scatter(x=x, y=y, text=words, name=name, mode="markers+text")
figure.update_yaxes(scaleanchor="x")
figure.show()
""",
        model=lambda shown, _choices: shown.whole,
    ),
    "word-map-course": ProgramTemplate(
        "of the words that had no part in finding a rotation, the share (%) whose translation is nearest, after kept steps of "
        "learning: turned, with pairs mixed up, and as they are",
        """
entries = dictionary($language)
english = vocabulary.ids([each.english for each in entries])
others = vocabulary.ids([each.translation for each in entries])
models = $models
found = [word_map.shares(word_map.source_vectors(each, english), word_map.output_vectors(each, others)) for each in models]
values = 100 * np.array([[each.turned, each.mixed, each.as_is] for each in found]).T  # (series, step)
""",
        _models,
        model=_at_the_end,
    ),
}
