"""One rerun, in order: the menu names the page, the session reads address and widgets, the page draws, then its map and the
sidebar, and the address is written."""

import sys
from pathlib import Path

sys.path[:0] = [] if (root := str(Path(__file__).parents[2])) in sys.path else [root]  # when this file itself is run

import streamlit as st  # noqa: E402

from explorer import server, session  # noqa: E402
from explorer.figures.style import PAGE  # noqa: E402
from explorer.server.turns import Kind, turn  # noqa: E402
from explorer.shell import sidebar, watch  # noqa: E402
from explorer.ui import minimap, navigation  # noqa: E402

# Streamlit leaves an inch above each page, and cuts off links and metrics that are longer than a line. Some of its own colours
# cannot be read: white on the dark theme's light blue, and the colours of code.
_STYLE = f"""<style>
[data-testid=stMainBlockContainer] {{ padding-top: 3.75rem; }}
[data-testid=stPageLink] *, [data-testid=stSidebarNavLink] :is(span, p), [data-testid=stMetric] .stMarkdownEllipsis > p {{
  white-space: normal;
}}
[data-testid=stSidebarHeader] {{ height: 2.5rem; margin-bottom: 0; }}
[data-testid=stSidebarUserContent] [data-testid=stVerticalBlock] {{ gap: 0.5rem; }}
[data-testid=stSidebarUserContent] .st-key-source button {{ min-height: 2rem; padding-block: 0; }}
[data-testid=stSidebar] [data-testid=stCaptionContainer]:has(.stMarkdownColoredText) {{ opacity: 1; }}
[class*=st-key-answer-][data-testid=stVerticalBlock][data-testid=stVerticalBlock] {{ gap: 0; }}
[class*=st-key-answer-] .stMarkdown :is([data-testid=stMarkdownContainer], p) {{ margin-bottom: 0; line-height: 1.3; }}
[class*=st-key-answer-] [data-testid=stPopoverButton] {{ min-height: 1.5rem; padding: 0; text-align: left; }}
body:not(:has([data-testid=stExpandSidebarButton])) [data-testid=stLayoutWrapper]:has(> .st-key-answer-page) {{
  display: none;
}}
[data-testid=stBaseButton-primary] {{ color: light-dark({PAGE["light"]}, {PAGE["dark"]}); }}
[data-testid=stCode] :is(.keyword, .function, .number, .boolean) {{ color: light-dark(#0060a0, #6cb2f0) !important; }}
[data-testid=stCode] .string {{ color: light-dark(#0b6e30, #6fd08c) !important; }}
</style>"""


def main() -> None:
    """One rerun of the app, when its turn has come."""
    with turn(Kind.PAGE):
        _run()


def _run() -> None:
    # First of all, with an icon of its own: browsers would otherwise fetch each page's icon from a font server.
    st.set_page_config(page_icon="🔎", layout="wide")
    st.html(_STYLE)
    session.prepare()
    page = navigation.menu()
    name = page.url_path or "home"
    session.begin(name)
    _from_the_top(name)
    failed: Exception | None = None
    try:
        page.run()
    except Exception as error:  # a page that fails keeps its map, its sidebar and its address
        failed = error
    minimap.show()
    sidebar.draw()
    watch.draw()
    session.end()
    server.training_scheduler().prepare()
    if failed is not None:
        raise failed


def _from_the_top(page: str) -> None:
    """A page begins at its title: Streamlit scrolls to the top only where its own menu was used. Once for each page: the
    element is the same until another page takes its place."""
    script = f'<script data-page="{page}">document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)</script>'
    st.html(script, unsafe_allow_javascript=True)


if __name__ == "__main__":
    main()
