"""The one way a figure reaches the screen: `show(figure)`.

`st.plotly_chart` rebuilds its chart at every change, which loses zoom and hover, flickers in live use and takes twice as long.
This component keeps its node and lets `Plotly.react` change only what differs. plotly.js comes over a route of the app: the
bundle of lines and bars, which a browser runs in a fraction of the time that the one of all charts takes.
"""

import asyncio
import gzip
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from explorer.components import LivePicture, register, route_of
from explorer.components.shared.arrays import Packed, pack
from explorer.figures.style import Figure

served = False  # whether the route exists: without it (a page run alone, a test) st.plotly_chart is used

_SCRIPT = Path(__file__).with_name("plotly_js") / "plotly-basic.min.js"
_PATH = f"assets/plotly-{hashlib.sha256(_SCRIPT.read_bytes()).hexdigest()[:16]}.min.js"
_component = register("plot")


def route() -> Route:
    """Returns the route of plotly.js; from now on, figures use this component.

    The name holds a digest of the content, so browsers may cache the file forever. It is compressed once: Streamlit's server
    would compress it for every visitor, and answer nobody meanwhile.
    """
    global served
    served = True

    async def script(request: Request) -> Response:
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        if "gzip" not in request.headers.get("Accept-Encoding", ""):
            return FileResponse(_SCRIPT, media_type="text/javascript", headers=headers)
        content = await asyncio.to_thread(compressed)
        packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return Response(content, media_type="text/javascript", headers=headers | packed)

    return Route(route_of(_PATH), script)


@cache
def compressed() -> bytes:
    """Returns plotly.js in the encoding that most browsers accept."""
    return gzip.compress(_SCRIPT.read_bytes(), compresslevel=6)


def show(
    figure: Figure, key: str, clickable: bool = False, live: LivePicture | None = None, run: str = ""
) -> dict[str, Any] | None:
    """Draws `figure`. `live`: its name and choices as a picture that follows a dragged knob; see `components.live`. `run`: the
    id of the run whose curves it shows, if the server can write these as code.

    With `clickable`, returns the clicked point in the rerun after the click: {"x", "y", "panel"}, all counted from 0.
    """
    if not served:
        st.plotly_chart(figure, key=key, alt=figure["layout"]["meta"]["alt"])
        return None
    data = numbers(figure) | {"name": key, "clickable": clickable, "plotly": _PATH, "live": live, "run": run}
    result = _component(key=key, data=data, on_click_change=lambda: None)
    return result.click if clickable else None


def numbers(figure: Figure) -> dict[str, Any]:
    """Returns the figure, its height in px, and its text alternative."""
    layout = figure["layout"]
    return {"figure": as_json(figure), "height": layout["height"], "alt": layout["meta"]["alt"]}


def as_json(figure: Figure) -> str:
    return json.dumps(figure, default=_packed, allow_nan=False)


def _packed(value: np.ndarray) -> Packed | list[Any]:
    """Packs numbers as bytes, in the form that plotly.js unpacks itself; returns words as a list."""
    return pack(value) if value.dtype.kind in "fiu" else value.tolist()
