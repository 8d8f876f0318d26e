"""The places where the gate starts the app: each is a folder, the variables of whoever works there, and a command."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks import harness

_HERE = Path(__file__).parent
_RUN_COMMAND = re.compile(r"^python3 -m venv .* && \.venv/bin/streamlit run app\.py$", re.MULTILINE)
_INSTALLED = "Successfully installed"  # pip's last line: the app's own log follows
_INSTALL_SECONDS = 900.0
_WELCOME = re.compile(r"Transformer Explorer(?:, \d+ copies:| is at) http://localhost:(\d+)")
_OF_THIS_MACHINE = ("STREAMLIT_", "EXPLORER_", "PYTHON", "VIRTUAL_ENV", "XDG_")  # variables that a newcomer does not have
_COMPLAINTS = re.compile("Traceback|Uncaught|Exception|Error|Warning")


@dataclass(frozen=True)
class Place:
    """Attributes:
    folder: where the command runs.
    environment: all variables.
    command: starts the app.
    asked: the file that names each outside host which a process there asked for (see watch/sitecustomize.py).
    passes_on: whether the command passes Ctrl-C on to what it has started, which then must not get it twice.
    """

    folder: Path
    environment: dict[str, str]
    command: Sequence[str]
    asked: Path
    passes_on: bool = False

    def run(self, *command: str) -> str:
        """Runs another command there and returns its output; fails if the command does."""
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def hosts_asked(self) -> str:
        return self.asked.read_text(encoding="utf-8")


def _newcomer(base: Path) -> dict[str, str]:
    """The variables of somebody who has just logged in, with a home folder that is empty."""
    (home := base / "home").mkdir()
    (asked := base / "asked").touch()
    asked.chmod(0o666)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THIS_MACHINE)}
    watch = shutil.copytree(_HERE / "watch", base / "watch")  # the container does not see where this file lies
    watched = {"PYTHONPATH": str(watch), "ASKED": str(asked)}
    # As on a laptop: there is a screen, and Streamlit opens a browser by itself. Here it is one that does nothing.
    return environment | watched | {"HOME": str(home), "DISPLAY": ":0", "BROWSER": "true"}


def by_the_readme(base: Path, commit: Path) -> Place:
    """The commit, and the run command of its README, which installs what the app needs."""
    _unpack(commit, folder := base / "explorer")
    found = _RUN_COMMAND.search((folder / "README.md").read_text(encoding="utf-8"))
    assert found, "the README has no run command"
    return Place(folder, _newcomer(base), ["bash", "-c", found[0]], base / "asked")


def downloaded(base: Path, commit: Path) -> Path:
    """A folder with the wheels of all requirements, as somebody fetches them for a classroom without internet."""
    _unpack(commit, source := base / "commit")
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "-r", source / "requirements.txt", "-d", base / "wheels"], check=True
    )
    return base / "wheels"


def by_uv(base: Path, commit: Path, wheels: Path) -> Place:
    """The commit, and uv, which installs what app.py's first comment names; here from a folder, as there may be no index."""
    _unpack(commit, folder := base / "explorer")
    environment = _newcomer(base) | {"UV_OFFLINE": "1", "UV_NO_INDEX": "1", "UV_FIND_LINKS": str(wheels)}
    command = [str(Path(sys.executable).with_name("uv")), "run", "--quiet", "app.py", "--server.port", "8502"]
    return Place(folder, environment, command, base / "asked", passes_on=True)


def from_a_wheel(base: Path, commit: Path, wheels: Path) -> Place:
    """A wheel of the commit, installed without internet, and its command, in a folder that has nothing to do with it."""
    _unpack(commit, source := base / "source")
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", base, source], check=True)
    (wheel,) = base.glob("*.whl")
    shutil.rmtree(source)
    subprocess.run([sys.executable, "-m", "venv", base / "venv"], check=True)
    install = [base / "venv" / "bin" / "pip", "install", "-q", "--no-index", "--find-links", wheels, wheel]
    subprocess.run(install, check=True)
    (elsewhere := base / "elsewhere").mkdir()
    return Place(elsewhere, _newcomer(base), [str(base / "venv" / "bin" / "transformer-explorer")], base / "asked")


_NAMESPACE = """
mount --make-rprivate /
for each in {writable}; do mount --bind "$each" "$each"; done
mount -t tmpfs tmpfs /tmp
if [[ {python} == /root/* ]]; then  # which another user may not enter
  mount --bind {python} /mnt
  mount -t tmpfs -o mode=755 tmpfs /root
  mkdir -p {python}
  mount --move /mnt {python}
fi
mount -o remount,bind,ro /
cd {folder}
exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs {command}
"""


def as_the_container(base: Path, commit: Path, installed: Path) -> Place:
    """The Dockerfile's files, variables and command, with a root that nobody can write to and a user without rights.

    It stands in for the image, which needs Docker to be built. `installed` is an environment with requirements.txt.
    """
    _unpack(commit, source := base / "source")
    (folder := base / "app").mkdir()
    (models := base / "models").mkdir()
    shutil.chown(models, 10001, 10001)
    text = (source / "deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    for copied, target in re.findall(r"^COPY (\S+) (\S+)$", text, re.MULTILINE):
        subprocess.run(["cp", "-r", source / copied, folder / target], check=True)
    (compiled,) = re.findall(r"python (-m compileall [^&]*)", text)
    subprocess.run([installed / "bin" / "python", *shlex.split(compiled)], cwd=folder, check=True)
    (variables,) = re.findall(r"^ENV (.*)$", text, re.MULTILINE)
    environment = dict(word.split("=", 1) for word in shlex.split(variables))
    environment |= {"EXPLORER_MODELS": str(models), "PATH": f"{installed / 'bin'}:/usr/bin:/bin"}
    watched = _newcomer(base)
    environment |= {name: watched[name] for name in ("PYTHONPATH", "ASKED")}
    (start,) = re.findall(r"^CMD (.*)$", text, re.MULTILINE)
    script = _NAMESPACE.format(
        writable=shlex.join(map(str, (models, base / "asked"))),
        python=sys.base_prefix,
        folder=folder,
        command=shlex.join(json.loads(start)),
    )
    return Place(folder, environment, ["unshare", "--mount", "bash", "-euc", script], base / "asked")


def _unpack(commit: Path, folder: Path) -> None:
    folder.mkdir()
    subprocess.run(["tar", "-x", "-f", commit, "-C", folder], check=True)


@contextmanager
def started(place: Place, log_file: Path) -> Iterator[harness.Server]:
    """The app, started by the place's command and ended by Ctrl-C; it must not have complained by then."""
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            place.command,
            cwd=place.folder,
            env=place.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield harness.Server(f"http://127.0.0.1:{_port(process, log_file)}", process, log_file).wait()
    finally:
        if process.poll() is None:
            (os.kill if place.passes_on else os.killpg)(process.pid, signal.SIGINT)
        process.wait(60)
    said = log_file.read_text(encoding="utf-8")
    _, installed, after = said.rpartition(_INSTALLED)
    log_text = after if installed else said
    assert not _COMPLAINTS.search(log_text), log_text


def _port(process: subprocess.Popen[bytes], log_file: Path) -> str:
    """Waits until the app says where it is."""
    deadline = time.monotonic() + _INSTALL_SECONDS
    while not (found := _WELCOME.search(log_file.read_text(encoding="utf-8"))):
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"the app did not start:\n{log_file.read_text(encoding='utf-8')}", pytrace=False)
        time.sleep(0.2)
    return found[1]
