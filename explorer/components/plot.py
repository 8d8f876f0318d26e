"""The one way a figure reaches the screen: `show(figure)`.

`st.plotly_chart` builds its chart anew at every change, which loses zoom and hover, flickers in live use and takes twice as
long. This component keeps its node and lets `Plotly.react` change only what differs. plotly.js comes from the Python package,
over a route of the app's own.
"""

import base64
import json
from importlib.resources import files
from typing import Any

import numpy as np
import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from explorer.components import script
from explorer.figures.style import Figure

served = False  # set by app.py: without its route (a page run alone, a test tool) st.plotly_chart has to do

_PATH = f"assets/plotly-{plotly.__version__}.min.js"
_SCRIPT = files("plotly") / "package_data" / "plotly.min.js"
_component = st.components.v2.component(
    "explorer_plot",
    html='<div class="explorer-plot" role="figure" tabindex="0"></div>',
    css="""
.explorer-plot { width: 100%; }
.explorer-plot:focus-visible { outline: 2px solid var(--st-primary-color); }
/* plotly writes dark grey into light cells; black is easier to read */
.explorer-plot .heatmap-label text[style*="rgb(68, 68, 68)"] { fill: #000 !important; }
""",
    js=script("plot.js"),
    isolate_styles=False,  # plotly.js puts its style rules into the page's head
)


def route() -> Route:
    """Serves plotly.js; its address holds the version, so browsers may keep it for good."""

    async def script(_request: Request) -> FileResponse:
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return FileResponse(str(_SCRIPT), media_type="text/javascript", headers=headers)

    return Route(f"/{_PATH}", script)


def show(figure: Figure, key: str, clickable: bool = False) -> dict[str, Any] | None:
    """Draws `figure`.

    With `clickable`, returns what was clicked, in the run that the click has caused: {"x", "y", "panel"}, all counted from 0.
    """
    alt = figure["layout"]["meta"]["alt"]
    if not served:
        st.plotly_chart(figure, key=key, alt=alt)
        return None
    base = st.get_option("server.baseUrlPath").strip("/")
    result = _component(
        key=key,
        data={
            "figure": as_json(figure),
            "alt": alt,
            "name": key,
            "clickable": clickable,
            "plotly": f"/{base}/{_PATH}" if base else f"/{_PATH}",
        },
        on_click_change=_nothing,
    )
    return result.click if clickable else None


def as_json(figure: Figure) -> str:
    return json.dumps(figure, default=packed, allow_nan=False)


def packed(value: np.ndarray) -> Any:
    """Numbers travel as bytes in base64, a quarter of their size as text; words as a list."""
    if value.dtype.kind not in "fiu":
        return value.tolist()
    if value.dtype.kind == "i":
        value = value.astype(np.int32)  # JavaScript has no 64-bit integers
    shape = ", ".join(map(str, value.shape))
    return {"dtype": value.dtype.str[1:], "bdata": base64.b64encode(value.tobytes()).decode(), "shape": shape}


def _nothing() -> None:
    """The component hands clicks back as its value; no callback is needed, but one must be named."""
