"""How the width is cut into heads and joined again, and the cut that has the right shape and the wrong numbers."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.matrix import matrices, matrix
from explorer.figures.split import cut, origin
from explorer.state import ATTENTIONS, ModelKey, Site, View, model_of, run_of
from explorer.words import _
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


def split_and_join(view: View) -> None:
    """The split as shapes, rightly and wrongly by origin, on the open model's numbers, and joined again."""
    kind, layer = controls.which_attention(view.cfg, "cross")
    site = Site(view, kind, layer)
    document.section(_("1 · Cut, attend, join: the shapes"))
    own = _("this model")
    size = controls.choose(
        "split_size", _("sizes"), [own, "8 in 2", "1000 in 4"], _("d_model in so many heads; the last is often used in lessons")
    )
    sizes = {own: (view.cfg.d_model, view.cfg.n_heads), "8 in 2": (8, 2), "1000 in 4": (1000, 4)}
    d_model, n_heads = sizes[size]
    labels = site.query_labels
    _shapes(d_model, n_heads, len(labels), len(site.key_labels))

    document.section(_("2 · The right cut, and one that only looks right"))
    _origins(d_model, n_heads, labels)

    document.section(_("3 · The same on this model's numbers"))
    head = controls.choose("head", _("head"), range(view.cfg.n_heads))
    found = _twice(view.key, view.src, view.tgt, kind, layer)
    _numbers(site, found, head)

    document.section(_("4 · Joined again"))
    _joined(site, found)
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"W_i^Q,W_i^K,W_i^V\in\mathbb{R}^{d_{model}\times d_k},\\ W^O\in\mathbb{R}^{hd_v\times d_{model}}\end{gathered}",
        _("Section 3.2.2 of the paper. The h small matrices lie side by side in one large one; cutting comes afterwards."),
    )
    document.try_this(
        _("Choose “8 in 2”: every cell has room for its token and its dimension."),
        _("Turn **heads** to 1: both cuts are the same, for there is nothing to cut."),
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
                _("sides"): "(" + ", ".join(step.axes) + ")",
            }
            for i, step in enumerate(split_steps(d_model, n_heads, 1, length, keys))
        ],
        hide_index=True,
    )
    document.reading(
        _(
            "the width of {d} becomes {h} heads of {k}. Each line is done to the result of the one above (k and v are cut "
            "like q). From step 4 on, every head is a sentence of its own, narrower; nothing is added and nothing lost."
        ).format(d=d_model, h=n_heads, k=d_model // n_heads)
    )


def _origins(d_model: int, n_heads: int, labels: list[str]) -> None:
    """Which token each number of the heads came from, under both cuts."""
    found = origins(len(labels), d_model, n_heads)
    drawn = max(1, min(n_heads, _DRAWN // len(labels)))
    codes = {
        "right": (_("right: cut, then swap"), ".unflatten(-1, (n_heads, -1)).transpose(1, 2)"),
        "wrong": (_("wrong: only counted off anew"), ".view(batch, n_heads, length, d_k)"),
    }
    for place, (name, (title, code)) in zip(st.columns(2), codes.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            st.code(code, None, wrap_lines=True)
            each = found[name]
            some = "" if drawn == n_heads else " " + _("The first {n} of {all} heads.").format(n=drawn, all=n_heads)
            words = _(
                "the colour of a cell (and its number, while it fits) is the token it came from. {share:.0%} stand in the row "
                "of another token."
            )
            document.figure(
                origin(each.token[:drawn], each.dimension[:drawn], labels=labels),
                f"origin-{name}",
                words.format(share=each.misplaced) + some,
            )
    st.markdown(
        _(
            "Both have the **same shape**, so nothing complains. But with the wrong one **{share:.0%}** of the numbers stand "
            "in the row of another token, and **{later:.0%}** in that of an earlier one: no causal mask can hide those."
        ).format(share=found["wrong"].misplaced, later=found["wrong"].from_later)
    )


def _numbers(site: Site, found: HeadSplits, head: int) -> None:
    """The model's own queries, cut both ways, and the weights that follow."""
    labels, d_k = site.query_labels, site.view.cfg.d_k
    document.figure(
        cut(found.projected, rows=labels, n_heads=site.view.cfg.n_heads, row_title=site.asks),
        "projected",
        _("step 2, w_q(x): all heads' queries in one matrix, one row per word."),
    )
    dims = _("dimension of the head")
    left, right = st.columns(2)
    with left:
        st.markdown(_("$W^Q$ **of head {i}**: its part of the large matrix").format(i=head))
        part = found.w_q[head][:_DRAWN]
        some = "" if len(part) == site.view.cfg.d_model else " " + _("The first {n} rows.").format(n=len(part))
        document.figure(
            matrix(part, rows=len(part), columns=d_k, row_title=_("dimension of x"), column_title=dims, signed=True, cell=8),
            "head-matrix",
            _("{m} by {k} numbers.").format(m=site.view.cfg.d_model, k=d_k) + some,
        )
    with right:
        st.markdown(_("**q of head {i}**: x times that, or that part of step 2").format(i=head))
        document.figure(
            matrix(found.right[head], rows=labels, columns=d_k, column_title=dims, signed=True, cell=22),
            "head-q",
            _("computed both ways, for all heads: they differ by {delta:.0e} at most (rounding).").format(delta=found.alone),
        )
    weights = [found.right_weights[head], found.wrong_weights[head]]
    away = total_variation(*weights)
    document.figure(
        matrices(weights, names=[_("right cut"), _("wrong cut")], wide=2, size=300, **site.axes),
        "cut-weights",
        _(
            "the weights of head {i} from the same numbers, cut rightly and wrongly. A word would have to move {away:.0%} of "
            "its attention, on average, to get from one to the other."
        ).format(i=head, away=away),
    )


def _joined(site: Site, found: HeadSplits) -> None:
    """The contexts of all heads side by side, and what W^O makes of them."""
    left, right = st.columns(2)
    with left:
        st.markdown(_("**concat**: the heads' answers side by side"))
        document.figure(
            cut(site["concat"], rows=site.query_labels, n_heads=site.view.cfg.n_heads),
            "concat",
            _("steps 7 and 8. Beside the heads' own answers it differs by {delta:.0e}: joining computes nothing.").format(
                delta=found.joined
            ),
        )
    with right:
        st.markdown(_("**concat ·** $W^O$: mixed into one answer per word"))
        document.figure(
            cut(site["output"], rows=site.query_labels, n_heads=1),
            "mixed",
            _("step 9. Here the heads' answers meet for the first time: each number is made of all of them."),
        )


@st.cache_data(max_entries=64, show_spinner=False)
def _twice(key: ModelKey, src: tuple[int, ...], tgt: tuple[int, ...], kind: str, layer: int) -> HeadSplits:
    stack, name = ATTENTIONS[kind]
    run = run_of(key, src, tgt)
    query, memory = (run[stage] for stage in input_stages(key.cfg.norm == "pre", stack, layer, name))
    allowed = np.isfinite(run[f"{stack}.{layer}.{name}.masked_scores"]).all(axis=0)
    return head_splits(getattr(getattr(model_of(key), stack)[layer], name), query, memory, allowed)
