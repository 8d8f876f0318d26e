"""How the decoder is given its input in training and in use, token by token, and with several answers at once."""

from explorer.exhibits.decoding import beam_search, generation, samples, teacher_forcing
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Decoding"),
    _("The model writes one token at a time, and reads what it has written: this is **decoding**."),
    _(
        "Every token that it generates becomes part of its next input. In training it is given the right tokens as its input "
        "instead, so that one early error does not spoil the rest: this is **teacher forcing**."
    ),
)
if shown is not None:
    document.parts(
        {
            generation: _("Step by step"),
            teacher_forcing: _("Teacher forcing"),
            samples: _("100 samples"),
            beam_search: _("Beam search"),
        },
        shown,
    )
