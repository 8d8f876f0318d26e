"""Every stage of the forward pass with its shape, every part with its parameters, and what length costs."""

import streamlit as st

from explorer.i18n import _
from explorer.parts.shapes import cost_and_length, parameters, printout, stages
from explorer.ui import document
from explorer.ui.format import count_words, size_words
from explorer.ui.widgets import slider
from transformer_core.model.accounting import activation_bytes, forward_flops

shown = document.opening_of_model(
    _("Shapes and parameters"),
    _("Every tensor of one forward pass with its shape, and every parameter."),
    _(
        "Everything a model computes is a tensor: an array of numbers with named axes. Here is every tensor of one forward "
        "pass, in order, with its **shape**, and beside it the numbers that training changes: the **parameters**."
    ),
)
if shown is not None:
    batch = slider("batch", _("batch size (sentence pairs)"), 1, 64, 1)
    sizes = (batch, len(shown.src), len(shown.tgt))
    flops = sum(forward_flops(shown.cfg, *sizes).values())
    for column, (name, value, help) in zip(
        st.columns(4),
        (
            (_("parameters"), f"{shown.parameters:,}", _("numbers that training changes")),
            (_("memory of the weights"), size_words(4 * shown.parameters), _("4 bytes for each parameter (float32)")),
            (_("forward pass"), count_words(flops), _("floating-point operations in its matrix products, 2 per multiply-add")),
            (_("memory of the stages"), size_words(activation_bytes(shown.cfg, *sizes)), _("all tensors of the list together")),
        ),
        strict=True,
    ):
        column.metric(name, value, help=help)
    document.parts(
        {
            stages: _("Shapes"),
            parameters: _("Parameters"),
            printout: _("As in lecture notes"),
            cost_and_length: _("Cost and length"),
        },
        shown,
        sizes,
    )
