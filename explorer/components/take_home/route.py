"""The routes for taking pictures home: the script, asked for when a menu is first opened, the letters of its
drawings, and the parts of each view, of which it makes a page of its own."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from explorer.components import joined, route_of, view_parts

_TEXT = joined(Path(__file__).with_name("main.js"))
_VIEWS = "assets/views"  # known to page_html.js
_GLYPHS = "assets/glyphs.json"  # known to outlines.js
_OUTLINES = (Path(__file__).parent / "glyphs" / "outlines.json").read_bytes()
PATH = f"assets/take-home-{hashlib.sha256(_TEXT.encode()).hexdigest()[:16]}.js"
CODE_PATH = "code"  # where main.js asks for a picture as code


def routes() -> list[Route]:
    """Returns the routes of the script and of the views' parts. The script's name holds a digest of its content, so browsers
    may cache it forever."""

    async def script(request: Request) -> Response:
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(_TEXT, media_type="text/javascript", headers=headers)

    async def view(request: Request) -> Response:
        name = request.path_params["name"]
        try:
            return JSONResponse(view_parts(name), headers={"Cache-Control": "no-cache"})
        except KeyError:
            return PlainTextResponse(f"There is no view {name!r:.100}.", status_code=404)

    async def glyphs(request: Request) -> Response:
        return Response(_OUTLINES, media_type="application/json", headers={"Cache-Control": "public, max-age=86400"})

    return [
        Route(route_of(PATH), script),
        Route(route_of(_GLYPHS), glyphs),
        Route(route_of(f"{_VIEWS}/{{name}}"), view),
    ]
