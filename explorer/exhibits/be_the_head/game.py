"""Be the head: a row of attention is the visitor's, on four levels; then where the model's own row comes from."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from explorer import limits
from explorer.components import arithmetic
from explorer.components import be_the_head as view
from explorer.components.be_the_head.component import LEVELS, Place, is_row
from explorer.exhibits.be_the_head.before_a_press import BeforeAPress
from explorer.exhibits.shared.first_sentences import FIRST, say, translator
from explorer.i18n import _
from explorer.model_on_screen.given_rows import Kind
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.pictures import be_the_head as pictures
from explorer.pictures.start import SentenceChoices, asked_with
from explorer.session.address import as_option
from explorer.session.numbers import as_number
from explorer.ui import document
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, opens, set_next

_LOOK = re.compile(r"(\d{1,3})(?::(\d{1,3}))?", re.ASCII)  # of a row in the address: a key and its weight
_DECODER = 3  # the level of the decoder's own attention
_FOUR = {  # sentences with a goal on every level, held out or not
    "everyday-fr": (
        "your station is on his street",
        "a flower is in my bathroom",
        "does the dog eat the bread",
        "money is under my tree every day",
        "is a sad girl tired",
    ),
    "everyday-zh": (
        "there is a cat in your street",
        "my student is not her teacher",
        "today some cats can not have four families",
        "the child is thirsty and clever",
        "this apple and their ball",
    ),
}
_MORE = {  # sentences with a goal on the first three levels; the page begins with the first
    "everyday-fr": (FIRST["everyday-fr"], "the happy dog eats a big apple"),
    "everyday-zh": (FIRST["everyday-zh"], "the happy dog eats a big apple"),
}


def examples(task: str) -> list[tuple[str, ...]]:
    """Returns, by level, sentences that have a goal there."""
    return [(*_MORE[task], *_FOUR[task])] * (LEVELS - 1) + [_FOUR[task]]


def draw() -> None:
    """Draws the level that the address names, and where the model's own row comes from."""
    settings = translator()
    shown = show_model(replace(settings, src=_MORE[settings.task][0]))
    assert shown.translation is not None
    level = int(address_value("level", 1, lambda text: as_option(text, range(1, LEVELS + 1)))) - 1
    if settings.src == FIRST[settings.task]:  # nobody has chosen it
        settings = replace(settings, src=examples(settings.task)[level][0])
    drawn, refused = pictures.be_the_head(shown, SentenceChoices(settings.src)).drawing, None
    if "refused" in drawn:  # a link may hold any sentence
        settings, refused = replace(settings, src=_MORE[settings.task][0]), drawn
        drawn = pictures.be_the_head(shown, SentenceChoices(settings.src)).drawing
    place, asked = _place(drawn, level), asked_with(shown, settings.src)
    before = BeforeAPress(asked, settings, drawn, place, _kind(level), _keep)
    view.show(
        drawn,
        settings,
        place,
        _look(shown, settings, drawn, place),
        answer_language=shown.translation.language,
        known=shown.translation.source_words,
        examples=examples(settings.task),
        on_place=lambda place: _moved(place, before),
        on_said=lambda sentence, level: _say(settings.task, sentence, level),
        refused=refused,
    )
    before.draw()
    if opened := opens("row", _("Where does its row come from? q · k"), ":material/calculate:"):
        with opened:
            _its_row(shown, settings, drawn, place)


def _place(drawn: Mapping[str, Any], level: int) -> dict[str, Any]:
    """Returns what the address says: the goal, the visitor's row, and what is shown."""
    goal = min(max(int(address_value("asked", 1, _count)), 1), max(len(drawn["levels"][level]), 1)) - 1
    looks = _read_looks(str(address_value("weights", "", lambda text: None if _read_looks(text) is None else text))) or []
    keys = _keys(drawn, level, goal)
    return {
        "level": level,
        "goal": goal,
        "looks": [[key, weight] for key, weight in looks if key < keys],
        "own": bool(address_value("own", False, lambda text: as_option(text, (True, False)))),
        "helped": int(address_value("helped", 0, _count)),
    }


