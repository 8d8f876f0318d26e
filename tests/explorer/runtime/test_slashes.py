"""Pins where an address with slashes at its end leads to: to the same page, whatever path a proxy has put before it."""

import asyncio

import pytest
from starlette.datastructures import Headers
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_handler

from explorer.runtime.slashes import Slashes


def location(path: str, query: str) -> str:
    """Where Streamlit's answer sends the browser on to."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": [], "root_path": ""}
    asyncio.run(Slashes(create_streamlit_static_handler(".", ""))(scope, None, send))
    assert sent[0]["status"] == 301
    return Headers(raw=sent[0]["headers"])["location"]


@pytest.mark.parametrize("page", ["/heads", "/tool/box/heads"])
@pytest.mark.parametrize("query", ["", "?src=a/b&layer=1"])
def test_slashes_after_a_page_are_dropped_and_nothing_else(page, query):
    assert location(f"{page}/", query[1:]) == f"../heads{query}"
    assert location(f"{page}//", query[1:]) == f"../../heads{query}"  # a browser takes off one for each
