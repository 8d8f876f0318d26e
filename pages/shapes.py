"""Every stage of the forward pass with its shape, every part with its parameters, and what length costs."""

from explorer.exhibits.shapes import against_torch, cost_and_length, initial_weights, parameters, printout, stages, weights
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Shapes and parameters"),
    _("All that a model computes is **tensors**, arrays of numbers; the numbers that training changes are its **parameters**."),
    _("Here is every tensor of one forward pass, in order, with its **shape**: how long each of its named axes is."),
)
if shown is not None:
    document.parts(
        {
            stages: _("The model in blocks"),
            parameters: _("Parameters"),
            weights: _("Weights"),
            initial_weights: _("Initial weights"),
            printout: _("As in lecture notes"),
            cost_and_length: _("Cost and length"),
            against_torch: _("Check against torch.nn.Transformer"),
        },
        shown,
    )
