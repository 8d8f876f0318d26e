"""The route by which a picture is taken home as code."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from explorer import i18n
from explorer.components import route_of
from explorer.components.take_home import CODE_PATH
from explorer.i18n import _
from explorer.programs.request import CodeRequest
from explorer.runtime.allowance import Allowance
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401
from explorer.streamlit_patches.origins import is_origin_allowed
from transformer_core.errors import InputError

_LONGEST = 32 * 2**10  # bytes of a request's body: two sentences of 4,000 letters, and the rest
_FILES = (20, 2)  # files for all visitors: at once, and per second
_TYPES = {"py": "text/x-python", "ipynb": "application/x-ipynb+json"}

_writing = ThreadPoolExecutor(1, thread_name_prefix="code")


def route() -> Route:
    """Returns the route, which answers with the file, or with one sentence on why there is none."""
    allowance = Allowance(*_FILES)

    async def code(request: Request) -> Response:
        if not is_origin_allowed(request.headers.get("Origin"), request.headers.get("Host")):
            return PlainTextResponse("this page is not of this server", 403)
        body = b""
        async for more in request.stream():
            body += more
            if len(body) > _LONGEST:
                return PlainTextResponse("this is too long", 413)
        try:
            asked = CodeRequest.read(body)
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        allowance.use(1)
        if allowance.is_used_up:
            with i18n.speaking(asked.language):
                return PlainTextResponse(_("Many are asking for code just now. Try again in a minute."), 429)
        try:
            text = await asyncio.get_running_loop().run_in_executor(_writing, asked.answer)
        except InputError as error:
            with i18n.speaking(asked.language):
                return PlainTextResponse(i18n.error(error), 422)
        except ValueError as error:
            return PlainTextResponse(str(error), 400)
        return PlainTextResponse(text, media_type=_TYPES[asked.ending], headers={"Cache-Control": "no-store"})

    return Route(route_of(CODE_PATH), code, methods=["POST"])
