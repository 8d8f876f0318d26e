"""Pins by what a browser is known: pages alone give a token, once, which no script can read."""

import asyncio
from http.cookies import SimpleCookie

import pytest

from explorer.runtime.browser_token import BrowserToken

PAGE = "text/html,application/xhtml+xml"


@pytest.fixture(autouse=True)
def nobody_is_told_outside_these_tests(monkeypatch):
    """A page says so where a browser was given a token and has not kept it."""
    monkeypatch.setattr(BrowserToken, "given", False)


def cookies(accept: str, cookie: str = "", kind: str = "http") -> list[str]:
    """The cookies that are set by an answer."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"set-cookie", b"other=1")]})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"cookie", cookie.encode())]
    asyncio.run(BrowserToken(app)({"type": kind, "headers": headers}, None, send))
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


def test_a_page_gives_a_token_of_its_own_which_comes_back():
    (other, first), (_other, second) = cookies(PAGE), cookies(PAGE)
    assert other == "other=1"
    ((name, morsel),) = SimpleCookie(first).items()
    assert morsel["httponly"] and morsel["samesite"] == "Lax" and morsel["path"] == "/"
    assert len(morsel.value) >= 20 and morsel.value not in second
    assert cookies(PAGE, f"a=b; {name}={morsel.value}") == ["other=1"]


@pytest.mark.parametrize(("accept", "kind"), [("*/*", "http"), ("image/png", "http"), (PAGE, "websocket")])
def test_nothing_else_gives_one(accept, kind):
    assert cookies(accept, kind=kind) == ["other=1"]
