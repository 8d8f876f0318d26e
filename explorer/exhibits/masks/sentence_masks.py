"""The masks of the sentences on screen, and what they do to one head."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
import streamlit as st

from explorer.exhibits.masks import formula
from explorer.exhibits.shared.softmax import softmax
from explorer.figures.attention import axes_of
from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _, n_
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.choices import padding_space
from explorer.pictures.exhibit import Fit, Head, Kind, Layer, drawn, numbers
from explorer.pictures.registry import Ends
from explorer.ui import document, more, pickers
from explorer.ui.format import plain
from explorer.ui.minimap import highlight
from explorer.ui.widgets import pick, set_next, slider
from transformer_core import causal_mask, padding_mask
from transformer_core.analysis.mask_tiles import mask_tiles
from transformer_core.analysis.run import Run
from transformer_core.model.attention import attention
from transformer_core.model.stages import AttentionKind

Ids = tuple[int, ...]
Mask = Literal["source padding", "causal", "target", "cross"]
Stage = Literal["scores", "masked_scores", "weights"]
PadSrc = Annotated[int, Ends(0, MAX_TOKENS), Fit(lambda n, run, _said: min(n, padding_space(len(run.src))))]
PadTgt = Annotated[int, Ends(0, MAX_TOKENS), Fit(lambda n, run, _said: min(n, padding_space(len(run.tgt))))]
_MOST_PADDING = 8


def _there(mask: Mask, run: Run, _said: Mapping[str, Any]) -> Mask:
    if mask == "cross" and not run.cfg.has_encoder:
        raise ValueError("a decoder alone has no mask of cross-attention")
    return mask


SomeMask = Annotated[Mask, Fit(_there)]
_FIRST: tuple[Mask, ...] = ("source padding", "causal", "target")  # seen at first: each alone, and both together

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def sides(run: Run, name: str) -> tuple[list[int], list[int]]:
    """The words that are the rows of a mask, and those that are its columns. The padding mask is that of what is read first."""
    if name == "source padding":
        return run.read, run.read
    return run.tgt, run.src if name == "cross" else run.tgt


def _tile(run: Run, mask: Mask, pad_src: int, pad_tgt: int) -> np.ndarray:
    padded = run.padded(pad_src, pad_tgt)
    tile = mask_tiles(padded.read, padded.tgt, run.vocabulary.pad, run.cfg.causal)[mask]
    return np.where(tile, 1, np.nan)


@numbers(needs_weights=False, recorded=_tile)
def mask(run: Run, mask: SomeMask, pad_src: PadSrc, pad_tgt: PadTgt) -> np.ndarray:
    """A mask: 1 where a query may attend to a key, otherwise not a number (section 3.2.3). Shape: (query, key)"""
    padded = run.padded(pad_src, pad_tgt)
    queries, keys = map(np.array, sides(padded, mask))
    may_attend = np.ones((len(queries), len(keys)), dtype=bool)
    if mask != "causal":
        may_attend &= keys != run.vocabulary.pad  # nobody to padding
    if mask in ("causal", "target") and run.cfg.causal:
        may_attend &= np.tri(len(queries), dtype=bool)  # row i to columns 0 to i
    return np.where(may_attend, 1, np.nan)


@numbers(name="stage")
def stage_of_head(run: Run, kind: Kind, layer: Layer, head: Head, stage: Stage, pad_src: PadSrc, pad_tgt: PadTgt) -> np.ndarray:
    """One head: a stage of its attention. What the mask hides is left out. Shape: (query, key)"""
    part = run.padded(pad_src, pad_tgt).attention(kind, layer)
    values = part[stage][head]
    return values if stage == "scores" else np.where(part.allowed, values, np.nan)


@stage_of_head.formula
def stage_by_formula(
    run: Run, kind: Kind, layer: Layer, head: Head, stage: Stage, pad_src: PadSrc, pad_tgt: PadTgt
) -> np.ndarray:
    """One head's scores QKᵀ / √d_k (section 3.2.1), the same with −∞ where the mask forbids to attend, and their softmax: one
    of these. What the mask hides is left out. Shape: (query, key)
    """
    part = run.padded(pad_src, pad_tgt).attention(kind, layer)
    q, k, allowed = part["q"][head], part["k"][head], part.allowed_by_head[head]  # (query, d_k), (key, d_k), (query, key)
    scores = q @ k.T / np.sqrt(run.cfg.d_k)
    masked = np.where(allowed, scores, -np.inf)
    if stage == "scores":
        return scores
    return np.where(part.allowed, masked if stage == "masked_scores" else softmax(masked), np.nan)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(mask)
def _draw_mask(tile: np.ndarray, shown: ShownModel, *, mask: Mask, pad_src: int, pad_tgt: int) -> Matrices:
    padded = run_of(shown).padded(pad_src, pad_tgt)
    rows, columns = map(shown.labels, sides(padded, mask))
    return matrix(
        tile, rows=rows, columns=columns, row_title=_("query"), column_title=_("key"), cell=22, square=True, decimals=0
    )


@drawn(stage_of_head)
def _draw_stage(
    values: np.ndarray,
    shown: ShownModel,
    *,
    kind: AttentionKind,
    layer: int,
    stage: str,
    pad_src: int,
    pad_tgt: int,
    **_head: int,
) -> Matrices:
    axes = axes_of(shown.attention(kind, layer, (pad_src, pad_tgt)).map)
    return matrix(values, cell=24, square=True, signed=stage != "weights", **axes)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    with more.controls():
        padding = _padding(shown)
    if more.is_on():
        _tiles(shown, padding, _FIRST)
    else:
        _triangle(shown)
    document.details("sentence_masks", lambda: _details(shown, padding))


def _padding(shown: ShownModel) -> dict[str, int]:
    left, right = st.columns(2) if more.is_on() else (None, None)
    space_src, space_tgt = (min(_MOST_PADDING, padding_space(len(ids))) for ids in (shown.src, shown.tgt))
    words_src, words_tgt = _("padding behind the source"), _("padding behind the target")
    if not shown.cfg.has_encoder:
        space_src, words_tgt, right = 0, _("padding behind the text"), left
    return {
        "pad_src": slider("pad_src", words_src, 0, space_src, min(2, space_src), place=left) if space_src else 0,
        "pad_tgt": slider("pad_tgt", words_tgt, 0, space_tgt, min(1, space_tgt), place=right) if space_tgt else 0,
    }


def _triangle(shown: ShownModel) -> None:
    """Draws the decoder's mask without padding, and what it leaves of the sentence to one word that is being written."""
    above = st.container()
    clicked = document.picture(
        mask.of(shown, "causal", pad_src=0, pad_tgt=0),
        _("1: may be looked at. ×: covered, since it comes later. Press a row.")
        if shown.cfg.causal
        else _("1 = may attend. The causal mask of this model is switched off: every word may attend to every other."),
        "mask-1",
        clickable=True,
    )
    if clicked is not None:
        set_next("mask_row", int(clicked["y"]))
    words = shown.vocabulary.decode(shown.tgt)
    with pickers.line():
        row = pick("mask_row", _("the newest word"), words, default=min(2, len(words) - 1))
    open_to = row + 1 if shown.cfg.causal else len(words)
    seen = [f":blue-background[**{plain(word)}**]" for word in words[:open_to]]
    covered = [f":gray[~~{plain(word)}~~]" for word in words[open_to:]]
    above.markdown(_("The next word may look at {words}").format(words="  ".join([*seen, *covered])))


