"""The pieces that every page is written with."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import groupby
from types import ModuleType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import i18n, resources
from explorer.components import matrices, plot
from explorer.figures.matrix import Matrices
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen import diagnosis
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.settings import RANGES
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.translator import UntaughtError
from explorer.pictures.exhibit import Numbers
from explorer.pictures.registry import Drawn
from explorer.programs.derived import source_of
from explorer.session import PAGES_OF_ANY_LENGTH, current, lesson_link, model_choice
from explorer.ui import cuts, minimap, model_line, more, pickers
from explorer.ui.format import plain, true_minus, without_html
from explorer.ui.navigation import switch
from explorer.ui.setting_names import setting_name, value_name
from explorer.ui.widgets import choose, opens, pressed
from transformer_core.errors import InputError, TextError

_NEAREST = 2  # values of each setting that are offered in place of an impossible one
_RESEARCH = "∗"  # the mark of parts that go beyond the basics
_TEXTS = ("src", "numbers")  # settings whose values are sentences
_BELOW_NOTES = "[data-testid=stLayoutWrapper]:has(> .st-key-above-pictures) ~ *"
_DIMMED = "grayscale(1) opacity(0.4)"


def opening(title: str, sentence: str, rest: str = "") -> None:
    """Draws a page's first line: its title, one sentence that stands alone, and the rest of the words a click away."""
    current().rerun.line = None
    more.read()
    with st.container(key="opening", horizontal=True, vertical_alignment="center", gap="small"):
        st.title(title, width="content")
        st.markdown(sentence, width="content")
        if rest:
            with st.popover(_("more"), type="tertiary", key="more-words"):
                st.markdown(rest)
        minimap.place()


def opening_of_model(title: str, sentence: str, rest: str = "", may_cut: bool = False) -> ShownModel | None:
    """Opens a page that shows the sidebar's model, with the line that names it; None if there is none, and the page ends with
    what is wrong and what can be shown instead.

    `may_cut`: whether the page can cut the model.
    """
    opening(title, sentence, rest)
    try:
        shown = current().shown()
    except InputError as error:
        refusal(error)
        return None
    foot = model_line.draw(shown)
    if shown.learning.refused is None and shown.learning.is_at_end:
        with foot:  # not above the pictures: other sizes, another reason, and all would move under the hand
            _why_not(shown.learning)
    cuts.draw(shown, may_cut)
    with notes("above-pictures"):
        if (why := current().rerun.refused) is not None:
            refused_text(why, current().settings.src, model_choice.choose, _BELOW_NOTES)
        model_line.notes(shown)
        if shown.learning.refused is not None and current().rerun.page not in PAGES_OF_ANY_LENGTH:
            refusal(shown.learning.refused)
    return shown


def notes(key: str | None = None) -> DeltaGenerator:
    """A stable slot for messages above the rest of a page. It is always there, so that what follows keeps its place: a browser
    shows moved elements twice until the page has run to its end.
    """
    return st.container(key=key)


def refused_text(why: TextError, typed: str, take: Callable[[str, Any], None], pictures: str) -> None:
    """Says why a typed text is not answered, and that the dimmed pictures are those of the text before it.

    Args:
        take: is called with the field and the text that is chosen instead.
        pictures: what selects them in the page.
    """
    refusal(why, take)
    with st.container(key="not-answered", horizontal=True, vertical_alignment="center"):
        st.caption(_("The pictures still show the sentence before."), width="content")
        if isinstance(why, UntaughtError):
            st.button(
                _("Show its guess"),
                key="show-guess",
                icon=":material/help:",
                type="tertiary",
                on_click=current().ask_guess,
                args=(typed,),
            )
        # Style alone would outlive the run of a fragment: Streamlit puts it elsewhere.
        st.html(f"<i hidden></i><style>{pictures} {{ filter: {_DIMMED}; }}</style>", width="content")


