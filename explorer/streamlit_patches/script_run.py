"""The script run of this thread, and another in its place."""

from typing import NoReturn

from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx


def of_this_thread() -> object | None:
    """Returns the script run of this thread, which is an object of its own for each run; None in any other thread."""
    return get_script_run_ctx(suppress_warning=True)


def session_id() -> str | None:
    """Returns the id of the browser window that is being drawn; None where there is no server."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.session_id


def is_history_navigation() -> bool:
    """Returns whether the browser has gone back or forward."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and context.is_history_navigation


def is_of_a_fragment() -> bool:
    """Returns whether a fragment runs by itself, without the page round it."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def give_way() -> None:
    """Ends this run by Streamlit's own exception if something newer was asked for or the window is closed."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        context.yield_check()


def run_all_again() -> NoReturn:
    """Ends this run, and has the whole page run in its place.

    `st.rerun` would take the place of what was asked for meanwhile, such as another page or a step back in the browser's
    history. Here all of that stays in line and comes right after.
    """
    context = get_script_run_ctx()
    assert context is not None
    raise RerunException(
        RerunData(
            query_string=context.query_string,
            page_script_hash=context.page_script_hash,
            cached_message_hashes=context.cached_message_hashes,
            context_info=context.context_info,
        )
    )
