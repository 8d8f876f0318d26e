"""The shapes that textbooks print while they build the model: sizes to choose, shapes from the real pass."""

from dataclasses import replace

import streamlit as st

from explorer import controls, document
from explorer.state import View
from explorer.words import _
from transformer_core.model.accounting import stage_shapes


def printout_part(view: View) -> None:
    """Draws the part."""
    document.section(_("Two sentences of four words, 512 numbers each"))
    st.markdown(
        _(
            "Lecture notes print a shape after each part: ids (2, 4) become (2, 4, 512), and stay so to the end; the "
            "weights of one head are (2, 4, 4). Here are these printouts from the real pass, for sizes of your choice."
        )
    )
    knobs = st.columns(4)
    batch = controls.slider("print_batch", _("sentences (batch)"), 1, 16, 2, place=knobs[0])
    length = controls.slider("print_length", _("words in each"), 1, 32, 4, place=knobs[1])
    width = controls.slider("print_width", _("numbers per word (d_model)"), 8, 1024, 512, step=8, place=knobs[2])
    with knobs[3]:
        heads = controls.choose("print_heads", _("heads"), [8, 1, 2, 4])
    cfg = replace(
        view.cfg, d_model=width, n_heads=heads, d_ff=4 * width, n_layers=1, max_len=length, tgt_max_len=None
    )  # one layer: all have the same shapes
    stages = stage_shapes(cfg, batch, length, length)
    names = ["src", *(stage.name for stage in stages)]
    per_head = [
        str((stage.shape[0], *stage.shape[2:])) if stage.axes[:2] == ("batch", "head") else "" for stage in stages
    ]  # fmt: skip
    st.dataframe(
        {
            _("stage"): names,
            _("sides"): ["(batch, src)", *("(" + ", ".join(stage.axes) + ")" for stage in stages)],
            _("numbers"): [str((batch, length)), *(str(stage.shape) for stage in stages)],
            _("of one head"): ["", *per_head],
        },
        hide_index=True,
        height=35 * len(names) + 40,
        key="printout",
    )
    kept = sum(stage.shape == (batch, length, width) for stage in stages)
    document.reading(
        _("first to last, in one layer of each stack. {n} of {all} tables have the shape {shape} of what came in.").format(
            n=kept, all=len(stages), shape=(batch, length, width)
        )
    )
    document.try_this(
        _("Choose one head: the weights are (batch, 1, words, words), the size that is printed for a single attention."),
        _("Turn the number of words: only the tables between two words, (…, query, key), grow in two directions."),
    )
    document.the_code(stage_shapes)
