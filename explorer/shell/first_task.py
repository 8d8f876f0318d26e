"""Where somebody opens an address that says nothing, the first model answers in a language that he reads, if there is one."""

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer import i18n
from explorer.inference.settings import FIRST_TASK, first_task
from explorer.session.model_choice import OWN_TASKS
from explorer.shell.html_page import asks_for_a_page, is_html


class FirstTask:
    """ASGI middleware: leads such a browser to an address that names the task, where the page has none of its own. So what it
    copies shows the same elsewhere, and its history has no address that says nothing."""

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
    """The page in an address, below whatever path the app is served under."""
    path: str = scope["path"]
    return path.rstrip("/").rpartition("/")[2]
