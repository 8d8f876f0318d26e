"""What has been cut out of the model on screen: each cut with a way to undo it, and the answer before and after."""

from difflib import SequenceMatcher

import streamlit as st

from explorer import i18n
from explorer.i18n import _
from explorer.inference import cuts
from explorer.inference.forward import MEAN_ROWS
from explorer.inference.shown_model import ShownModel
from explorer.inference.truth import answer_text
from explorer.session import Notice, current, model_choice
from explorer.ui import pickers
from explorer.ui.format import plain
from explorer.ui.widgets import offer
from transformer_core.analysis.cutting import INSTEAD, Cut, HeadCut, LinkCut, PartCut, WordCut
from transformer_core.errors import InputError
from transformer_core.model.stages import ENCODER, AttentionKind, attention_kind

_MOST_WORDS = 24  # of an answer


def draw(shown: ShownModel) -> None:
    """A line with the answer before and after, and every cut; nothing where nothing is cut."""
    with st.container():  # always there: a browser puts what follows on screen anew where something comes before it
        if shown.choice.cuts:
            _line(shown)


def _line(shown: ShownModel) -> None:
    made = shown.choice.cuts
    if (refused := current().take_notice()) is not None:
        st.warning(plain(i18n.error(refused)))
    with pickers.row("cuts"):
        st.markdown(f":material/content_cut: {_before_and_after(shown)}", width="content")
        for i, cut in enumerate(made.made):
            st.button(
                f"{plain(named(cut, shown))} :material/close:", key=f"uncut-{i}", type="tertiary", help=_("Undo this cut"),
                on_click=_undo, args=(cut,),
            )  # fmt: skip
        if len(made.made) > 1:
            st.button(_("Undo all"), key="uncut-all", icon=":material/undo:", type="tertiary", on_click=_undo_all)
        if made.has_heads:
            titles = {"mean": _("its mean"), "zero": _("nothing"), "uniform": _("even attention")}
            offer(
                "instead-of", _("in place of a head’s output"), INSTEAD, made.instead, lambda name: titles[name],
                lambda name: model_choice.choose("instead", name),
                _("mean: what the head puts out on average, over {n} held-out sequences · nothing: zeros · even attention: the "
                  "head attends to all it may attend to alike. They can lead to different answers.").format(n=MEAN_ROWS),
            )  # fmt: skip


def _before_and_after(shown: ShownModel) -> str:
    """The answer of the whole model, and that of the model with its cuts, in which what differs stands out."""
    whole, cut = shown.whole.answer, shown.answer
    before, after = (answer[1 : _MOST_WORDS + 1] for answer in (whole, cut))
    if whole == cut:
        return _("The answer stays the same: “{answer}”").format(answer=plain(answer_text(shown, before)))
    matches = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    parts = [(match[0] != "equal", answer_text(shown, after[match[3] : match[4]])) for match in matches if match[4] > match[3]]
    between = "" if " " not in answer_text(shown, before) else " "
    marked = between.join(f":red[**{plain(text)}**]" if differs else plain(text) for differs, text in parts) or "…"
    return _("Before: “{before}” · now: “{after}”").format(before=plain(answer_text(shown, before)), after=marked)


def named(cut: Cut, shown: ShownModel) -> str:
    """A cut in words: `cross · layer 0 · head 2: chat → cat`."""
    kinds = pickers.kind_titles()
    src, tgt = (shown.vocabulary.decode(ids) for ids in (shown.src, shown.tgt))
    match cut:
        case LinkCut(kind, layer, head, query, key):
            queries, keys = (src if kind == "encoder" else tgt), (tgt if kind == "decoder" else src)
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


def make(*more: Cut) -> None:
    """Cuts some more out of the model on screen (call it in a callback)."""
    session = current()
    try:
        _cut(cuts.and_also(session.settings.cut, more))
    except InputError as error:
        session.notice = Notice(session.rerun.page, error)


def undo_last() -> None:
    """Undoes the newest cut (call it in a callback)."""
    _cut(cuts.written(cuts.read(current().settings.cut)[:-1]))


def redraw_if_made() -> None:
    """Call at the beginning of a fragment in which one may cut: all of the page follows what was cut just now."""
    session = current()
    if session.remembered.get("cut", session.settings.cut) != session.settings.cut:
        st.rerun()


def _undo(cut: Cut) -> None:
    _cut(cuts.written(each for each in cuts.read(current().settings.cut) if each != cut))


def _undo_all() -> None:
    _cut("")


def _cut(text: str) -> None:
    model_choice.choose("cut", text)
