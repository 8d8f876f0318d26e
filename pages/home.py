"""What this is, a model at work on one sentence, and the ways on; below them the whole model, and every page."""

from explorer.i18n import _
from explorer.parts.home import every_page, living_picture, ways_on
from explorer.ui import document

shown = document.opening_of_model(
    _("Transformer Explorer"),
    _("The Transformer of 2017 at work: see where it looks for each word that it writes."),
    _(
        "In 2017 the paper “Attention Is All You Need” described a model that reads one sentence and writes another, and "
        "nearly every language model of today descends from it. Here it is, whole and running: change a setting, and all that "
        "you see is computed anew."
    ),
    by_itself=True,
)
if shown is not None:
    living_picture.draw(shown, ways_on.draw)
    every_page.draw(shown)
