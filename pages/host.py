"""For whoever leads a workshop: how many people are here, and how long they wait. The menu does not name it: /host."""

from explorer.exhibits.host import load
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("For the host"),
    _("Is everybody served? How busy this server is now."),
    _(
        "This page counts: open windows and the pages they show, what people ask for and how long that takes, training, and "
        "memory. It shows no names and nothing that anybody has typed, and keeps itself up to date."
    ),
)
load.draw()
