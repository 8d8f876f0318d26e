"""What every page test needs: one torch thread, and no run or stored model left over from another test."""

from collections.abc import Iterator

import pytest
import torch

from explorer import server


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """So small a model is no slower on one thread, and on a busy machine it is much faster."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def a_server_of_its_own(monkeypatch) -> Iterator[None]:
    """And all pages are opened by one browser."""
    monkeypatch.setattr("explorer.session.runs.browser_token", lambda: "this browser")
    yield
    server.stop()
    server.model_store.clear()
