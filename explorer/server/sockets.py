"""What the server's sockets lack."""

import gc
import socket


def send_at_once() -> None:
    """Lets the connections of this server send each message when it is written, not when the one before has been acknowledged.

    A message is small, and a run sends dozens. asyncio asks for this by itself, but only where the listening socket names its
    protocol; Streamlit's does not, and hands it to nobody: it is found among all objects. Connections inherit what it says.
    """
    for each in gc.get_objects():
        if type(each) is socket.socket and _listens(each):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _listens(each: socket.socket) -> bool:
    """Whether connections over TCP are taken on a socket."""
    if each.fileno() < 0 or each.family not in (socket.AF_INET, socket.AF_INET6) or each.type != socket.SOCK_STREAM:
        return False
    return bool(each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
