"""The split of the width into heads, their joining, and a wrong split that has the right shape."""

from dataclasses import replace

import streamlit as st

from explorer.i18n import _, n_
from explorer.inference.recomputed_attention import steps_of
from explorer.inference.shown_model import ShownModel
from explorer.pictures import split as pictures
from explorer.ui import document, pickers
from explorer.ui.format import small
from explorer.ui.widgets import choose
from transformer_core.analysis.head_split import HeadSplits, right_split, wrong_split
from transformer_core.analysis.score_functions import total_variation


def draw(shown: ShownModel) -> None:
    """The split by origin."""
    kind, layer = pickers.which_attention(shown.cfg, "cross")
    sized = _("d_model {d}, {h} heads")
    titles = {
        name: _("this model") if size is None else sized.format(d=size[0], h=size[1]) for name, size in pictures.SIZES.items()
    }
    size: pictures.Size = choose("split_size", _("sizes"), list(titles), titles, help=_("Of this model, or for practice."))
    choices = pictures.SplitChoices(kind, layer, head=0, split_size=size)
    _origin(shown, choices, "right", ".unflatten(-1, (n_heads, -1)).transpose(1, 2)")
    document.details("split_and_join", lambda: _more(shown, choices))


def _more(shown: ShownModel, choices: pictures.SplitChoices) -> None:
    """Draws the steps as shapes, on the model's own numbers, joined again, and done wrongly."""
    d_model, n_heads = pictures.sizes_of(shown, choices)
    words = shown.attention(choices.kind, choices.layer).map
    queries, keys = words.query_labels, words.key_labels
    document.section(_("Split, attend, concatenate: the shapes"))
    _shapes(d_model, n_heads, len(queries), len(keys))

    document.section(_("On this model's numbers"))
    head = choose("head", _("head"), range(shown.cfg.n_heads))
    choices = replace(choices, head=head)
    found = pictures.splits_of(shown, choices)
    _numbers(shown, choices, found, head)

    document.section(_("Joined again"))
    _joined(shown, choices, found)

    document.section(_("A bug that raises no error: reshaped, and not transposed"))
    _bug(shown, choices, found, head)
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\\\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"W_i^Q,W_i^K,W_i^V\in\mathbb{R}^{d_{model}\times d_k},\\ W^O\in\mathbb{R}^{hd_v\times d_{model}}\end{gathered}",
        _("Section 3.2.2 of the paper. The h small matrices lie side by side in one large one; the split comes afterwards."),
    )
    document.try_this(
        _("Choose “d_model 8, 2 heads”: every cell has room for its token and its dimension."),
        _("Set **heads** to 1: there is nothing to split, and both splits are the same."),
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
            for i, step in enumerate(steps_of(d_model, n_heads, length, keys))
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


def _origin(shown: ShownModel, choices: pictures.SplitChoices, split: str, code: str) -> None:
    """The token that each number of the heads came from, under one of the splits."""
    found, drawn = pictures.origins_of(shown, choices)
    _d_model, n_heads = pictures.sizes_of(shown, choices)
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
    st.code(code, None, wrap_lines=True)
    said = words.format(share=found[split].misplaced, n=drawn, all=n_heads)
    picture = pictures.origin_right if split == "right" else pictures.origin_wrong
    document.picture(picture(shown, choices), said)


def _bug(shown: ShownModel, choices: pictures.SplitChoices, found: HeadSplits, head: int) -> None:
    """The wrong split by origin, and the weights that follow from it."""
    _origin(shown, choices, "wrong", ".view(batch, n_heads, length, d_k)")
    wrong = pictures.origins_of(shown, choices)[0]["wrong"]
    st.markdown(
        _(
            "It has the **same shape** as the right split, so no error is raised. But it leaves **{share:.0%}** of the numbers "
            "in the row of another token, and **{later:.0%}** in that of an earlier one, where no causal mask can hide them."
        ).format(share=wrong.misplaced, later=wrong.from_later)
    )
    how = _(
        "the weights of head {i} from the same numbers, split rightly and wrongly. To get from one to the other, a query "
        "would have to move {away:.0%} of its attention, on average."
    )
    away = total_variation(found.right_weights[head], found.wrong_weights[head])
    document.picture(pictures.weights(shown, choices), how.format(i=head, away=away))


def _numbers(shown: ShownModel, choices: pictures.SplitChoices, found: HeadSplits, head: int) -> None:
    """The model's own queries, split."""
    how = _("step 2, w_q(x): the queries of all heads in one matrix, one row per word.")
    document.picture(pictures.projected(shown, choices), how)
    left, right = st.columns(2)
    with left:
        st.markdown(_("$W^Q$ **of head {i}**: its part of the large matrix").format(i=head))
        rows, width = found.w_q[head].shape
        words = _("each row says what one dimension of x adds to q: {m} × {k} numbers.")
        if rows > pictures.DRAWN:
            words = _(
                "each row says what one dimension of x adds to q: {m} × {k} numbers, of which the first {n} rows are shown."
            )
        document.picture(pictures.rows_of_head(shown, choices), words.format(m=rows, k=width, n=pictures.DRAWN))
    with right:
        st.markdown(_("**q of head {i}**: x times this matrix, or this head's part of step 2").format(i=head))
        how = _("one row per word. Computed both ways, for all heads, the numbers differ by {delta} at most (rounding).")
        document.picture(pictures.queries(shown, choices), how.format(delta=small(found.alone)))


def _joined(shown: ShownModel, choices: pictures.SplitChoices, found: HeadSplits) -> None:
    """The contexts of all heads side by side, and what W^O makes of them."""
    left, right = st.columns(2)
    with left:
        st.markdown(_("**concat**: the outputs of the heads side by side"))
        how = _("steps 7 and 8. The difference from the outputs of the heads is {delta}: joining computes nothing.")
        document.picture(pictures.concatenated(shown, choices), how.format(delta=small(found.joined)))
    with right:
        st.markdown(_("**concat ·** $W^O$: mixed into one output per word"))
        how = _("step 9. Here the heads meet for the first time: every number is made of all their outputs.")
        document.picture(pictures.mixed(shown, choices), how)
