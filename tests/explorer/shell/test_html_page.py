"""Pins what is added to the HTML page, and that nothing else is touched."""

import asyncio
import json
import re

import pytest

from explorer.shell.html_page import HtmlPage

PAGE = b"<html><head><title>1</title></head><body></body></html>"
HTML = [(b"accept", b"text/html"), (b"if-none-match", b'"1"'), (b"accept-encoding", b"gzip")]


def answer(headers=HTML, method="GET", body=PAGE, kind=b"text/html; charset=utf-8", query=b""):
    """What a browser gets, and which headers the app was asked with."""
    asked, sent = [], []

    async def app(scope, receive, send):
        asked.extend(name.decode() for name, _ in scope["headers"])
        said = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"etag", b'"1"')]
        await send({"type": "http.response.start", "status": 200, "headers": said})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})

    async def send(message):
        sent.append(message)

    asyncio.run(
        HtmlPage(app)({"type": "http", "method": method, "headers": headers, "query_string": query, "path": "/"}, None, send)
    )
    start, rest = sent
    return dict(start["headers"]), rest["body"], asked


def test_the_scripts_stand_in_the_head_and_the_length_is_that_of_all():
    headers, body, asked = answer()
    assert len(body) > len(PAGE) and int(headers[b"content-length"]) == len(body) and b"etag" not in headers
    (script,) = re.findall(rb"<title>1</title><script>(.*)</script>\n</head>", body, re.DOTALL)
    assert b"</" not in script
    assert asked == ["accept"]  # the page comes whole and as it is


@pytest.mark.parametrize(
    ("accepted", "query", "word"),
    [
        (b"en-GB,en;q=0.9", b"", "on the way"),
        (b"zh-CN", b"", "服务器"),
        (b"en", b"part=stages&lang=zh_CN", "服务器"),
        (b"nonsense;q", b"lang=%zz&lang", "on the way"),
    ],
)
def test_its_words_are_in_the_language_of_the_page(accepted, query, word):
    _, body, _ = answer([*HTML, (b"accept-language", accepted)], query=query)
    words, _language = re.findall(r'explorerConnection\((\{.*\}), ("[\w-]+"), \d+\)', body.decode())[0]
    assert word in json.loads(words)["blocked"]


@pytest.mark.parametrize(
    "given",
    [
        {"method": "HEAD"},
        {"headers": [(b"accept", b"*/*")]},
        {"body": b"no head"},
        {"body": b'html("</head>")', "kind": b"application/javascript"},  # Streamlit has such a script, opened in a tab
    ],
)
def test_all_else_is_as_it_was(given):
    headers, body, _ = answer(**given)
    sent = given.get("body", PAGE)
    assert body == (b"" if given.get("method") == "HEAD" else sent)
    assert headers[b"content-length"] == str(len(sent)).encode() and headers[b"etag"] == b'"1"'
