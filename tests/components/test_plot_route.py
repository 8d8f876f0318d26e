"""Pins: plotly.js arrives whole, compressed for those who take it so."""

import asyncio
import gzip

import pytest
from starlette.requests import Request

from explorer.components.plot import component


@pytest.mark.parametrize(("accepts", "packed"), [(b"gzip, deflate, br", True), (b"identity", False)])
def test_plotly_is_the_file_of_the_package(monkeypatch, accepts, packed):
    monkeypatch.setattr(component, "served", False)  # what `route` sets holds for this test alone
    request = Request({"type": "http", "headers": [(b"accept-encoding", accepts)]})
    answer = asyncio.run(component.route().endpoint(request))
    assert (answer.headers.get("content-encoding") == "gzip") == packed
    assert "immutable" in answer.headers["cache-control"] and answer.media_type == "text/javascript"
    if packed:
        assert gzip.decompress(answer.body) == component._SCRIPT.read_bytes()
    else:
        assert answer.path == str(component._SCRIPT)
