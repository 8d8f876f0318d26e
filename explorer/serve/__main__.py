"""Copies of the app behind nginx, one for each core: for a room that one process cannot serve.

    python -m explorer.serve --workers 2 --port 8501

A visitor stays with one copy, by a cookie; a copy that ends is started again, and its visitors go to another meanwhile, with
all that their addresses say. All copies share the folder of learned models (EXPLORER_MODELS). Each is bound by the limits of
explorer/training/limits.py on its own; only the processes that train are shared out among them (EXPLORER_WORKERS for each).

With --print, nothing is started: the configuration of nginx is printed, for servers that run elsewhere:

    python -m explorer.serve --print explorer-1:8501 explorer-2:8501 --port 8080
"""

import argparse
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from explorer.root import ROOT
from explorer.serve.configuration import configuration, nginx
from explorer.serve.frames import may_frame
from explorer.serve.kept import Kept

_UNTIL_IT_ANSWERS = 120.0  # seconds in which a copy must have started: with many on few cores, each takes long
_LOOK = 0.3  # seconds
_NO_NGINX = (
    "Several copies of the app need nginx in front of them, and it is not installed here. Install it (on Debian or Ubuntu: "
    "sudo apt install nginx; on a Mac: brew install nginx), or serve with one process: streamlit run app.py"
)


class CannotServe(Exception):
    """A sentence that says why."""


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = os.cpu_count() or 1
    parser.add_argument("--workers", type=_count, default=cores, help="copies of the app (default: %(default)s, one a core)")
    parser.add_argument("--port", type=_port, default=8501, help="where visitors come in (default: %(default)s)")
    parser.add_argument("--address", default="0.0.0.0", help="of this machine; 127.0.0.1: for itself (default: all)")
    parser.add_argument("--path", type=_path, default="", help="that the app is served under, as /explorer (default: none)")
    parser.add_argument("--print", nargs="+", metavar="HOST:PORT", help="print the configuration of nginx for these servers")
    args = parser.parse_args(words)
    try:
        if args.print:
            print(configuration(args.print, str(args.port), args.path, origins=may_frame()), end="")
            return 0
        program = nginx()
        if program is None:
            raise CannotServe(_NO_NGINX)
        with tempfile.TemporaryDirectory(prefix="transformer-explorer-") as folder:
            Path(folder).chmod(0o755)  # nginx, started by root, is another user afterwards
            serve(program, Path(folder), args.workers, _free(args.address, args.port), args.path)
        return 0
    except (CannotServe, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2


def serve(program: str, folder: Path, workers: int, listen: str, path: str) -> None:
    """Until somebody asks for the end, by SIGTERM or SIGINT.

    Args:
        program: nginx.
        folder: for nginx, to write in.
        listen: "address:port".

    Raises:
        CannotServe: where the copies, or nginx, do not start.
    """
    asked = threading.Event()
    for order in (signal.SIGTERM, signal.SIGINT):
        signal.signal(order, lambda *_: asked.set())
    ports = _free_ports(workers)
    environment = environment_of(workers)
    copies = [Kept(f"copy {number}", _command(port, path), environment, ROOT) for number, port in enumerate(ports, start=1)]
    config = folder / "nginx.conf"
    servers = [f"127.0.0.1:{port}" for port in ports]
    config.write_text(configuration(servers, listen, path, str(folder), may_frame()), encoding="utf-8")
    command = [program, "-e", "stderr", "-p", str(folder), "-c", str(config)]
    _check(command)
    front = Kept("nginx", [*command, "-g", "daemon off;"], os.environ, folder)
    try:
        for copy in copies:
            copy.start()
        for copy, port in zip(copies, ports, strict=True):
            if not _answers(copy, f"http://127.0.0.1:{port}{path}/_stcore/health", asked):
                return
        front.start()
        time.sleep(_LOOK)
        if not front.runs:
            raise CannotServe(f"nginx did not start at {listen}; what it says stands above")
        print(f"Transformer Explorer, {workers} copies: http://{_named(listen)}{path}", flush=True)
        while not asked.wait(_LOOK):
            for each in (*copies, front):
                if (told := each.look()) is not None:
                    print(told, file=sys.stderr, flush=True)
    finally:
        for each in (front, *copies):
            each.ask_to_end()
        for each in (front, *copies):
            each.end()


def environment_of(workers: int) -> dict[str, str]:
    """The variables of every copy: those of this process, a secret that all copies sign cookies with, their share of the
    processes that train, and how many copies there are."""
    share = {
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        "EXPLORER_WORKERS": str(max(1, (os.cpu_count() or 1) // workers)),
        "EXPLORER_COPIES": str(workers),
    }
    return share | os.environ


def _command(port: int, path: str) -> list[str]:
    """One copy. Only nginx is to reach it."""
    options = {
        "server.address": "127.0.0.1",
        "server.port": str(port),
        "server.baseUrlPath": path,
        "server.headless": "true",
    }
    flags = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", *flags, str(ROOT / "app.py")]


def _check(command: list[str]) -> None:
    """Raises CannotServe where nginx does not take its configuration."""
    told = subprocess.run([*command, "-t", "-q"], capture_output=True, text=True)
    if told.returncode:
        raise CannotServe(f"nginx does not take its configuration: {told.stderr.strip()}")


def _answers(copy: Kept, address: str, asked: threading.Event) -> bool:
    """Waits until a copy answers; False where somebody asked for the end before. Raises CannotServe where it does not."""
    until = time.monotonic() + _UNTIL_IT_ANSWERS
    while not asked.wait(_LOOK):
        if not copy.runs:
            raise CannotServe(f"{copy.name} did not start; what it says stands above")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            if time.monotonic() > until:
                raise CannotServe(f"{copy.name} did not answer within {_UNTIL_IT_ANSWERS:.0f} s") from None
    return False


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def _free(address: str, port: int) -> str:
    """Where nginx is to listen. Raises CannotServe where something else does."""
    try:
        with socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET):
            return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    except OSError as error:
        raise CannotServe(f"Port {port} of {address} is not to be had: {error.strerror}") from None


def _named(listen: str) -> str:
    """The address as a browser on this machine reaches it."""
    return listen.replace("0.0.0.0", "localhost")


def _count(word: str) -> int:
    value = int(word)
    if not 1 <= value <= 256:
        raise argparse.ArgumentTypeError("between 1 and 256 copies")
    return value


def _port(word: str) -> int:
    value = int(word)
    if not 1 <= value <= 65_535:
        raise argparse.ArgumentTypeError("a port is between 1 and 65535")
    return value


def _path(word: str) -> str:
    """As nginx and Streamlit have it: "/explorer", or "" for the root."""
    return f"/{inner}" if (inner := word.strip("/")) else ""


if __name__ == "__main__":
    sys.exit(main())
