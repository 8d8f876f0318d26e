"""Controls whose state is part of the address, by ids, and is restored from it.

Streamlit forgets what a control said when it leaves the screen; the session remembers. A link's value reaches a control when
it is drawn. A control's name is its key, and its key in the address.

A widget's value is set through the session's state, which is sent to the browser once; and it is the widget's default as
well: if a page is drawn again before the browser has mounted the widget, the browser sends that default.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import i18n
from explorer.session import Value, current, lesson_link
from explorer.session.address import as_option
from explorer.session.numbers import as_number
from explorer.ui.format import plain, small
from transformer_core.errors import InputError

Option = TypeVar("Option", bound=str | float)
Remembered = TypeVar("Remembered", bound=Value)
Number = TypeVar("Number", int, float)

_SEARCHED = 8  # options from which a list can be searched by typing; a box that is typed in keeps what fits nothing


def choose(
    name: str,
    label: str,
    options: Sequence[Option],
    titles: Mapping[Option, str] | Callable[[Option], str] = str,
    *,
    help: str | None = None,
    hidden: bool = False,
    listed: bool = False,
    default: Option | None = None,
) -> Option:
    """Picks one of a few ids; falls back to the first, or to `default`, when the choice no longer exists.

    Args:
        titles: the names of the options on screen.
        hidden: hides the label from sight, if the options speak for themselves; screen readers still read it.
        listed: as a list that unfolds, if the titles do not fit side by side.
    """
    default = options[0] if default is None else default
    names = {option: titles(option) if callable(titles) else titles.get(option, str(option)) for option in options}
    prepare(name, default, lambda text: as_option(text, options), label)
    _choose_one_of(name, options, default)
    if _waits(name, default):
        return _unseen(name, default)
    given: dict[str, Any] = {
        "key": name,
        "help": help,
        "label_visibility": "collapsed" if hidden else "visible",
        "format_func": lambda option: names.get(option, option),
        "disabled": lesson_link.locks(name),
    }
    retitle(name, [*names.values()])
    value = st.session_state[name]
    if listed:
        chosen = st.selectbox(label, options, index=list(options).index(value), **given)
    else:
        chosen = st.segmented_control(label, options, default=value, required=True, **given)
    return remember(name, default if chosen is None else chosen, default)


def slider(
    name: str,
    label: str,
    low: float,
    high: float,
    default: float,
    help: str | None = None,
    step: float = 1,
    place: DeltaGenerator | None = None,
) -> Any:
    """Draws a slider whose ends may move with other settings: the value is kept between them."""
    default = min(max(default, low), high)
    whole = all(isinstance(x, int) for x in (low, high, step))

    def read(text: str) -> float | None:
        value = as_number(text, whole)
        return value if value is not None and low <= value <= high else None

    prepare(name, default, read, label)
    if _waits(name, default):
        return _unseen(name, default)
    value, ends = min(max(st.session_state[name], low), high), (low, high, step)
    if current().controls.ends.get(name, ends) != ends:  # for Streamlit another slider, which would begin at its lower end
        st.session_state[name] = value
    current().controls.ends[name] = ends
    set_value(name, value)
    value = (place or st).slider(label, low, high, value, step, key=name, help=help, disabled=lesson_link.locks(name))
    return remember(name, value, default)


def choose_number(name: str, label: str, numbers: Sequence[Number], default: Number, help: str) -> Number:
    """Picks one of some numbers, the smallest first, on a slider."""
    prepare(name, default, lambda text: as_option(text, numbers), label)
    _choose_one_of(name, numbers, default)
    if _waits(name, default):
        return _unseen(name, default)
    chosen: Number = st.select_slider(
        label,
        numbers,
        st.session_state[name],
        key=name,
        format_func=_written,
        help=help,
        disabled=lesson_link.locks(name),
    )
    return remember(name, chosen, default)


def _written(number: Number) -> str:
    return f"{number:,}" if isinstance(number, int) else small(number, 6)


def text(name: str, label: str, default: str, help: str) -> str:
    """Draws a line of text."""
    prepare(name, default, str, label)
    if _waits(name, default):
        return _unseen(name, default)
    typed: str = st.text_input(label, st.session_state[name], key=name, help=help, disabled=lesson_link.locks(name))
    return remember(name, typed, default)


def pick(name: str, label: str, labels: Sequence[str], default: int = 0) -> int:
    """Picks one of many, by its index."""
    prepare(name, default, lambda text: as_option(text, range(len(labels))), label)
    _choose_one_of(name, range(len(labels)), default)
    if _waits(name, default):
        return _unseen(name, default)
    retitle(name, list(labels))
    chosen: int = st.selectbox(
        label,
        range(len(labels)),
        st.session_state[name],
        key=name,
        format_func=labels.__getitem__,
        disabled=lesson_link.locks(name),
    )
    return remember(name, chosen, default)


def linked_select(
    name: str,
    label: str,
    options: Sequence[Option],
    value: Option,
    titles: Callable[[Option], str],
    take: Callable[[Option], None],
    help: str | None = None,
    hidden: bool = False,
    changes: Sequence[str] = (),
) -> None:
    """Draws a list whose value follows from other settings; `take` is called with another choice. `changes`: those that it
    changes, of which a lesson may lock one.
    """

    names = {option: titles(option) for option in options}
    key, change = _linked(name, value, options, take)
    retitle(key, [*names.values()])
    st.selectbox(
        label,
        options,
        list(options).index(value),
        key=key,
        format_func=lambda option: names.get(option, option),
        help=help,
        on_change=change,
        label_visibility="collapsed" if hidden else "visible",
        filter_mode=None if len(options) < _SEARCHED else "fuzzy",
        disabled=any(map(lesson_link.locks, changes)),
    )


def linked_number(
    name: str, label: str, numbers: Sequence[int], value: int, take: Callable[[int], None], help: str, changes: str
) -> None:
    """Does the same for one of some numbers, the smallest first; a single number is not offered."""
    if len(numbers) > 1:
        key, change = _linked(name, value, numbers, take)
        is_locked = lesson_link.locks(changes)
        st.select_slider(label, numbers, value, key=key, help=help, on_change=change, disabled=is_locked)


def _linked(
    name: str, value: Option, options: Sequence[Option], take: Callable[[Option], None]
) -> tuple[str, Callable[[], None]]:
    """Returns the key of a widget with this value, and its callback. For another value, another widget takes its place: a
    browser that has not heard of the change sends the old value with its next request, which would count as a choice.
    """
    counts = current().controls.replaced
    key = numbered(name, counts.get(name, 0))
    if st.session_state.get(key, value) != value:
        counts[name] = counts.get(name, 0) + 1
        key = numbered(name, counts[name])
    set_value(key, value)

    def change() -> None:
        if key == numbered(name, counts.get(name, 0)) and st.session_state[key] in options:
            take(st.session_state[key])

    return key, change


def numbered(name: str, count: int) -> str:
    return f"{name}--{count}" if count else name


def linked_switch(name: str, label: str, value: bool, take: Callable[[bool], None], help: str) -> None:
    """Does the same for yes or no."""
    set_value(name, value)
    is_locked = lesson_link.locks(name)
    st.toggle(label, value, key=name, help=help, on_change=lambda: take(st.session_state[name]), disabled=is_locked)


def flag(name: str) -> bool:
    """Returns what a switch of the page says, before it is drawn; off by default."""
    prepare(name, False, {"on": True, "off": False}.get)
    return bool(st.session_state[name])


def linked_text(
    name: str,
    label: str,
    value: str,
    take: Callable[[str], None],
    help: str | None = None,
    height: int = 260,
    longest: int | None = None,
) -> None:
    """Does the same for a text of several lines, of at most so many letters."""
    set_value(name, value)

    def change() -> None:
        take(st.session_state[name])

    st.text_area(label, key=name, height=height, help=help, max_chars=longest, on_change=change)


def linked_several(
    name: str,
    label: str,
    options: Sequence[str],
    value: Sequence[str],
    titles: Mapping[str, str],
    take: Callable[[tuple[str, ...]], None],
) -> None:
    """Does the same for any of a few ids."""
    set_value(name, [*value])
    retitle(name, [titles[option] for option in options])

    def change() -> None:
        take((*st.session_state[name],))

    st.multiselect(label, options, key=name, format_func=lambda option: titles.get(option, option), on_change=change)


def file_field(name: str, label: str, kinds: Sequence[str], take: Callable[[bytes], None]) -> bool:
    """Draws a field for a file of up to a megabyte; `take` is called with its content. An InputError that it raises is shown
    below the field, as long as the file is there. Returns whether it is.
    """
    refusals, key = current().controls.refused_files, key_of_file(name)

    def change() -> None:
        refusals.pop(name, None)
        if (file := st.session_state[key]) is not None:
            try:
                take(file.getvalue())
            except InputError as error:
                refusals[name] = error

    st.file_uploader(label, type=list(kinds), key=key, on_change=change, max_upload_size=1)
    if (error := refusals.get(name)) is not None:
        st.error(plain(i18n.error(error)), icon=":material/error:")
    return error is not None


def key_of_file(name: str) -> str:
    """Returns the key of a field for a file: another one, which is empty, once `drop_file` was called."""
    return numbered(name, current().controls.replaced.get(name, 0))


def drop_file(name: str) -> None:
    """Empties a field for a file (call it in a callback)."""
    controls = current().controls
    controls.replaced[name] = controls.replaced.get(name, 0) + 1
    controls.refused_files.pop(name, None)


def opens(name: str, label: str, icon: str) -> DeltaGenerator | None:
    """Draws a box that unfolds; returns it while it is unfolded, else None."""
    prepare(name, False, {"on": True, "off": False}.get)
    box = st.expander(label, st.session_state[name], key=name, on_change="rerun", icon=icon)
    return box if remember(name, bool(box.open), False) else None


def address_value(name: str, default: Value, read: Callable[[str], Value | None]) -> Value:
    """Returns a value of the address without a control of Streamlit's, such as a choice in a component; see `set_next`."""
    session = current()
    if lesson_link.locks(name):
        value: Value = _locked(name, default, read)
    elif name in session.address.news:
        value = _read(name, session.address.news.pop(name), default, read)
    else:
        value = session.controls.remembered.get(name, default)
    return remember(name, value, default)


