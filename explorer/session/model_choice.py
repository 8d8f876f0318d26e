"""Which model is on screen, and how the settings follow when another task is chosen.

What is called from a callback changes the widgets' own values: they are read when the rerun begins.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from explorer import server
from explorer.inference import sources
from explorer.inference.settings import (
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
)
from explorer.session.address import as_option, as_text
from explorer.session.numbers import as_number
from explorer.session.session import Session, current
from explorer.training.task_titles import TASK_TITLES
from transformer_core import PRESETS

USUAL = "usual"  # the preset of the sizes with which a task is learned well
OWN = "custom"  # the preset of sizes that are none of the others
OWN_TASKS = {"training": "copy"}  # pages that have a task of their own where nobody has chosen one: this is learned in seconds


def resolve(session: Session, *, opened: bool, history: bool) -> ModelSettings:
    """What the shared settings say in this rerun: the address where it is news, else the widgets, else what they said last.

    Where a link was `opened` or the browser's `history` was stepped through, the address alone says which model is meant: what
    it does not name is as the task has it.
    """
    news, in_own_task = session.address.news, session.rerun.page in OWN_TASKS
    linked = {name: news.pop(name) for name in NAMES if name in news}
    session.rerun.linked = frozenset(linked)
    _turn_to_page(session, linked, anew=opened or history)
    if opened or history:
        task = _parsed(session, "task", linked.get("task"), session.first_task if in_own_task else FIRST_TASK)
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
        session.task_is_chosen, session.has_own_task, session.elsewhere = True, False, None
        _follow(session, values, linked)
    if values["model"] is not None:
        _show_file(session, values, linked)
    elif values["task"] != session.settings.task or opened or history:
        reader = sources.reader_of(ModelSettings(**values))
        if not linked.get(reader.setting):
            _fit_source(session, values, reader)
    if in_own_task and not session.task_is_chosen and values["task"] in (FIRST_TASK, session.first_task):
        _take_own_task(session, values, linked)
    return ModelSettings(**values)


def _turn_to_page(session: Session, linked: Mapping[str, str | None], *, anew: bool) -> None:
    """Where no task was chosen, a page with a task of its own has settings of its own; the others keep theirs meanwhile."""
    # `shell.first_task` writes a task into the address of a visitor who named none: he has not chosen it.
    is_browsers = linked.get("task") == session.first_task != FIRST_TASK and session.rerun.page not in OWN_TASKS
    is_named = bool(linked.get("model") or (linked.get("task") and not is_browsers))
    if anew or is_named:
        session.task_is_chosen = is_named
        session.has_own_task, session.elsewhere = False, None
    elif session.elsewhere is not None and session.has_own_task is not (session.rerun.page in OWN_TASKS):
        session.settings, session.elsewhere = session.elsewhere, session.settings
        session.has_own_task = not session.has_own_task
        for name, value in vars(session.settings).items():
            _keep(session, name, value)


def _take_own_task(session: Session, values: dict[str, Any], linked: Mapping[str, str | None]) -> None:
    """The page's own task: what is none of the other pages' defaults holds for it as well."""
    session.settings = session.elsewhere = ModelSettings(**values)
    session.has_own_task = True
    _set(session, values, "task", OWN_TASKS[session.rerun.page])
    _set(session, values, "step", None)
    _follow(session, values, {name: text for name, text in linked.items() if text is not None and name != "cut"})
    _fit_source(session, values, sources.reader_of(ModelSettings(**values)))


def _parsed(session: Session, name: str, text: str | None, task: str) -> Any:
    """The value that the address gives a setting; the one that a task has where that is none."""
    default = defaults(task)[name]
    if text is None:
        return default
    value = _read(name, text)
    if value is None:
        session.misread[name] = (text, default)
    return default if value is None else value


def _read(name: str, text: str) -> Any:
    """The value that a text names; None where it names none."""
    if options := (*TASK_TITLES,) if name == "task" else choices(name):
        return as_option(text, options)
    if name not in RANGES:
        return text
    low, high, step = RANGES[name]
    value = as_number(text, whole=isinstance(step, int))
    return value if value is not None and low <= value <= high else None


def _follow(session: Session, values: dict[str, Any], linked: Mapping[str, str | None]) -> None:
    """Another task was chosen: settings that had the former one's default take the new one's. Where a file was open, its sizes
    were nobody's choice."""
    before, after = defaults(session.settings.task), defaults(values["task"])
    for name in NAMES:
        of_file = name in SIZES and session.settings.model is not None
        if name not in ("task", "step", "model", *linked) and (values[name] == before[name] or of_file):
            _set(session, values, name, after[name])
    if "cut" not in linked:
        _set(session, values, "cut", "")  # what a part of one model does, it does not do in another
    if values["d_model"] % values["n_heads"]:
        counts = head_counts(ModelSettings(**values | {"n_heads": 1}))
        _set(session, values, "n_heads", min(counts, key=lambda count: abs(count - values["n_heads"])))


def _show_file(session: Session, values: dict[str, Any], linked: Mapping[str, str | None]) -> None:
    """The settings show the task and the sizes of the file or run that is open."""
    found = server.model_store().get(values["model"])
    if found is None:
        return
    if found.task in TASK_TITLES:
        _set(session, values, "task", found.task)
    for name in SIZES:
        _set(session, values, name, size_of(found.cfg, name))
    if values["model"] != session.settings.model and not linked.get(sources.reader_of_model(found).setting):
        _fit_source(session, values, sources.reader_of_model(found), sources.fits)


