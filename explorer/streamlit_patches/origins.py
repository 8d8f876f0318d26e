"""The sites that may open a WebSocket to this server."""

from urllib.parse import urlsplit

from explorer.streamlit_patches.patch import Function, patch

_OF_STREAMLIT = Function("streamlit.web.server.starlette.starlette_websocket", "_is_origin_allowed", "origin, host")
_is_there = patch(_OF_STREAMLIT)


def is_origin_allowed(origin: str | None, host: str | None) -> bool:
    """Judges a WebSocket as Streamlit judges its own; where its rule is not to be had, by the same origin alone."""
    if _is_there:
        return bool(_OF_STREAMLIT.original(origin, host))
    return origin is None or urlsplit(origin).netloc == host
