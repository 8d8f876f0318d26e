"""All patches of Streamlit."""

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

PATCHES = (
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


def patch_streamlit() -> None:
    """Patches Streamlit for the whole process. Call it before the server begins; further calls do nothing."""
    global _tried
    if not _tried:
        _tried = True
        for each in PATCHES:
            patch(*each.FUNCTIONS)
