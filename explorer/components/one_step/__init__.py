"""One step of learning as a film in six stations, on the map of the model."""

from explorer.components.one_step.component import STATIONS, show

__all__ = ["STATIONS", "show"]
