"""Pins what nginx is told: that the files in deploy/ say the same as `python -m explorer.serve`, that nginx takes it, and that
limits which stand in two places agree."""

import asyncio
import http.client
import re
import socket
import subprocess
import tomllib
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from explorer.serve.__main__ import main
from explorer.serve.configuration import configuration
from explorer.serve.starter import environment_of
from tests.explorer.learning.helpers import HANGS

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"


def test_the_deployed_configuration_is_the_one_that_is_served_with():
    servers = ["explorer-1:8501", "explorer-2:8501"]
    assert (DEPLOY / "nginx.conf").read_text(encoding="utf-8") == configuration(servers, "8080")


def test_it_can_be_printed_for_other_servers(capsys):
    assert main(["--print", "one:1", "two:2", "--port", "80", "--path", "explorer/"]) == 0
    assert capsys.readouterr().out == configuration(["one:1", "two:2"], "80", "/explorer")


@pytest.mark.nginx
@pytest.mark.parametrize("path", ["", "/explorer", "/a/b-c"])
@pytest.mark.parametrize("origins", [(), ("https://moodle.example.org", "http://localhost:80")])
def test_nginx_takes_it(nginx, tmp_path, path, origins):
    servers, listen = ["127.0.0.1:1", "127.0.0.1:2"], f"127.0.0.1:{free_port()}"
    config = tmp_path / "nginx.conf"
    config.write_text(configuration(servers, listen, path, str(tmp_path), origins), encoding="utf-8")
    told = subprocess.run([nginx, "-e", "stderr", "-p", tmp_path, "-c", config, "-t"], capture_output=True, text=True)
    assert told.returncode == 0 and "warn" not in told.stderr, told.stderr


