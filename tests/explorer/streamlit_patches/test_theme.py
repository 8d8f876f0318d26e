"""Pins that the theme is the one that Streamlit reads, and is read once."""

import pytest
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from explorer.streamlit_patches import theme


@pytest.mark.parametrize("section", ["theme", "theme.light", "theme.dark.sidebar"])
def test_the_theme_is_the_one_that_streamlit_reads(section):
    (populate,) = theme.FUNCTIONS
    expected, once, again = CustomThemeConfig(), CustomThemeConfig(), CustomThemeConfig()
    populate.original(expected, section)
    app_session._populate_theme_msg(once, section)
    app_session._populate_theme_msg(again, section)
    assert once == again == expected
    if section != "theme.dark.sidebar":
        assert expected != CustomThemeConfig()
