"""The cuts and the changed weights of the model on screen, each with a button to undo it; the answers before and after."""

import streamlit as st

from explorer import i18n
from explorer.components import cut_answer
from explorer.i18n import _
from explorer.model_on_screen import cuts, weight_edits
from explorer.model_on_screen.forward import mean_rows
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.model import answer_after_cuts
from explorer.session import Notice, current, lesson_link, model_choice, run_all_again
from explorer.ui import pickers
from explorer.ui.format import plain
from explorer.ui.weight_names import edit_title
from explorer.ui.widgets import linked_select
from transformer_core.analysis.cutting import INSTEAD, Cut, HeadCut, LinkCut, PartCut, WordCut
from transformer_core.analysis.weight_edit import WeightEdit
from transformer_core.errors import InputError
from transformer_core.model.stages import ENCODER, AttentionKind, attention_kind

MOST = cuts.MOST


def draw(shown: ShownModel, may_cut: bool = False) -> None:
    """Draws a line with the answers before and after, every cut and every changed weight. It keeps its place if the page
    `may_cut`, so that a cut moves no picture.
    """
    current().rerun.changes = place = st.container()  # always there: otherwise the browser would rebuild whatever follows
    with place:
        if shown.choice.is_changed or may_cut:
            _line(shown, _("Nothing is cut."))


def keep_line(shown: ShownModel) -> None:
    """Draws the line also before a weight is changed; for a part that changes weights."""
    place = current().rerun.changes
    if place is not None and not shown.choice.is_changed:
        with place:
            _line(shown, _("No weight is changed."))


def _line(shown: ShownModel, unchanged: str) -> None:
    made = shown.choice.cuts
    if made and (refused := current().take_notice()) is not None:
        st.toast(plain(i18n.error(refused)), icon=":material/content_cut:")
    with pickers.row("cuts"):
        cut_answer.show(shown, answer_after_cuts.live(), unchanged)
        with st.container(key="cuts-made", horizontal=True, vertical_alignment="center", wrap=False):
            _made(shown, made)


def _made(shown: ShownModel, made: cuts.Cuts) -> None:
    """Draws every cut and changed weight with a button to undo it, and the choice of what replaces cut heads."""
    edits = shown.choice.edits
    if len(made.made) + len(edits) > 1:
        st.button(
            _("Undo all"),
            key="uncut-all",
            icon=":material/undo:",
            type="tertiary",
            on_click=_undo_all,
            disabled=(are_locked() or not made) and (weights_are_locked() or not edits),
        )
    for i, edit in enumerate(edits):
        st.button(
            f"{plain(edit_title(edit))} :material/close:",
            key=f"uncut-weight-{i}",
            type="tertiary",
            help=_("Undo this change"),
            on_click=_undo_edit,
            args=(edit,),
            disabled=weights_are_locked(),
        )
    for i, cut in enumerate(made.made):
        st.button(
            f"{plain(named(cut, shown))} :material/close:",
            key=f"uncut-{i}",
            type="tertiary",
            help=_("Undo this cut"),
            on_click=_undo,
            args=(cut,),
            disabled=are_locked(),
        )
    if made.has_heads:
        _instead_of(shown)


def _instead_of(shown: ShownModel) -> None:
    """Draws the choice of what replaces a head's output; the mean is offered only if the task is known."""
    titles = {"mean": _("its mean"), "zero": _("nothing"), "uniform": _("even attention")}
    kinds = [kind for kind in INSTEAD if kind != "mean" or shown.taught is not None]
    if shown.taught is None:
        help = _(
            "nothing: zeros · even attention: the head attends equally to all that it may attend to. They can lead to "
            "different answers."
        )
    else:
        help = _(
            "mean: what the head puts out on average, over {n} held-out sequences · nothing: zeros · even attention: the "
            "head attends equally to all that it may attend to. They can lead to different answers."
        ).format(n=len(mean_rows(shown.taught, shown.cfg).src))
    linked_select(
        "instead-of",
        _("in place of a head’s output"),
        kinds,
        shown.choice.cuts.instead,
        lambda name: titles[name],
        lambda name: model_choice.choose("instead", name),
        help,
        changes=("instead",),
    )


