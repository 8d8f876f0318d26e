"""Fixtures of every page test: scripts compiled once, and no run or uploaded model left over."""

import shutil
from collections.abc import Iterator

import pytest
from streamlit.runtime import context
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from explorer import resources
from explorer.components import plot
from explorer.exhibits.story import story_runs
from explorer.learning.slowness import Slowness
from explorer.runtime import turns
from explorer.session import runs
from transformer_core.training.folder import default_folder


@pytest.fixture(autouse=True, scope="package")
def compiled_once() -> Iterator[None]:
    """A page is compiled once, not once for each run of it."""
    scripts = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.testing.v1.local_script_runner.ScriptCache", lambda: scripts)
        yield


@pytest.fixture(autouse=True)
def a_server_of_its_own(monkeypatch) -> Iterator[None]:
    """All pages are opened by one browser, and nothing that it has started or uploaded is there for the next test."""
    monkeypatch.setattr(runs, "browser_token", lambda: "this browser")
    monkeypatch.setattr(turns.TURNS, "_done", lambda *_times: None)  # a slow machine is nothing to tell the host
    monkeypatch.setattr(Slowness, "now", lambda _slowness: 1.0)  # nor are other tests
    monkeypatch.setattr(plot.component, "served", True)  # a figure goes the way that it goes on a server
    monkeypatch.setattr(context, "_get_client_context", lambda: None)  # its imitation of headers would be made anew in each run
    yield
    resources.stop()
    for folder in ("runs", "opened"):  # what was under way is not offered to the next test
        shutil.rmtree(default_folder() / folder, ignore_errors=True)
    resources.model_store().forget_memory()


@pytest.fixture
def no_story_is_trained(monkeypatch) -> None:
    """The story's page has no recordings, and begins none."""
    monkeypatch.setattr(story_runs, "recordings", dict)
