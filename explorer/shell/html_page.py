"""Adds scripts to the head of the HTML page that Streamlit serves. All else that the app draws comes over the WebSocket."""

import json
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer import i18n
from explorer.components import joined_script, route_of
from explorer.i18n import _

_FILES = ("translation.js", "connection.js", "steps.js", "draft.js")
_SCRIPTS = joined_script(*map(Path(__file__).with_name, _FILES))
_PATIENCE = 8_000  # ms after which a page that has not connected says so
_END_OF_HEAD = b"</head>"


class HtmlPage:
    """ASGI middleware that adds the scripts to every page.

    The page has no validators for caches, so that no browser keeps the scripts of an earlier version.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not asks_for_a_page(scope):
            await self.app(scope, receive, send)
            return
        added = _script(_language(scope))
        headers = MutableHeaders(scope=scope)
        for name in ("accept-encoding", "if-modified-since", "if-none-match", "range"):
            del headers[name]

        start: Message = {}

        async def send_with_scripts(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and is_html(message):
                start = message  # sent later, when the new length of the body is known
                return
            if start and _END_OF_HEAD in message.get("body", b""):
                message["body"] = message["body"].replace(_END_OF_HEAD, added + _END_OF_HEAD, 1)
                answer = MutableHeaders(scope=start)
                answer["content-length"] = str(int(answer["content-length"]) + len(added))
                for name in ("etag", "last-modified", "accept-ranges"):
                    del answer[name]
            if start:
                await send(start)
                start = {}
            await send(message)

        await self.app(scope, receive, send_with_scripts)


def asks_for_a_page(scope: Scope) -> bool:
    """Returns whether a browser asks for a page, and not for a file or data."""
    is_page = scope["type"] == "http" and scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
    return is_page and not scope["path"].startswith(route_of("room/"))  # the pages of rooms are none of Streamlit's


def is_html(start: Message) -> bool:
    """Returns whether the response is a page. It may be a file, which a browser that opens its address asks for likewise."""
    return Headers(raw=start["headers"]).get("content-type", "").startswith("text/html")


def _language(scope: Scope) -> str:
    """Returns the language that the page will have (see `session.prepare`)."""
    (code,) = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("lang", [""])[:1]
    return i18n.find_language(code) or i18n.best_language(Headers(scope=scope).get("accept-language", ""))


def _script(language: str) -> bytes:
    """Returns the scripts as HTML, with their words in a language."""
    with i18n.speaking(language):
        words = {
            "blocked": _(
                "This page cannot be drawn: on the way to the server, something lets no WebSockets through. Try another "
                "network. Whoever runs the server finds more in docs/operations.md."
            ),
            "away": _("The server does not answer. This page goes on by itself when it is back."),
        }
    told = ", ".join(json.dumps(each).replace("<", "\\u003c") for each in (words, language.replace("_", "-"), _PATIENCE))
    return f"<script>{{{_SCRIPTS}explorerConnection({told})}}</script>\n".encode()  # in a block: its names are its own
