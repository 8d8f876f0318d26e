"""Runs of this browser, and sweeps of many settings: which of them reached the target sooner, and with how few parameters."""

from explorer.exhibits.compare import race, run_table, sweep
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Compare"),
    _("Which setting learned sooner, and with how few parameters?"),
    _(
        "Was it the width, the heads, the learning rate, or luck? The runs that you have started are listed here, with the "
        "settings that make them different and the steps that they took to learn their task. A sweep does the same for many "
        "settings, each from several seeds."
    ),
)
document.parts({run_table: _("Your runs"), sweep: _("Sweep"), race: _("A race")})
