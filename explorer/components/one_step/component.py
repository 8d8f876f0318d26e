"""One step of learning as a film in six stations: the right words with how likely they are, and the map of the model.

Everything that the browser shows comes with the page, so that going on never waits for the server.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.components import LivePicture, register
from explorer.i18n import _

_component = register("one_step", looks_like="model_map")
KEY = "six-stations"
STATIONS = 6


def show(drawn: dict[str, Any], live: LivePicture, station: int, on_station: Callable[[int], None]) -> None:
    """Draws the film.

    Args:
        drawn, live: of the picture "one-step".
        station: the one on screen, from 0.
        on_station: called when somebody has gone to another one.
    """

    def moved() -> None:
        told = st.session_state[KEY].get("station")
        if type(told) is int and 0 <= told < STATIONS:
            on_station(told)

    data = drawn | {"live": live, "station": station, "texts": _texts(bool(drawn["source"]), drawn["step"] is not None)}
    _component(key=KEY, data=data, on_station_change=moved)


def _question(reads: bool, says_step: bool) -> str:
    if reads and says_step:
        return _("After {step} steps of learning, the model reads “{source}”. This answer is right:")
    if reads:
        return _("After an unknown number of steps of learning, the model reads “{source}”. This answer is right:")
    if says_step:
        return _("After {step} steps of learning, the model reads a text. At each place the word that follows is right:")
    return _(
        "After an unknown number of steps of learning, the model reads a text. At each place the word that follows is right:"
    )


def _texts(reads: bool, says_step: bool) -> dict[str, Any]:
    """Returns the texts of the view.

    Args:
        reads: whether there is a source, which a decoder alone has not.
        says_step: whether it is known how long the model has learned, which a file need not say.
    """
    return {
        "stations": [
            {"title": _("Question"), "says": _question(reads, says_step)},
            {
                "title": _("Forward"),
                "says": _(
                    "From bottom to top: how likely is each word at each place? The least likely right one: “{word}”, {p}."
                ),
            },
            {
                "title": _("Loss"),
                "says": _("A right word costs −log p: little where it is likely. The mean is the loss: {loss}."),
            },
            {
                "title": _("Backward"),
                "says": _(
                    "From top to bottom: how the loss would change with each weight, the gradient. Bars are its length in "
                    "each part, all layers together. The longest: “{part}”, {number}."
                ),
            },
            {
                "title": _("Nudge"),
                "says": _(
                    "Plain gradient descent: every weight moves against its gradient, by rate {rate} × clipping {clipping}. "
                    "The weights of “{part}” move by {number}, {share} of their own length."
                ),
            },
            {
                "title": _("Again"),
                "says": _("The same question, one step later: “{word}” {before} → {after}. The loss: {loss} → {new}."),
            },
        ],
        "film": _("The stations of one step"),
        "back": _("Back"),
        "next": _("Next"),
        "play": _("Play"),
        "stop": _("Stop"),
        "word": _("right word"),
        "likely": _("how likely"),
        "cost": _("−log p"),
        "mean": _("mean = loss"),
        "gradient": _("Length of the gradient: {parts}."),
        "nudge": _("Length of the nudge: {parts}."),
        "part": _("{name} {number}"),
        "separator": _("; "),
    }
