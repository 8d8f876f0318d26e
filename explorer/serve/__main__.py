"""Copies of the app behind nginx, one for each core: for a room that one process cannot serve.

    python -m explorer.serve --workers 2 --port 8501

A visitor stays with one copy, by a cookie. A copy that ends is started again; meanwhile its visitors go to another, with all
that their addresses say. All copies share the folder of learned models (EXPLORER_MODELS). Each is bound by the limits of
explorer/limits.py on its own; only the processes that train are shared out among them (EXPLORER_WORKERS for each).

With --print, nothing is started: the configuration of nginx is printed, for servers that run elsewhere:

    python -m explorer.serve --print explorer-1:8501 explorer-2:8501 --port 8080
"""

import argparse
import os
import sys
from collections.abc import Sequence

from explorer.serve.configuration import configuration, nginx
from explorer.serve.frames import may_frame
from explorer.serve.starter import CannotServe, serve

_NO_NGINX = (
    "Several copies of the app need nginx in front of them, and it is not installed here. Install it (on Debian or Ubuntu: "
    "sudo apt install nginx; on a Mac: brew install nginx), or serve with one process: streamlit run app.py"
)


def main(words: Sequence[str] | None = None) -> int:
    """Returns the exit code: 2 where nothing could be served, after a sentence that says why."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cores = os.cpu_count() or 1
    parser.add_argument("--workers", type=int, default=cores, help="copies of the app (default: %(default)s, one a core)")
    parser.add_argument("--port", type=int, default=8501, help="where visitors come in (default: %(default)s)")
    parser.add_argument("--address", default="0.0.0.0", help="of this machine; 127.0.0.1: for itself (default: all)")
    parser.add_argument("--path", default="", help="that the app is served under, as /explorer (default: none)")
    parser.add_argument("--print", nargs="+", metavar="HOST:PORT", help="print the configuration of nginx for these servers")
    args = parser.parse_args(words)
    if not 1 <= args.workers <= 256:
        parser.error("--workers must be between 1 and 256")
    if not 1 <= args.port <= 65_535:
        parser.error("--port must be between 1 and 65535")
    path = f"/{args.path.strip('/')}".rstrip("/")
    try:
        if args.print:
            print(configuration(args.print, str(args.port), path, origins=may_frame()), end="")
        elif (program := nginx()) is None:
            raise CannotServe(_NO_NGINX)
        else:
            serve(program, args.workers, args.address, args.port, path)
        return 0
    except (CannotServe, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
