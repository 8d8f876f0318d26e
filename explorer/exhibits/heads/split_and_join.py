"""The split of the width into heads, their joining, and a wrong split that has the right shape."""

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np
import streamlit as st

from explorer.exhibits.shared.softmax import softmax
from explorer.figures.attention import axes_of, vectors
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.figures.split import cut, origin
from explorer.i18n import _, n_
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Head, Kind, Layer, drawn, numbers
from explorer.ui import document, pickers
from explorer.ui.format import small
from explorer.ui.widgets import choose
from transformer_core import MultiHeadAttention
from transformer_core.analysis.head_split import HeadSplits, SplitStep, head_splits, split_steps
from transformer_core.analysis.run import Run
from transformer_core.analysis.score_functions import total_variation
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import AttentionKind

DRAWN = 64  # rows that a picture of the weights has room for
ROWS = 24  # rows that a picture of the heads has room for, those of all heads counted together

Size = Literal["model", "8-2", "1000-4"]  # d_model and heads of the two splits: the model's, or for practice
Chosen = tuple[AttentionKind, int, int, Size]  # kind, layer, head and sizes

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def right_split(x: np.ndarray, n_heads: int) -> np.ndarray:
    """As the model does it: split the last axis, then transpose. Shape: (token, d_model) -> (head, token, d_k)"""
    return x.reshape(len(x), n_heads, -1).swapaxes(0, 1)


def wrong_split(x: np.ndarray, n_heads: int) -> np.ndarray:
    """The same shape without transposing: the numbers are only reshaped, and tokens get mixed up.

    Shape: (token, d_model) -> (head, token, d_k)
    """
    return x.reshape(n_heads, len(x), -1)


