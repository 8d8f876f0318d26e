"""Keeps Streamlit from asking an outside host for this machine's public address.

It does so for a WebSocket whose Origin is another site, in case that is this machine:

    GET /_stcore/stream HTTP/1.1
    Upgrade: websocket
    Origin: https://elsewhere.example

For up to two seconds the event loop waits for the answer and serves nobody. Streamlit's other question, at its start, is off by
the option `logger.hideWelcomeMessage`.
"""

from typing import Any

from explorer.streamlit_patches.patch import Patch


def _unknown(_original: Any) -> None:
    return None


FUNCTIONS = (Patch("streamlit.net_util", "get_external_ip", "", _unknown),)
