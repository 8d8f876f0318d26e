"""One step of learning, seen from within: what one sentence moves in the model, and in its answer."""

from explorer.exhibits.one_step import in_a_batch, one_weight, six_stations
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("One step of learning"),
    _("A lesson with **one sentence**: what one step changes, in the model and in its answer."),
    _(
        "Learning is many such steps: ask, compare with the right answer, find for every weight which way is better, and "
        "move it a little. The model is the one of the sidebar, at first as it was early in its learning, if that was kept: at "
        "the end, little is left to learn."
    ),
)
document.parts(
    {
        six_stations: _("Six stations"),
        in_a_batch: _("Among 64 sentences"),
        one_weight: _("One weight, to the last digit"),
    },
)