@numbers()
def origin_right(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The token that each number of the heads comes from under the right split: the heads, one below the other.
    Shape: (head · token, d_k)
    """
    d_model, n_heads = sizes_of(run.cfg, split_size)
    tokens = np.arange(len(run.attention(kind, layer).queries))
    return right_split(np.repeat(tokens[:, None], d_model, axis=1), n_heads).reshape(-1, d_model // n_heads)


@numbers()
def origin_wrong(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The token that each number of the heads comes from under the wrong split: the heads, one below the other.
    Shape: (head · token, d_k)
    """
    d_model, n_heads = sizes_of(run.cfg, split_size)
    tokens = np.arange(len(run.attention(kind, layer).queries))
    return wrong_split(np.repeat(tokens[:, None], d_model, axis=1), n_heads).reshape(-1, d_model // n_heads)


@numbers(
    recorded=lambda run, kind, layer, head, split_size: np.concatenate([*run.attention(kind, layer).projected("q")], axis=-1)
)
def projected(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The queries of all heads in one matrix: x · W_Q (section 3.2.2). Shape: (query, d_model)"""
    part = run.attention(kind, layer)
    w_q, bias = part.weights("w_q")
    return part.input @ w_q + bias


@numbers()
def head_matrix(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """One head's part of W_Q. Shape: (d_model, d_k)"""
    w_q, _bias = run.attention(kind, layer).weights("w_q")
    return right_split(w_q, run.cfg.n_heads)[head]


@numbers(recorded=lambda run, kind, layer, head, split_size: run.attention(kind, layer).projected("q")[head])
def head_q(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The queries of one head: its columns of x · W_Q. Shape: (query, d_k)"""
    return right_split(projected(run, kind, layer, head, split_size), run.cfg.n_heads)[head]


@numbers()
def splits(run: Run, kind: Kind, layer: Layer) -> HeadSplits:
    """The attention with its queries, keys and values split rightly, and wrongly."""
    part = run.attention(kind, layer)
    assert isinstance(part.module, MultiHeadAttention)
    return head_splits(part.module, part.input, part.memory, part.allowed)


@numbers()
def split_weights(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The weights of one head under the right split and under the wrong one. Shape: (split, query, key)"""
    weights = splits(run, kind, layer)
    both = np.stack([weights.right_weights[head], weights.wrong_weights[head]])
    return np.where(run.attention(kind, layer).allowed, both, np.nan)


@split_weights.formula
def split_by_formula(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The weights of one head, softmax(QKᵀ / √d_k), where Q and K are split rightly and wrongly. Shape: (split, query, key)"""
    part = run.attention(kind, layer)
    (w_q, b_q), (w_k, b_k) = part.weights("w_q"), part.weights("w_k")
    queries, keys = part.input @ w_q + b_q, part.memory @ w_k + b_k  # (query, d_model), (key, d_model): of all heads
    both = []
    for split in (right_split, wrong_split):
        q, k = split(queries, run.cfg.n_heads)[head], split(keys, run.cfg.n_heads)[head]  # (query, d_k), (key, d_k)
        both.append(softmax(np.where(part.allowed, q @ k.T / np.sqrt(run.cfg.d_k), -np.inf)))
    return np.where(part.allowed, np.stack(both), np.nan)


@numbers(recorded=lambda run, kind, layer, head, split_size: run.attention(kind, layer)["concat"])
def concat(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The outputs of all heads side by side: Concat(head_1, …, head_h) (section 3.2.2). Shape: (query, d_model)"""
    return np.concatenate([*run.attention(kind, layer)["context"]], axis=-1)


@numbers()
def mixed(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """The outputs of all heads, mixed by W_O. Shape: (query, d_model)"""
    return run.attention(kind, layer)["output"]  # Concat(head_1, …, head_h) · W_O, unless the whole part is cut


@mixed.formula
def mixed_by_formula(run: Run, kind: Kind, layer: Layer, head: Head, split_size: Size) -> np.ndarray:
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) · W_O (section 3.2.2). Shape: (query, d_model)"""
    w_o, bias = run.attention(kind, layer).weights("w_o")
    return concat(run, kind, layer, head, split_size) @ w_o + bias


def sizes_of(cfg: TransformerConfig, split_size: str) -> tuple[int, int]:
    """Returns d_model and the number of heads of the two splits: the model's, or those for practice."""
    if split_size == "model":
        return cfg.d_model, cfg.n_heads
    d_model, n_heads = map(int, split_size.split("-"))
    return d_model, n_heads


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(origin_right)
def _draw_right(tokens: np.ndarray, shown: ShownModel, **chosen: Any) -> Matrices:
    return _draw_origin(right_split, tokens, shown, **chosen)


@drawn(origin_wrong)
def _draw_wrong(tokens: np.ndarray, shown: ShownModel, **chosen: Any) -> Matrices:
    return _draw_origin(wrong_split, tokens, shown, **chosen)


def _draw_origin(
    split: Callable[[np.ndarray, int], np.ndarray],
    tokens: np.ndarray,
    shown: ShownModel,
    *,
    kind: AttentionKind,
    layer: int,
    head: int,
    split_size: Size,
) -> Matrices:
    labels, (d_model, n_heads) = shown.attention(kind, layer).map.query_labels, sizes_of(shown.cfg, split_size)
    length, n = len(labels), _heads_drawn(n_heads, len(labels))
    dimensions = split(np.tile(np.arange(d_model), (length, 1)), n_heads)
    return origin(tokens.reshape(n_heads, length, -1)[:n], dimensions[:n], labels=labels)


def _heads_drawn(n_heads: int, length: int) -> int:
    """Returns how many heads there is room for."""
    return max(1, min(n_heads, ROWS // length))


@drawn(projected)
def _draw_projected(queries: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: Any) -> Matrices:
    axes = axes_of(shown.attention(kind, layer).map)
    return cut(queries, rows=axes["rows"], n_heads=shown.cfg.n_heads, row_title=axes["row_title"])


@drawn(head_matrix)
def _draw_matrix(w_q: np.ndarray, _shown: ShownModel, **_chosen: Any) -> Matrices:
    part = w_q[:DRAWN]
    return matrix(
        part,
        rows=len(part),
        columns=part.shape[1],
        row_title=_("dimension of x"),
        column_title=_("dimension of the head"),
        signed=True,
        cell=8,
    )


@drawn(head_q)
def _draw_queries(queries: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: Any) -> Matrices:
    return vectors(queries, shown.attention(kind, layer).map.query_labels)


@drawn(split_weights)
def _draw_weights(weights: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: Any) -> Matrices:
    axes = axes_of(shown.attention(kind, layer).map)
    return matrices(weights, names=[_("right split"), _("wrong split")], wide=2, size=300, **axes)


@drawn(concat)
def _draw_concat(outputs: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: Any) -> Matrices:
    return cut(outputs, rows=shown.attention(kind, layer).map.query_labels, n_heads=shown.cfg.n_heads)


@drawn(mixed)
def _draw_mixed(outputs: np.ndarray, shown: ShownModel, *, kind: AttentionKind, layer: int, **_chosen: Any) -> Matrices:
    return cut(outputs, rows=shown.attention(kind, layer).map.query_labels, n_heads=1)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """The split by origin."""
    kind, layer = pickers.which_attention(shown.cfg, "cross")
    sized, sizes = _("d_model {d}, {h} heads"), get_args(Size)
    titles: dict[Size, str] = {"model": _("this model")}
    for name in sizes[1:]:
        d_model, n_heads = sizes_of(shown.cfg, name)
        titles[name] = sized.format(d=d_model, h=n_heads)
    size = choose("split_size", _("sizes"), list(titles), titles, help=_("Of this model, or for practice."))
    _origin(shown, (kind, layer, 0, size), "right", ".unflatten(-1, (n_heads, -1)).transpose(1, 2)")
    document.details("split_and_join", lambda: _details(shown, kind, layer, size))


def _details(shown: ShownModel, kind: AttentionKind, layer: int, size: Size) -> None:
    """Draws the steps as shapes, on the model's own numbers, joined again, and done wrongly."""
    d_model, n_heads = sizes_of(shown.cfg, size)
    words = shown.attention(kind, layer).map
    document.section(_("Split, attend, concatenate: the shapes"))
    _shapes(d_model, n_heads, len(words.query_labels), len(words.key_labels))

    document.section(_("On this model's numbers"))
    head = choose("head", _("head"), range(shown.cfg.n_heads))
    chosen, weights = (kind, layer, head, size), splits(run_of(shown), kind, layer)
    _numbers(shown, chosen, weights)

    document.section(_("Joined again"))
    _joined(shown, chosen, weights)

    document.section(_("A bug that raises no error: reshaped, and not transposed"))
    _bug(shown, chosen, weights)
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"W_i^Q,W_i^K,W_i^V\in\mathbb{R}^{d_{model}\times d_k},\\ W^O\in\mathbb{R}^{hd_v\times d_{model}}\end{gathered}",
        _("Section 3.2.2 of the paper. The h small matrices lie side by side in one large one; the split comes afterwards."),
    )
    document.try_this(
        _("Choose “d_model 8, 2 heads”: every cell has room for its token and its dimension."),
        _("Set **heads** to 1: there is nothing to split, and both splits are the same."),
    )
    document.the_code(right_split, wrong_split, origin_right, origin_wrong, projected, head_q, concat)


@shared_cache(2**20)
def _steps(d_model: int, n_heads: int, length: int, keys: int) -> list[SplitStep]:
    """Returns the shapes of attention, step by step, for one sentence."""
    return split_steps(d_model, n_heads, 1, length, keys)


def _shapes(d_model: int, n_heads: int, length: int, keys: int) -> None:
    """The table of steps."""
    st.dataframe(
        [
            {
                _("step"): i + 1,
                _("code"): step.code,
                _("shape"): str(step.shape),
                _("axes"): "(" + ", ".join(step.axes) + ")",
            }
            for i, step in enumerate(_steps(d_model, n_heads, length, keys))
        ],
        hide_index=True,
    )
    document.caption(
        n_(
            "the width of {d} stays one head of {k} dimensions. Each line is applied to the result of the line above; k and v "
            "are split like q.",
            "the width of {d} becomes {h} heads of {k} dimensions. Each line is applied to the result of the line above; k and "
            "v are split like q. From step 4 to step 6, each head is a narrower sequence of its own.",
            n_heads,
        ).format(d=d_model, h=n_heads, k=d_model // n_heads)
    )


def _origin(shown: ShownModel, chosen: Chosen, split: str, code: str) -> np.ndarray:
    """Draws the token that each number of the heads came from, under one of the splits; returns them.

    Shape: -> (head, token, d_k)
    """
    picture = (origin_right if split == "right" else origin_wrong).of(shown, *chosen)
    kind, layer, _head, size = chosen
    _d_model, n_heads = sizes_of(shown.cfg, size)
    length = len(shown.attention(kind, layer).map.query_labels)
    tokens, n = picture.values.reshape(n_heads, length, -1), _heads_drawn(n_heads, length)
    if n == n_heads:
        words = _(
            "the colour of a cell (and its number, where it fits) is the token that it came from. {share:.0%} are in the row "
            "of another token."
        )
    else:
        words = _(
            "the colour of a cell (and its number, where it fits) is the token that it came from. {share:.0%} are in the row "
            "of another token. Shown are the first {n} of {all} heads."
        )
    st.code(code, None, wrap_lines=True)
    misplaced = (tokens != np.arange(length)[:, None]).mean()
    document.picture(picture, words.format(share=misplaced, n=n, all=n_heads))
    return tokens


def _bug(shown: ShownModel, chosen: Chosen, weights: HeadSplits) -> None:
    """The wrong split by origin, and the weights that follow from it."""
    tokens, head = _origin(shown, chosen, "wrong", ".view(batch, n_heads, length, d_k)"), chosen[2]
    own = np.arange(tokens.shape[1])[:, None]
    st.markdown(
        _(
            "It has the **same shape** as the right split, so no error is raised. But it leaves **{share:.0%}** of the numbers "
            "in the row of another token, and **{later:.0%}** in that of an earlier one, where no causal mask can hide them."
        ).format(share=(tokens != own).mean(), later=(tokens > own).mean())
    )
    how = _(
        "the attention weights of head {i} from the same numbers, split rightly and wrongly. To get from one to the other, a "
        "query would have to move {away:.0%} of its attention, on average."
    )
    away = total_variation(weights.right_weights[head], weights.wrong_weights[head])
    document.picture(split_weights.of(shown, *chosen), how.format(i=head, away=away))


def _numbers(shown: ShownModel, chosen: Chosen, weights: HeadSplits) -> None:
    """The model's own queries, split."""
    head = chosen[2]
    how = _("step 2, w_q(x): the queries of all heads in one matrix, one row per word.")
    document.picture(projected.of(shown, *chosen), how)
    left, right = st.columns(2)
    with left:
        st.markdown(_("$W^Q$ **of head {i}**: its part of the large matrix").format(i=head))
        picture = head_matrix.of(shown, *chosen)
        rows, width = picture.values.shape
        words = _("each row says what one dimension of x adds to q: {m} × {k} numbers.")
        if rows > DRAWN:
            words = _(
                "each row says what one dimension of x adds to q: {m} × {k} numbers, of which the first {n} rows are shown."
            )
        document.picture(picture, words.format(m=rows, k=width, n=DRAWN))
    with right:
        st.markdown(_("**q of head {i}**: x times this matrix, or this head's part of step 2").format(i=head))
        how = _("one row per word. Computed both ways, for all heads, the numbers differ by {delta} at most (rounding).")
        document.picture(head_q.of(shown, *chosen), how.format(delta=small(weights.alone)))


def _joined(shown: ShownModel, chosen: Chosen, weights: HeadSplits) -> None:
    """The contexts of all heads side by side, and what W^O makes of them."""
    left, right = st.columns(2)
    with left:
        st.markdown(_("**concat**: the outputs of the heads side by side"))
        how = _("steps 7 and 8. The difference from the outputs of the heads is {delta}: joining computes nothing.")
        document.picture(concat.of(shown, *chosen), how.format(delta=small(weights.joined)))
    with right:
        st.markdown(_("**concat ·** $W^O$: mixed into one output per word"))
        how = _("step 9. Here the heads meet for the first time: every number is made of all their outputs.")
        document.picture(mixed.of(shown, *chosen), how)
