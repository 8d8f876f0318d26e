"""Leads a browser that opens a bare address to a task in a language that its user reads, if there is one."""

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer import i18n
from explorer.model_on_screen.settings import FIRST_TASK, first_task
from explorer.session.model_choice import OWN_TASKS
from explorer.shell.html_page import asks_for_a_page, is_html


class FirstTask:
    """ASGI middleware that redirects such a browser to an address with the task, unless the page has a task of its own.

    An address that is copied then shows the same page elsewhere, and the browser's history holds no bare address.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not asks_for_a_page(scope) or scope["query_string"] or _page(scope) in OWN_TASKS:
            await self.app(scope, receive, send)
            return
        task = first_task(i18n.best_language(Headers(scope=scope).get("accept-language", "")))
        leads = False

        async def lead(message: Message) -> None:
            nonlocal leads
            if message["type"] == "http.response.start" and is_html(message) and task != FIRST_TASK:
                leads = True
                elsewhere = RedirectResponse(f"?task={task}", headers={"cache-control": "no-store"})
                await elsewhere(scope, receive, send)
            elif not leads:
                await send(message)

        await self.app(scope, receive, lead)


def _page(scope: Scope) -> str:
    """Returns the page's name in an address, below whatever path the app is served under."""
    path: str = scope["path"]
    return path.rstrip("/").rpartition("/")[2]
