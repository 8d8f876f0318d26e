"""The server's side of Starlette and Streamlit: its resources, addresses, turns of script runs and metrics."""

from typing import Any

import streamlit as st

from explorer import resources
from explorer.streamlit_patches import sessions


@st.cache_resource(show_spinner=False)
def _kept(_made: dict[str, Any]) -> dict[str, Any]:
    """Returns what the first call was given: Streamlit's cache outlives a reload of our modules, so that runs and models
    survive an edit."""
    return _made


def share_resources() -> None:
    """Makes `resources` live as long as the server, and tells them which windows are open. Call it before they are used."""
    resources.share(_kept, sessions)
