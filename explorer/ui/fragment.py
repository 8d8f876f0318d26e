"""Parts of a page that run again by themselves."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer import session
from explorer.server import turns


def fragment(function: Callable[..., Any] | None = None, *, run_every: float | None = None) -> Any:
    """`st.fragment` for all that this app draws: its own reruns, which skip the router, take turns with all others, and leave
    behind an address that says what is on screen."""
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

    return turns.fragment(drawn, run_every=run_every)
