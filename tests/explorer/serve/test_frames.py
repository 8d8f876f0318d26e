"""Pins what a browser is told of who may frame the app, and that its cookies are kept there."""

import asyncio

import pytest
from starlette.datastructures import Headers

from explorer.serve.configuration import configuration
from explorer.serve.frames import Frames, may_frame

MOODLE, WIKI = "https://moodle.example.org", "http://wiki.example.org:8080"
STREAMLITS = "_streamlit_xsrf=2|ab|cd|12; Path=/; SameSite=Lax"
OURS = "browser=a-b_c; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"


def answer(*origins: str, cookies: tuple[str, ...] = (STREAMLITS, OURS)) -> Headers:
    """The headers of an answer that sets these cookies."""
    sent = []

    async def app(_scope, _receive, send):
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"set-cookie", each.encode()) for each in cookies]}
        )
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    asyncio.run(Frames(app, origins)({"type": "http", "headers": []}, None, send))
    return Headers(raw=sent[0]["headers"])


def test_where_nobody_is_named_the_app_frames_itself_alone_and_cookies_are_what_they_were():
    headers = answer()
    assert headers.getlist("content-security-policy") == ["frame-ancestors 'self'"]
    assert headers.getlist("set-cookie") == [STREAMLITS, OURS]


def test_whoever_is_named_may_frame_it_and_cookies_are_kept_there():
    headers = answer(MOODLE, WIKI)
    assert headers.getlist("content-security-policy") == [f"frame-ancestors 'self' {MOODLE} {WIKI}"]
    assert headers.getlist("set-cookie") == [
        "_streamlit_xsrf=2|ab|cd|12; Path=/; SameSite=None; Secure; Partitioned",
        "browser=a-b_c; Path=/; Max-Age=60; HttpOnly; SameSite=None; Secure; Partitioned",
    ]


def test_what_a_cookie_says_of_this_already_is_not_said_twice():
    (cookie,) = answer(MOODLE, cookies=("a=secure; samesite=none; secure; Path=/",)).getlist("set-cookie")
    assert cookie == "a=secure; Path=/; SameSite=None; Secure; Partitioned"


def test_a_websocket_is_passed_on_as_it_is():
    told = []

    async def app(scope, receive, send):
        await send({"type": "websocket.accept", "headers": []})

    async def send(message):
        told.append(message)

    asyncio.run(Frames(app, (MOODLE,))({"type": "websocket", "headers": []}, None, send))
    assert told == [{"type": "websocket.accept", "headers": []}]


@pytest.mark.parametrize(
    ("words", "origins"),
    [("", ()), (" ", ()), (f" {MOODLE}\n{WIKI} ", (MOODLE, WIKI)), ("http://localhost:80", ("http://localhost:80",))],
)
def test_origins_stand_in_the_environment(monkeypatch, words, origins):
    monkeypatch.setenv("EXPLORER_FRAMES", words)
    assert may_frame() == origins


def test_without_the_variable_nobody_is_named(monkeypatch):
    monkeypatch.delenv("EXPLORER_FRAMES", raising=False)
    assert may_frame() == ()


@pytest.mark.parametrize(
    "wrong",
    ["moodle.example.org", "*", "https://*", "https://*.example.org", f"{MOODLE}/", f"{MOODLE}/course", f"{MOODLE};", "'none'",
     f"{MOODLE},{WIKI}", "https:", "https://", "ftp://example.org", f'"{MOODLE}"', "https://a.org:", "https://a:b@example.org"],
)  # fmt: skip
def test_anything_else_is_refused_in_one_sentence_that_says_what_to_write(monkeypatch, wrong):
    monkeypatch.setenv("EXPLORER_FRAMES", f"{WIKI} {wrong}")
    with pytest.raises(SystemExit) as refused:
        may_frame()
    (sentence,) = str(refused.value).splitlines()
    assert sentence.startswith("EXPLORER_FRAMES must name") and MOODLE in sentence and sentence.endswith(f"not {wrong!r}")


@pytest.mark.parametrize(("origins", "sent"), [((), "SameSite=Lax"), ((MOODLE, WIKI), "SameSite=None; Secure; Partitioned")])
def test_nginx_says_the_same(origins, sent):
    told = configuration(["a:1"], "80", origins=origins)
    assert f'"{answer(*origins)["content-security-policy"]}; ' in told
    assert f'Path=/; Max-Age=2592000; HttpOnly; {sent}";' in told
