"""The choice of the model on screen, and of the settings that follow when another task is chosen.

Functions that are called from callbacks change the widgets' own values, which are read when the rerun begins.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from explorer import resources
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen import sources
from explorer.model_on_screen.settings import (
    FIRST_TASK,
    NAMES,
    RANGES,
    SIZES,
    ModelSettings,
    choices,
    defaults,
    head_counts,
    of_task,
    size_of,
    stacks_for,
)
from explorer.session.address import as_option, as_text
from explorer.session.lesson_link import locked_settings
from explorer.session.numbers import as_number
from explorer.session.session import Session, current
from transformer_core import PRESETS

USUAL = "usual"  # the preset of the sizes with which a task is learned well
OWN = "custom"  # the preset of all other sizes
_PAIR = "pair"  # in the address, the number of a sentence of the model's own pairs: they themselves are not in it
OWN_TASKS = {"training": "letters"}  # pages with their own default task: this one is learned in seconds


def resolve(session: Session, *, opened: bool, history: bool) -> ModelSettings:
    """Returns the shared settings of this rerun: from the address if it is news, else the widgets, else their last values.

    After a link was `opened` or the browser's `history` was stepped through, the address alone decides which model is meant:
        settings that it does not name are the task's defaults.
    """
    news, in_own_task = session.address.news, session.rerun.page in OWN_TASKS
    linked = {name: news.pop(name) for name in NAMES if name in news}
    locked = locked_settings(session)
    linked |= {name: text for name, text in locked.items() if opened or history or name in linked}
    _take_own_sentence(session, linked, news.pop(_PAIR, None), anew=opened or history)
    session.rerun.linked = frozenset(linked)
    _turn_to_page(session, linked, anew=opened or history)
    if opened or history:
        task = _parsed(session, "task", linked.get("task"), session.task.first if in_own_task else FIRST_TASK)
        for name in NAMES:
            if history or name in linked or name not in st.session_state:
                _keep(session, name, _parsed(session, name, linked.get(name), task))
    else:
        for name, text in linked.items():
            task = _parsed(session, "task", linked.get("task"), session.settings.task)
            _keep(session, name, _parsed(session, name, text, task))
        if linked.get("task"):
            _keep(session, "model", None)
    values = {name: _value(session, name) for name in NAMES}
    if values["task"] != session.settings.task and not (opened or history):
        session.task.is_chosen, session.task.is_of_page, session.task.parked_settings = True, False, None
        _follow(session, values, linked)
    if values["model"] is not None:
        _show_file(session, values, linked, anew=opened or history)
    elif session.settings.model is not None and not linked.get("src") and _is_own_sentence(session.settings, values["src"]):
        _set(session, values, "src", defaults(values["task"])["src"])  # a sentence of the model that was just closed
    elif values["task"] != session.settings.task or opened or history:
        reader = sources.reader_of(ModelSettings(**values))
        if not linked.get(reader.setting):
            _fit_source(session, values, reader)
    if in_own_task and not session.task.is_chosen and values["task"] in (FIRST_TASK, session.task.first):
        _take_own_task(session, values, linked)
    for name, text in locked.items():  # whatever a widget, or a browser, says
        _set(session, values, name, _parsed(session, name, text, values["task"]))
    return ModelSettings(**values)


def _turn_to_page(session: Session, linked: Mapping[str, str | None], *, anew: bool) -> None:
    """Exchanges the settings for those of a page with its own task, if no task was chosen; keeps the others meanwhile."""
    # `shell.first_task` writes a task into the address of a visitor who named none: it was not chosen.
    is_browsers = linked.get("task") == session.task.first != FIRST_TASK and session.rerun.page not in OWN_TASKS
    is_named = bool(linked.get("model") or (linked.get("task") and not is_browsers))
    if anew or is_named:
        session.task.is_chosen = is_named
        session.task.is_of_page, session.task.parked_settings = False, None
    elif session.task.parked_settings is not None and session.task.is_of_page is not (session.rerun.page in OWN_TASKS):
        session.settings, session.task.parked_settings = session.task.parked_settings, session.settings
        session.task.is_of_page = not session.task.is_of_page
        for name, value in vars(session.settings).items():
            _keep(session, name, value)


def _take_own_task(session: Session, values: dict[str, Any], linked: Mapping[str, str | None]) -> None:
    """Takes the page's own task; settings that differ from the other pages' defaults are kept."""
    session.settings = session.task.parked_settings = ModelSettings(**values)
    session.task.is_of_page = True
    _set(session, values, "task", OWN_TASKS[session.rerun.page])
    _set(session, values, "step", None)
    _follow(session, values, {name: text for name, text in linked.items() if text is not None and name not in ("cut", "edit")})
    _fit_source(session, values, sources.reader_of(ModelSettings(**values)))


def _parsed(session: Session, name: str, text: str | None, task: str) -> Any:
    """Parses a setting's value from the address; the task's default if it is invalid."""
    default = defaults(task)[name]
    if text is None:
        return default
    value = _read(name, text)
    if value is None:
        session.controls.misread[name] = (text, default)
    return default if value is None else value


def _read(name: str, text: str) -> Any:
    """Returns the value that a text names, or None."""
    if options := (*TASK_TITLES,) if name == "task" else choices(name):
        return as_option(text, options)
    if name not in RANGES:
        return text
    low, high, step = RANGES[name]
    value = as_number(text, whole=isinstance(step, int))
    return value if value is not None and low <= value <= high else None


def _follow(session: Session, values: dict[str, Any], linked: Mapping[str, str | None]) -> None:
    """Follows the choice of another task: settings at the former task's defaults take the new one's. The sizes of an open file
    were nobody's choice.
    """
    before, after = defaults(session.settings.task), defaults(values["task"])
    for name in NAMES:
        of_file = name in SIZES and session.settings.model is not None
        if name not in ("task", "step", "model", *linked) and (values[name] == before[name] or of_file):
            _set(session, values, name, after[name])
    for name in {"cut", "edit"} - linked.keys():
        _set(session, values, name, "")  # it means something else in another model
    if values["d_model"] % values["n_heads"]:
        counts = head_counts(ModelSettings(**values | {"n_heads": 1}))
        _set(session, values, "n_heads", min(counts, key=lambda count: abs(count - values["n_heads"])))


def _take_own_sentence(session: Session, linked: dict[str, str | None], number: str | None, *, anew: bool) -> None:
    """Names the source of a link that gives the number of a sentence of the model's own pairs."""
    model_id = linked.get("model") if anew or "model" in linked else session.settings.model
    found = resources.model_store().get(model_id) if model_id and number else None
    if found is None or number is None or linked.get("src"):
        return
    read = as_number(number, whole=True)
    if read is not None and (text := sources.own_sentence(sources.reader_of_model(found), int(read))) is not None:
        linked["src"] = text