def _kind(level: int) -> Kind:
    return "decoder" if level == _DECODER else "cross"


def _query(drawn: Mapping[str, Any], level: int, goal: int) -> int:
    """Returns the row that is the visitor's."""
    goals = drawn["levels"][level]
    query: int = goals[goal]["query"] if goals else 0
    return query


def _keys(drawn: Mapping[str, Any], level: int, goal: int) -> int:
    """Returns how many words can be looked at: of its own, those that the decoder has written, behind the start."""
    return _query(drawn, level, goal) + 1 if level == _DECODER else len(drawn["source"])


def _count(text: str) -> int | None:
    number = as_number(text, whole=True)
    return int(number) if number is not None and 0 <= number <= limits.MAX_LENGTH else None


def _read_looks(text: str) -> list[tuple[int, int]] | None:
    """Parses a row: "2", or "2:70,4:30"; None for anything else."""
    found = [_LOOK.fullmatch(each) for each in text.split(",")] if text else []
    if not all(found):
        return None
    looks = [(int(each[1]), int(each[2] or 100)) for each in found if each is not None]
    return looks if is_row(looks) else None


def _written(looks: list[tuple[int, int]]) -> str:
    return ",".join(f"{key}" if weight == 100 else f"{key}:{weight}" for key, weight in looks)


def _keep(place: Place) -> None:
    """Puts a place in the address (called in a callback)."""
    set_next("level", place["level"] + 1)
    set_next("asked", place["goal"] + 1)
    set_next("weights", _written(place["looks"]))
    set_next("own", place["own"])
    set_next("helped", place["helped"])


def _moved(place: Place, before: BeforeAPress) -> None:
    """Puts a place in the address to which somebody has gone (called in a callback)."""
    before.pressed(place)
    _keep(place)


def _say(task: str, sentence: str, level: int) -> None:
    """Puts a sentence that was typed here on every page (called in a callback)."""
    say(task, sentence)
    _keep({"level": level, "goal": 0, "looks": [], "own": False, "helped": 0})


def _look(
    shown: ShownModel, settings: ModelSettings, drawn: Mapping[str, Any], place: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Computes what is written with the row of the address, if it has one."""
    level, goal = place["level"], place["goal"]
    if not place["looks"] or not drawn["levels"][level]:
        return None
    weights = [0.0] * _keys(drawn, level, goal)
    for key, weight in place["looks"]:
        weights[key] = weight / 100
    choices = pictures.LookChoices(settings.src, _kind(level), _query(drawn, level, goal), tuple(weights))
    return pictures.look(shown, choices).drawing


def _its_row(shown: ShownModel, settings: ModelSettings, drawn: Mapping[str, Any], place: Mapping[str, Any]) -> None:
    """Draws the arithmetic of the row that the model has by itself, in the head that looks most at one word."""
    asked = asked_with(shown, settings.src)
    own = replace(asked, text=replace(asked.text, tgt=asked.answer))
    kind, query = _kind(place["level"]), _query(drawn, place["level"], place["goal"])
    attention = own.attention(kind, own.cfg.n_layers - 1)
    weights = attention.map.weights[:, query]  # (head, key)
    head, key = divmod(int(weights.argmax()), weights.shape[1])
    st.markdown(
        _(
            "The place of the word that is being written has a **query**, each word that can be looked at a **key**: {d} "
            "numbers each, in every head. Their product, q · k, divided by √{d}, goes through softmax: that is the row. The "
            "model does not *want* to look anywhere: two lists of numbers were multiplied."
        ).format(d=own.cfg.d_k)
    )
    arithmetic.show(attention, head, "weights", (query, key), lambda _query, _key: None)
    document.caption(_("head {head} of layer {layer} alone.").format(head=head, layer=attention.layer))
    same: dict[str, str | int] = {"task": settings.task, "src": settings.src, "kind": kind, "layer": own.cfg.n_layers - 1}
    link("attention", _("every step of it"), query=query, key=key, **same)