def _details(shown: ShownModel, padding: Mapping[str, int]) -> None:
    st.markdown(
        _(
            "Sentences that are computed together, a **batch**, form one table, in which all rows are equally long: so shorter "
            "ones are filled up with **padding**, which no word may attend to. In a mask, a row is a **query**, the word that "
            "looks, and a column a **key**, a word that is looked at."
        )
    )
    if shown.cfg.has_encoder:
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
        _the_triangle_alone(shown),
        _("Choose “cross”: the whole source is given from the start, and there is no triangle.")
        if shown.cfg.cross_attention
        else "",
    )
    document.the_code(padding_mask, causal_mask, attention, mask, stage_of_head)


def _the_triangle_alone(shown: ShownModel) -> str:
    if not shown.cfg.causal:
        return ""
    if shown.cfg.has_encoder:
        return _("Set both paddings to 0: of the decoder's mask only the triangle is left.")
    return _("Set the padding to 0: of the model's mask only the triangle is left.")


def _given(shown: ShownModel, src: Ids, tgt: Ids, label: Ids) -> None:
    pad = shown.vocabulary.pad
    document.section(_("What the model is given"))
    given = {_("source"): src, _("decoder input"): tgt, _("label"): label}
    if not shown.cfg.has_encoder:
        given = {_("text so far"): tgt, _("label"): label}
    width = max(map(len, given))
    rows = []
    for name, ids in given.items():
        tokens = [f"{token}\N{NO-BREAK SPACE}{i}" for token, i in zip(shown.vocabulary.decode(ids), ids, strict=True)]
        rows.append("   ".join([name.ljust(width), *tokens]))
    st.code("\n".join(rows), None, wrap_lines=True)
    document.caption(
        _(
            "each token with its id. The decoder input is the target shifted right by one place, behind the start token; the "
            "label is the token to be predicted at each place."
        )
        if shown.cfg.has_encoder
        else _("each token with its id. The label is the token to be predicted at each place: the one behind it.")
    )
    counted = sum(i != pad for i in label)
    words = n_(
        "{counted} of {n} label counts towards the loss; padding, id {pad}, does not.",
        "{counted} of {n} labels count towards the loss; padding, id {pad}, does not.",
        len(label),
    )
    st.caption(words.format(counted=counted, n=len(label), pad=pad))