def _is_own_sentence(settings: ModelSettings, text: str) -> bool:
    return sources.own_number(sources.reader_of(settings), text) is not None


def _show_file(session: Session, values: dict[str, Any], linked: Mapping[str, str | None], *, anew: bool) -> None:
    """Sets the task and the sizes to those of the open file or run."""
    model = resources.model_store().get(values["model"])
    if model is None:
        return
    if model.task in TASK_TITLES:
        _set(session, values, "task", model.task)
    for name in SIZES:
        _set(session, values, name, size_of(model.cfg, name))
    if values["model"] != session.settings.model and not linked.get("step"):
        _set(session, values, "step", None)  # that of the model before meant something else
    reader = sources.reader_of_model(model)
    if (anew or values["model"] != session.settings.model) and not linked.get(reader.setting):
        _fit_source(session, values, reader, sources.fits)


def _fit_source(
    session: Session,
    values: dict[str, Any],
    reader: sources.Reader,
    fits: Callable[[sources.Reader, str], bool] = sources.readable,
) -> None:
    """Replaces a source that does not fit the model."""
    typed = values[reader.setting]
    if (fitted := sources.fitted(reader, typed, fits)) != typed:
        _set(session, values, reader.setting, fitted)


def _set(session: Session, values: dict[str, Any], name: str, value: Any) -> None:
    values[name] = value
    _keep(session, name, value)


def _keep(session: Session, name: str, value: Any) -> None:
    """Sets a setting, and its widget if that is on screen: one set off the screen would come back when it is gone again. Only
    differences are set: the browser is sent them, in place of what is being chosen there.
    """
    session.controls.remembered[name] = value
    if name in session.controls.settings_on_screen and st.session_state.get(name) != value:
        session.controls.stale_widgets.record(name, st.session_state.get(name))
        st.session_state[name] = value


def correct(session: Session, name: str, value: Any) -> None:
    """Replaces a link's value that the model lacks by the one on screen."""
    _keep(session, name, value)
    session.settings = replace(session.settings, **{name: value})


