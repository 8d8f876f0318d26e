"""Every stage of the forward pass with its shape, every part with its parameters, and what length costs."""

from functools import partial

import streamlit as st

from explorer import controls, document, state
from explorer.sections.cost_and_length import cost_and_length_part
from explorer.sections.parameter_tables import parameter_tables_part
from explorer.sections.printout import printout_part
from explorer.sections.shape_ledger import shape_ledger_part
from explorer.words import _
from transformer_core.model.accounting import activation_bytes, forward_flops

document.opening(
    _("Shapes and parameters"),
    _(
        "A model is a chain of tables of numbers. Here is every table of one pass in order, what its sides "
        "mean and how long they "
        "are, and beside it the numbers that training changes: the **parameters**."
    ),
)
view = state.view()
batch = controls.slider("batch", _("sentences at once (batch)"), 1, 64, 1)
sizes = (batch, len(view.src), len(view.tgt))

for column, (name, value, words) in zip(
    st.columns(4),
    (
        (_("parameters"), f"{view.parameters:,}", _("numbers that training changes")),
        (_("memory of the weights"), controls.size_words(4 * view.parameters), _("4 bytes each")),
        (
            _("one pass"),
            controls.count_words(sum(forward_flops(view.cfg, *sizes).values())),
            _("multiplications and additions, in matrix products"),
        ),
        (
            _("one trace"),
            controls.size_words(activation_bytes(view.cfg, *sizes)),
            _("what all tables of the pass hold together"),
        ),
    ),
    strict=True,
):
    column.metric(name, value, help=words)

document.parts(
    {
        _("Shapes"): partial(shape_ledger_part, view, sizes),
        _("Parameters"): partial(parameter_tables_part, view, sizes),
        _("The notes' printout"): partial(printout_part, view),
        _("Cost and length"): partial(cost_and_length_part, view),
    }
)
