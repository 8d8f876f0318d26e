"""The list of the mends."""

from explorer.streamlit_patches import (
    batched_events,
    external_address,
    fragment_queue,
    known_messages,
    nested_fragments,
    pressed_first,
    pressed_once,
    sent_at_once,
)
from explorer.streamlit_patches.patch import patch

MENDS = (
    batched_events,
    external_address,
    fragment_queue,
    known_messages,
    nested_fragments,
    pressed_first,
    pressed_once,
    sent_at_once,
)
_tried = False


def mend_streamlit() -> None:
    """Mends Streamlit for the whole process. Call it before the server begins; further calls do nothing."""
    global _tried
    if not _tried:
        _tried = True
        for mend in MENDS:
            patch(*mend.FUNCTIONS)
