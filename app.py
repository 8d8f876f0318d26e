"""`streamlit run app.py` starts Transformer Explorer.

The app is an ASGI app with start and stop hooks (the training workers live between them) and one route of its own. A host
that runs this file as a plain Streamlit script gets the same pages, without the route.
"""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

ROOT = Path(__file__).parent

if get_script_run_ctx(suppress_warning=True) is None:
    from explorer.components import plot

    @asynccontextmanager
    async def lifespan(_app: st.App) -> AsyncIterator[None]:
        from explorer import runs, state

        state.warm_up()  # the first visitor should not wait for torch to load
        gc.collect()
        gc.freeze()  # what is loaded now stays: later collections need not look at it
        try:
            yield
        finally:
            runs.recorder().stop()
            runs.scheduler().stop()
            runs.scheduler.clear()
            runs.recorder.clear()

    app = st.App(ROOT / "explorer" / "main.py", lifespan=lifespan, routes=[plot.route()])
else:
    from explorer.main import main

    main()
