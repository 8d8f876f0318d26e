"""Gives Streamlit the options of .streamlit/config.toml, wherever the server was started.

`streamlit run` reads that file, as it lies beside app.py. Another server does not:

    cd elsewhere && uvicorn --app-dir /srv/explorer app:app  # Streamlit looks in elsewhere/.streamlit and ~/.streamlit
"""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from explorer.root import CONFIG
from explorer.streamlit_patches.patch import Function, patch

_DEFAULT = "<default>"  # what Streamlit calls the origin of an option that nobody has set
_WHERE = Function("streamlit.config", "get_where_defined", "key")
_SET = Function("streamlit.config", "set_option", "key, value, where_defined")
_FILE_AT_HOME = Function("streamlit.file_util", "get_streamlit_file_path", "filepath")


def take_shipped() -> None:
    """Gives every option the app's value, unless the folder or the command line sets it. Call it before the app is made."""
    if not patch(_WHERE, _SET, _FILE_AT_HOME):
        return
    weaker = (_DEFAULT, _FILE_AT_HOME.original("config.toml"))  # that file is for all apps
    for name, value in by_name().items():
        if _WHERE.original(name) in weaker:
            _SET.original(name, value, str(CONFIG))


def by_name() -> dict[str, Any]:
    """Returns the app's options by Streamlit's names, such as server.maxUploadSize."""
    return dict(_flat("", tomllib.loads(CONFIG.read_text(encoding="utf-8"))))


def _flat(before: str, section: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in section.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{before}{name}.", value)
        else:
            yield before + name, value
