"""The route that the dialog of the bar asks what was found."""

from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from explorer import i18n
from explorer.components import route_of
from explorer.exhibits.reference import search
from explorer.exhibits.reference.search import Found, Place
from explorer.i18n import _
from explorer.ui.navigation import CONTENTS

_PATH = "search"
_MOST = 6  # of each kind


def route() -> Route:
    """Returns the route of such addresses as `path` gives, with what was typed as `q`."""
    return Route(route_of(f"{_PATH}/{{language}}"), _answer)


def path(language: str) -> str:
    """Returns the address, relative to a page."""
    return f"{_PATH}/{language}"


def _answer(request: Request) -> Response:
    """Returns {groups: [{title, results}], note}; runs in a thread of Starlette's pool."""
    language = request.path_params["language"]
    if language not in i18n.LANGUAGES and language != i18n.PSEUDO:
        return Response(status_code=404)
    typed = parse_qs(request.url.query).get("q", [""])[0]
    with i18n.speaking(language):
        return JSONResponse(_told(typed, search.find(typed, language)))


def _told(typed: str, found: Found) -> dict[str, Any]:
    places = [
        {"page": each.page, "part": each.part, "name": search.part_title(each) or _page(each.page), "of": _page(each.page)}
        for _rank, each in found.places
    ]
    questions = [
        _at(each.page, each.part) | {"folded": each.folded, "choices": dict(each.choices), "name": _(each.words)}
        for _rank, each in found.questions
    ]
    terms = [_at(*each.place) | {"folded": each.folded, "name": each.term, "said": each.words} for _rank, each in found.terms]
    groups = {_("Pages and parts"): places, _("Questions"): questions, _("Terms"): terms}
    note = search.nothing(typed) if not any(found) else search.only_some() if found.is_partial else ""
    return {
        "groups": [{"title": title, "results": results[:_MOST]} for title, results in groups.items() if results],
        "note": note if typed.strip() else "",
    }


def _at(page: str, part: str) -> dict[str, Any]:
    """Returns a place, with what it is called."""
    title = search.part_title(Place(page, part))
    return {"page": page, "part": part, "of": " · ".join([_page(page), *([title] if title else [])])}


def _page(name: str) -> str:
    return _(CONTENTS[name].title)
