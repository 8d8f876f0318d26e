"""The configuration of nginx: one template, for `python -m explorer.serve` and for the files in deploy/."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from explorer.serve.frames import policy, sent_where

_TEMPLATE = Path(__file__).with_name("nginx.conf.in")


def configuration(
    servers: Sequence[str], listen: str, path: str = "", folder: str = "/var/cache/nginx", origins: Sequence[str] = ()
) -> str:
    """The configuration of an nginx that shares out visitors among `servers`.

    Args:
        servers: the copies of the app, as "host:port".
        listen: where visitors come in, as "port" or "address:port".
        path: that the app is served under, such as "/explorer"; "" for the root.
        folder: where nginx may write.
        origins: of the sites that may frame the app.

    Raises:
        ValueError: where there is no server, or where a word would end its line of the configuration.
    """
    words = {"listen": listen, "path": path, "folder": folder}
    if wrong := [word for word in (*servers, *origins, *words.values()) if not re.fullmatch(r"[\w./:\[\]-]*", word)]:
        raise ValueError(f"{wrong[0]!r} cannot stand in a configuration of nginx")
    if not servers:
        raise ValueError("nginx needs at least one server to share visitors out among")
    words |= {"cookie_path": path or "/", "framed": policy(origins), "sent_where": sent_where(origins)}
    words["servers"] = "\n".join(f"        server {server} max_fails=1 fail_timeout=2s;" for server in servers)
    return re.sub(r"@(\w+)@", lambda mark: words[mark[1]], _TEMPLATE.read_text(encoding="utf-8"))


def nginx() -> str | None:
    """The program; None where it is not installed. Debian keeps it where only root looks for programs."""
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
