"""The table of contents: every page, its address and where it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from explorer.words import _

PAGES = Path(__file__).parents[1] / "pages"


@dataclass(frozen=True)
class Entry:
    """One page. `name` is its file and its address; `lit` what it shows of the model (see `controls.shows`), if it does."""

    name: str
    title: str
    icon: str
    lit: tuple[str, ...] | None = None

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
        Entry("positions", _("Words and positions"), "waves", ("embedding",)),
        Entry("masks", _("Masks"), "grid_on", ("mask",)),
        Entry("attention", _("Attention, step by step"), "footprint", ("self_attn", "cross_attn")),
        Entry("heads", _("Heads"), "view_module", ("self_attn", "cross_attn")),
        Entry("layers", _("Layers"), "layers", ("self_attn", "cross_attn", "feed_forward", "norm")),
        Entry("norms", _("Norms and residuals"), "equalizer", ("norm",)),
        Entry("shapes", _("Shapes and parameters"), "data_array", ()),
        Entry("decoding", _("Decoding"), "record_voice_over", ("linear", "softmax")),
        Entry("training", _("Training"), "model_training"),
        Entry("compare", _("Compare"), "compare_arrows"),
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
        st.session_state["_page"] = None  # also the page that is on screen is arrived at
        # Without parameters of its own it would try to clear the address bar, and fail on what knobs are bound to; those that
        # are on this page as well find their places by themselves.
        others = {key: str(value) for key, value in choices.items() if key not in st.session_state}
        st.switch_page(CONTENTS[name].page(), query_params=others)


def follow(target: Mapping[str, str]) -> None:
    """Goes where a part of the map leads."""
    switch(target["page"], **{"kind": target["kind"]} if target["kind"] else {})
