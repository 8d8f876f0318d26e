"""The copies of the app behind nginx, as a test finds them: their processes, and how many windows each has."""

import re
import urllib.request

import psutil

from benchmarks import harness
from tests.explorer.learning.helpers import HANGS

SEAT = "transformer_explorer_seat"  # the cookie that says which copy a browser is at


def copies(server: harness.Server) -> dict[int, psutil.Process]:
    """By the port that only nginx is to know."""
    found = {}
    for process in psutil.Process(server.process.pid).children():
        words = process.cmdline()
        if "streamlit" in words:
            found[int(words[words.index("--server.port") + 1])] = process
    return found


def windows_at(port: int, path: str = "") -> int:
    """How many windows a copy has, by what it says itself. Raises OSError where it does not answer."""
    address = f"http://127.0.0.1:{port}{path}/_stcore/metrics?families=active_sessions"
    with urllib.request.urlopen(address, timeout=HANGS) as answer:
        (count,) = re.findall(r"^active_sessions (\d+)", answer.read().decode(), re.M)
        return int(count)


def new_seat(server: harness.Server, cookie: str = "") -> str | None:
    """The cookie that a browser gets which opens a page."""
    request = urllib.request.Request(f"{server.url}/heads", headers={"Accept": "text/html", "Cookie": cookie})
    with urllib.request.urlopen(request, timeout=HANGS) as answer:
        said = [each for each in answer.headers.get_all("Set-Cookie", []) if each.startswith(SEAT)]
    assert len(said) < 2
    return said[0].split(";")[0] if said else None