def _why_not(learning: LearningState) -> None:
    """Says why the model on screen is not good, if it is not, with a link to the part that explains it."""
    reason = None if learning.model is None else diagnosis.reason(learning.model)
    if reason is None:
        return
    with st.container(key="why-not", horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/lightbulb: {plain(i18n.error(reason))}", width="stretch")
        if pressed(_("More on this"), key="see-why", icon=":material/arrow_forward:", type="tertiary"):
            switch(reason.page, part=reason.part)


def refusal(error: InputError, take: Callable[[str, Any], None] = model_choice.choose) -> None:
    """Says in one sentence what cannot be shown, and offers the nearest settings that can; `take` is called with the chosen
    one.
    """
    st.error(plain(i18n.error(error)), icon=":material/tune:")
    near = {
        name: [v for v in values if name in _TEXTS or v in _reachable(name)][:_NEAREST]
        for name, values in error.nearest.items()
        if name in (*RANGES, *_TEXTS)
    }
    buttons = [(name, i, value) for name, values in near.items() for i, value in enumerate(values)]
    model = current().settings.model
    if model is not None and resources.model_store().get(model) is None:
        st.button(
            _("Show the model of these settings instead"),
            key="nearest-model",
            icon=":material/close:",
            on_click=model_choice.close_model,
        )
    if not buttons:
        return
    row = st.container(horizontal=True)
    for name, i, value in buttons:
        is_text = name in _TEXTS
        row.button(
            _("“{sentence}”").format(sentence=plain(value))
            if is_text
            else _("{setting} = {value}").format(setting=setting_name(name), value=value_name(value)),
            key=f"nearest-{name}-{i if is_text else value}",
            on_click=take,
            args=(name, value),
        )


def _reachable(name: str) -> range:
    low, high, step = map(int, RANGES[name])
    return range(low, high + 1, step)


def section(title: str) -> None:
    """Begins a section of a page: the heading level below the page's title, for readers who jump between headings."""
    st.header(title)


def picture(
    drawn: Drawn[Any] | Figure | Matrices,
    how_to_read: str,
    key: str | None = None,
    clickable: bool = False,
    film: str = "",
    run: str = "",
    on_click: Callable[[int, int, int], None] | None = None,
) -> dict[str, Any] | None:
    """Draws a picture with one line under it on how to read it; returns the clicked cell or point, if any.

    Args:
        drawn: a picture that follows the knobs (see `pictures.registry`), or a figure that follows none.
        key: its id on the page; the name of the picture by default.
        film, run: see `components.matrices` and `components.plot`; on_click: of a matrix, see there.
    """
    live, drawing = (drawn.live, drawn.drawing) if isinstance(drawn, Drawn) else (None, drawn)
    key = key or (live["picture"] if live else None)
    assert key is not None, "a figure that is no named picture needs a key"
    if isinstance(drawing, Matrices):
        click = matrices.show(drawing, key, clickable, live, film, on_click)
    else:
        click = plot.show(drawing, key, clickable, live, run)
    caption(how_to_read)
    return click


def caption(words: str) -> None:
    """Says how to read the picture above."""
    if not lesson_link.shows("caption"):
        return
    st.caption(_("**How to read this** · {words}").format(words=true_minus(without_html(words))))


def grid(count: int) -> list[DeltaGenerator]:
    """Returns slots for so many figures, two in a row; on a phone, one below the other in the same order."""
    return [place for _row in range(-(-count // 2)) for place in st.columns(2)]


def parts(titles: Mapping[ModuleType, str], *given: Any, research: Collection[ModuleType] = ()) -> None:
    """Draws the parts of a page, each a module with one `draw`, whose file name is the part's id in the address.

    Only the one on screen is computed and sent. Not st.tabs: the browser takes longer over them at every change of a setting.

    Args:
        research: parts that are marked as beyond what a newcomer has to know.
    """
    ids = {module.__name__.rpartition(".")[2]: module for module in titles}
    names = {part: f"{titles[each]} {_RESEARCH}" if each in research else titles[each] for part, each in ids.items()}
    current().rerun.parts = (*ids,)
    is_whole, above, body = current().rerun.whole, pickers.line(), st.container()
    with (line := above if is_whole else pickers.row("also")):  # the picture comes first
        chosen = choose(
            "part", _("part of this page") if is_whole else _("Also here"), lesson_link.offered([*ids]), names, hidden=is_whole
        )
    with body:
        if ids[chosen] in research:
            st.caption(
                _("{mark} Research: what people measure who study such models. Nobody has to know it.").format(mark=_RESEARCH)
            )
        try:
            ids[chosen].draw(*given)
        except InputError as error:
            refusal(error)
    with line:
        more.draw()


def details(key: str, draw: Callable[[], None]) -> None:
    """Folds away what the first screen does without. It is computed only while it is unfolded, which the address says."""
    if not lesson_link.shows("details"):
        return
    if unfolded := opens(f"details-{key}", _("Details"), ":material/expand_circle_down:"):
        with unfolded:
            draw()


def try_this(*ideas: str) -> None:
    """Lists ideas to try; "" for one that this model does not allow."""
    if not lesson_link.shows("try"):
        return
    rerun = current().rerun
    title = _("Try, some with *More controls*") if rerun.has_more and not rerun.whole else _("Try")
    lines: Sequence[str] = [f"**{title}**", *(f"- {idea}" for idea in ideas if idea)]
    st.markdown("\n".join(lines))


def formula(tex: str, source: str, **words: str) -> None:
    """Draws a formula, with `words` in the place of <their names>, and its section in the paper."""
    if not lesson_link.shows("formula"):
        return
    for name, word in words.items():
        typeset = word.replace("⟦", "$⟦$").replace("⟧", "$⟧$")  # to KaTeX the marks of the pseudo-locale are no letters
        tex = tex.replace(f"<{name}>", rf"\text{{{typeset}}}")
    st.latex(tex)
    st.caption(source)


def the_code(*functions: Callable[..., Any] | type) -> None:
    """Shows the source of the functions that ran for this page, sent only when unfolded: browsers take long to colour it."""
    if not lesson_link.shows("code"):
        return
    plain = [each.compute if isinstance(each, Numbers) else each for each in functions]
    key = f"code-{plain[0].__qualname__}"
    folded = st.expander(_("The code that ran"), key=key, on_change="rerun", icon=":material/code:")
    if not folded.open:
        return
    with folded:
        for module, together in groupby(functions, lambda each: each.__module__):
            st.caption(f"`{module}`")
            st.code("\n\n".join(map(_source, together)), language="python")


@cache
def _source(function: Callable[..., Any] | type) -> str:
    return (
        source_of(function).blocks[function.compute.__name__] if isinstance(function, Numbers) else inspect.getsource(function)
    )
