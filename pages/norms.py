"""What keeps a deep stack trainable: layer norm, written in two ways and along two axes, and the residual connections."""

from explorer.exhibits.norms import batch_norms, pre_and_post, residual_depth, two_norms
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Norms and residuals"),
    _("**Layer norm** brings vectors back to one size; a **residual connection** adds a part's input to its output."),
    _(
        "In a deep stack, vectors and gradients can grow or shrink from layer to layer. A norm brings every token's vector "
        "back to mean 0 and standard deviation 1, before its own gain and bias; a residual connection gives the gradient a way "
        "past the part. What each does alone, and what both do together, is measured under *Residuals and depth*."
    ),
)
if shown is not None:
    document.parts(
        {
            pre_and_post: _("Pre-norm and post-norm"),
            two_norms: _("Two norms"),
            batch_norms: _("LayerNorm and BatchNorm"),
            residual_depth: _("Residuals and depth"),
        },
        shown,
    )
