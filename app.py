"""`streamlit run app.py` starts Transformer Explorer.

The app is an ASGI app with start and stop hooks (the training workers live between them) and routes of its own, see
`shell/routes.py`. A host that runs this file as a plain Streamlit script gets the same pages, without these routes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

ROOT = Path(__file__).parent

if get_script_run_ctx(suppress_warning=True) is None:
    from starlette.middleware import Middleware

    from explorer.server import messages, references
    from explorer.server.browser_token import BrowserToken
    from explorer.shell import routes
    from explorer.shell.failure import tell

    @asynccontextmanager
    async def lifespan(_app: st.App) -> AsyncIterator[None]:
        from explorer import server
        from explorer.inference.forward import warm_up
        from explorer.inference.once import forget_all
        from explorer.parts.home import every_page, living_picture, ways_on  # noqa: F401  imported now, so that no visitor waits
        from explorer.server import memory, sockets, tidying
        from explorer.shell import first_visit, main  # noqa: F401  likewise
        from explorer.training import cluster

        def rest() -> None:
            forget_all()
            server.model_store().rest()
            server.training_scheduler().rest()

        memory.few_arenas()
        sockets.send_at_once()
        cluster.wanted()  # what is missing for it is said now
        warm_up()  # torch, likewise
        server.model_store()  # the log says now where an address of models cannot be opened
        prepared = asyncio.create_task(first_visit.prepare())
        tidies = asyncio.create_task(tidying.go_on(rest))
        try:
            yield
        finally:
            tidies.cancel()
            prepared.cancel()
            server.stop()

    messages.batch()
    references.keep_account()
    app = st.App(
        ROOT / "explorer" / "shell" / "main.py", lifespan=lifespan, on_script_error=tell, routes=routes.serve(),
        middleware=[Middleware(BrowserToken)],
    )  # fmt: skip
else:
    from explorer.shell.main import main

    main()