def _tiles(shown: ShownModel, padding: Mapping[str, int], names: tuple[Mask, ...]) -> None:
    causal = (
        _("1 = may attend, × = masked. Row i may attend to columns 0 to i: a lower triangle.")
        if shown.cfg.causal
        else _("1 = may attend. The causal mask of this model is switched off: every word may attend to every other.")
    )
    captions: dict[Mask, tuple[str, str]] = {
        "source padding": (
            _("source padding: the encoder's mask") if shown.cfg.has_encoder else _("padding"),
            _("1 = may attend, × = masked. The columns of the padding are closed to every query."),
        ),
        "causal": (_("causal: in the decoder alone") if shown.cfg.causal and shown.cfg.has_encoder else _("causal"), causal),
        "target": (
            _("both: the decoder's mask") if shown.cfg.has_encoder else _("both: the model's mask"),
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
            document.picture(mask.of(shown, name, **padding), how_to_read, f"mask-{list(captions).index(name)}")


def _softmax(shown: ShownModel, padding: Mapping[str, int]) -> None:
    document.section(_("Before and after the softmax"))
    kind, layer, head = pickers.which_head(shown.cfg, place=pickers.row("softmax"))
    highlight("mask", kind, layer=layer)
    left, right = st.columns(2)
    with left:
        how = _("the scores of one head. Masked cells (×) are set to −∞.")
        document.picture(stage_of_head.of(shown, kind, layer, head, "masked_scores", **padding), how, "masked-scores")
    with right:
        how = _(
            "each row shares a total of 1 among its open cells; a masked cell gets 0. Rows of padding get weights as well, but "
            "what they produce is never used."
        )
        document.picture(stage_of_head.of(shown, kind, layer, head, "weights", **padding), how, "masked-weights")
