"""A text, the words that may follow, and how much each word of the text is looked at."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from everyday.stories import Kind
from explorer import limits
from explorer.components import next_word as view
from explorer.exhibits.shared.story_teller import BEGINNINGS, tell, teller
from explorer.i18n import _
from explorer.model_on_screen.held_out import ROWS
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.story_counts import counted_by_kind, known_by_kind
from explorer.pictures import going_on as pictures
from explorer.pictures.next_word import MOST_K, TEMPERATURES, TOP_P
from explorer.session.address import as_option
from explorer.session.numbers import as_number
from explorer.ui import document
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, set_next
from transformer_core.analysis.story_metrics import Known
from transformer_core.data.stories import TRAINED


def draw() -> None:
    """Draws the text that the address names, and the ways on."""
    settings = teller()
    beginnings = BEGINNINGS[settings.task]
    shown = show_model(replace(settings, src=beginnings[0]))
    place = _place(settings.src)
    drawn, refused = pictures.going_on(shown, _choices(place)).drawing, ""
    if "refused" in drawn:  # a link may hold any text
        refused, place = drawn["refused"], place | {"text": beginnings[0], "hidden": []}
        drawn = pictures.going_on(shown, _choices(place)).drawing
    view.show(
        drawn,
        settings,
        place,
        text_language=settings.task.removeprefix("stories-"),
        known=pictures.known_words(shown),
        beginnings=beginnings,
        on_place=lambda told: _keep(settings.task, told),
        refused=refused,
    )
    same: dict[str, str | int] = {"task": settings.task, "src": place["text"], "layer": shown.cfg.n_layers - 1}
    with st.container(key="closer-ways", horizontal=True):
        link("heads", _("where each head looks"), **same)
        link("decoding", _("all numbers, step by step"), **same)
    document.details("going_on", lambda: _details(shown))


def _details(shown: ShownModel) -> None:
    st.markdown(
        _(
            "Nobody told this model who is “she”. It practised on {n:,} short stories, made by rules, and had to say the next "
            "word, again and again; each time it was changed a little. The stories on which it is tested are others."
        ).format(n=TRAINED)
    )
    st.markdown(
        _(
            "*Counting* knows how often each word followed the last two in the same stories, and nothing of what was said "
            "before. The model reads all of it: hide the person, and the pronoun may change. It may be sure all the same: how "
            "likely a word is to the model does not say that it is right."
        )
    )
    _known_by_kind(shown)


def _known_by_kind(shown: ShownModel) -> None:
    """Tells what the model and the counter know of held-out stories, by kind of word."""
    known, counted = known_by_kind(shown.choice, shown.task), counted_by_kind(shown.task)
    kinds: dict[Kind, str] = {
        "repeated": _("said before"),
        "pronoun": _("pronouns"),
        "other": _("others, and the end"),
    }
    st.markdown(
        _(
            "**Which words can be known?** In {n} stories that were kept from training, every word behind the right ones "
            "before it: how often the right word was the likeliest, and the mean loss, in nats. Names, things, adjectives and "
            "numbers that were **said before**, and pronouns, follow from the story with certainty. Elsewhere several words "
            "are often possible: the **least loss** is that of the probabilities by which stories are drawn, and on average "
            "over all stories no loss is lower."
        ).format(n=ROWS)
    )

    def likeliest(by_kind: Mapping[Kind, Known]) -> list[str]:
        return [_("{right:,} of {n:,}").format(right=by_kind[kind].right, n=by_kind[kind].n) for kind in kinds]

    def losses(by_kind: Mapping[Kind, Known]) -> list[str]:
        return [f"{by_kind[kind].loss:.3f}" for kind in kinds]

    table = {
        _("words"): [*kinds.values()],
        _("likeliest, model"): likeliest(known),
        _("likeliest, counting"): likeliest(counted.known),
        _("loss, model"): losses(known),
        _("loss, counting"): losses(counted.known),
        _("least loss"): [f"{counted.least[kind]:.3f}" for kind in kinds],
    }
    st.dataframe(table, hide_index=True)


def _place(text: str) -> dict[str, Any]:
    """Returns what the address says: the text, the words that are hidden, and how the next word is chosen."""
    hidden = str(address_value("hidden", "", lambda given: None if _read_places(given) is None else given))
    return {
        "text": text,
        "hidden": _read_places(hidden) or [],
        "how": str(address_value("word_how", "greedy", lambda given: as_option(given, ("greedy", "sample")))),
        "temperature": float(address_value("word_temperature", 1.0, _between(*TEMPERATURES))),
        "topK": int(address_value("word_top_k", 0, _between(0, MOST_K))),
        "topP": float(address_value("word_top_p", 1.0, _between(*TOP_P))),
    }


def _between(low: float, high: float) -> Any:
    def read(text: str) -> float | None:
        number = as_number(text, whole=False)
        return number if number is not None and low <= number <= high else None

    return read


def _read_places(text: str) -> list[int] | None:
    """Parses places of words: "0,3"; None for anything else."""
    numbers = [as_number(each, whole=True) for each in text.split(",")] if text else []
    places = [int(each) for each in numbers if each is not None and 0 <= each < limits.MAX_LENGTH]
    return sorted(set(places)) if len(places) == len(numbers) else None


def _choices(place: Mapping[str, Any]) -> pictures.TextChoices:
    return pictures.TextChoices(
        place["text"], tuple(place["hidden"]), place["how"] == "sample", place["temperature"], place["topK"], place["topP"]
    )


def _keep(task: str, place: view.Place) -> None:
    """Puts a place in the address, and the text on every page (called in a callback)."""
    tell(task, place["text"])
    set_next("hidden", ",".join(map(str, place["hidden"])))
    set_next("word_how", place["how"])
    set_next("word_temperature", min(max(place["temperature"], TEMPERATURES[0]), TEMPERATURES[1]))
    set_next("word_top_k", min(max(place["topK"], 0), MOST_K))
    set_next("word_top_p", min(max(place["topP"], TOP_P[0]), TOP_P[1]))
