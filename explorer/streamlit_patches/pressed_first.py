"""Takes what was pressed into the session's state before a run may give way.

Streamlit asks first whether something newer was asked for, and then loses what began the run:

    st.button("press", on_click=count)  # pressed; before the run begins, a slider is moved as well

    # ScriptRunner, at the beginning of the run for the button:
    session_state.on_script_will_rerun(widget_states)  # raises RerunException first: the press is never taken

It asks again right after this, so that nothing is computed in vain.
"""

from collections.abc import Callable
from typing import Any

from explorer.streamlit_patches.patch import Patch


def _take(original: Callable[..., None], state: Any, *args: Any, **kwargs: Any) -> None:
    try:
        lock, inner = state._lock, state._state
    except AttributeError:
        original(state, *args, **kwargs)
        return
    with lock:
        inner.on_script_will_rerun(*args, **kwargs)


FUNCTIONS = (
    Patch(
        "streamlit.runtime.state.safe_session_state:SafeSessionState",
        "on_script_will_rerun",
        "self, fresh_widget_states, replay_trigger_states, replay_trigger_values, is_history_navigation",
        _take,
    ),
)
