"""The masks of the sentences on screen, and what they do to one head."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from explorer.exhibits.masks import formula
from explorer.i18n import _, n_
from explorer.inference.shown_model import ShownModel
from explorer.pictures import masks as pictures
from explorer.pictures.choices import padding_space
from explorer.ui import document, pickers
from explorer.ui.minimap import highlight
from explorer.ui.widgets import slider
from transformer_core import causal_mask, padding_mask
from transformer_core.model.attention import attention

Ids = tuple[int, ...]
_MOST_PADDING = 8
_FIRST: tuple[pictures.Mask, ...] = ("source padding", "causal", "target")  # seen at first: each alone, and both together


def draw(shown: ShownModel) -> None:
    left, right = st.columns(2)
    space_src, space_tgt = (min(_MOST_PADDING, padding_space(len(ids))) for ids in (shown.src, shown.tgt))
    words_src, words_tgt = _("padding behind the source"), _("padding behind the target")
    padding = {
        "pad_src": slider("pad_src", words_src, 0, space_src, min(2, space_src), place=left) if space_src else 0,
        "pad_tgt": slider("pad_tgt", words_tgt, 0, space_tgt, min(1, space_tgt), place=right) if space_tgt else 0,
    }
    _tiles(shown, padding, _FIRST)
    document.details("sentence_masks", lambda: _more(shown, padding))


def _more(shown: ShownModel, padding: Mapping[str, int]) -> None:
    st.markdown(
        _(
            "Sentences that are computed together, a **batch**, form one table, in which all rows are equally long: so shorter "
            "ones are filled up with **padding**, which no word may attend to. In a mask, a row is a **query**, the word that "
            "looks, and a column a **key**, a word that is looked at."
        )
    )
    _tiles(shown, padding, ("cross",))
    st.caption(
        _(
            "In the code, masks are boolean with axes (batch, head, query, key), and True means “may attend”. In "
            "torch.nn.Transformer, True means the opposite."
        )
    )
    _given(shown, *shown.batch(**padding))
    _softmax(shown, padding)
    formula.draw()
    document.try_this(
        _("Set both paddings to 0: of the decoder's mask only the triangle is left.") if shown.cfg.causal else "",
        _("Choose “cross”: the whole source is given from the start, and there is no triangle."),
    )
    document.the_code(padding_mask, causal_mask, attention)


def _given(shown: ShownModel, src: Ids, tgt: Ids, label: Ids) -> None:
    pad = shown.vocabulary.pad
    document.section(_("What the model is given"))
    given = {_("source"): src, _("decoder input"): tgt, _("label"): label}
    width = max(map(len, given))
    rows = []
    for name, ids in given.items():
        tokens = [f"{token}\N{NO-BREAK SPACE}{i}" for token, i in zip(shown.vocabulary.decode(ids), ids, strict=True)]
        rows.append("   ".join([name.ljust(width), *tokens]))
    st.code("\n".join(rows), None, wrap_lines=True)
    document.reading(
        _(
            "each token with its id. The decoder input is the target shifted right by one place, behind the start token; the "
            "label is the token to be predicted at each place."
        )
    )
    counted = sum(i != pad for i in label)
    words = n_(
        "{counted} of {n} label counts towards the loss; padding, id {pad}, does not.",
        "{counted} of {n} labels count towards the loss; padding, id {pad}, does not.",
        len(label),
    )
    st.caption(words.format(counted=counted, n=len(label), pad=pad))


def _tiles(shown: ShownModel, padding: Mapping[str, int], names: tuple[pictures.Mask, ...]) -> None:
    causal = (
        _("1 = may attend, × = masked. Row i may attend to columns 0 to i: a lower triangle.")
        if shown.cfg.causal
        else _("1 = may attend. The causal mask of this model is switched off: every word may attend to every other.")
    )
    captions: dict[pictures.Mask, tuple[str, str]] = {
        "source padding": (
            _("source padding: the encoder's mask"),
            _("1 = may attend, × = masked. The columns of the padding are closed to every query."),
        ),
        "causal": (_("causal: in the decoder alone") if shown.cfg.causal else _("causal"), causal),
        "target": (
            _("both: the decoder's mask"),
            _("1 = may attend, × = masked. A cell is open where it is open in both masks."),
        ),
        "cross": (
            _("source padding again: the mask of cross-attention"),
            _("1 = may attend, × = masked. Every target word may attend to the whole source, except its padding."),
        ),
    }
    for place, name in zip(st.columns(3), names, strict=False):
        title, how_to_read = captions[name]
        with place:
            st.markdown(f"**{title}**")
            drawn = pictures.mask(shown, pictures.MaskChoices(name, **padding))
            document.picture(drawn, how_to_read, f"mask-{list(captions).index(name)}")


def _softmax(shown: ShownModel, padding: Mapping[str, int]) -> None:
    document.section(_("Before and after the softmax"))
    kind, layer, head = pickers.which_head(shown.cfg, place=pickers.row("softmax"))
    highlight("mask", kind, layer=layer)
    chosen = pictures.PaddedStageChoices(kind, layer, head, "masked_scores", **padding)
    left, right = st.columns(2)
    with left:
        how = _("the scores of one head. Masked cells (×) are set to −∞.")
        document.picture(pictures.stage(shown, chosen), how, "masked-scores")
    with right:
        how = _(
            "each row shares a total of 1 among its open cells; a masked cell gets 0. Rows of padding get weights as well, but "
            "what they produce is never used."
        )
        document.picture(pictures.stage(shown, replace(chosen, stage="weights")), how, "masked-weights")