def _fit_source(
    session: Session,
    values: dict[str, Any],
    reader: sources.Reader,
    fits: Callable[[sources.Reader, str], bool] = sources.readable,
) -> None:
    """Gives a model a source that fits it, where what stands there is not one."""
    name = reader.setting
    typed = values[name]
    if fits(reader, typed):
        return
    if reader.in_words or reader.length is not None:
        _set(session, values, name, sources.example(reader))
    else:
        symbols = reader.vocabulary.tokens[1:]
        _set(session, values, name, " ".join(n for n in reader.vocabulary.split(typed) if n in symbols) or "1")


def _set(session: Session, values: dict[str, Any], name: str, value: Any) -> None:
    values[name] = value
    _keep(session, name, value)


def _keep(session: Session, name: str, value: Any) -> None:
    """Gives a setting a value, and its widget too, where that is on screen: one set off the screen would come back when
    it is gone again. Only what differs is set: the browser is sent it, in place of what is being chosen there."""
    session.remembered[name] = value
    if name in session.settings_on_screen and st.session_state.get(name) != value:
        session.untold.note(name, st.session_state.get(name))
        st.session_state[name] = value


def correct(session: Session, name: str, value: Any) -> None:
    """Gives a setting that a link has given a value which the model has not the one that is on screen."""
    _keep(session, name, value)
    session.settings = replace(session.settings, **{name: value})


def is_changed(session: Session) -> bool:
    """Whether a callback has changed a setting since the settings were read."""
    return any(session.remembered.get(name, value) != value for name, value in vars(session.settings).items())


def hold(session: Session) -> None:
    """Call when a fragment runs by itself. What the browser says of a setting then is nobody's choice, for that would run the
    whole page: one that has not been told of a new value yet says the old one."""
    for name in session.settings_on_screen:
        if st.session_state.get(name) != (value := getattr(session.settings, name)):
            st.session_state[name] = value


def forget_off_screen(session: Session) -> None:
    """Call when the settings are drawn: what stands in the state for one that is not would count as its widget's word."""
    for name in set(NAMES) - session.settings_on_screen:
        st.session_state.pop(name, None)


def _value(session: Session, name: str) -> Any:
    """What a setting's widget says, or what it said when it was last on screen."""
    before = session.remembered.get(name, getattr(session.settings, name))
    value = st.session_state.get(name)
    is_old = session.untold.is_former(name, value) or (session.rerun.arriving and name in session.remembered)
    if value is None or is_old or not _can_be(name, value):
        value = before
    session.remembered[name] = value
    return value


def _can_be(name: str, value: Any) -> bool:
    """Whether a widget may say this: a browser not yet told of new titles says old ones (see `ui.widgets.retitle`)."""
    options = (*TASK_TITLES,) if name == "task" else choices(name)
    return not options or value in options


def in_address(session: Session) -> dict[str, str]:
    """What an address has to say for the settings: what differs from what is meant without it."""
    settings = session.settings
    reader = sources.reader_of(settings)
    if settings.model is not None:
        said, usual, names = {"model": settings.model}, defaults(FIRST_TASK), [reader.setting, "tgt", "step", "cut", "instead"]
    else:
        said, usual = {}, defaults(settings.task)
        unread = {"task", "model", *(("numbers",) if reader.in_words else ("src", "tgt", "input"))}
        unread |= {"src", "tgt"} if reader.in_words and settings.input == "lengths" else {"src_len", "tgt_len"}
        names = [name for name in NAMES if name not in unread]
    changed = {name: as_text(value) for name in names if (value := getattr(settings, name)) != usual[name]}
    is_usual = session.has_own_task if session.rerun.page in OWN_TASKS else settings.task == FIRST_TASK
    if not (said or is_usual):
        said["task"] = settings.task
    return said | changed


def close_model() -> None:
    """What is on screen from now on follows from the settings (call it in a callback)."""
    _keep(current(), "model", None)


def open_task(task: str) -> None:
    """Has the model on screen be the usual one of a task, at the end of its learning (as `open_settings`)."""
    open_settings(of_task(task))


def open_settings(settings: ModelSettings) -> None:
    """Puts the model of these settings on screen (call it in a callback, or before another page is opened)."""
    for name, value in asdict(settings).items():
        _keep(current(), name, value)


def choose(name: str, value: Any) -> None:
    """Changes one setting, as if its widget had been used (call it in a callback)."""
    _keep(current(), name, value)
    if name in (*SIZES, "seed"):
        close_model()


def presets(task: str) -> dict[str, dict[str, Any]]:
    """The sizes that are offered together."""
    return {USUAL: {name: defaults(task)[name] for name in SIZES}} | {
        preset: {name: size_of(cfg, name) for name in SIZES} for preset, cfg in PRESETS.items()
    }


def preset_of(settings: ModelSettings) -> str:
    """The preset that has these sizes."""
    own = {name: getattr(settings, name) for name in SIZES}
    return next((preset for preset, sizes in presets(settings.task).items() if sizes == own), OWN)


def take_preset(name: str) -> None:
    """Gives all sizes the values of a preset (call it in a callback)."""
    if name != OWN:
        for size, value in presets(current().settings.task)[name].items():
            choose(size, value)
