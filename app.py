"""`streamlit run app.py` starts Transformer Explorer.

The app is an ASGI app with start and stop hooks (the training workers live between them) and one route of its own. A host
that runs this file as a plain Streamlit script gets the same pages, without the route.
"""

import gc
import importlib
import pkgutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

ROOT = Path(__file__).parent

if get_script_run_ctx(suppress_warning=True) is None:
    from explorer.components import plot

    def _import_all() -> None:
        import explorer

        for module in pkgutil.walk_packages(explorer.__path__, "explorer."):
            importlib.import_module(module.name)

    def say_so(_error: Exception) -> bool:
        """What a visitor reads where a page fails; Streamlit has written the error itself to the server's log."""
        from explorer.words import _

        st.error(_("Something went wrong on this page. Reload it, or try other settings."), icon=":material/error:")
        return True

    @asynccontextmanager
    async def lifespan(_app: st.App) -> AsyncIterator[None]:
        from explorer import runs, sockets, state

        sockets.send_at_once()
        _import_all()  # the first visitor, and all who come with them, should not wait for modules to load,
        state.warm_up()  # nor for torch
        gc.collect()
        gc.freeze()  # what is loaded now stays: later collections need not look at it
        plot.served = True
        try:
            yield
        finally:
            runs.recorder().stop()
            runs.scheduler().stop()
            runs.scheduler.clear()
            runs.recorder.clear()

    app = st.App(ROOT / "explorer" / "main.py", lifespan=lifespan, on_script_error=say_so, routes=[plot.route()])
else:
    from explorer.main import main

    main()