def on_screen(name: str) -> str:
    """Returns what a text field says now (call it in a callback): somebody may have typed since the page was drawn."""
    return str(st.session_state.get(name, ""))


def chosen_on_screen(name: str) -> int | None:
    """Returns the place that is chosen now in a list of places (call it in a callback); None if none is."""
    chosen: int | None = st.session_state.get(name)
    return chosen


def set_next(name: str, value: Value) -> None:
    """Gives a control a value from the next rerun on (call it in a callback)."""
    current().controls.remembered[name] = st.session_state[name] = value


def pressed(label: str, *, key: str, place: DeltaGenerator | None = None, **given: Any) -> bool:
    """Draws a button, and returns whether it was pressed. Streamlit forgets a press with its rerun, even if a newer rerun
    replaces that one first; this press is kept until the button is drawn.
    """
    (st if place is None else place).button(label, key=key, on_click=_press, args=(key,), **given)
    return current().controls.pressed.pop(key, None) is not None


def _press(key: str) -> None:
    session = current()
    session.controls.pressed[key] = session.rerun


def retitle(name: str, titles: list[str]) -> None:
    """Renames the options of a list; call it before the list is drawn. A browser identifies its choice by title; when titles
    change, with the sentence or the language, it is sent the new one.
    """
    session = current()
    if session.controls.titles.get(name, titles) != titles and name in st.session_state:
        st.session_state[name] = st.session_state[name]
    session.controls.titles[name] = titles


