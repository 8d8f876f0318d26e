"""What keeps a deep stack trainable: layer norm, written in two ways and along two axes, and the residual connections."""

from explorer.i18n import _
from explorer.parts.norms import batch_norms, residual_depth, two_norms
from explorer.ui import document

shown = document.opening_of_model(
    _("Norms and residuals"),
    _("What norms and residual connections do in a deep stack."),
    _(
        "In a deep stack, vectors and gradients can grow or shrink from layer to layer. **Layer norm** brings every token's "
        "vector back to mean 0 and standard deviation 1, before its own gain and bias; a **residual connection** adds what "
        "goes into each part of a layer to what comes out of it, so that the gradient has a way past the part. What each does "
        "alone, and what both do together, is measured under *Residuals and depth*."
    ),
)
if shown is not None:
    document.parts(
        {
            two_norms: _("Two norms"),
            batch_norms: _("LayerNorm and BatchNorm"),
            residual_depth: _("Residuals and depth"),
        },
        shown,
    )
