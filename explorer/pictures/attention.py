"""The weights of an attention: all heads, one head with its arithmetic, lines between words, and the vectors behind them."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from explorer.components import arithmetic, attention_view
from explorer.figures.attention import all_heads
from explorer.figures.attention import vectors as vectors_of
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.recomputed_attention import query_projection
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, HeadChoices, ScaledChoices, ScaledHeadChoices, attention, head, index
from explorer.pictures.registry import picture

Vector = Literal["q", "k", "v"]
MADE_OF = 24  # numbers of a word's vector that are drawn


@dataclass(frozen=True)
class VectorChoices(HeadChoices):
    """A head, and which of its vectors: queries, keys or values."""

    name: Vector


@dataclass(frozen=True)
class WordChoices(AttentionChoices):
    """An attention, and one of its queries or keys, by its position."""

    side: Literal["query", "key"]
    place: int


@picture("heads")
def heads(shown: ShownModel, choices: ScaledChoices) -> Matrices:
    """All heads, side by side."""
    return all_heads(attention(shown, choices).map, choices.scale)


@picture("vectors")
def vectors(shown: ShownModel, choices: VectorChoices) -> Matrices:
    found = attention(shown, choices)
    labels = found.map.query_labels if choices.name == "q" else found.map.key_labels
    return vectors_of(found.stage(choices.name)[head(shown, choices)], labels)


@picture("query-input")
def query_input(shown: ShownModel, choices: HeadChoices) -> Matrices:
    """The first numbers of the vectors that the queries are made of."""
    found = attention(shown, choices)
    x, _w_q = query_projection(found, head(shown, choices))
    return matrix(
        x[:, :MADE_OF], rows=found.map.query_labels, columns=min(MADE_OF, x.shape[1]), signed=True, cell=22,
        column_title=_("dimension (first {n} of {all})").format(n=min(MADE_OF, x.shape[1]), all=x.shape[1]),
    )  # fmt: skip


@picture("query-matrix")
def query_matrix(shown: ShownModel, choices: HeadChoices) -> Matrices:
    """The first rows of the head's part of W_Q."""
    _x, w_q = query_projection(attention(shown, choices), head(shown, choices))
    part = w_q[:MADE_OF]
    return matrix(
        part, rows=len(part), columns=part.shape[1], row_title=_("dimension of x"), column_title=_("dimension of the head"),
        signed=True, cell=8,
    )  # fmt: skip


@picture("head")
def arithmetic_of_a_head(shown: ShownModel, choices: ScaledHeadChoices) -> dict[str, Any]:
    return arithmetic.numbers(attention(shown, choices), head(shown, choices), choices.scale)


@picture("selected-word")
def of_word(shown: ShownModel, choices: WordChoices) -> Figure:
    """Draws the weights of one word, head by head: those that a query gives, or that a key gets."""
    map = attention(shown, choices).map
    of_query = choices.side == "query"
    place = index(choices.place, len(map.query_tokens if of_query else map.key_tokens))
    shares = map.weights[:, place] if of_query else map.weights[:, :, place]
    series = {_("head {i}").format(i=i): row for i, row in enumerate(shares)}
    return bars(map.key_labels if of_query else map.query_labels, series, y_title=_("weight"), height=260)


@picture("lines")
def lines(shown: ShownModel, choices: AttentionChoices) -> dict[str, Any]:
    found = attention(shown, choices)
    without = attention_view.Without.of(shown.choice.cuts.made, found.kind, found.layer)
    return attention_view.numbers(found.map) | {"without": asdict(without)}
