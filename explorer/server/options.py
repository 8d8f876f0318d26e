"""Streamlit's options are those of .streamlit/config.toml, wherever the server was started.

`streamlit run` reads that file, as it lies beside app.py. Where another server runs the app, Streamlit looks only in the folder
that it was started in, and at home.
"""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from streamlit import config
from streamlit.config_option import ConfigOption
from streamlit.file_util import get_streamlit_file_path

from explorer.root import CONFIG


def take_shipped() -> None:
    """Gives every option the app's value, unless the folder or the command line says another. To be called before the app is
    made."""
    less = (ConfigOption.DEFAULT_DEFINITION, get_streamlit_file_path("config.toml"))  # that one is for all apps
    for name, value in by_name().items():
        if config.get_where_defined(name) in less:
            config.set_option(name, value, str(CONFIG))


def by_name() -> dict[str, Any]:
    """The app's options, by the names that Streamlit gives them: server.maxUploadSize."""
    return dict(_flat("", tomllib.loads(CONFIG.read_text(encoding="utf-8"))))


def _flat(before: str, section: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in section.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{before}{name}.", value)
        else:
            yield before + name, value
