"""A field for typed numbers with a point or a comma. A browser's own may drop a comma: 0,003 is 3."""

from collections.abc import Callable

import streamlit as st

from explorer.i18n import _
from explorer.session import Typed, current, lesson_link
from explorer.session.address import as_text
from explorer.session.numbers import as_number, is_of_two
from explorer.ui.format import plain
from explorer.ui.widgets import numbered, prepare, remember, set_next, set_value

Ends = tuple[float, float]
_ANY = (float("-inf"), float("inf"))
_QUOTED = 40  # letters of the typed text in a message


def number(name: str, label: str, default: float, help: str) -> float:
    """Draws a number of a page, which is part of the address. Any number is allowed: its effect is shown, not forbidden."""
    prepare(name, default, lambda text: as_number(text, whole=False), label)
    value = float(st.session_state[name])
    if lesson_link.shows("controls"):
        draw(name, label, value, lambda read: set_next(name, read), help=help)
    return float(remember(name, value, default))


def draw(
    name: str,
    label: str,
    value: float,
    take: Callable[[float], None],
    ends: Ends = _ANY,
    help: str | None = None,
    hidden: bool = False,
) -> None:
    """Shows a value; `take` is called with another one that is typed. A text that is not understood, or lies beyond the `ends`,
    gets a message, and the value stays.

    If the value has changed elsewhere, another field replaces this one, as in `widgets.linked_select`.
    """
    session, base, whole = current(), f"{name}--typed", isinstance(value, int)
    typed = session.controls.typed.get(name)
    if typed is not None and typed.value != value:  # changed elsewhere since
        typed = None
    shown = typed.text if typed is not None and typed.refused else as_text(value)
    key = numbered(base, session.controls.replaced.get(base, 0))
    if st.session_state.get(key, shown) != shown and typed is None:
        session.controls.replaced[base] = session.controls.replaced.get(base, 0) + 1
        key = numbered(base, session.controls.replaced[base])
    set_value(key, shown)

    def change() -> None:
        text = st.session_state[key]
        read = as_number(text, whole)
        if read is None or not ends[0] <= read <= ends[1]:
            session.controls.typed[name] = Typed(text, value, refused=True)
        else:
            session.controls.typed[name] = Typed(text, read)
            take(read)

    st.text_input(
        label,
        shown,
        key=key,
        help=help,
        on_change=change,
        label_visibility="collapsed" if hidden else "visible",
        disabled=lesson_link.locks(name),
    )
    if typed is not None and typed.refused:
        st.caption(f":red[:material/error: {plain(_why_not(typed.text.strip()[:_QUOTED], value, ends))}]")


def _why_not(text: str, value: float, ends: Ends) -> str:
    whole, kept = isinstance(value, int), as_text(value)
    if as_number(text, whole) is not None:
        words = _("It can be from {low} to {high}, so not {said}; it is still {kept}.")
        return words.format(low=as_text(ends[0]), high=as_text(ends[1]), said=text, kept=kept)
    if not is_of_two(text, whole):
        return _("“{said}” is not a number that can be read here; it is still {kept}.").format(said=text, kept=kept)
    point = text.replace(",", ".")
    words = _("“{said}” may mean {one} or {other}: write the one that you mean. It is still {kept}.")
    return words.format(said=text, one=as_text(float(point)), other=point.replace(".", ""), kept=kept)
