"""A picture of the words that can be read from the decoder's vectors, part by part."""

from dataclasses import replace

import numpy as np

from explorer.figures.matrix import Matrices, matrix
from explorer.i18n import _, share_text
from explorer.model_on_screen.decoding import positions, token_texts
from explorer.model_on_screen.lenses import readings
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.part_names import PARTS
from explorer.pictures.registry import picture
from transformer_core.analysis.logit_lens import Reading

_WORD = 44  # pixels, of a cell with a word


@picture("logit-lens")
def logit_lens(shown: ShownModel) -> Matrices:
    """Draws the word that is most probable when the vector after each part of the decoder goes to the output at once."""
    found = readings(shown)
    rows, columns = [_depth(each) for each in found], positions(shown)
    tops = np.stack([each.tops for each in found])  # (depth, tgt)
    shares = np.stack([each.probabilities.max(axis=-1) for each in found])
    words = [token_texts(shown, row) for row in tops.tolist()]
    told = _("{depth}, at “{position}”: “{word}” with {share:.1%}")
    notes = [
        [
            told.format(depth=depth, position=position, word=word, share=share)
            for position, word, share in zip(columns, said, of, strict=True)
        ]
        for depth, said, of in zip(rows, words, shares, strict=True)
    ]
    cells = [list(zip(*each, strict=True)) for each in zip(words, shares, strict=True)]
    marks = [[f"{word}\n{share_text(share)}" for word, share in row] for row in cells]
    drawn = matrix(
        shares,
        rows=rows,
        columns=columns,
        row_title=_("read after (layer · part)"),
        column_title=_("position: reads → writes"),
        title=_("probability"),
        decimals=0,
        cell=36,
        alt=_("the most probable word, read after each part, from the embedding to the output: {paths}").format(
            paths="; ".join(f"{position}: {', '.join(row[i] for row in words)}" for i, position in enumerate(columns))
        ),
    )
    return replace(drawn, marks=marks, notes=notes, narrowest=_WORD)


def _depth(reading: Reading) -> str:
    if reading.layer is None or reading.part is None:
        return _("embedding")
    return _("{layer} · {part}").format(layer=reading.layer, part=_(PARTS[reading.part]))
