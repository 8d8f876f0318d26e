"""A window's history, without a browser."""

from collections.abc import Callable
from contextlib import contextmanager

import pytest
from streamlit.testing.v1 import AppTest

from explorer.streamlit_patches import script_run


@contextmanager
def stepping_through_history():
    """What runs in here runs because the browser went back or forward."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script_run, "is_history_navigation", lambda: True)
        yield


def back_to(at: AppTest, link: dict[str, str], page: str | None = None) -> AppTest:
    """The browser steps back or forward to an address."""
    at.query_params.clear()
    at.query_params.update(link)
    if page:
        at.switch_page(f"../../pages/{page}.py")
    with stepping_through_history():
        return at.run()


def saying(at: AppTest, key: str, title: str) -> AppTest:
    """The browser says of a list that this title is chosen: an old one, where it has not been told of new ones yet."""
    return as_it_is(at)(**{key: title})


def as_it_is(at: AppTest) -> Callable[..., AppTest]:
    """ask(key=value): runs the page as the browser asks for it now, or later where it has not been told of what has been drawn
    since: with what its widgets and its address say now. But for those that have been used."""
    states, address = at._tree.get_widget_states(), dict(at.query_params)

    def ask(**used: str | float) -> AppTest:
        for key, value in used.items():
            (state,) = (each for each in states.widgets if each.id.endswith(f"-{key}"))
            if isinstance(value, str):
                state.string_value = value
            else:
                state.double_array_value.data[:] = [value]
        at.query_params.clear()
        at.query_params.update(address)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(at._tree), "get_widget_states", lambda _tree: states)
            return at.run()

    return ask
