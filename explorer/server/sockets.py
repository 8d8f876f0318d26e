"""Options that the server's sockets lack."""

import gc
import socket


def send_at_once() -> None:
    """Sets TCP_NODELAY: each message is sent when it is written, not when the one before has been acknowledged.

    Messages are small, and a run sends dozens. asyncio sets the option itself, but only if the listening socket names its
    protocol; Streamlit's does not, and is not accessible: it is found among all objects. Connections inherit the option.
    """
    for each in gc.get_objects():
        if type(each) is socket.socket and _listens(each):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _listens(each: socket.socket) -> bool:
    """Whether a socket accepts TCP connections."""
    if each.fileno() < 0 or each.family not in (socket.AF_INET, socket.AF_INET6) or each.type != socket.SOCK_STREAM:
        return False
    return bool(each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
