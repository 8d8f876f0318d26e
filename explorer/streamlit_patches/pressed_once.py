"""Counts a press once where a fragment that is drawn at intervals asks to be drawn again at the moment of the press.

Streamlit's browser side keeps a press among the values of its widgets until it has sent it in a message of its own, a moment
later. Whatever it sends before has the press as well:

    @st.fragment(run_every=1)
    def clock():
        st.button("press", on_click=count)  # pressed when the fragment is due: count() is called twice
"""

from collections.abc import Callable
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState

from explorer.streamlit_patches.patch import Patch

# Fields of Streamlit's messages that mean a press.
_PRESSES = ("trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value")


def _without_presses(original: Callable[..., None], session: Any, client_state: Any) -> None:
    """Takes the presses out of what a fragment asks by itself: nobody presses anything by that message."""
    if client_state and client_state.is_auto_rerun:
        kept = [widget for widget in client_state.widget_states.widgets if not _is_press(widget)]
        del client_state.widget_states.widgets[:]
        client_state.widget_states.widgets.extend(kept)
    original(session, client_state)


def _is_press(widget: WidgetState) -> bool:
    return widget.WhichOneof("value") in _PRESSES


FUNCTIONS = (Patch("streamlit.runtime.app_session:AppSession", "request_rerun", "self, client_state", _without_presses),)
