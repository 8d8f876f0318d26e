"""Every stage of the forward pass with its shape, and every part with its parameters."""

import streamlit as st

from explorer import controls, document, state
from explorer.words import _
from transformer_core import Transformer
from transformer_core.accounting import activation_bytes, forward_flops, parameter_parts, stage_shapes

document.opening(
    _("Shapes and parameters"),
    _(
        "A model is a chain of tables of numbers. Here is every table of one pass in order, what its sides "
        "mean and how long they "
        "are, and below it the numbers that training changes: the **parameters**."
    ),
)
view = state.view()
cfg = view.cfg
batch = controls.slider("batch", _("sentences at once (batch)"), 1, 64, 1)
sizes = (batch, len(view.src), len(view.tgt))
parts, flops = parameter_parts(cfg), forward_flops(cfg, *sizes)
total = sum(part.by_count for part in parts)

for column, (name, value, words) in zip(
    st.columns(4),
    (
        (_("parameters"), f"{total:,}", _("numbers that training changes")),
        (_("memory of the weights"), controls.size_words(4 * total), _("4 bytes each")),
        (_("one pass"), controls.count_words(sum(flops.values())), _("multiplications and additions, in matrix products")),
        (_("one trace"), controls.size_words(activation_bytes(cfg, *sizes)), _("what all tables below hold together")),
    ),
    strict=True,
):
    column.metric(name, value, help=words)

st.subheader(_("Every stage, in order"))
stages = stage_shapes(cfg, *sizes)
layer = controls.choose("layer", _("layer shown"), range(cfg.n_layers), help=_("all layers have the same shapes"))
shown = [stage for stage in stages if stage.name.split(".")[1:2] in ([str(layer)], ["embedding"], ["output"], [])]
before = st.session_state.get("_shapes", {})
changed = [stage.name in before and before[stage.name] != stage.shape for stage in shown]
st.session_state["_shapes"] = {stage.name: stage.shape for stage in stages}
st.dataframe(
    {
        _("changed"): ["●" if mark else "" for mark in changed],
        _("stage"): [stage.name for stage in shown],
        _("sides"): ["(" + ", ".join(stage.axes) + ")" for stage in shown],
        _("numbers"): [str(stage.shape) for stage in shown],
    },
    hide_index=True,
    height=35 * len(shown) + 40,
    column_config={_("changed"): st.column_config.TextColumn(width=70)},
)
document.reading(
    _(
        "one row per table, first to last; the name says where it arises. ● marks what changed with the last "
        "turn of a knob: {n} of {all}."
    ).format(n=sum(changed), all=len(shown))
)

st.subheader(_("Every parameter, by formula and by count"))
st.dataframe(
    {
        _("part"): [*(part.name for part in parts), _("all")],
        _("formula"): [*(part.formula for part in parts), ""],
        _("in numbers"): [*(part.numbers for part in parts), ""],
        _("by formula"): [f"{n:,}" for n in (*(part.by_formula for part in parts), sum(part.by_formula for part in parts))],
        _("counted"): [f"{n:,}" for n in (*(part.by_count for part in parts), total)],
        _("share"): [f"{part.by_count / total:.1%}" for part in parts] + ["100%"],
        _("operations"): [controls.count_words(flops[part.name]) if part.name in flops else "" for part in parts]
        + [controls.count_words(sum(flops.values()))],
    },
    hide_index=True,
    height=35 * (len(parts) + 1) + 40,
)
document.reading(
    _("d = d_model, f = d_ff, N = layers, V = size of the vocabulary. “Counted” adds up the tensors of the model as built.")
)
document.formula(
    r"\begin{gathered}\mathrm{MultiHead}:\ 4(d^2+d)\\ \mathrm{FFN}:\ 2df+f+d\qquad \mathrm{LayerNorm}:\ 2d\end{gathered}",
    _("Sections 3.2.2, 3.3 and 5.4 of the paper; the heads share d_model, so their number does not matter."),
)
document.try_this(
    _("Turn **heads**: shapes change (● marks), the number of parameters does not."),
    _("Choose the preset **paper_base**: the sizes of the paper, here with the small vocabulary of {n} words.").format(
        n=cfg.src_vocab
    ),
    _("Type a longer sentence: the attention tables grow with its square, all others in step with it."),
)
document.the_code(Transformer)
