"""How the width is split into heads and joined again, and the split that has the right shape and the wrong numbers."""

from collections.abc import Sequence

import streamlit as st

from explorer.figures.attention import axes_of
from explorer.figures.matrix import matrices, matrix
from explorer.figures.split import cut, origin
from explorer.i18n import _, n_
from explorer.inference.forward import model_of
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.shown_model import ShownModel
from explorer.ui import document, pickers
from explorer.ui.widgets import choose
from transformer_core import MultiHeadAttention
from transformer_core.analysis.head_split import (
    HeadSplits,
    head_splits,
    input_stages,
    origins,
    right_split,
    split_steps,
    wrong_split,
)
from transformer_core.analysis.score_functions import total_variation

_DRAWN = 64  # rows, or rows of all heads together, that a picture has room for


def draw(shown: ShownModel) -> None:
    """The split as shapes, rightly and wrongly by origin, on the model's own numbers, and joined again."""
    kind, layer = pickers.which_attention(shown.cfg, "cross")
    attention = shown.attention(kind, layer)
    queries, keys = attention.map.query_labels, attention.map.key_labels
    document.section(_("1 · Split, attend, concatenate: the shapes"))
    sizes = {"model": (shown.cfg.d_model, shown.cfg.n_heads), "8-2": (8, 2), "1000-4": (1000, 4)}
    sized = _("d_model {d}, {h} heads")
    titles = {"model": _("this model")} | {name: sized.format(d=sizes[name][0], h=sizes[name][1]) for name in ("8-2", "1000-4")}
    size = choose(
        "split_size", _("sizes"), list(sizes), titles, help=_("Sizes for parts 1 and 2, of this model or for practice.")
    )
    d_model, n_heads = sizes[size]
    _shapes(d_model, n_heads, len(queries), len(keys))

    document.section(_("2 · The right split, and one that only has the right shape"))
    _origins(d_model, n_heads, queries)

    document.section(_("3 · Both splits on this model's numbers"))
    head = choose("head", _("head"), range(shown.cfg.n_heads))
    found = _splits(attention)
    _numbers(attention, found, head)

    document.section(_("4 · Joined again"))
    _joined(attention, found)
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"W_i^Q,W_i^K,W_i^V\in\mathbb{R}^{d_{model}\times d_k},\\ W^O\in\mathbb{R}^{hd_v\times d_{model}}\end{gathered}",
        _("Section 3.2.2 of the paper. The h small matrices lie side by side in one large one; the split comes afterwards."),
    )
    document.try_this(
        _("Choose “d_model 8, 2 heads”: every cell has room for its token and its dimension."),
        _("Set **heads** to 1: both splits are the same, because there is nothing to split."),
    )
    document.the_code(right_split, wrong_split)


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
            for i, step in enumerate(split_steps(d_model, n_heads, 1, length, keys))
        ],
        hide_index=True,
    )
    document.reading(
        n_(
            "the width of {d} stays one head of {k} dimensions. Each line is applied to the result of the line above; k and v "
            "are split like q.",
            "the width of {d} becomes {h} heads of {k} dimensions. Each line is applied to the result of the line above; k and "
            "v are split like q. From step 4 to step 6, each head is a narrower sequence of its own.",
            n_heads,
        ).format(d=d_model, h=n_heads, k=d_model // n_heads)
    )


def _origins(d_model: int, n_heads: int, labels: Sequence[str]) -> None:
    """Which token each number of the heads came from, under both splits."""
    found = origins(len(labels), d_model, n_heads)
    drawn = max(1, min(n_heads, _DRAWN // len(labels)))
    if drawn == n_heads:
        words = _(
            "the colour of a cell (and its number, where it fits) is the token that it came from. {share:.0%} are in the row "
            "of another token."
        )
    else:
        words = _(
            "the colour of a cell (and its number, where it fits) is the token that it came from. {share:.0%} are in the row "
            "of another token. Shown are the first {n} of {all} heads."
        )
    codes = {
        "right": (_("right: split, then transpose"), ".unflatten(-1, (n_heads, -1)).transpose(1, 2)"),
        "wrong": (_("wrong: only reshape"), ".view(batch, n_heads, length, d_k)"),
    }
    for place, (name, (title, code)) in zip(st.columns(2), codes.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            st.code(code, None, wrap_lines=True)
            each = found[name]
            document.figure(
                origin(each.token[:drawn], each.dimension[:drawn], labels=labels),
                f"origin-{name}",
                words.format(share=each.misplaced, n=drawn, all=n_heads),
            )
    st.markdown(
        _(
            "Both have the **same shape**, so no error is raised. But the wrong split leaves **{share:.0%}** of the numbers in "
            "the row of another token, and **{later:.0%}** in that of an earlier one, where no causal mask can hide them."
        ).format(share=found["wrong"].misplaced, later=found["wrong"].from_later)
    )


def _numbers(attention: ShownAttention, found: HeadSplits, head: int) -> None:
    """The model's own queries, split both ways, and the weights that follow."""
    labels, (n_heads, _queries, d_k) = attention.map.query_labels, found.right.shape
    titles = axes_of(attention.map)
    document.figure(
        cut(found.projected, rows=labels, n_heads=n_heads, row_title=titles["row_title"]),
        "projected",
        _("step 2, w_q(x): the queries of all heads in one matrix, one row per word."),
    )
    dims = _("dimension of the head")
    left, right = st.columns(2)
    with left:
        st.markdown(_("$W^Q$ **of head {i}**: its part of the large matrix").format(i=head))
        part = found.w_q[head][:_DRAWN]
        if len(part) == len(found.w_q[head]):
            words = _("each row says what one dimension of x adds to q: {m} × {k} numbers.")
        else:
            words = _(
                "each row says what one dimension of x adds to q: {m} × {k} numbers, of which the first {n} rows are shown."
            )
        document.figure(
            matrix(part, rows=len(part), columns=d_k, row_title=_("dimension of x"), column_title=dims, signed=True, cell=8),
            "head-matrix",
            words.format(m=len(found.w_q[head]), k=d_k, n=len(part)),
        )
    with right:
        st.markdown(_("**q of head {i}**: x times this matrix, or this head's part of step 2").format(i=head))
        document.figure(
            matrix(found.right[head], rows=labels, columns=d_k, column_title=dims, signed=True, cell=22),
            "head-q",
            _(
                "one row per word. Computed both ways, for all heads, the numbers differ by {delta:.0e} at most (rounding)."
            ).format(delta=found.alone),
        )
    weights = [found.right_weights[head], found.wrong_weights[head]]
    document.figure(
        matrices(weights, names=[_("right split"), _("wrong split")], wide=2, size=300, valid=attention.map.allowed, **titles),
        "split-weights",
        _(
            "the weights of head {i} from the same numbers, split rightly and wrongly. To get from one to the other, a query "
            "would have to move {away:.0%} of its attention, on average."
        ).format(i=head, away=total_variation(*weights)),
    )


def _joined(attention: ShownAttention, found: HeadSplits) -> None:
    """The contexts of all heads side by side, and what W^O makes of them."""
    labels, n_heads = attention.map.query_labels, len(found.right)
    left, right = st.columns(2)
    with left:
        st.markdown(_("**concat**: the outputs of the heads side by side"))
        document.figure(
            cut(attention.stage("concat"), rows=labels, n_heads=n_heads),
            "concat",
            _("steps 7 and 8. The difference from the outputs of the heads is {delta:.0e}: joining computes nothing.").format(
                delta=found.joined
            ),
        )
    with right:
        st.markdown(_("**concat ·** $W^O$: mixed into one output per word"))
        document.figure(
            cut(attention.stage("output"), rows=labels, n_heads=1),
            "mixed",
            _("step 9. Here the heads meet for the first time: every number is made of all their outputs."),
        )


def _splits(attention: ShownAttention) -> HeadSplits:
    """The attention on screen, with what it reads split both ways."""
    choice, path = attention.choice, attention.path
    module = model_of(choice).get_submodule(path.module)
    assert isinstance(module, MultiHeadAttention)
    query, memory = (attention.forward[s] for s in input_stages(choice.cfg.norm == "pre", path.stack, path.layer, path.part))
    return head_splits(module, query, memory, attention.map.allowed)
