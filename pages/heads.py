"""Every head of one attention, side by side, and one of them large."""

import streamlit as st

from explorer import controls, document, state
from explorer.components.plot import show
from explorer.figures.lines import bars
from explorer.figures.matrix import matrices, matrix
from explorer.words import _
from transformer_core import MultiHeadAttention
from transformer_core.measures import entropy, mean_distance

document.opening(
    _("Heads"),
    _(
        "Attention lets each word look at the others and take something from them. The model does this several times side by "
        "side, each time in its own way: each of these views is called a **head**."
    ),
)
view = state.view()
document.weights_note(view)

kind, layer = controls.which_attention(view.cfg.n_layers)
site = state.Site(view, kind, layer)
weights, allowed = site["weights"], site.allowed
names = [_("head {i}").format(i=i) for i in range(view.cfg.n_heads)]

scale = controls.choose("scale", _("colours up to"), ["1", "layer", "head"], help=_("1, the largest weight of the layer, or of each head"))
tops = weights.max(axis=(1, 2))
top = {"1": 1.0, "layer": float(tops.max()), "head": [float(t) for t in tops]}[scale]

clicked = show(
    matrices(
        weights,
        names=names,
        rows=site.query_labels,
        columns=site.key_labels,
        row_title=site.asks,
        column_title=site.asked,
        valid=allowed,
        top=top,
        title=_("weight"),
    ),
    key="heads",
    clickable=True,
)
document.how_to_read(
    _("each row is one word asking; its cells add up to 1 and say how much it takes from each word. Grey × cells are masked. Click a head to enlarge it.")
)
panels = 2 if not allowed.all() else 1  # a masked panel is drawn with two traces
if clicked is not None:
    st.session_state["head"] = int(clicked["curve"]) // panels
head = controls.choose("head", _("enlarged head"), range(view.cfg.n_heads))

show(
    matrix(
        weights[head],
        rows=site.query_labels,
        columns=site.key_labels,
        row_title=site.asks,
        column_title=site.asked,
        valid=allowed,
        title=_("weight"),
        top=1.0 if scale == "1" else float(tops[head]) if scale == "head" else float(tops.max()),
    ),
    key="head-large",
)
document.how_to_read(site.sentence(head))

st.subheader(_("What each head does, in two numbers"))
wide, far = entropy(weights), mean_distance(weights)
left, right = st.columns(2)
with left:
    show(bars(names, {_("entropy"): wide}, y_title=_("entropy (bits)")), key="entropy")
    document.how_to_read(
        _("0 bits: each word looks at one word only. With {n} words to look at, {most:.2f} bits would be all alike.").format(
            n=len(site.key_labels), most=site.most_entropy
        )
    )
with right:
    show(bars(names, {_("distance"): far}, y_title=_("mean distance (positions)")), key="distance")
    document.how_to_read(_("how many positions away the words lie that a head looks at, weighted."))

document.formula(
    r"\mathrm{MultiHead}(Q,K,V)=\mathrm{Concat}(\mathrm{head}_1,\dots,\mathrm{head}_h)\,W^O,\quad"
    r"\mathrm{head}_i=\mathrm{Attention}(QW_i^Q,KW_i^K,VW_i^V)",
    _("Section 3.2.2 of the paper. Here h = {h} and each head works on d_k = {d} of {m} dimensions.").format(
        h=view.cfg.n_heads, d=view.cfg.d_k, m=view.cfg.d_model
    ),
)
document.try_this(
    _("Turn **heads** in the sidebar: the width is shared, so more heads are narrower ones."),
    _("Look at the decoder's own attention: everything right of the diagonal is masked."),
    _("Train a model and open it here: its cross-attention has something to say."),
)
document.the_code(MultiHeadAttention)
