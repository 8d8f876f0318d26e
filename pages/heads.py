"""Every head of one attention, as lines and as matrices; how the width is cut into them; what they look at, and cost."""

import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import bars
from explorer.figures.matrix import matrices
from explorer.sections.one_cell import one_cell
from explorer.sections.split_and_join import split_and_join
from explorer.sections.what_heads_cost import what_heads_cost
from explorer.sections.what_heads_look_at import what_heads_look_at
from explorer.sections.words_and_lines import words_and_lines
from explorer.words import _
from transformer_core import MultiHeadAttention
from transformer_core.analysis.attention_metrics import entropy, mean_distance


def side_by_side() -> None:
    kind, layer = controls.which_attention(view.cfg, "cross")
    help_scale = _("the darkest colour stands for 1, for the largest weight of this layer, or for the largest of each head")
    scale = controls.choose("scale", _("colours up to"), ["1", "layer", "head"], help=help_scale)
    site = state.Site(view, kind, layer)
    weights = site["weights"]
    names = [_("head {i}").format(i=i) for i in range(view.cfg.n_heads)]
    tops = weights.max(axis=(1, 2))
    top = {"1": [1.0] * len(names), "layer": [float(tops.max())] * len(names), "head": tops.tolist()}[scale]

    clicked = document.figure(
        matrices(weights, names=names, top=top if scale == "head" else top[0], **site.axes),
        "heads",
        _(
            "each row is one word asking; its cells add up to 1 and say how much it takes from each word. "
            "Grey × cells are masked. Click a head to enlarge it."
        ),
        clickable=True,
    )
    if clicked is not None:
        st.session_state["head"] = clicked["panel"]
    head = controls.choose("head", _("enlarged head"), range(view.cfg.n_heads))
    one_cell(site, head, "head-large", top[head])

    document.section(_("What each head does, in two numbers"))
    left, right = st.columns(2)
    with left:
        document.figure(
            bars(names, {_("entropy"): entropy(weights)}, y_title=_("entropy (bits)")),
            "entropy",
            _("0 bits: each word looks at one word only. {most:.2f} bits: each looks at all it may see alike.").format(
                most=site.most_entropy
            ),
        )
    with right:
        document.figure(
            bars(names, {_("distance"): mean_distance(weights)}, y_title=_("mean distance (positions)")),
            "distance",
            _("how many positions away the words lie that a head looks at, on average."),
        )

    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}(Q,K,V)=\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O\\"
        r"\mathrm{head}_i=\mathrm{Attention}(QW_i^Q,KW_i^K,VW_i^V)\end{gathered}",
        _("Section 3.2.2 of the paper. Here h = {h}, and each head works on d_k = {d} of {m} dimensions.").format(
            h=view.cfg.n_heads, d=view.cfg.d_k, m=view.cfg.d_model
        ),
    )
    document.try_this(
        _("Turn **heads** in the sidebar: they share the width, so more heads are narrower ones."),
        _("Look at the decoder's own attention: everything right of the diagonal is masked."),
        _("Train a model and open it here, then look at “cross”."),
    )
    document.the_code(MultiHeadAttention)


view = document.opening_of_model(
    _("Heads"),
    _(
        "Attention lets each word look at the others and take something from them. The model does this several times side by "
        "side, each time in its own way: each of these views is called a **head**."
    ),
)
document.parts(
    {
        _("Words and lines"): lambda: words_and_lines(view),
        _("Heads"): side_by_side,
        _("Split and join"): lambda: split_and_join(view),
        _("What they look at"): lambda: what_heads_look_at(view),
        _("What they cost"): lambda: what_heads_cost(view),
    }
)
