"""Every head of the model at once, as small matrices; the one that is pressed is opened below, as lines and as a matrix."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.components import attention_view, matrices
from explorer.components.attention_view import Cutting, Without
from explorer.exhibits.heads import after_an_edit
from explorer.exhibits.heads.head_patterns import PATTERNS, Padding, shares
from explorer.exhibits.shared.softmax import attention_weights
from explorer.figures import matrix
from explorer.figures.attention import Scale, axes_of, tops
from explorer.figures.matrix import Matrices
from explorer.i18n import N_, _, n_
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.attention import lines
from explorer.pictures.choices import PaddedAttentionChoices
from explorer.pictures.exhibit import DrawnNumbers, Kind, drawn, numbers
from explorer.ui import cuts, document, more, navigation, pickers
from explorer.ui.fragment import fragment
from explorer.ui.widgets import set_next
from transformer_core import MultiHeadAttention
from transformer_core.analysis.cutting import HeadCut, PartCut
from transformer_core.analysis.run import Run
from transformer_core.model.stages import AttentionKind, attention_kinds, attention_path

_OPENED = "opened"  # the box of the head that is large
_NARROWEST = 34  # px of a matrix: below, its title has no room
_HIGHEST = 200  # px of a matrix
_PLACES = ("same place", "place before", "place after", "first")  # the first relations of `head_patterns.shares`
_MOST = 0.5  # more than this share of its attention is most of it

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def every_head(run: Run, kind: Kind, patterns_padding: Padding = 0, scale: Scale = "1") -> np.ndarray:
    """The weights of every head of every layer, layer by layer: softmax(QKᵀ / √d_k), section 3.2.1 of the paper.
    Shape: (layer × head, query, key)
    """
    padded = run.padded(patterns_padding, patterns_padding)
    parts = [padded.attention(kind, layer) for layer in range(run.cfg.n_layers)]
    return np.concatenate([np.where(part.allowed_by_head, part["weights"], np.nan) for part in parts])


@every_head.formula
def every_head_by_formula(run: Run, kind: Kind, patterns_padding: Padding = 0, scale: Scale = "1") -> np.ndarray:
    """The weights of every head of every layer, layer by layer; what may not be attended to is left out.
    Shape: (layer × head, query, key)
    """
    padded = run.padded(patterns_padding, patterns_padding)
    parts = [padded.attention(kind, layer) for layer in range(run.cfg.n_layers)]
    return np.concatenate([np.where(part.allowed_by_head, attention_weights(part), np.nan) for part in parts])


@numbers()
def favourite_places(run: Run, kind: Kind, patterns_padding: Padding) -> np.ndarray:
    """The place that each head gives more than half of its attention to, on average over the words that have it: an index in
    `_PLACES`, −1 for none. Shape: (layer × head,)
    """
    found = []
    for layer in range(run.cfg.n_layers):
        by_place = np.nan_to_num(shares(run, kind, layer, patterns_padding, False)[:-1, : len(_PLACES)])  # (head, place)
        found.append(np.where(by_place.max(axis=1) > _MOST, by_place.argmax(axis=1), -1))
    return np.concatenate(found)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(every_head)
def _draw_heads(
    weights: np.ndarray, shown: ShownModel, *, kind: AttentionKind, patterns_padding: int, scale: Scale
) -> Matrices:
    padding = patterns_padding, patterns_padding
    attentions = [shown.attention(kind, layer, padding) for layer in range(shown.cfg.n_layers)]
    first, heads = attentions[0].map, shown.cfg.n_heads
    queries, keys = first.allowed.shape
    names = [_name(*divmod(i, heads)) for i in range(len(weights))]
    drawn = matrix.matrices(
        np.nan_to_num(weights),
        valid=np.isfinite(weights),
        names=names,
        top=1.0 if scale == "1" else [top for each in attentions for top in tops(each.map, scale)],
        alt=_alt(weights, first.query_labels, first.key_labels, names),
        wide=heads,
        **axes_of(first),
    )
    return replace(
        drawn,
        overview=True,
        cell=_HIGHEST / queries,
        narrowest=_NARROWEST / keys,
        crossed=_crossed(shown, kind),
        cut_cells=_cut_cells(attentions, heads) if shown.choice.cuts else None,
    )


def _name(layer: int, head: int) -> str:
    return f"{layer} · {head}"


def _alt(weights: np.ndarray, queries: list[str], keys: list[str], names: list[str]) -> str:
    if not np.isfinite(weights).any():
        return _("{n} matrices of {rows} by {columns} weights, all masked").format(
            n=len(names), rows=len(queries), columns=len(keys)
        )
    panel, query, key = np.unravel_index(np.nanargmax(weights), weights.shape)
    return _(
        "{n} matrices of {rows} by {columns} weights, named layer · head; the largest weight is {top:.2f}, in {name}, row "
        "“{query}”, column “{key}”"
    ).format(
        n=len(names), rows=len(queries), columns=len(keys), top=float(weights[panel, query, key]), name=names[panel],
        query=queries[query], key=keys[key],
    )  # fmt: skip


def _crossed(shown: ShownModel, kind: AttentionKind) -> list[int]:
    """Returns the matrices of heads whose output is cut out, alone or with all of their sublayer."""
    cfg, made = shown.cfg, shown.choice.cuts.made
    every = [(layer, head) for layer in range(cfg.n_layers) for head in range(cfg.n_heads)]
    return [
        i
        for i, (layer, head) in enumerate(every)
        if HeadCut(kind, layer, head) in made or PartCut(attention_path(kind, layer)) in made
    ]


def _cut_cells(attentions: list[ShownAttention], heads: int) -> np.ndarray | None:
    """Returns the links that are cut, if any. Shape: -> (layer × head, query, key) booleans"""
    cells = np.stack([attention.cut_pairs(head) for attention in attentions for head in range(heads)])
    return cells if cells.any() else None


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Every attention of the model, and one of its heads large."""
    kind, layer, head = pickers.which_head(shown.cfg, "cross")
    with more.controls():
        padding, scale = pickers.padding(shown), pickers.scale()
    kinds = attention_kinds(shown.cfg)
    for place, each in zip(st.columns(len(kinds), gap="medium"), kinds, strict=True):
        with place:
            picture = every_head.of(shown, each, padding, scale)
            _overview(picture, each, shown.cfg.n_heads, _name(layer, head) if each == kind else "")
    how_to_read = _(
        "each small matrix is a head, named layer · head: rows are queries, columns keys. Press one to open it below."
    )
    document.caption(how_to_read)
    after_an_edit.draw(shown, kinds, padding=padding)
    st.markdown(_favourites(shown, padding))
    with st.container(key=_OPENED):
        _opened(shown, shown.attention(kind, layer, (padding, padding)), head, padding)
    document.details("every_head", lambda: _details(shown))


