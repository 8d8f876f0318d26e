"""Pins that the app works behind a proxy of somebody else's, below any path: one that strips this path before it asks the app,
as those of Jupyter and code-server do, and one that keeps it."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import harness
from explorer.serve.configuration import nginx
from tests.browser.conftest import serving
from tests.browser.test_copies import turn_width
from tests.browser.window import SMALL, Window
from tests.explorer.learning.helpers import wait_until

pytestmark = [pytest.mark.nginx, pytest.mark.slow]
PREFIX = "/hub/user/x/proxy/8501"
CONFIGURATION = """
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location {prefix}/ {{
            proxy_pass {target};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection "upgrade";
        }}
    }}
}}
"""


@contextmanager
def in_front_of(server: harness.Server, folder: Path, strips: bool) -> Iterator[str]:
    """The real nginx; gives the address that people open."""
    program = nginx()
    if program is None:
        pytest.skip("no nginx: install Debian's package nginx")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    target = f"http://{server.host}/" if strips else f"http://{server.host}"
    config = folder / "nginx.conf"
    config.write_text(CONFIGURATION.format(folder=folder, port=port, prefix=PREFIX, target=target), encoding="utf-8")
    front = subprocess.Popen([program, "-e", "stderr", "-p", folder, "-c", config, "-g", "daemon off;"])
    address = f"http://127.0.0.1:{port}{PREFIX}"
    try:
        wait_until(harness.Server(address, front, server.log_file).healthy, "nginx")
        yield address
    finally:
        front.terminate()
        front.wait()


@pytest.mark.parametrize("strips", [True, False], ids=["stripped", "kept"])
def test_all_works_below_the_path_of_a_proxy(browser: Any, tmp_path: Path, strips: bool) -> None:
    with serving(tmp_path, "" if strips else PREFIX) as server, in_front_of(server, tmp_path, strips) as address:
        window = Window(browser, address)
        try:
            window.visit(f"?{SMALL}").go("heads")  # a link of the menu; bars by Plotly
            assert window.ask("() => location.pathname") == f"{PREFIX}/heads"
            window.unfold_details("words_and_lines")
            assert window.page.locator(".explorer-plot[data-drawn]").count() > 0
            window.visit(f"attention?{SMALL}&kind=cross")
            turn_width(window, 96)
            window.knob_in_address("d_model", "96")
            window.page.reload()
            window.shows(dModel=96)
            window.page.goto(address)  # without a slash at its end, and the page with one
            window.settle()
            window.visit(f"masks/?{SMALL}")
            assert window.ask("() => location.pathname") == f"{PREFIX}/masks"
            window.no_complaint()
        finally:
            window.close()