def _choose_one_of(name: str, options: Sequence[Any], default: Any) -> None:
    """Replaces an invalid choice by the former one: a browser that has not heard of new titles sends an old one. Without a
    former choice, by the default, or the first.
    """
    if st.session_state.get(name) not in options:
        before = current().controls.remembered.get(name)
        set_value(name, next(value for value in (before, default, *options) if value in options))


def prepare(name: str, default: Any, read: Callable[[str], Any], label: str = "") -> None:
    """Sets a control before it is drawn to what a link says; or, if it was off the screen, to its last value. One that the
    lesson on screen locks has the value that the lesson says, whatever was chosen or typed.
    """
    session = current()
    news = session.address.news
    session.controls.labels[name] = label
    if lesson_link.locks(name):
        set_value(name, _locked(name, default, read))
    elif name in news:
        st.session_state[name] = _read(name, news.pop(name), default, read)
    elif st.session_state.get(name) is None or (
        session.rerun.arriving and name in {*session.controls.remembered, *session.rerun.left}
    ):
        st.session_state[name] = session.controls.remembered.get(name, default)
    elif name not in session.controls.remembered and st.session_state[name] == session.controls.defaults.get(name):
        set_value(name, default)  # nobody has chosen the former default


def _locked(name: str, default: Any, read: Callable[[str], Any]) -> Any:
    """Returns the value that the lesson on screen gives a control."""
    session = current()
    session.address.news.pop(name, None)
    return _read(name, session.lesson.step.view.get(name) if session.lesson is not None else None, default, read)


def _unseen(name: str, default: Remembered) -> Remembered:
    """Returns the value of a control that stays off the screen."""
    value: Remembered = st.session_state[name]
    return remember(name, value, default)


def _waits(name: str, default: Any) -> bool:
    """Returns whether a control stays off the screen: where a lesson shows none, or since it waits behind *More controls* (see
    `ui.more`) and is at its default. At another value it brings all others with it.
    """
    if not lesson_link.shows("controls"):
        return True
    rerun = current().rerun
    if not rerun.holds_back:
        return False
    rerun.behind.add(name)
    rerun.whole = rerun.whole or st.session_state[name] != default
    rerun.held_back = rerun.held_back or not rerun.whole
    return not rerun.whole


def _read(name: str, written: str | None, default: Any, read: Callable[[str], Any]) -> Any:
    """Parses a link's value of a control; its default if there is none, or if it is invalid."""
    value = default if written is None else read(written)
    if value is None:
        current().controls.misread[name] = (written or "", default)
        return default
    return value


def set_value(name: str, value: Any) -> None:
    """Sets a value only if it differs: the browser is sent it, in place of what is being chosen there."""
    if st.session_state.get(name) != value:
        st.session_state[name] = value


def remember(name: str, value: Remembered, default: Any) -> Remembered:
    """Records a control's value, for the address and for when it comes back on screen. A default that nobody has chosen is not
    remembered: on another page the control may have another default.
    """
    session = current()
    if value != default or name in session.controls.remembered:
        session.controls.remembered[name] = value
    session.controls.defaults[name] = default
    session.rerun.drawn[name] = (value, default)
    return value
