"""The shapes that lecture notes print while they build the model: sizes of one's choice, shapes from the real forward pass."""

from dataclasses import replace

import streamlit as st

from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.ui import document
from explorer.ui.widgets import choose, slider
from transformer_core.model.accounting import stage_shapes


def draw(shown: ShownModel) -> None:
    """Draws the part; it has sizes of its own."""
    document.section(_("Two sentences of four tokens, d_model 512"))
    st.markdown(
        _(
            "Lecture notes print a shape after each part: ids (2, 4) become (2, 4, 512) and stay so to the end of the stack; "
            "the attention weights of one head are (2, 4, 4). Here are these printouts from the real forward pass, for sizes "
            "of your choice."
        )
    )
    places = st.columns(4)
    batch = slider("print_batch", _("batch size"), 1, 16, 2, place=places[0])
    length = slider("print_length", _("tokens per sentence"), 1, 32, 4, place=places[1])
    width = slider("print_width", "d_model", 8, 1024, 512, step=8, place=places[2])
    with places[3]:
        heads = choose("print_heads", _("heads"), [8, 1, 2, 4])
    # One layer: all have the same shapes.
    cfg = replace(shown.cfg, d_model=width, n_heads=heads, d_ff=4 * width, n_layers=1, max_len=length, tgt_max_len=None)
    stages = stage_shapes(cfg, batch, length, length)
    names = ["src", *(stage.name for stage in stages)]
    of_one_head = [str((stage.shape[0], *stage.shape[2:])) if stage.axes[:2] == ("batch", "head") else "" for stage in stages]
    st.dataframe(
        {
            _("stage"): names,
            _("axes"): ["(batch, src)", *("(" + ", ".join(stage.axes) + ")" for stage in stages)],
            _("shape"): [str((batch, length)), *(str(stage.shape) for stage in stages)],
            _("of one head"): ["", *of_one_head],
        },
        hide_index=True,
        height=35 * len(names) + 40,
        key="printout",
    )
    kept = sum(stage.shape == (batch, length, width) for stage in stages)
    document.reading(
        _(
            "from first to last, with one layer in each stack. {n} of {all} tensors have the shape {shape}, that of the "
            "embedded input."
        ).format(n=kept, all=len(stages), shape=(batch, length, width))
    )
    document.try_this(
        _("Choose one head: its weights are (batch, 1, query, key), as notes print them for a single attention."),
        _("Change the number of tokens: only the tensors with both axes, query and key, grow in two directions."),
    )
    document.the_code(stage_shapes)