def is_changed(session: Session) -> bool:
    """True if a callback has changed a setting since the settings were read."""
    return any(session.controls.remembered.get(name, value) != value for name, value in vars(session.settings).items())


def restore_widgets(session: Session) -> None:
    """Restores the settings' widgets when a fragment reruns alone.

    A choice would rerun the whole page, so another value comes from a browser that has not heard of a new one.
    """
    for name in session.controls.settings_on_screen:
        if st.session_state.get(name) != (value := getattr(session.settings, name)):
            st.session_state[name] = value


def forget_off_screen(session: Session) -> None:
    """Drops the state of settings off the screen, which would count as their widgets' values; call it when they are drawn."""
    for name in set(NAMES) - session.controls.settings_on_screen:
        st.session_state.pop(name, None)


def _value(session: Session, name: str) -> Any:
    """Returns the value of a setting's widget, or its last value on screen."""
    before = session.controls.remembered.get(name, getattr(session.settings, name))
    value = st.session_state.get(name)
    is_old = session.controls.stale_widgets.is_stale(name, value) or (
        session.rerun.arriving and name in session.controls.remembered
    )
    if value is None or is_old or not _can_be(name, value):
        value = before
    session.controls.remembered[name] = value
    return value


def _can_be(name: str, value: Any) -> bool:
    """True if a widget may have this value: a browser without the new titles sends old ones (see `ui.widgets.retitle`)."""
    options = (*TASK_TITLES,) if name == "task" else choices(name)
    return not options or value in options


def in_address(session: Session) -> dict[str, str]:
    """Returns the settings that an address has to name: those that differ from what is meant without it."""
    settings = session.settings
    reader = sources.reader_of(settings)
    if settings.model is not None:
        values, usual, names = (
            {"model": settings.model},
            defaults(FIRST_TASK) | {reader.setting: sources.usual(reader)},
            [reader.setting, "tgt", "step", "cut", "instead", "edit"],
        )
        typed = getattr(settings, reader.setting)
        number = sources.own_number(reader, typed)
        if number is not None and typed != usual[reader.setting]:
            values[_PAIR] = str(number)
            names.remove(reader.setting)
    else:
        values, usual = {}, defaults(settings.task)
        unread = {"task", "model", *(("numbers",) if reader.in_words else ("src", "tgt", "input"))}
        unread |= {"src", "tgt"} if reader.in_words and settings.input == "lengths" else {"src_len", "tgt_len"}
        names = [name for name in NAMES if name not in unread]
    changed = {name: as_text(value) for name in names if (value := getattr(settings, name)) != usual[name]}
    is_usual = session.task.is_of_page if session.rerun.page in OWN_TASKS else settings.task == FIRST_TASK
    if not (values or is_usual):
        values["task"] = settings.task
    return values | changed


def close_model() -> None:
    """Closes the open model: the settings decide what is on screen (call it in a callback)."""
    _keep(current(), "model", None)


def close_for_task() -> None:
    """Closes the open model for a task that was chosen (call it in a callback). Where the task of the open model is not in the
    list, Streamlit also takes the empty list for a choice.
    """
    if st.session_state.get("task") is not None:
        close_model()


def open_task(task: str) -> None:
    """Shows the usual model of a task, at the end of its learning (like `open_settings`)."""
    open_settings(of_task(task))


def open_settings(settings: ModelSettings) -> None:
    """Shows the model of these settings (call it in a callback, or before another page is opened)."""
    for name, value in asdict(settings).items():
        _keep(current(), name, value)


def choose(name: str, value: Any) -> None:
    """Changes one setting, as if its widget had been used (call it in a callback)."""
    _keep(current(), name, value)
    if name in (*SIZES, "seed"):
        close_model()


def presets(task: str) -> dict[str, dict[str, Any]]:
    """Returns the sizes that are offered together."""
    fixed = {} if stacks_for(task) == "both" else {"cross_attention": False}
    return {USUAL: {name: defaults(task)[name] for name in SIZES}} | {
        preset: {name: size_of(cfg, name) for name in SIZES} | fixed for preset, cfg in PRESETS.items()
    }


def preset_of(settings: ModelSettings) -> str:
    """Returns the preset that has these sizes."""
    own = {name: getattr(settings, name) for name in SIZES}
    return next((preset for preset, sizes in presets(settings.task).items() if sizes == own), OWN)


def take_preset(name: str) -> None:
    """Sets all sizes to those of a preset (call it in a callback)."""
    if name != OWN:
        for size, value in presets(current().settings.task)[name].items():
            choose(size, value)