def named(cut: Cut, shown: ShownModel) -> str:
    """Describes a cut in words: `cross · layer 0 · head 2: chat → cat`."""
    kinds = pickers.kind_titles()
    src, tgt = (shown.vocabulary.decode(ids) for ids in (shown.src, shown.tgt))
    match cut:
        case LinkCut(kind, layer, head, query, key):
            writes = shown.vocabulary.decode(shown.batch(0, 0)[2])  # a decoder's query is called by the word that it writes
            queries, keys = (src if kind == "encoder" else writes), (tgt if kind == "decoder" else src)
            return _("{where}: {query} → {key}").format(where=_where(kind, layer, head), query=queries[query], key=keys[key])
        case WordCut(side, place):
            return _("the word {word}").format(word=(src if side == "src" else tgt)[place])
        case HeadCut(kind, layer, head):
            return _where(kind, layer, head)
        case PartCut(path):
            if (of := attention_kind(path)) is not None:
                return _("{attention} · layer {layer} · all of it").format(attention=kinds[of], layer=path.layer)
            stack = kinds["encoder" if path.stack == ENCODER else "decoder"]
            return _("{stack} · layer {layer} · feed-forward").format(stack=stack, layer=path.layer)


def _where(kind: AttentionKind, layer: int | None, head: int | None) -> str:
    attention = pickers.kind_titles()[kind]
    if layer is None:
        return _("{attention} · every layer").format(attention=attention)
    if head is None:
        return _("{attention} · layer {layer} · every head").format(attention=attention, layer=layer)
    return _("{attention} · layer {layer} · head {head}").format(attention=attention, layer=layer, head=head)


def are_locked() -> bool:
    """Returns whether the lesson on screen lets nobody cut or undo a cut."""
    return lesson_link.locks("cut")


def weights_are_locked() -> bool:
    """Returns whether the lesson on screen lets nobody change a weight, or undo a change."""
    return lesson_link.locks("edit")


def cut_text() -> str:
    """Returns the cuts of the model on screen as the setting's text."""
    return cuts.written(cuts.read(current().settings.cut))


def add_clicked(more: str) -> None:
    """Adds these cuts; for none, undoes the newest (call it in a callback)."""
    session = current()
    if not more:
        _cut(cuts.written(cuts.read(session.settings.cut)[:-1]))
        return
    try:
        _cut(cuts.and_also(session.settings.cut, cuts.read(more)))
    except InputError as error:
        session.notice = Notice(session.rerun.page, error)


def redraw_if_cut() -> None:
    """Redraws the whole page if a cut was made just now; call it at the beginning of a fragment that can cut."""
    session = current()
    if session.controls.remembered.get("cut", session.settings.cut) != session.settings.cut:
        run_all_again()


def _undo(cut: Cut) -> None:
    _cut(cuts.written(each for each in cuts.read(current().settings.cut) if each != cut))


def _undo_edit(edit: WeightEdit) -> None:
    change_weights(weight_edits.written(each for each in weight_edits.read(current().settings.edit) if each != edit))


def _undo_all() -> None:
    if not are_locked():
        _cut("")
    if not weights_are_locked():
        change_weights("")


def change_to(weights: str) -> None:
    """Undoes all cuts, and changes these weights alone (call it in a callback)."""
    _cut("")
    change_weights(weights)


def change_weights(text: str) -> None:
    """Changes the weights that a setting's text names, and no others (call it in a callback)."""
    model_choice.choose("edit", weight_edits.written(weight_edits.read(text)))


def _cut(text: str) -> None:
    model_choice.choose("cut", text)
