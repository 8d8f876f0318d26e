"""Reads the theme once.

Streamlit reads it, option by option, for each run of everybody, although it stays as it is while a server runs:

    for section in ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar", "theme.dark.sidebar"):
        _populate_theme_msg(message, section)
"""

from collections.abc import Callable
from typing import Any

from streamlit.proto.NewSession_pb2 import CustomThemeConfig

from explorer.streamlit_patches.patch import Patch

_read: dict[str, CustomThemeConfig] = {}


def _populate(original: Callable[..., None], msg: Any, section: str = "theme") -> None:
    if section not in _read:
        _read[section] = CustomThemeConfig()
        original(_read[section], section)
    msg.MergeFrom(_read[section])


FUNCTIONS = (Patch("streamlit.runtime.app_session", "_populate_theme_msg", "msg, section", _populate),)
