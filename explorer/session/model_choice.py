"""Which model is on screen, and how the settings follow when another one is chosen.

What is called from a callback changes the widgets' own values: they are read when the rerun begins.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer import server
from explorer.inference.settings import DEFAULTS, OF_RANDOM_WEIGHTS, RANGES, SIZES, ModelSettings, choices, size_of
from explorer.model_store.store import StoredModel
from explorer.session.address import as_number, as_option, as_text
from explorer.session.session import Session, current
from transformer_core import PRESETS
from transformer_core.data.corpora import CORPORA

RANDOM = "random"  # what the widget and the address call random weights
OWN = "custom"  # the preset of sizes that are none of the others
FIRST = "translate-fr"  # the model that a first visitor sees: attention that has learned something


def resolve(session: Session, *, opened: bool, history: bool) -> ModelSettings:
    """What the shared settings say in this rerun: the address where it is news, else the widgets, else what they said last.

    Where a link was `opened` or the browser's `history` was stepped through, the address alone says which model is meant. A
    step of the history also gives every setting that it does not name its default.
    """
    news = session.address.news
    linked = {name: news.pop(name) for name in DEFAULTS if name in news}
    for name in DEFAULTS:
        if name != "model" and (name in linked or history):
            _keep(session, name, _parsed(name, linked.get(name)))
    if opened or history or linked.get("model"):
        _take_model(session, linked, history)
    values = {name: _value(session, name) for name in DEFAULTS}
    stored = server.model_store().get(values["model"])
    if stored is not None:  # the settings show the sizes of the model on screen
        for name in SIZES:
            values[name] = size_of(stored.cfg, name)
            _keep(session, name, values[name])
    return ModelSettings(**values | {"model": None if values["model"] == RANDOM else values["model"]})


def _take_model(session: Session, linked: Mapping[str, str | None], history: bool) -> None:
    """The model of an address. One that names none means random weights where it names their sizes, and else the first one."""
    of_random_weights = any(linked.get(name) is not None for name in OF_RANDOM_WEIGHTS)
    now = None if history else st.session_state.get("model")
    model = linked.get("model") or now or (RANDOM if of_random_weights else FIRST)
    _keep(session, "model", model)
    stored = server.model_store().get(model)
    if stored is not None and not linked.get(_source_of(stored)):
        _fit_source(session, model)


def _parsed(name: str, text: str | None) -> Any:
    """The value that the address gives a setting; its default where that is none."""
    default = DEFAULTS[name]
    if text is None:
        return default
    if options := choices(name):
        value = as_option(text, options)
    elif isinstance(default, str):
        return text
    else:
        low, high, _step = RANGES[name]
        value = as_number(text, whole=isinstance(default, int))
        value = value if value is not None and low <= value <= high else None
    return default if value is None else value


def _keep(session: Session, name: str, value: Any) -> None:
    """Gives a setting a value, and its widget too, where that is on screen: one set off the screen would come back when
    it is gone again. Only what differs is set: the browser is sent it, in place of what is being chosen there."""
    session.remembered[name] = value
    if name in session.settings_on_screen and st.session_state.get(name) != value:
        st.session_state[name] = value


def _value(session: Session, name: str) -> Any:
    """What a setting's widget says, or what it said when it was last on screen."""
    before = session.remembered.get(name, FIRST if name == "model" else DEFAULTS[name])
    value = st.session_state.get(name)
    if value is None or not _can_be(name, value, before) or (session.rerun.arriving and name in session.remembered):
        value = before
    session.remembered[name] = value
    return value


def _can_be(name: str, value: Any, before: Any) -> bool:
    """Whether a widget may say this: a browser not yet told of new titles says old ones (see `ui.widgets.retitle`)."""
    if name == "model":
        return value in (RANDOM, before) or server.model_store().get(value) is not None
    return not (options := choices(name)) or value in options


def in_address(settings: ModelSettings) -> dict[str, str]:
    """What an address has to say for these settings: what differs from what is meant without it."""
    said: dict[str, str] = {}
    if settings.model is not None:
        stored = server.model_store().get(settings.model)
        names = ["src"] if stored is None else [_source_of(stored)]
        if settings.model != FIRST:
            said["model"] = settings.model
    else:
        unread = {"model", "numbers", *(("src_len", "tgt_len") if settings.input == "words" else ("src", "tgt"))}
        names = [name for name in DEFAULTS if name not in unread]
        if not any(getattr(settings, name) != DEFAULTS[name] for name in names if name in OF_RANDOM_WEIGHTS):
            said["model"] = RANDOM
    changed = {name: getattr(settings, name) for name in names if getattr(settings, name) != DEFAULTS[name]}
    return said | {name: as_text(value) for name, value in changed.items()}


def open_model(model_id: str) -> None:
    """Puts a stored model on screen, with a source that it can read (call it in a callback)."""
    _keep(current(), "model", model_id)
    _fit_source(current(), model_id)


def offered_models(session: Session) -> list[str]:
    """The stored models that can be chosen: those that come with the app, and those that this visitor has opened."""
    store, model = server.model_store(), session.settings.model
    if model is not None and model not in [*store.shipped, *session.opened_models]:
        session.opened_models.append(model)
    return [*store.shipped, *(m for m in session.opened_models if m == model or store.get(m) is not None)]


def _source_of(stored: StoredModel) -> str:
    """The setting that a stored model reads."""
    return "src" if stored.in_words else "numbers"


def fit_source() -> None:
    """Another model was chosen in the list of models: it is given a source that it can read."""
    _fit_source(current(), st.session_state["model"])


def _fit_source(session: Session, model_id: str) -> None:
    """Gives a stored model a source that it can read, where what stands there is not one."""
    stored = server.model_store().get(model_id)
    if stored is None:
        return
    name = _source_of(stored)
    typed = _value(session, name)
    if stored.in_words:
        if stored.vocabulary.unknown_words(typed):
            _keep(session, name, CORPORA[stored.task]().example)
    else:
        symbols = stored.vocabulary.tokens[1:]
        _keep(session, name, " ".join(n for n in typed.split() if n in symbols) or "1")


def open_random_weights() -> None:
    """A size was changed: what is on screen is a new model from now on."""
    _keep(current(), "model", RANDOM)


def choose(name: str, value: Any) -> None:
    """Changes one setting, as if its widget had been used (call it in a callback)."""
    _keep(current(), name, value)
    if name in SIZES:
        open_random_weights()


def preset_of(settings: ModelSettings) -> str:
    """The preset that has these sizes."""
    return next((p for p, cfg in PRESETS.items() if all(getattr(settings, s) == size_of(cfg, s) for s in SIZES)), OWN)


def take_preset(name: str) -> None:
    """Gives all sizes the values of a preset (call it in a callback)."""
    if name != OWN:
        for size in SIZES:
            choose(size, size_of(PRESETS[name], size))
