"""The sites that may show the app in a frame: EXPLORER_FRAMES names their origins, separated by blanks. By default
none may.

In such a frame a browser keeps only cookies that say that they are meant for it; they are kept by the framing site, and over
https alone (or from localhost).
"""

import os
import re
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ORIGIN = re.compile(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]+)?", re.IGNORECASE)
_FRAMED, _OWN = "SameSite=None; Secure; Partitioned", "SameSite=Lax"
_WHERE_SENT = re.compile(r";\s*(SameSite=\w+|Secure|Partitioned)(?=;|$)", re.IGNORECASE)


def may_frame() -> tuple[str, ...]:
    """The origins that the environment names. Where it names anything else, one sentence says so, and the program ends."""
    words = os.environ.get("EXPLORER_FRAMES", "").split()
    if wrong := [word for word in words if not _ORIGIN.fullmatch(word)]:
        raise SystemExit(
            "EXPLORER_FRAMES must name the sites that may frame the app, as https://moodle.example.org, with blanks between "
            f"them and nothing after the host or its port, not {wrong[0]!r}"
        )
    return tuple(words)


def policy(origins: Sequence[str]) -> str:
    """The directive of a page's Content-Security-Policy that says who may frame it."""
    return " ".join(("frame-ancestors 'self'", *origins))


def sent_where(origins: Sequence[str]) -> str:
    """The attributes of a cookie that say in which pages it is sent."""
    return _FRAMED if origins else _OWN


class Frames:
    """ASGI middleware: every answer says who may frame it, and its cookies are kept in these frames."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]):
        self.app, self._origins = app, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = policy(self._origins)
                if self._origins:
                    cookies = headers.getlist("set-cookie")
                    del headers["set-cookie"]
                    for cookie in cookies:
                        headers.append("set-cookie", f"{_WHERE_SENT.sub('', cookie)}; {_FRAMED}")
            await send(message)

        await self.app(scope, receive, send_with_policy)