@pytest.fixture
def many_files():
    """This process may have 4,800 files open: twice the two ends of 1,200 connections."""
    resource = pytest.importorskip("resource", reason="this system has no limits of files")
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4800:
        pytest.skip("this system allows too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4800), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.nginx
def test_a_hundred_people_behind_one_address_are_all_let_in(nginx, tmp_path, many_files):
    """Each with the two WebSockets and the six other connections of a window, and half of them with a second window."""
    count, port = 1200, free_port()
    arrived, all_there = [], asyncio.Event()

    async def copy(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        arrived.append(writer)
        if len(arrived) == count:
            all_there.set()
        await all_there.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()

    async def ask(few):
        async with few:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            await writer.drain()
        status = await reader.readline()
        all_there.set()  # or else whoever is refused would leave the others waiting
        await closed(writer)
        return status

    async def visit():
        async with (
            listening(copy, backlog=count) as server,
            in_front(nginx, tmp_path, port, [port_of(server)]),
        ):
            few = asyncio.Semaphore(20)
            return await asyncio.gather(*(ask(few) for _ in range(count)))

    assert set(asyncio.run(visit())) == {b"HTTP/1.1 200 OK\r\n"} and len(arrived) == count


@pytest.mark.nginx
@pytest.mark.parametrize("dying", [False, True], ids=["dead", "dying"])
def test_while_one_copy_is_there_nobody_is_refused(nginx, tmp_path, dying):
    """The other one is dead, or dies over each request: what may be sent twice is then sent to the first. A copy ends
    connections that have been idle for some seconds, perhaps just when the next request is on its way: this one does so with
    every request but a connection's first."""
    port = free_port()

    async def copy(reader, writer):
        with suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")

    async def other(reader, _writer):
        await reader.readuntil(b"\r\n\r\n")

    def ask(method, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANGS)
        connection.request(method, path)
        status = connection.getresponse().status
        connection.close()
        return status

    async def visit():
        async with listening(copy) as one, listening(other) as two:
            ports = [port_of(one), port_of(two)]
            if not dying:
                two.close()
                await two.wait_closed()
            async with in_front(nginx, tmp_path, port, ports):
                methods = ["GET", "HEAD" if dying else "POST"]
                asked = [(method, path) for method in methods for path in ("/heads", "/media/a")]
                return [await asyncio.to_thread(ask, *each) for each in 15 * asked]

    assert asyncio.run(visit()) == 60 * [200]


async def closed(writer):
    """Ends a connection, and returns when it has ended: what is left when the loop ends is complained of in a later test."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def listening(answer, **options):
    """A server that answers each connection so; all of them have ended when it is left."""
    visits = []

    async def visit(reader, writer):
        visits.append(asyncio.current_task())
        try:
            await answer(reader, writer)
        finally:
            await closed(writer)

    async with await asyncio.start_server(visit, "127.0.0.1", 0, **options) as server:
        yield server
    await asyncio.gather(*visits, return_exceptions=True)


@asynccontextmanager
async def in_front(nginx, folder, port, copies):
    """The real nginx, in front of copies at these ports."""
    config = folder / "nginx.conf"
    servers = [f"127.0.0.1:{each}" for each in copies]
    config.write_text(configuration(servers, f"127.0.0.1:{port}", "", str(folder)), encoding="utf-8")
    front = subprocess.Popen([nginx, "-e", "stderr", "-p", folder, "-c", config, "-g", "daemon off;"])
    try:
        while not answers(port):
            assert front.poll() is None
            await asyncio.sleep(0.1)
        yield
    finally:
        front.terminate()
        front.wait()


def port_of(server: asyncio.Server) -> int:
    return server.sockets[0].getsockname()[1]


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"listen": "80; }"},
        {"path": "/a b"},
        {"folder": "/cache\n"},
        {"servers": ["a:1;"]},
        {"servers": []},
        {"origins": ["*;"]},
    ],
)
def test_words_that_would_end_their_line_are_refused(wrong):
    given = {"servers": ["a:1"], "listen": "80"} | wrong
    with pytest.raises(ValueError, match="nginx"):
        configuration(**given)


def test_nothing_is_left_to_fill_in():
    assert "@" not in configuration(["a:1"], "80")


def test_a_file_that_the_app_takes_passes_nginx():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    (limit,) = re.findall(r"client_max_body_size (\d+)m;", configuration(["a:1"], "80"))
    assert 0 < int(limit) - config["server"]["maxUploadSize"] <= 1


def test_what_compose_starts_is_what_nginx_knows():
    yaml = pytest.importorskip("yaml", reason="no PyYAML: it comes with requirements-dev.txt")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    front = services.pop("nginx")
    known = re.findall(r"server ([\w-]+):(\d+) ", (DEPLOY / "nginx.conf").read_text(encoding="utf-8"))
    assert known == [(name, "8501") for name in services]
    assert front["ports"] == ["8501:8080"] and set(front["depends_on"]) == set(services)
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "EXPLORER_MODELS=/models" in dockerfile and "--server.port=8501" in dockerfile


def test_every_container_is_shut_in_and_says_whether_it_is_well():
    yaml = pytest.importorskip("yaml", reason="no PyYAML: it comes with requirements-dev.txt")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    dockerfile = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    copies = sum("build" in service for service in services.values())
    for name, service in services.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["restart"] == "unless-stopped", name
        assert service["security_opt"] == ["no-new-privileges:true"] and service["tmpfs"], name
        if "build" in service:
            assert service["environment"]["EXPLORER_MODELS"] == "${MODELS:-/models}", "one folder for all"
            assert int(service["environment"]["EXPLORER_COPIES"]) == copies
            assert service["volumes"] == ["models:/models"] and "ports" not in service, "nginx alone is reached"
        else:
            assert service["user"] == "101:101" and service["healthcheck"]
    assert dockerfile.index("\nUSER explorer\n") < dockerfile.index("\nHEALTHCHECK ") < dockerfile.index("\nCMD ")


def test_no_file_to_deploy_names_a_server_to_fetch_from():
    for file in DEPLOY.iterdir():
        named = re.findall(r"https?://([\w.-]+)", file.read_text(encoding="utf-8"))
        assert set(named) <= {"127.0.0.1", "localhost", "copies"}, file.name


def test_without_nginx_one_sentence_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr("explorer.serve.__main__.nginx", lambda: None)
    assert main(["--workers", "2"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "not installed" in line and "streamlit run app.py" in line


def test_copies_share_a_secret_and_the_processes_that_train(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    for name in ("EXPLORER_WORKERS", "STREAMLIT_SERVER_COOKIE_SECRET"):
        monkeypatch.delenv(name, raising=False)
    assert [environment_of(count)["EXPLORER_WORKERS"] for count in (1, 2, 4, 6, 12)] == ["6", "3", "1", "1", "1"]
    assert len(environment_of(2)["STREAMLIT_SERVER_COOKIE_SECRET"]) == 64
    monkeypatch.setenv("EXPLORER_WORKERS", "5")
    assert environment_of(2)["EXPLORER_WORKERS"] == "5"


@pytest.mark.parametrize("words", [["--workers", "0"], ["--workers", "1e3"], ["--port", "0"], ["--port", "70000"]])
def test_numbers_have_bounds(words):
    with pytest.raises(SystemExit):
        main(words)


def test_a_port_that_is_taken_is_said_so(nginx, capsys, monkeypatch):
    monkeypatch.setattr("explorer.serve.starter._start", None)  # nothing is started
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["--workers", "1", "--address", "127.0.0.1", "--port", str(taken.getsockname()[1])]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Address already in use" in line
