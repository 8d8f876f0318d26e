"""The formula by which a mask acts on scores."""

from explorer.i18n import _
from explorer.ui import document


def draw() -> None:
    """Draws the formula."""
    document.formula(
        r"\begin{gathered}\mathrm{softmax}(s+m)\\m_{ij}=0\ <open>\ -\infty\end{gathered}",
        _("Section 3.2.3 of the paper: illegal connections are set to −∞ before the softmax."),
        open=_("if $i$ may attend to $j$, else"),
    )
