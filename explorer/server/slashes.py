"""An address with a slash after the page's name leads to the page, also behind a proxy that strips its own path.

Streamlit sends such a browser on, but to the path as the server knows it, which is not the one that the browser knows.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Slashes:
    """ASGI middleware: makes Streamlit's answer to such an address relative to that address."""

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
