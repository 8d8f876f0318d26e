"""Starlette's and Streamlit's side of the server: its resources, addresses, turns and numbers."""

from typing import Any

import streamlit as st

from explorer import resources
from explorer.streamlit_patches import sessions


@st.cache_resource(show_spinner=False)
def _kept(_made: dict[str, Any]) -> dict[str, Any]:
    """Streamlit's cache outlives a reload of our modules, so that runs and models survive an edit."""
    return _made


def share_resources() -> None:
    """Has `resources` live as long as the server, and know its windows. Call it before they are asked for."""
    resources.share(_kept, sessions)
