"""One rerun, in order: the menu names the page, the session reads address and widgets, the page draws, then its map and the
sidebar, and the address is written."""

import sys
from pathlib import Path

sys.path[:0] = [] if (root := str(Path(__file__).parents[2])) in sys.path else [root]  # when this file itself is run

import streamlit as st  # noqa: E402

from explorer import server, session  # noqa: E402
from explorer.figures.style import PAGE, THEME  # noqa: E402
from explorer.server.turns import Kind, turn  # noqa: E402
from explorer.shell import bar, sidebar  # noqa: E402
from explorer.ui import minimap, navigation  # noqa: E402

_COLOURS = f"""
--page: light-dark({PAGE["light"]}, {PAGE["dark"]});
--accent: light-dark({THEME["light"]["primaryColor"]}, {THEME["dark"]["primaryColor"]});
--hairline: light-dark(#e4e2dd, #35332f);
"""
_SIDE = 280  # px that the settings are wide at first
_RULES = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("style.css", "pages.css", "phone.css"))
_STYLE = f"<style>:root {{ {_COLOURS} }}\n{_RULES}</style>"


def main() -> None:
    """One rerun of the app, when its turn has come."""
    with turn(Kind.PAGE):
        _run()


def _run() -> None:
    # First of all, with an icon of its own: browsers would otherwise fetch each page's icon from a font server.
    st.set_page_config(page_icon="🔎", layout="wide", initial_sidebar_state=_SIDE)
    st.html(_STYLE)
    session.prepare()
    page = navigation.menu()
    name = page.url_path or "home"
    session.begin(name)
    bar.draw(name)
    failed: Exception | None = None
    try:
        page.run()
    except Exception as error:  # a page that fails keeps its map, its sidebar and its address
        failed = error
    minimap.show()
    sidebar.draw()
    session.end()
    server.training_scheduler().prepare()
    if failed is not None:
        raise failed


if __name__ == "__main__":
    main()
