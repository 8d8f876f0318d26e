"""One rerun of the app, in order: menu, session, page with its map, sidebar, address."""

import sys
from copy import copy
from pathlib import Path

sys.path[:0] = [] if (root := str(Path(__file__).parents[2])) in sys.path else [root]  # when this file itself is run

import streamlit as st  # noqa: E402

from explorer import resources, session  # noqa: E402
from explorer.figures.style import PAGE, THEME  # noqa: E402
from explorer.runtime import share_resources  # noqa: E402
from explorer.runtime.turns import METRICS, Kind, turn  # noqa: E402
from explorer.session import runs  # noqa: E402
from explorer.shell import bar, embedded, lesson_bar, misread_note, sidebar  # noqa: E402
from explorer.ui import fragment, minimap, navigation  # noqa: E402

_COLOURS = {  # by name, in the light theme and in the dark one
    "page": (PAGE["light"], PAGE["dark"]),
    "accent": (THEME["light"]["primaryColor"], THEME["dark"]["primaryColor"]),
    "rail": (THEME["light"]["secondaryBackgroundColor"], THEME["dark"]["secondaryBackgroundColor"]),
    "hairline": ("#e4e2dd", "#35332f"),
    "dotted": ("#8a8780", "#908d86"),
    "card": ("#fff", "#24221f"),
    "ink": ("#1c1b19", "#f0eee9"),
    "card-shade": ("#f4f3f0", "#302d29"),
    "quiet-ink": ("#5c5a55", "#a8a59e"),
    "code-blue": ("#0060a0", "#6cb2f0"),
    "code-green": ("#0b6e30", "#6fd08c"),
    "red-ink": ("#b3261e", "#ff9b8f"),
    "green-ink": ("#1e6b34", "#7fd296"),
    "edge": ("#d8d5cf", "#4a4945"),
    "orange-ink": ("#9a6200", "#f0b429"),
}
_SIDE = 280  # px, the width of the sidebar at first
_STYLES = (
    "style.css",
    "computing.css",
    "pages.css",
    "terms.css",
    "search.css",
    "lesson.css",
    "full_screen.css",
    "projector.css",
    "phone.css",
    "forced_colors.css",
    "print.css",
)
_RULES = "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _STYLES)


def _colours() -> str:
    """Returns all colours as variables: those of the theme that the system asks for, and, in browsers that know `light-dark`,
    those of the theme that was chosen in the menu. Phones of before 2024 do not know it, and would draw no colour at all."""
    light, dark, either = (
        "".join(f"--{name}: {value};" for name, value in made.items())
        for made in (
            {name: light for name, (light, _dark) in _COLOURS.items()},
            {name: dark for name, (_light, dark) in _COLOURS.items()},
            {name: f"light-dark({light}, {dark})" for name, (light, dark) in _COLOURS.items()},
        )
    )
    return (
        f":root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }} "
        f"@supports (color: light-dark(red, red)) {{ :root {{ {either} }} }}"
    )


_STYLE = f"<style>{_colours()}\n{_RULES}</style>"
_IN_A_FRAME = f"<style>{Path(__file__).with_name('embedded.css').read_text(encoding='utf-8')}</style>"


def main() -> None:
    """Waits for its turn, and runs the app once."""
    share_resources()
    with turn(Kind.PAGE):
        _run()


def _run() -> None:
    # First, with an icon: otherwise browsers would fetch each page's icon from a font server.
    st.set_page_config(page_icon="🔎", layout="wide", initial_sidebar_state=_SIDE)
    st.html(_STYLE + _IN_A_FRAME if st.context.is_embedded else _STYLE)
    session.prepare()
    page = navigation.menu()
    name = page.url_path or "home"
    session.begin(name)
    METRICS.note_page(runs.viewer(), name, resources.is_open)
    bar.draw(name)
    above = st.container(key="misread")
    lesson_bar.draw(st.container(key="lesson"))
    failed: Exception | None = None
    try:
        _page(page)
    except Exception as error:  # a page that fails keeps its sidebar and its address
        failed = error
    misread_note.draw(above)
    sidebar.draw()
    session.end()
    resources.training_scheduler().prepare()
    if failed is not None:
        raise failed


@fragment.page
def _page(page: st.Page) -> None:
    """Draws the page and its map, as a fragment: they alone run again when something on the page is used."""
    failed: Exception | None = None
    try:
        copy(page).run()  # Streamlit lets a page object run only once
    except Exception as error:  # a page that fails keeps its map
        failed = error
    minimap.show()
    if st.context.is_embedded:
        embedded.link_to_all()
    st.html('<details class="term-list" hidden></details>')
    if failed is not None:
        raise failed


if __name__ == "__main__":
    main()
