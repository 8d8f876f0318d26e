"""The sizes of the sequences on screen."""

from explorer.i18n import _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui.widgets import slider


def sizes_of(shown: ShownModel) -> tuple[int, int, int]:
    """Draws the control of the batch size. Returns (batch, source length, target length), the lengths of the sentences."""
    words = _("batch size (sentence pairs)") if shown.cfg.has_encoder else _("batch size (texts)")
    batch = slider("batch", words, 1, 64, 1)
    return batch, len(shown.src), len(shown.tgt)
