"""The bar at the top beside the navigation: the search, the language, full screen, and the menu on a phone."""

import json
from html import escape
from pathlib import Path

import streamlit as st

from explorer import i18n
from explorer.components import joined_script, take_home
from explorer.i18n import _
from explorer.session import Session, current
from explorer.shell import search, terms
from explorer.ui import adding
from explorer.ui.widgets import linked_select

_SCRIPT = joined_script(Path(__file__).with_name("bar.js"))


def draw(page: str) -> None:
    """Draws the bar. One element holds the buttons and a script with its words, so that it runs again when a word changes."""
    session = current()
    tag = i18n.html_tag(session.language)
    words = {
        "fullScreen": _("Full screen"),
        "leaveFullScreen": _("Leave full screen"),
        "takeHome": _("Take this picture home"),
        "takeHomeBy": take_home.PATH,
        "takeHomeFailed": _("This file could not be made. Try again, or choose another kind."),
        "search": _("Search: pages, questions, terms"),
        "searchBy": search.path(session.language),
        "searchHint": _("Everything that can be seen here, by a word of it or by what others call it: memory, RNN, cheat …"),
        "searchFailed": _("The server does not answer. Try again in a moment."),
        "close": _("Close"),
        "lost": _("The connection to the server is lost. This page goes on by itself when it is back."),
    }
    names = {"settings": _("Settings"), "brand": _("Transformer Explorer"), "unconnected": _("Not connected")}
    told = ", ".join(map(json.dumps, (page, tag, words, names, "" if page == "home" else terms.path(session.language))))
    with st.container(key="bar", horizontal=True, vertical_alignment="center", width="content", wrap=False):
        full, menu = escape(_("Full screen")), escape(_("Menu"))
        projector = escape(_("Projector: large type, without the settings (key P)"))
        find = escape(_("Search (key /)"))
        st.html(
            f'<button class="bar-button menu" aria-label="{menu}"></button>'
            f'<button class="bar-button search" title="{find}" aria-label="{find}"></button>'
            f'<button class="bar-button projector" title="{projector}" aria-label="{projector}"></button>'
            f'<button class="bar-button full" title="{full}" aria-label="{full}"></button>'
            f"<script data-bar>{{{_SCRIPT}explorerBar({told})}}</script>",  # in a block, for it runs again and again
            width="content",
            unsafe_allow_javascript=True,
        )
        st.html(
            f"<script data-bar>explorerSteps.follow({session.steps})</script>",  # steps.js waits for it, on every page
            width="content",
            unsafe_allow_javascript=True,
        )
        adding.offer(page)
        adding.keep()
        _language(session)


def _language(session: Session) -> None:
    def take(language: str) -> None:
        session.chosen_language = language

    if len(i18n.LANGUAGES) > 1:
        offered = [*i18n.LANGUAGES] if session.language in i18n.LANGUAGES else [session.language, *i18n.LANGUAGES]
        linked_select(
            "language",
            "Language · 语言",
            offered,
            session.language,
            lambda language: i18n.LANGUAGES.get(language, language),
            take,
            hidden=True,
        )
