"""Every stage of one forward pass in order, with its axes and its shape."""

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.session import current
from explorer.ui import document
from explorer.ui.widgets import choose
from transformer_core import Transformer
from transformer_core.model.accounting import stage_shapes
from transformer_core.model.stages import parse_stage


def draw(shown: ShownModel, sizes: tuple[int, int, int]) -> None:
    """Draws the part for (batch, source length, target length)."""
    cfg = shown.cfg
    document.section(_("Every stage, in order"))
    every = stage_shapes(cfg, *sizes)
    layer = choose("layer", _("layer"), range(cfg.n_layers), help=_("all layers have the same shapes"))
    listed = [stage for stage in every if parse_stage(stage.name).layer in (layer, None)]
    session = current()
    before, session.last_shapes = session.last_shapes, {stage.name: stage.shape for stage in every}
    changed = [stage.name in before and before[stage.name] != stage.shape for stage in listed]
    st.dataframe(
        {
            _("changed"): ["●" if mark else "" for mark in changed],
            _("stage"): [stage.name for stage in listed],
            _("axes"): ["(" + ", ".join(stage.axes) + ")" for stage in listed],
            _("shape"): [str(stage.shape) for stage in listed],
        },
        hide_index=True,
        height=35 * len(listed) + 40,
        column_config={_("changed"): st.column_config.TextColumn(width=70)},
    )
    document.reading(
        _(
            "one row per tensor, from first to last; the name says where in the model it arises. ● marks a shape that the last "
            "change has changed: {n} of {all}."
        ).format(n=sum(changed), all=len(listed))
    )
    kept = [stage for stage in every if stage.axes == ("batch", "src", "d_model")]
    st.markdown(
        _(
            "**The encoder keeps its shape**: from `{first}` to `{last}`, all {n} tensors with the axes {axes} have the shape "
            "{shape}."
        ).format(
            first=kept[0].name,
            last=kept[-1].name,
            n=len(kept),
            axes="(batch, src, d_model)",
            shape=" · ".join(sorted({str(stage.shape) for stage in kept})),
        )
    )
    document.try_this(
        _("Change the number of **heads** (a power of 2): shapes change (●), the number of parameters does not."),
        _("Type a longer sentence: the attention weights grow with the square of its length, all other tensors in proportion."),
    )
    document.the_code(Transformer)
