"""The base of the waves, which several parts share."""

from streamlit.delta_generator import DeltaGenerator

from explorer import controls
from explorer.words import _

_BASES = [10, 100, 1000, 10_000, 100_000]


def wave_base(place: DeltaGenerator) -> int:
    """The knob, at a place of the page."""
    controls.keep("base", _BASES)
    words = _("10,000 in the paper. The slowest wave takes nearly 2π times the base until it repeats.")
    chosen = place.select_slider(_("base"), _BASES, 10_000, key="base", help=words, bind="query-params")
    return controls.remember("base", chosen)
