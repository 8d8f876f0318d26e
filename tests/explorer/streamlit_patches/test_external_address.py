"""Pins that another site's origin is refused without a question to an outside host."""

from streamlit import net_util
from streamlit.web.server import server_util

from explorer.streamlit_patches import external_address


def test_another_site_s_origin_is_refused_without_a_question(without, monkeypatch):
    asked = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout=5: asked.append(url))
    assert not server_util.is_url_from_allowed_origins("http://elsewhere.example") and not asked
    without(external_address)
    assert not server_util.is_url_from_allowed_origins("http://elsewhere.example") and asked
