"""Pins that a connection to Streamlit's server sends each message at once."""

import asyncio
import socket

import pytest
from streamlit.web.server.starlette.starlette_server import _bind_socket

from explorer.streamlit_patches import sent_at_once


@pytest.mark.parametrize("mended", [True, False])
def test_a_connection_does_not_wait_for_acknowledgements(mended, without):
    if not mended:
        without(sent_at_once)
    asked: asyncio.Queue[int] = asyncio.Queue()

    async def visit() -> int:
        async def connected(_reader, writer) -> None:
            asked.put_nowait(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            await writer.wait_closed()

        listening = _bind_socket("127.0.0.1", 0, 5)
        async with await asyncio.start_server(connected, sock=listening):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            await reader.read()
            writer.close()
            await writer.wait_closed()
        return asked.get_nowait()

    assert bool(asyncio.run(visit())) == mended
