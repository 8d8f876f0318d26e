"""The masks of the sentences on screen, and what they do to one head."""

from typing import Any

import streamlit as st

from explorer.figures.attention import attention_heatmap, axes_of
from explorer.figures.matrix import matrix
from explorer.i18n import _, n_
from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.minimap import highlight
from explorer.ui.widgets import slider
from transformer_core import causal_mask, padding_mask
from transformer_core.model.attention import attention
from transformer_core.model.masks import mask_tiles

Ids = tuple[int, ...]


def draw(shown: ShownModel) -> None:
    left, right = st.columns(2)
    room = {side: max(1, min(8, MAX_TOKENS - len(ids))) for side, ids in (("src", shown.src), ("tgt", shown.tgt))}
    pad_src = slider("pad_src", _("padding behind the source"), 0, room["src"], 2, place=left)
    pad_tgt = slider("pad_tgt", _("padding behind the target"), 0, room["tgt"], 1, place=right)
    src, tgt, label = shown.batch(pad_src, pad_tgt)
    _tiles(shown, src, tgt)
    _given(shown, src, tgt, label)
    _softmax(shown, (pad_src, pad_tgt))
    document.formula(
        r"\begin{gathered}\mathrm{softmax}(s+m)\\"
        r"m_{ij}=0\ \text{if}\ i\ \text{may attend to}\ j,\ \text{else}\ -\infty\end{gathered}",
        _("Section 3.2.3 of the paper: illegal connections are set to −∞ before the softmax."),
    )
    document.try_this(
        _("Set both paddings to 0: of the decoder's mask only the triangle is left."),
        _("Choose “cross”: the whole source is given from the start, and there is no triangle."),
    )
    document.the_code(padding_mask, causal_mask, attention)


def _given(shown: ShownModel, src: Ids, tgt: Ids, label: Ids) -> None:
    pad = shown.vocabulary.pad
    document.section(_("1 · What the model is given"))
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


def _tiles(shown: ShownModel, src: Ids, tgt: Ids) -> None:
    tiles = mask_tiles(src, tgt, shown.vocabulary.pad, shown.cfg.causal)
    src_labels, tgt_labels = shown.labels(src), shown.labels(tgt)
    causal = (
        _("1 = may attend, × = masked. Row i may attend to columns 0 to i: a lower triangle.")
        if shown.cfg.causal
        else _("1 = may attend. The causal mask of this model is switched off: every word may attend to every other.")
    )
    captions = {
        "source padding": (
            _("source padding: the encoder's mask"),
            _("1 = may attend, × = masked. The columns of the padding are closed to every query."),
            (src_labels, src_labels),
        ),
        "causal": (_("causal"), causal, (tgt_labels, tgt_labels)),
        "target": (
            _("causal AND target padding: the decoder's mask"),
            _("1 = may attend, × = masked. A cell is open where it is open in both masks."),
            (tgt_labels, tgt_labels),
        ),
        "cross": (
            _("source padding again: the mask of cross-attention"),
            _("1 = may attend, × = masked. Every target word may attend to the whole source, except its padding."),
            (tgt_labels, src_labels),
        ),
    }
    axes: dict[str, Any] = {"row_title": _("query"), "column_title": _("key"), "cell": 22, "decimals": 0}
    for i, (place, (name, (title, how_to_read, (rows, columns)))) in enumerate(
        zip(document.grid(len(captions)), captions.items(), strict=True)
    ):
        with place:
            st.markdown(f"**{title}**")
            picture = matrix(tiles[name].astype(float), valid=tiles[name], rows=rows, columns=columns, **axes)
            document.figure(picture, f"mask-{i}", how_to_read)
    st.caption(
        _(
            "In the code, masks are boolean with axes (batch, head, query, key), and True means “may attend”. In "
            "torch.nn.Transformer, True means the opposite."
        )
    )


def _softmax(shown: ShownModel, padding: tuple[int, int]) -> None:
    document.section(_("2 · Before and after the softmax"))
    kind, layer, head = pickers.which_head(shown.cfg, place=pickers.row("softmax"))
    highlight("mask", kind, layer=layer)
    site = shown.attention(kind, layer, padding)
    left, right = st.columns(2)
    with left:
        document.figure(
            matrix(
                site.stage("masked_scores")[head], signed=True, title=_("score"), valid=site.map.allowed, **axes_of(site.map)
            ),
            "masked-scores",
            _("the scores of one head. Masked cells (×) are set to −∞."),
        )
    with right:
        document.figure(
            attention_heatmap(site.map, head),
            "masked-weights",
            _(
                "each row shares a total of 1 among its open cells; a masked cell gets 0. Rows of padding get weights as well, "
                "but what they produce is never used."
            ),
        )
