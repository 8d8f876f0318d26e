"""Predict: say what the model will do before it does it."""

from explorer.exhibits.predict import questions
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Predict"),
    _("Say what it will do, and why. Then see."),
    _(
        "Each question is answered by running the model, and each has a new case of the same rule. Pass over what you like: "
        "nothing is stored but the address, and your own list waits at the end."
    ),
)
questions.draw()
