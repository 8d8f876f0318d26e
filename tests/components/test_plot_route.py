"""Pins: plotly.js arrives whole, compressed for those who take it so, and in the version of the Python package."""

import asyncio
import gzip
import hashlib
import re
from importlib.resources import files

import pytest
from starlette.requests import Request

from explorer.components.plot import component
from tests.test_house import ROOT

_OF_LAYOUT = {"circle", "line", "rect", "linear", "log"}  # shapes and axes


@pytest.mark.parametrize(("accepts", "packed"), [(b"gzip, deflate, br", True), (b"identity", False)])
def test_plotly_arrives_as_it_lies_here(monkeypatch, accepts, packed):
    monkeypatch.setattr(component, "served", False)  # what `route` sets holds for this test alone
    request = Request({"type": "http", "headers": [(b"accept-encoding", accepts)]})
    answer = asyncio.run(component.route().endpoint(request))
    assert (answer.headers.get("content-encoding") == "gzip") == packed
    assert "immutable" in answer.headers["cache-control"] and answer.media_type == "text/javascript"
    if packed:
        assert gzip.decompress(answer.body) == component._SCRIPT.read_bytes()
    else:
        assert answer.path == component._SCRIPT


def test_another_content_has_another_address_which_may_be_kept_for_a_year(monkeypatch):
    monkeypatch.setattr(component, "served", False)
    (digest,) = re.fullmatch(r"/assets/plotly-(\w{16})\.min\.js", component.route().path).groups()
    assert hashlib.sha256(component._SCRIPT.read_bytes()).hexdigest().startswith(digest)


def test_plotly_is_of_the_version_of_the_python_package_and_of_the_command_that_fetches_it():
    of_all_charts = (files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")
    ours = component._SCRIPT.read_text(encoding="utf-8")
    (version,) = re.findall(r" v([\d.]+)\n", ours[:200])
    assert f" v{version}\n" in of_all_charts[:200]
    assert f"@{version}\n" in component._SCRIPT.with_name("README.md").read_text(encoding="utf-8")


def test_no_figure_needs_another_kind_of_chart():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "explorer").rglob("*.py")]
    kinds = {kind for source in sources for kind in re.findall(r'"type": "(\w+)"', source)} - _OF_LAYOUT
    assert kinds == {"bar", "scatter"}
