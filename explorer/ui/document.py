"""The pieces that every page is written with."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import i18n, server
from explorer.components.plot import show
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.settings import RANGES
from explorer.inference.shown_model import ShownModel
from explorer.session import current, model_choice
from explorer.ui import minimap
from explorer.ui.format import plain, without_html
from explorer.ui.navigation import link
from explorer.ui.widgets import choose
from transformer_core.errors import InputError

_NEAREST = 2  # values of each setting that are offered in place of one that cannot be


def opening(title: str, words: str) -> None:
    """A page's title and its sentence or two."""
    with minimap.heading():
        _title(title, words)


def opening_of_model(title: str, words: str) -> ShownModel | None:
    """The same on a page that shows the model of the sidebar, with the note where its weights come from; None where there is no
    model to be shown: the page then ends with what is wrong, and with what can be had instead."""
    with minimap.heading():
        _title(title, words)
        try:
            shown = current().shown()
        except InputError as error:
            refusal(error)
            return None
        weights_note(shown)
        return shown


def _title(title: str, words: str) -> None:
    st.title(title)
    st.markdown(words)


def refusal(error: InputError) -> None:
    """Says in one sentence what cannot be shown, and offers the nearest settings that can."""
    st.error(plain(i18n.error(error)), icon=":material/tune:")
    near = {
        name: [v for v in values if v in _reachable(name)][:_NEAREST]
        for name, values in error.nearest.items()
        if name in RANGES
    }
    buttons = [(name, value) for name, values in near.items() for value in values]
    model = current().settings.model
    if model is not None and server.model_store().get(model) is None:
        st.button(
            _("Show the translator instead"), key="nearest-model", icon=":material/translate:",
            on_click=model_choice.open_model, args=(model_choice.FIRST,),
        )  # fmt: skip
    if not buttons:
        return
    row = st.container(horizontal=True)
    for name, value in buttons:
        row.button(
            _("{setting} = {value}").format(setting=setting_name(name), value=value), key=f"nearest-{name}-{value}",
            on_click=model_choice.choose, args=(name, value),
        )  # fmt: skip


def _reachable(name: str) -> range:
    low, high, step = map(int, RANGES[name])
    return range(low, high + 1, step)


def setting_name(name: str) -> str:
    """A setting as the sidebar calls it."""
    return {"n_heads": _("heads"), "n_layers": _("layers")}.get(name, name)


def section(title: str) -> None:
    """Begins a section of a page: the level right under the page's title, for those who jump from heading to heading."""
    st.header(title)


def weights_note(shown: ShownModel) -> None:
    """Says where the weights come from: a picture of random weights must never pass for insight."""
    if shown.stored is not None:
        st.success(_("Trained weights: {name}.").format(name=shown.stored.name), icon=":material/school:")
    else:
        note, way = st.columns([2, 1], vertical_alignment="center")
        note.info(
            _("Random weights (seed {seed}): nothing has been learned yet, so a pattern here means nothing.").format(
                seed=current().settings.seed
            ),
            icon=":material/casino:",
        )
        with way:
            link("training", _("Train a model in seconds"))
            st.caption(_("or choose a trained **model** in the sidebar"))
    if shown.unknown:
        words = ", ".join(plain(word[:40]) for word in shown.unknown[:20])
        st.caption(_("Not in the vocabulary, so read as \\<unk>: {words}").format(words=words))


def figure(drawn: Figure, key: str, how_to_read: str, clickable: bool = False) -> dict[str, Any] | None:
    """A figure with one line under it that says how to read it; returns the point that was clicked, if any."""
    click = show(drawn, key, clickable)
    reading(how_to_read)
    return click


def reading(words: str) -> None:
    """How to read what stands above."""
    st.caption(_("**How to read this** · {words}").format(words=without_html(words)))


def grid(count: int) -> list[DeltaGenerator]:
    """Places for so many figures, two in a row; on a phone they stand in the same order, one below the other."""
    return [place for _row in range(-(-count // 2)) for place in st.columns(2)]


def parts(titles: Mapping[ModuleType, str], *given: Any) -> None:
    """The parts of a page, each a module with one `draw`, whose file's name is the part's id in the address.

    Only the one on screen is computed and sent. Not st.tabs: the browser takes longer over them at every change of a setting.
    """
    ids = {module.__name__.rpartition(".")[2]: module for module in titles}
    names = {part: titles[module] for part, module in ids.items()}
    chosen = choose("part", _("part of this page"), list(ids), names, hidden=True)
    try:
        ids[chosen].draw(*given)
    except InputError as error:
        refusal(error)


def try_this(*ideas: str) -> None:
    lines: Sequence[str] = [f"**{_('Try')}**", *(f"- {idea}" for idea in ideas)]
    st.markdown("\n".join(lines))


def formula(tex: str, source: str) -> None:
    """A formula and where in the paper it stands."""
    st.latex(tex)
    st.caption(source)


def the_code(*functions: Callable[..., Any] | type) -> None:
    """The very code that ran for this page."""
    with st.expander(_("The code that ran"), icon=":material/code:"):
        for function in functions:
            st.caption(f"`{function.__module__}`")
            st.code(_source(function), language="python")


_source = cache(inspect.getsource)
