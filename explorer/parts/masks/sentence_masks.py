"""The masks of the sentences on screen, and what they do to one head."""

from typing import Any

import streamlit as st

from explorer import controls, document, state
from explorer.figures.matrix import matrix
from explorer.state import View
from explorer.words import _
from transformer_core import causal_mask, padding_mask
from transformer_core.model.attention import attention
from transformer_core.model.masks import mask_tiles


def sentence_masks_part(view: View) -> None:
    """Draws the part."""
    left, right = st.columns(2)
    room = {side: max(1, min(8, state.MAX_TOKENS - len(ids))) for side, ids in (("src", view.src), ("tgt", view.tgt))}
    pad_src = controls.slider("pad_src", _("padding behind the source"), 0, room["src"], 2, place=left)
    pad_tgt = controls.slider("pad_tgt", _("padding behind the target"), 0, room["tgt"], 1, place=right)
    src, tgt, label = view.batch(pad_src, pad_tgt)
    _given(view, src, tgt, label)
    _tiles(view, src, tgt)
    document.section(_("3 · Before and after the softmax"))
    kind, layer, head = controls.which_head(view.cfg)
    controls.shows("mask", kind, layer=layer)
    site = state.Site(view, kind, layer, pad_src, pad_tgt)
    left, right = st.columns(2)
    with left:
        document.figure(
            matrix(site["masked_scores"][head], signed=True, title=_("score"), **site.axes),
            "masked-scores",
            _("the scores of one head. A masked cell is set to −∞ here."),
        )
    with right:
        document.figure(
            matrix(site["weights"][head], title=_("weight"), **site.axes),
            "masked-weights",
            _(
                "each row shares out 1 over its open cells; a masked cell gets 0. Filler rows get weights too, but "
                "nobody reads them."
            ),
        )
    document.formula(
        r"\begin{gathered}\mathrm{softmax}(s+m)\\"
        r"m_{ij}=0\ \text{if}\ i\ \text{may see}\ j,\ \text{else}\ -\infty\end{gathered}",
        _("Section 3.2.3 of the paper: what is illegal is set to −∞ before the softmax."),
    )
    document.try_this(
        _("Set both paddings to 0: in the decoder only the triangle is left."),
        _("Look at “cross”: no triangle there, the whole source is known from the start."),
    )
    document.the_code(padding_mask, causal_mask, attention)


def _given(view: View, src: tuple[int, ...], tgt: tuple[int, ...], label: tuple[int, ...]) -> None:
    pad = view.vocabulary.pad
    document.section(_("1 · What the model is given"))
    given = {_("source"): src, _("decoder's input"): tgt, _("label"): label}
    width = max(map(len, given))
    rows = []
    for name, ids in given.items():
        words = [f"{token}\N{NO-BREAK SPACE}{i}" for token, i in zip(view.vocabulary.decode(ids), ids, strict=True)]
        rows.append("   ".join([name.ljust(width), *words]))
    st.code("\n".join(rows), None, wrap_lines=True)
    document.reading(
        _(
            "token and id. The decoder's input is the target moved one place to the right, behind the start token; "
            "the label is what "
            "it should say at each place. {n} of {all} labels count towards the loss; id {pad} only fills up."
        ).format(n=sum(i != pad for i in label), all=len(label), pad=pad)
    )


def _tiles(view: View, src: tuple[int, ...], tgt: tuple[int, ...]) -> None:
    document.section(_("2 · Four masks"))
    tiles = mask_tiles(src, tgt, view.vocabulary.pad, view.cfg.causal)
    src_labels, tgt_labels = view.labels(src), view.labels(tgt)
    captions = {
        "source padding": (
            _("source padding: the encoder's mask"),
            _("a filler column is closed for every row: columns, not rows."),
        ),
        "causal": (_("causal"), _("row i may see columns 0 to i: the lower triangle.")),
        "target": (_("causal AND target padding: the decoder's mask"), _("open only where both masks are open.")),
        "cross": (
            _("source padding again: the mask of cross-attention"),
            _("every target word sees the whole source but the filler."),
        ),
    }
    places = document.grid(len(captions))
    for i, (name, (title, words)) in enumerate(captions.items()):
        rows, cols = (src_labels if name == "source padding" else tgt_labels), (src_labels if i in (0, 3) else tgt_labels)
        axes: dict[str, Any] = {
            "rows": rows,
            "columns": cols,
            "row_title": _("asks (query)"),
            "column_title": _("is asked (key)"),
        }
        with places[i]:
            st.markdown(f"**{title}**")
            picture = matrix(tiles[name].astype(float), valid=tiles[name], cell=22, decimals=0, **axes)
            document.figure(picture, f"mask-{i}", _("1 = may look, × = may not: ") + words)
    st.caption(
        _(
            "In the code masks are boolean, True = may attend, (batch, head, query, key). torch.nn.Transformer "
            "means the opposite by True."
        )
    )
