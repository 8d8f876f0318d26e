"""The router: navigation, the shared sidebar, and the page."""

import sys
from pathlib import Path

sys.path[:0] = [] if (root := str(Path(__file__).parents[1])) in sys.path else [root]  # when this file itself is run

import streamlit as st  # noqa: E402

from explorer import controls, lab, where  # noqa: E402
from explorer.contents import CONTENTS  # noqa: E402
from explorer.figures.style import PAGE  # noqa: E402
from explorer.turns import Kind, turn  # noqa: E402

# Streamlit leaves an inch above each page, and cuts off links that are longer than a line. Some of its own colours cannot be
# read: white on the dark theme's light blue, and the colours of code.
_STYLE = f"""<style>
[data-testid=stMainBlockContainer] {{ padding-top: 3.75rem; }}
[data-testid=stPageLink] * {{ white-space: normal; }}
[data-testid=stBaseButton-primary] {{ color: light-dark({PAGE["light"]}, {PAGE["dark"]}); }}
[data-testid=stCode] :is(.keyword, .function, .number, .boolean) {{ color: light-dark(#0060a0, #6cb2f0) !important; }}
[data-testid=stCode] .string {{ color: light-dark(#0b6e30, #6fd08c) !important; }}
</style>"""


def main() -> None:
    """One run of the app, when its turn has come."""
    with turn(Kind.PAGE):
        _run()


def _run() -> None:
    st.session_state["_routed"] = True
    # First of all, with an icon of its own: browsers would otherwise fetch each page's icon from a font server.
    st.set_page_config(page_icon="🔎", layout="wide")
    st.html(_STYLE)
    page = st.navigation([entry.page() for entry in CONTENTS.values()], expanded=True)
    controls.arrive(page.url_path)
    lab.keep_run()
    picture_first = controls.size_turned()  # the sidebar says then what it said before
    if not picture_first:
        controls.sidebar()
    try:
        page.run()
        where.show()
    finally:
        if picture_first:
            controls.sidebar()
        controls.settle()


if __name__ == "__main__":
    main()
