"""From words to the vectors that enter the model, and what positions are good for."""

from functools import partial

from explorer import document
from explorer.sections.counters import counters_part
from explorer.sections.no_positions import no_positions_part
from explorer.sections.words_and_waves import words_and_waves_part
from explorer.words import _

view = document.opening_of_model(
    _("Words and positions"),
    _(
        "A model cannot read; it can only calculate. So each word becomes a list of numbers, its **embedding**, and a second "
        "list, the **positional encoding**, tells where in the sentence it stands."
    ),
)
document.parts(
    {
        _("Words and waves"): partial(words_and_waves_part, view),
        _("Counters and rotation"): partial(counters_part, view),
        _("Without positions"): partial(no_positions_part, view),
    }
)
