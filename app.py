# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "torch==2.13.0",
#   "streamlit==1.67.0",
#   "starlette==1.10.0",
#   "pandas==3.1.1",
#   "plotly==7.1.0",
#   "numpy>=2.0,<3",
#   "safetensors==0.8.0",
#   "cachetools==6.2.2",
#   "segno==1.6.6",
# ]
# ///
"""Starts Transformer Explorer: `streamlit run app.py`, `python app.py`, or `uv run app.py`, which installs what stands above.

The app is an ASGI app with start and stop hooks (the training workers live between them) and routes of its own, see
`explorer/shell/routes.py`. A host that runs this file as a plain Streamlit script gets the same pages, without these routes.
"""

import streamlit as st

from explorer.root import PACKAGE
from explorer.streamlit_patches import script_run

if script_run.of_this_thread() is not None:
    from explorer.shell.main import main

    main()
elif __name__ == "__main__":
    from explorer.__main__ import main

    main()
else:
    from starlette.middleware import Middleware

    from explorer.runtime.browser_token import BrowserToken
    from explorer.runtime.slashes import Slashes
    from explorer.serve import one_process
    from explorer.serve.frames import Frames, may_frame
    from explorer.shell import routes, start
    from explorer.shell.failure import tell
    from explorer.shell.first_task import FirstTask
    from explorer.shell.html_page import HtmlPage

    one_process.check()
    start.prepare_streamlit()
    app = st.App(
        PACKAGE / "shell" / "main.py",
        lifespan=start.lifespan,
        on_script_error=tell,
        routes=routes.serve(),
        middleware=[
            Middleware(HtmlPage),
            Middleware(Slashes),
            Middleware(Frames, may_frame()),
            Middleware(FirstTask),
            Middleware(BrowserToken),
        ],
    )
