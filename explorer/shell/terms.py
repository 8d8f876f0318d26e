"""The glossary as a script, which marks its terms on the pages and explains them. It comes when a page is there."""

import hashlib
import json
from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from explorer import glossary, i18n
from explorer.components import joined_script, route_of
from explorer.i18n import _
from explorer.ui.navigation import CONTENTS

_SCRIPT = Path(__file__).with_name("terms.js")


def route() -> Route:
    """Returns the route of the script in every language. Its name holds a digest: browsers may cache it forever."""

    async def script(request: Request) -> Response:
        language = request.path_params["language"]
        if language not in i18n.LANGUAGES and language != i18n.PSEUDO:
            return Response(status_code=404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(_text(language), media_type="text/javascript", headers=headers)

    return Route(route_of("assets/terms-{digest}-{language}.js"), script)


def path(language: str) -> str:
    """Returns the script's path, relative to a page."""
    return f"assets/terms-{_digest(_text(language))}-{language}.js"


@cache
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(language: str) -> str:
    with i18n.speaking(language):
        words = (_("See it: {page}"), _("Terms on this page"))
        titles = tuple((name, _(entry.title)) for name, entry in CONTENTS.items())
    return _joined(language, words, titles)


@cache
def _joined(language: str, words: tuple[str, str], titles: tuple[tuple[str, str], ...]) -> str:
    """Returns the script with its words, and with the terms and the titles of the pages that show them."""
    named = dict(titles)
    entries = [
        {
            "forms": [each.term, *each.also],
            "term": each.term,
            "words": each.words,
            "formula": each.formula,
            "page": each.place[0],
            "part": each.place[1],
            "folded": each.folded,
            "title": named[each.place[0]],
            "only": each.only,
        }
        for each in glossary.terms(language)
    ]
    given = (entries, dict(zip(("see", "list"), words, strict=True)))
    told = ", ".join(json.dumps(each, ensure_ascii=False).replace("<", "\\u003c") for each in given)
    return f"{{{joined_script(_SCRIPT)}explorerTerms({told})}}"  # in a block: its names are its own
