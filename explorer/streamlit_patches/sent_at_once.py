"""Sends each message when it is written, and not when the one before has been acknowledged.

asyncio sets TCP_NODELAY itself, but only for a socket that names its protocol, which Streamlit's does not:

    listening = socket.socket(family=socket.AF_INET)  # its proto is 0, and not socket.IPPROTO_TCP

A run sends dozens of small messages. Where the browser's system delays its acknowledgements, by 40 ms say, an action waits for
one of them.
"""

import socket
from collections.abc import Callable

from explorer.streamlit_patches.patch import Patch


def _set_nodelay(_original: Callable[..., None], sock: socket.socket) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and sock.type == socket.SOCK_STREAM:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


FUNCTIONS = (Patch("asyncio.base_events", "_set_nodelay", "sock", _set_nodelay),)
