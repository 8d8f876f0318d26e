"""Nothing that is pressed is lost: Streamlit, mended in the two places where it forgets a press.

Both are where a run gives way to a newer one, which is often here, as runs wait for their turn (`explorer.server.turns`).
"""

import inspect
import sys
from typing import Any

from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.state.safe_session_state import SafeSessionState


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

    forget_unless_it_gives_way.__wrapped__ = forget  # type: ignore[attr-defined]
    MemoryFragmentStorage.clear_stale_descendants = forget_unless_it_gives_way  # type: ignore[assignment,method-assign]
    SafeSessionState.on_script_will_rerun = begin  # type: ignore[assignment,method-assign]
