"""Remembers the nested fragments of a fragment whose run gives way to a newer one.

Streamlit forgets those that the run has not drawn, although they stay on screen until the newer run has had its turn:

    @st.fragment
    def outer():
        wait_for_turn()  # raises RerunException when something newer is asked for

        @st.fragment
        def inner():
            st.button("press")  # still on screen; a press is dropped: "The fragment does not exist anymore"

        inner()
"""

import sys
from collections.abc import Callable
from typing import Any

from streamlit.runtime.scriptrunner import RerunException

from explorer.streamlit_patches.patch import Patch


def _forget_unless_it_gives_way(original: Callable[..., list[str]], *args: Any, **kwargs: Any) -> list[str]:
    gives_way = isinstance(sys.exc_info()[1], RerunException)  # Streamlit calls this while the exception passes through
    return [] if gives_way else original(*args, **kwargs)


FUNCTIONS = (
    Patch(
        "streamlit.runtime.fragment:MemoryFragmentStorage",
        "clear_stale_descendants",
        "self, root_fragment_id, newly_registered_ids",
        _forget_unless_it_gives_way,
    ),
)
