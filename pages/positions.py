"""From words to the vectors that enter the model, and what positions are good for."""

from explorer.exhibits.positions import counters, in_attention, no_positions, trained_length, two_maps, waves, words_and_waves
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Words and positions"),
    _("A word becomes a vector, its **embedding**; a **positional encoding** says where it stands."),
    _(
        "A model works with numbers: both are rows of numbers of the same length, and their sum is all that the first layer "
        "gets to know of a word."
    ),
)
if shown is not None:
    document.parts(
        {
            words_and_waves: _("Words and places"),
            two_maps: _("Two languages"),
            waves: _("Waves"),
            counters: _("Counters"),
            no_positions: _("Without positions"),
            in_attention: _("Rotary and ALiBi"),
            trained_length: _("Longer rows"),
        },
        shown,
    )
