"""The commit, and the places where it is started, each made once."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import places
import pytest
from playwright.sync_api import BrowserContext, sync_playwright

from benchmarks import harness


@pytest.fixture(scope="session")
def commit(base: Path) -> Path:
    """An archive of the commit: that of `.ci/run`, or else of HEAD."""
    if given := os.environ.get("COMMIT"):
        return Path(given)
    with (base / "commit.tar").open("wb") as file:
        subprocess.run(["git", "archive", "HEAD"], cwd=harness.ROOT, check=True, stdout=file)
    return base / "commit.tar"


@pytest.fixture(scope="session")
def base() -> Iterator[Path]:
    """A folder that every user may enter, and that is not below /tmp, of which the container has its own."""
    with tempfile.TemporaryDirectory(prefix="gate-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def _below(base: Path, name: str) -> Path:
    (folder := base / name).mkdir()
    return folder


@pytest.fixture(scope="session")
def readme(base: Path, commit: Path) -> places.Place:
    return places.by_the_readme(_below(base, "readme"), commit)


@pytest.fixture(scope="session")
def wheels(base: Path, commit: Path) -> Path:
    return places.downloaded(_below(base, "downloaded"), commit)


@pytest.fixture(scope="session")
def wheel(base: Path, commit: Path, wheels: Path) -> places.Place:
    return places.from_a_wheel(_below(base, "wheel"), commit, wheels)


@pytest.fixture(scope="session")
def uv(base: Path, commit: Path, wheels: Path) -> places.Place:
    return places.by_uv(_below(base, "uv"), commit, wheels)


@pytest.fixture(scope="session")
def container(base: Path, commit: Path, readme: places.Place) -> places.Place:
    """After `readme`, whose environment it uses."""
    assert (readme.folder / ".venv").exists(), "run test_started_by_the_readme.py first"
    return places.as_the_container(_below(base, "container"), commit, readme.folder / ".venv")


@pytest.fixture(scope="session")
def browser(base: Path) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch_persistent_context(
            base / "profile", executable_path=harness.chromium(), args=harness.CHROMIUM_FLAGS, locale="en-GB"
        )
        yield browser
        browser.close()