_WHO_LOOKS: dict[AttentionKind, str] = {
    "encoder": N_("the words that are read look at one another."),
    "decoder": N_("the words that are written look at one another."),
    "cross": N_("the words that are written look at those that are read."),
}


def _overview(picture: DrawnNumbers[np.ndarray], kind: AttentionKind, heads: int, chosen: str) -> None:
    """Draws all heads of one kind, `chosen` outlined."""

    def open_head(panel: int, _row: int, _column: int) -> None:
        layer, head = divmod(panel, heads)
        for name, value in (("kind", kind), ("layer", layer), ("head", head)):
            set_next(name, value)

    st.markdown(f"**{pickers.kind_titles()[kind]}**")
    drawing = replace(picture.drawing, chosen=chosen)
    matrices.show(drawing, f"every-head-{kind}", live=picture.live, on_click=open_head, opens=_OPENED)
    document.caption(_(_WHO_LOOKS[kind]))


def _favourites(shown: ShownModel, padding: int) -> str:
    """Says how many heads give most of their attention to one place, and to which."""
    found = np.concatenate([favourite_places(run_of(shown), kind, padding) for kind in attention_kinds(shown.cfg)])
    n = int((found >= 0).sum())
    if not n:
        words = _("Here none of the {all} heads gives, on average, more than half of its attention to one place.")
        return words.format(all=len(found))
    counts = {_(PATTERNS[place]): int((found == i).sum()) for i, place in enumerate(_PLACES)}
    listed = _(", ").join(f"{place} ({count})" for place, count in sorted(counts.items(), key=lambda each: -each[1]) if count)
    words = n_(
        "Here **{n} of {all} heads** gives, on average, more than half of its attention to one place: {places}.",
        "Here **{n} of {all} heads** give, on average, more than half of their attention to one place: {places}.",
        n,
    )
    return words.format(n=n, all=len(found), places=listed)


@fragment  # selecting a word concerns nothing else on the page; what is cut concerns all of it
def _opened(shown: ShownModel, attention: ShownAttention, head: int, padding: int) -> None:
    """Draws one head large."""
    cuts.redraw_if_cut()
    kind, layer = attention.kind, attention.layer
    title = _("{attention} · layer {layer} · head {head}")
    st.markdown(f"**{title.format(attention=pickers.kind_titles()[kind], layer=layer, head=head)}**")
    attention_view.show(
        attention.map,
        "opened-head",
        heads=[head],
        tools=more.is_on(),
        live=lines.live(PaddedAttentionChoices(kind, layer, padding)),
        on_cut=cuts.add_clicked,
        cutting=None if cuts.are_locked() else Cutting(kind, layer, shown.cfg.n_layers, cuts.cut_text(), cuts.MOST),
        without=Without.of(shown.choice.cuts.made, kind, layer),
    )
    document.caption(_("the thicker a line, the larger the weight; the matrix holds the same numbers."))
    navigation.link("attention", _("How each of these weights is computed"))


def _details(shown: ShownModel) -> None:
    document.try_this(
        _("Move **learned for** in the sidebar from step 0 to the end: which matrices change first?"),
        _("Find two heads that look alike. Cut one: does the answer change?"),
        _("Compare the encoder’s matrices with the decoder’s: which half stays grey there, and why?")
        if shown.cfg.has_encoder
        else "",
    )
    document.the_code(MultiHeadAttention, every_head, favourite_places)
