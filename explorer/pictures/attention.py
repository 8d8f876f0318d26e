"""Pictures of an attention that are no arrays: one head with its arithmetic, and lines between words."""

from dataclasses import asdict
from typing import Any

from explorer.components import arithmetic, attention_view
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import PaddedAttentionChoices, ScaledHeadChoices, attention, head, padding_of
from explorer.pictures.registry import picture


@picture("head")
def arithmetic_of_a_head(shown: ShownModel, choices: ScaledHeadChoices) -> dict[str, Any]:
    return arithmetic.numbers(attention(shown, choices), head(shown, choices), choices.scale)


@picture("lines")
def lines(shown: ShownModel, choices: PaddedAttentionChoices) -> dict[str, Any]:
    shown_attention = attention(shown, choices, padding_of(shown, choices))
    without = attention_view.Without.of(shown.choice.cuts.made, shown_attention.kind, shown_attention.layer)
    return attention_view.numbers(shown_attention.map) | {"without": asdict(without)}
