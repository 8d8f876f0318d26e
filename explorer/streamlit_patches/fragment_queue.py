"""Keeps in the queue what has been drawn before when a fragment runs again.

Streamlit drops what this fragment has drawn and has not been sent yet, and keeps what its nested fragments have drawn:

    @st.fragment
    def outer():
        st.write("one")

        @st.fragment
        def inner():
            st.write("two")  # kept: it belongs to the inner fragment, and stands in a container of the outer one

        inner()  # its container is dropped where the outer fragment runs again before all was sent

The browser is then sent an element inside a container that it never had ("Bad delta path index"), and shows nothing any more
until it is loaded anew.
"""

from collections.abc import Callable
from typing import Any

from explorer.streamlit_patches.patch import Patch


def _keep(
    original: Callable[..., None],
    queue: Any,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    if fragment_ids_this_run and hasattr(queue, "_delta_index_map"):
        queue._delta_index_map = {}  # new elements follow the former ones instead of taking their places
    else:
        original(queue, retain_lifecycle_msgs, fragment_ids_this_run)


FUNCTIONS = (
    Patch(
        "streamlit.runtime.forward_msg_queue:ForwardMsgQueue",
        "clear",
        "self, retain_lifecycle_msgs, fragment_ids_this_run",
        _keep,
    ),
)
