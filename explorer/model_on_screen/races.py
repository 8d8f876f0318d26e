"""The race that comes with the app: how a Transformer and two recurrent models of its size learned the same."""

from functools import cache

from transformer_core import SHIPPED_MODELS
from transformer_core.training.race import Race, read_race

_SHIPPED = SHIPPED_MODELS / "race.json"


@cache
def shipped_race() -> Race:
    """The race in the app's box."""
    return read_race(_SHIPPED.read_bytes())
