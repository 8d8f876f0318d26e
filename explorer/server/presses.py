"""What is pressed counts once: Streamlit, mended in two places where it forgets a press, and in one where it repeats it.

A press is forgotten where a run gives way to a newer one, which is often here, as runs wait for their turn
(`explorer.server.turns`). It is repeated where a fragment that is drawn at intervals is asked for at the moment of the press.
"""

import inspect
import sys
from typing import Any

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.state.safe_session_state import SafeSessionState

_PRESSES = ("trigger_value", "string_trigger_value", "json_trigger_value", "chat_input_value")  # in Streamlit's messages


def keep() -> None:
    """Mends Streamlit for the whole process; to be called before the first page is drawn, and again as often as one likes."""
    forget = inspect.unwrap(MemoryFragmentStorage.clear_stale_descendants)

    def forget_unless_it_gives_way(storage: MemoryFragmentStorage, root: str, drawn: frozenset[str]) -> list[str]:
        """A fragment's own run that gives way has not drawn all the fragments that lie within it. They stay on screen until
        the newer run has had its turn; forgotten here, what is pressed in them meanwhile would count for nothing."""
        gives_way = isinstance(sys.exc_info()[1], RerunException)  # Streamlit asks while that passes through
        return [] if gives_way else forget(storage, root, drawn)

    def begin(state: SafeSessionState, *args: Any, **given: Any) -> None:
        """A run takes what was pressed before it may give way. Streamlit asks first, and what began the run is then lost; it
        asks again right after this."""
        with state._lock:
            state._state.on_script_will_rerun(*args, **given)

    ask = inspect.unwrap(AppSession.request_rerun)

    def ask_once(session: AppSession, client_state: ClientState | None) -> None:
        """What asks for itself at intervals presses nothing. A browser sends a press in a message of its own, a moment later;
        until then Streamlit has it in every message, also in that of a fragment whose time has come: it would count twice."""
        if client_state and client_state.is_auto_rerun:
            kept = [each for each in client_state.widget_states.widgets if not _is_press(each)]
            del client_state.widget_states.widgets[:]
            client_state.widget_states.widgets.extend(kept)
        ask(session, client_state)

    ask_once.__wrapped__ = ask  # type: ignore[attr-defined]
    AppSession.request_rerun = ask_once  # type: ignore[assignment,method-assign]
    forget_unless_it_gives_way.__wrapped__ = forget  # type: ignore[attr-defined]
    MemoryFragmentStorage.clear_stale_descendants = forget_unless_it_gives_way  # type: ignore[assignment,method-assign]
    SafeSessionState.on_script_will_rerun = begin  # type: ignore[assignment,method-assign]


def _is_press(widget: WidgetState) -> bool:
    return widget.WhichOneof("value") in _PRESSES
