"""What keeps a deep stack in shape: layer norm, written in two ways and along two axes, and the residual sums."""

from functools import partial

from explorer import document
from explorer.sections.batch_norms import batch_norms_part
from explorer.sections.residual_depth import residual_depth_part
from explorer.sections.two_norms import two_norms_part
from explorer.words import _

view = document.opening_of_model(
    _("Norms and residuals"),
    _(
        "Numbers that pass through many layers would soon be far too large or far too small. Two things prevent it: a "
        "**norm** brings every token's numbers back to one level and size, and a **residual** sum leads around each part of a "
        "layer."
    ),
)
document.parts(
    {
        _("Two norms"): partial(two_norms_part, view),
        _("LayerNorm and BatchNorm"): partial(batch_norms_part, view),
        _("Residuals and depth"): partial(residual_depth_part, view),
    }
)
