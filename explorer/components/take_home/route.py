"""The route of the script with which pictures are taken home; a browser asks for it when a menu is opened first."""

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from explorer.components import joined, route_of

_TEXT = joined(Path(__file__).with_name("main.js"))
PATH = f"assets/take-home-{hashlib.sha256(_TEXT.encode()).hexdigest()[:16]}.js"
CODE_PATH = "code"  # where main.js asks for a picture as code


def route() -> Route:
    """Returns the route of the script. Its name holds a digest of the content, so browsers may cache it forever."""

    async def script(request: Request) -> Response:
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(_TEXT, media_type="text/javascript", headers=headers)

    return Route(route_of(PATH), script)
