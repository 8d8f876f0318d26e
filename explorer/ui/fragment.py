"""Parts of a page that run again by themselves."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer import session
from explorer.server import turns


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None) -> Any:
    """`st.fragment` for all that this app draws: its own reruns, which skip the router, take turns with all others, and leave
    behind an address that says what is on screen.

    It stands in a container of the page's: where its own run begins before all of the page has been sent, Streamlit drops what
    the fragment has drawn so far, and a browser is lost where that leaves a hole before what follows it.
    """
    if function is None:
        return partial(fragment, run_every=run_every)

    @wraps(function)
    def drawn(*args: Any, **given: Any) -> Any:
        context = get_script_run_ctx(suppress_warning=True)
        by_itself = context is not None and bool(context.fragment_ids_this_run)
        if by_itself:
            session.resume()
        result = function(*args, **given)
        if by_itself:
            session.end()
        return result

    runs_again = turns.fragment(drawn, run_every=run_every)

    @wraps(function)
    def placed(*args: Any, **given: Any) -> Any:
        with st.container():
            return runs_again(*args, **given)

    return placed
