"""Fragments: parts of a page that rerun alone, and the page itself, which reruns without the frame around it."""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, TypeVar, overload

import streamlit as st

from explorer import session
from explorer.runtime import turns
from explorer.runtime.turns import Kind
from explorer.streamlit_patches import script_run

Drawing = TypeVar("Drawing", bound=Callable[..., Any])
_by_itself = ContextVar("by_itself", default=False)  # True while a fragment reruns alone: nested ones belong to that run


@overload
def fragment(function: Drawing, *, kind: Kind = ..., resume: Callable[[], None] = ..., key: str | None = ...) -> Drawing: ...
@overload
def fragment(*, run_every: float | None = ..., kind: Kind = ...) -> Callable[[Drawing], Drawing]: ...
def fragment(
    function: Callable[..., Any] | None = None,
    *,
    run_every: float | None = None,
    kind: Kind = Kind.FRAGMENT,
    resume: Callable[[], None] = session.resume,
    key: str | None = None,
) -> Any:
    """A `st.fragment` for all that this app draws: its own reruns, which skip the router, take turns with all others, and end
    with an address that says what is on screen.

    Args:
        kind: whether its own reruns come before others, as short ones do.
        resume: called when its own rerun begins.
        key: of a container around it, if there is to be one.
    """
    if function is None:
        return partial(fragment, run_every=run_every, kind=kind, resume=resume, key=key)

    @wraps(function)
    def drawn(*args: Any, **given: Any) -> Any:
        if not script_run.is_of_a_fragment() or _by_itself.get():
            return function(*args, **given)
        token = _by_itself.set(True)
        try:
            resume()
            result = function(*args, **given)
            session.end()
            return result
        finally:
            _by_itself.reset(token)

    runs_again = turns.fragment(drawn, run_every=run_every, kind=kind)
    if key is None:
        return runs_again

    @wraps(function)
    def placed(*args: Any, **given: Any) -> Any:
        with st.container(key=key):
            return runs_again(*args, **given)

    return placed


def page(function: Drawing) -> Drawing:
    """Makes the page itself a fragment: controls on it rerun it alone, without the menu and the settings."""
    return fragment(function, kind=Kind.PAGE, resume=session.resume_page, key="page")
