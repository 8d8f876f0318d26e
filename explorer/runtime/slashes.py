"""Redirects an address that ends with a slash to its page, also behind a proxy that strips a path of its own.

Streamlit redirects it, too, but to the path that the server knows, and a browser behind such a proxy needs another.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Slashes:
    """ASGI middleware that makes Streamlit's redirect relative to the address that was asked for."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_relative(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 301:
                headers = MutableHeaders(scope=message)
                path, mark, query = headers["location"].partition("?")
                slashes = len(scope["path"]) - len(scope["path"].rstrip("/"))
                headers["location"] = f"{'../' * slashes}{path.rpartition('/')[2]}{mark}{query}"
            await send(message)

        await self.app(scope, receive, send_relative)
