"""The table of contents: every page, its address and where it stands."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from explorer.words import _

PAGES = Path(__file__).parents[1] / "pages"


@dataclass(frozen=True)
class Entry:
    """One page. `name` is its file and its address."""

    name: str
    title: str
    icon: str

    def page(self) -> st.Page:
        home = self.name == "home"
        address = None if home else self.name
        return st.Page(
            PAGES / f"{self.name}.py", title=self.title, icon=f":material/{self.icon}:", url_path=address, default=home
        )


CONTENTS = {
    entry.name: entry
    for entry in (
        Entry("home", _("Home"), "home"),
        Entry("story", _("Five minutes"), "slideshow"),
        Entry("positions", _("Words and positions"), "waves"),
        Entry("masks", _("Masks"), "grid_on"),
        Entry("attention", _("Attention, step by step"), "footprint"),
        Entry("heads", _("Heads"), "view_module"),
        Entry("layers", _("Layers"), "layers"),
        Entry("norms", _("Norms and residuals"), "equalizer"),
        Entry("shapes", _("Shapes and parameters"), "data_array"),
        Entry("decoding", _("Decoding"), "record_voice_over"),
        Entry("training", _("Training"), "model_training"),
        Entry("break_it", _("Break it"), "construction"),
    )
}


def link(name: str, label: str | None = None) -> None:
    """A link to a page; plain words where no router runs (a page opened alone)."""
    label = label or CONTENTS[name].title
    if "_routed" in st.session_state:
        st.page_link(CONTENTS[name].page(), label=label, icon=":material/arrow_forward:")
    else:
        st.caption(label)


def switch(name: str, **choices: str | int) -> None:
    """Goes to a page at once, where these choices are made; the shared knobs keep what they say."""
    if "_routed" in st.session_state:
        st.session_state.setdefault("_last", {}).update(choices)
        # Without parameters of its own it would try to clear the address bar, and fail on what knobs are bound to.
        st.switch_page(CONTENTS[name].page(), query_params={key: str(value) for key, value in choices.items()})
