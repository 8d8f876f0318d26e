"""Pictures of an attention that are no arrays: one head with its arithmetic, and lines between words."""

from dataclasses import asdict
from typing import Any

from explorer.components import arithmetic, attention_view
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, ScaledHeadChoices, attention, head
from explorer.pictures.registry import picture


@picture("head")
def arithmetic_of_a_head(shown: ShownModel, choices: ScaledHeadChoices) -> dict[str, Any]:
    return arithmetic.numbers(attention(shown, choices), head(shown, choices), choices.scale)


@picture("lines")
def lines(shown: ShownModel, choices: AttentionChoices) -> dict[str, Any]:
    found = attention(shown, choices)
    without = attention_view.Without.of(shown.choice.cuts.made, found.kind, found.layer)
    return attention_view.numbers(found.map) | {"without": asdict(without)}
