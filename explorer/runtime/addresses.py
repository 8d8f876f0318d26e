"""The addresses of this server, found without asking an outside host."""

import os
import socket

import streamlit as st

from explorer.streamlit_patches import sessions

_ANYWHERE = ("192.0.2.1", 9)  # reserved for documentation (RFC 5737): no host has it


def welcome() -> str | None:
    """Returns the lines that say where the server is.

    None for one of several copies, which visitors reach by another address, and for a server that is not Streamlit's, which
    ignores these options.
    """
    if os.environ.get("EXPLORER_COPIES") or not sessions.is_server_of_the_command():
        return None
    bound = st.get_option("server.address")
    local = "localhost" if bound in (None, "", "0.0.0.0", "::") else bound
    lines = [f"Transformer Explorer is at {_url(local)}"]
    if local == "localhost" and (ours := on_the_network()):
        lines.append(f"On your network:           {_url(ours)}")
    return "\n".join(lines)


def _url(host: str) -> str:
    scheme = "https" if st.get_option("server.sslCertFile") else "http"
    path = st.get_option("server.baseUrlPath").strip("/")
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{st.get_option('server.port')}" + (f"/{path}" if path else "")


def is_for_this_machine_alone() -> bool:
    """Returns whether the server listens where no other machine reaches it."""
    bound = str(st.get_option("server.address") or "")
    return bound in ("localhost", "::1") or bound.startswith("127.")


def on_the_network() -> str | None:
    """Returns the address from which this machine sends; None where it is in no network.

    Connecting a UDP socket sends nothing: the system only chooses a route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ANYWHERE)
        except OSError:
            return None
        return str(probe.getsockname()[0])
