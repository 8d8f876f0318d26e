"""Pins what a browser can ask for as code, and that nonsense is refused in one sentence."""

import ast
import asyncio
import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from explorer.model_on_screen.settings import ModelSettings
from explorer.pictures import registry
from explorer.programs.templates import TEMPLATES
from explorer.shell import picture_code
from tests.explorer.programs.programs import choices_of

SETTINGS = asdict(replace(ModelSettings(), step=0, d_model=16, n_heads=2, n_layers=1, d_ff=16))
WISH = {
    "settings": SETTINGS,
    "picture": "heads",
    "choices": {"kind": "cross", "layer": 0, "scale": "1"},
    "language": "en",
    "ending": "py",
    "address": "https://example.org/heads?layer=0",
    "title": "Heads",
}


def asked(body: bytes, host: str = "here", origin: str = "http://here") -> Response:
    """Returns the answer of the route."""
    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    scope = {"type": "http", "method": "POST", "path": "/code", "headers": headers, "query_string": b""}
    sent = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        return next(sent)

    answer: Response = asyncio.run(picture_code.route().endpoint(Request(scope, receive)))
    return answer


def answered(**changes: Any) -> tuple[int, str]:
    answer = asked(json.dumps(WISH | changes).encode())
    return answer.status_code, bytes(answer.body).decode()


def test_a_file_says_where_it_is_from_and_what_it_needs():
    status, text = answered()
    assert status == 200
    for words in ("On screen: https://example.org/heads?layer=0", "pip install ", "Heads: the weights of all heads"):
        assert words in text
    assert json.loads(answered(ending="ipynb")[1])["nbformat"] == 4
    assert "'词元'" not in text and answered(language="zh_CN")[1] != text, "labels are in the visitor's language"


def test_what_a_browser_sends_cannot_write_code():
    text = answered(title='""" + boom()\n\\', address="https://example.org/\nimport os")[1]
    assert "import os" not in text
    said, harmless = (ast.parse(each).body for each in (text, answered()[1]))
    assert [*map(ast.dump, said[1:])] == [*map(ast.dump, harmless[1:])], "behind the words of the head"


@pytest.mark.parametrize(
    ("changes", "status", "words"),
    [
        ({"picture": "no-such"}, 400, "there is no picture"),
        ({"picture": "course", "choices": {}}, 400, "is not written as code"),
        ({"picture": 5}, 400, "does not ask"),
        ({"choices": []}, 400, "does not ask"),
        ({"choices": {"kind": "cross"}}, 400, "has the choices"),
        ({"choices": {"kind": "sideways", "layer": 0}}, 400, "cannot be"),
        ({"choices": {"kind": "cross", "layer": "0"}}, 400, "cannot be"),
        ({"choices": {"kind": "cross", "layer": True}}, 400, "cannot be"),
        ({"settings": SETTINGS | {"d_model": "16"}}, 400, "cannot be"),
        ({"settings": {}}, 400, "not the settings"),
        ({"settings": SETTINGS | {"cross_attention": False}}, 400, "no cross-attention"),
        ({"settings": SETTINGS | {"src": "zzzz"}}, 422, "zzzz"),
        ({"settings": SETTINGS | {"model": "0123456789abcdef"}}, 422, "no longer here"),
        ({"ending": "exe"}, 400, "kind of file"),
        ({"language": "xx_no"}, 400, "language"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(changes, status, words):
    found, text = answered(**changes)
    assert (found, "\n" in text) == (status, False) and words in text


def test_what_is_no_question_is_refused():
    assert asked(b"[" * 5000).status_code == 400 and asked(b"\xff").status_code == 400 and asked(b"[]").status_code == 400
    assert asked(b" " * 40_000).status_code == 413
    assert asked(json.dumps(WISH).encode(), origin="http://elsewhere").status_code == 403


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_choice_of_a_picture_can_be_of_another_type(name):
    """A value of another type never gets into a program."""
    right = choices_of(name)
    registry.named(name).read(right)
    for field in right:
        for wrong in (None, {}, [None], [["a"]], 1e999, "'); boom('"):
            if isinstance(right[field], str) and isinstance(wrong, str) and field == "answer":
                continue  # a sentence, whose words the model must know
            if isinstance(right[field], float) and isinstance(wrong, float) and field == "norm_eps_own":
                continue  # it is compared with, and not written
            with pytest.raises(ValueError, match="cannot be"):
                registry.named(name).read(right | {field: wrong})
    with pytest.raises(ValueError, match="has the choices"):
        registry.named(name).read(right | {"more": 1})
