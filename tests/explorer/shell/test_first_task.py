"""Pins which task somebody sees first: one whose answers he can read, and the address says so."""

import asyncio

import pytest

from explorer.shell.first_task import FirstTask

PAGE = b"<html></html>"


def test_what_is_no_request_passes():
    """The app's hooks, which start its workers, and its WebSockets."""
    passed = []

    async def app(scope, _receive, _send):
        passed.append(scope["type"])

    for kind in ("lifespan", "websocket"):
        asyncio.run(FirstTask(app)({"type": kind}, None, None))
    assert passed == ["lifespan", "websocket"]


def answer(language, query=b"", kind=b"text/html", accept=b"text/html", method="GET", path="/heads"):
    """The status, where it leads, and what is shown."""
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        await send({"type": "http.response.body", "body": PAGE})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept), (b"accept-language", language)]
    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": query}
    asyncio.run(FirstTask(app)(scope, None, send))
    start, *rest = sent
    return start["status"], dict(start["headers"]).get(b"location"), b"".join(each["body"] for each in rest)


@pytest.mark.parametrize("language", [b"zh-CN,zh;q=0.9,en;q=0.8", b"de, zh;q=0.5"])
def test_a_chinese_browser_is_led_to_a_model_that_answers_in_chinese(language):
    status, location, shown = answer(language)
    assert (status, location, shown) == (307, b"?task=everyday-zh", b""), "relative: whatever path a proxy serves it under"


@pytest.mark.parametrize(
    ("language", "given"),
    [
        (b"en-GB", {}),
        (b"", {}),
        (b"zh-TW", {}),
        (b"en, zh-CN;q=0.8", {}),
        (b"zh-CN", {"query": b"kind=decoder"}),
        (b"zh-CN", {"query": b"lang=en"}),
        (b"zh-CN", {"kind": b"application/javascript"}),
        (b"zh-CN", {"accept": b"*/*"}),
        (b"zh-CN", {"method": "HEAD"}),
        (b"zh-CN", {"path": "/training"}),
        (b"zh-CN", {"path": "/served/under/training/"}),
    ],
)
def test_all_other_addresses_are_as_they_were(language, given):
    assert answer(language, **given) == (200, None, PAGE)
