"""The table of contents: every page, its address, and its group in the menu."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Literal

import streamlit as st

from explorer.i18n import N_, _
from explorer.root import ROOT
from explorer.session import current

PAGES = ROOT / "pages"


@dataclass(frozen=True)
class Entry:
    """One page. `name`: its file and address. `highlight`: the parts of the model that it shows (see `ui.minimap`).
    `settings`: whether it depends on those of the sidebar, or the one on which it does. `hidden`: reached by its address alone.
    """

    name: str
    title: str
    icon: str
    highlight: tuple[str, ...] | None = None
    settings: bool | Literal["seed"] = True
    hidden: bool = False

    def page(self) -> st.Page:
        """The page for Streamlit, which reads the file when one is made: it is cached by title. A rerun gets a copy, because it
        records in it which page may run.
        """
        return copy(_page(self, _(self.title)))


@cache
def _page(entry: Entry, title: str) -> st.Page:
    home = entry.name == "home"
    return st.Page(
        PAGES / f"{entry.name}.py",
        title=title,
        icon=f":material/{entry.icon}:",
        url_path=None if home else entry.name,
        default=home,
        visibility="hidden" if entry.hidden else "visible",
    )


GROUPS: dict[str, tuple[Entry, ...]] = {  # those without a group are in the bar themselves
    "": (
        Entry("home", N_("Start"), "home", settings=False),
        Entry("story", N_("Five minutes"), "slideshow", settings=False),
    ),
    N_("Look inside"): (
        Entry("look_closer", N_("Look closer"), "zoom_in", settings=False),
        Entry("positions", N_("Words and positions"), "waves", ("embedding",)),
        Entry("masks", N_("Masks"), "grid_on", ("mask",)),
        Entry("heads", N_("Heads"), "view_module", ("self_attn", "cross_attn")),
        Entry("attention", N_("Attention, step by step"), "footprint", ("self_attn", "cross_attn")),
        Entry("layers", N_("Layers"), "layers", ("self_attn", "cross_attn", "feed_forward", "norm")),
        Entry("shapes", N_("Shapes and parameters"), "data_array", ()),
        Entry("decoding", N_("Decoding"), "record_voice_over", ("linear", "softmax")),
        Entry("one_step", N_("One step of learning"), "steps"),
        Entry("next_word", N_("The next word"), "keyboard_double_arrow_right", settings=False),
    ),
    N_("Try"): (
        Entry("be_the_head", N_("Be the head"), "ads_click", settings=False),
        Entry("predict", N_("Predict"), "psychology_alt", settings=False),
        Entry("training", N_("Training"), "model_training"),
        Entry("sentences", N_("Your own sentences"), "edit_note", settings=False),
        Entry("break_it", N_("Break it"), "construction", settings="seed"),
        Entry("hunt", N_("Find the fault"), "troubleshoot", settings=False),
        Entry("what_matters", N_("What matters"), "content_cut", ("self_attn", "cross_attn")),
        Entry("compare", N_("Compare"), "compare_arrows"),
        Entry("lesson", N_("Make a lesson"), "playlist_add", settings=False),
    ),
    N_("Reference"): (
        Entry("reference", N_("All questions"), "search", settings=False),
        Entry("norms", N_("Norms and residuals"), "equalizer", ("norm",)),
        Entry("host", N_("For the host"), "monitor_heart", settings=False, hidden=True),
    ),
}
CONTENTS = {entry.name: entry for entries in GROUPS.values() for entry in entries}


def menu() -> st.Page:
    """Draws the bar at the top (on a phone, a list in the sidebar); returns the page that the address names."""
    pages = {group and _(group): [entry.page() for entry in entries] for group, entries in GROUPS.items()}
    return st.navigation(pages, position="top", expanded=True)


def link(name: str, label: str | None = None, **choices: str | int) -> None:
    """Draws a link to a page with these choices; plain words if no router runs (a page opened alone)."""
    label, session = label or _(CONTENTS[name].title), current()
    if session.rerun.page:
        given = session.address.written_with(choices) if choices else None
        st.page_link(CONTENTS[name].page(), label=label, icon=":material/arrow_forward:", query_params=given)
    else:
        st.caption(label)


def to_part(part: str, folded: bool) -> dict[str, str]:
    """Returns the choices of a link to a part, "" for a page of one; `folded`: what it leads to is under the part's details."""
    return ({"part": part} if part else {}) | ({f"details-{part}": "on"} if folded else {})


def switch(name: str, **choices: str | int) -> None:
    """Opens a page at once with these choices; the shared settings stay."""
    session = current()
    if session.rerun.page:
        session.controls.remembered.update(choices)
        session.rerun.page = "leaving"  # so that the page on screen also counts as arrived at
        st.switch_page(CONTENTS[name].page(), query_params=session.address.written_with(choices))


def open_anew(name: str, address: Mapping[str, str]) -> None:
    """Opens a page at once as a link would that says exactly this: what it does not name is at its default."""
    session = current()
    session.rerun.page, session.address.opens_anew = "leaving", True
    st.switch_page(CONTENTS[name].page(), query_params=address)


def follow(target: Mapping[str, str]) -> None:
    """Opens the page to which a part of the model map leads."""
    switch(target["page"], **{"kind": target["kind"]} if target["kind"] else {})
