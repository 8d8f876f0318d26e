"""Every stage of one pass in order, with its sides and their lengths."""

import streamlit as st

from explorer import controls, document
from explorer.state import View
from explorer.words import _
from transformer_core import Transformer
from transformer_core.model.accounting import stage_shapes


def shape_ledger_part(view: View, sizes: tuple[int, int, int]) -> None:
    """Draws the part for (batch, source length, target length)."""
    cfg = view.cfg
    document.section(_("Every stage, in order"))
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
    kept = [stage for stage in stages if stage.axes == ("batch", "src", "d_model")]
    st.markdown(
        _(
            "**The encoder keeps its shape**: from `{first}` to `{last}`, all {n} tables with the sides {axes} are {shape}."
        ).format(
            first=kept[0].name,
            last=kept[-1].name,
            n=len(kept),
            axes="(batch, src, d_model)",
            shape=" · ".join(sorted({str(stage.shape) for stage in kept})),
        )
    )
    document.try_this(
        _("Turn **heads**: shapes change (● marks), the number of parameters does not."),
        _("Type a longer sentence: the attention tables grow with its square, all others in step with it."),
    )
    document.the_code(Transformer)
