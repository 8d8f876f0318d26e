"""Recognises a browser by a random token in a cookie, which is in no link and which no script can read."""

import secrets
from http.cookies import CookieError, SimpleCookie

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_COOKIE = "transformer_explorer_browser"
_DAYS = 30


def browser_token() -> str | None:
    """Returns the token of the browser whose page is drawn; None if it keeps no cookies, or there is no server."""
    return st.context.cookies.get(_COOKIE)


def token_of(cookies: str) -> str | None:
    """Returns the token in a header of cookies; None if it has none."""
    try:
        cookie = SimpleCookie(cookies).get(_COOKIE)
    except CookieError:
        return None
    return None if cookie is None else cookie.value


class BrowserToken:
    """ASGI middleware that gives a token to a browser that fetches a page and has none.

    Attributes:
        given: True if tokens are given at all; False where a host runs the app as a plain script, without middleware.
    """

    given = False

    def __init__(self, app: ASGIApp):
        self.app = app
        BrowserToken.given = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _wants_token(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return

        async def send_with_token(message: Message) -> None:
            if message["type"] == "http.response.start":
                cookie = f"{_COOKIE}={secrets.token_urlsafe(16)}; Path=/; Max-Age={_DAYS * 86_400}; HttpOnly; SameSite=Lax"
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self.app(scope, receive, send_with_token)


def _wants_token(headers: Headers) -> bool:
    """Returns whether to send a token: with pages alone, for of several responses at once the browser would keep the last."""
    if "text/html" not in headers.get("accept", ""):
        return False
    return token_of(headers.get("cookie", "")) is None
