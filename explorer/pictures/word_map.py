"""The pictures of a translator's words in both languages: where they lie, and since when one turn lays them on each other."""

import numpy as np

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.word_map import course_of, entries_of, maps_of
from explorer.pictures.registry import picture


@picture("word-map")
def word_map(shown: ShownModel) -> dict[str, np.ndarray]:
    """Returns the places of the words of both languages, the second as it is and turned onto the first.

    Shape: each (pair, 2)
    """
    _check_words(shown)
    maps = maps_of(shown)
    places = {"source": maps.source, "as_is": maps.target[0], "turned": maps.target[-1]}
    return {name: each.astype(np.float32) for name, each in places.items()}


@picture("word-map-course")
def word_map_course(shown: ShownModel) -> Figure:
    """Draws the share of words whose translation is nearest, turned and not, after kept steps of learning."""
    _check_words(shown)
    course = course_of(shown)
    series = {
        _("turned"): [each.turned for each in course.values()],
        _("pairs mixed up"): [each.mixed for each in course.values()],
        _("as they are"): [each.as_is for each in course.values()],
    }
    labels = [f"{step:,}" for step in course]
    values = {name: 100 * np.array(each) for name, each in series.items()}
    return bars(labels, values, y_title=_("translation nearest (%)"), height=260)


def _check_words(shown: ShownModel) -> None:
    if not entries_of(shown):
        raise ValueError("this model has no words of two languages")
