"""The templates of positions as the hands of clocks."""

from typing import Any

import numpy as np

from explorer.figures.style import Figure
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import positions
from explorer.programs.template import ProgramTemplate


def _hands(shown: ShownModel, choices: positions.HandChoices) -> dict[str, Any]:
    pairs = positions.pairs_of_hands(shown)
    return {"length": positions.LAST_HAND + 1, "pairs": pairs, "hand": choices.hand}


def _tips(_shown: ShownModel, _choices: Any, figure: Figure) -> list[np.ndarray]:
    """Reads the tips of the hands: each dial has eight traces, and its hand begins in its centre. Shape: each (position, 2)"""
    dials = range(0, len(figure["data"]), 8)
    return [np.stack([figure["data"][i]["x"], figure["data"][i]["y"] - figure["data"][i + 2]["y"][0]], axis=-1) for i in dials]


def _turned(shown: ShownModel, choices: positions.TurnChoices) -> dict[str, Any]:
    key = choices.turn_both
    return {"key": key, "query": key + choices.turn_query, "pairs": positions.turning_pairs(shown.cfg)}


def _arrows(_shown: ShownModel, _choices: Any, figure: Figure) -> list[np.ndarray]:
    """Reads the arrows of query and key, which are not dotted, from the centres of their dials. Shape: each (2, 1)"""
    arrows = [each for each in figure["data"] if each["mode"] == "lines+markers" and each["line"]["dash"] == "solid"]
    return [np.stack([np.diff(each["x"]), np.diff(each["y"])]) for each in arrows]


TEMPLATES = {
    "turned-pairs": ProgramTemplate(
        "a query and a key, pointing right and 1 long in each pair, turned by their positions: a fast pair, a slower, a slow",
        """
position, i = np.array([$query, $key]), np.array($pairs)[:, None]
angle = position / 10_000 ** (2 * i / cfg.d_k)  # (pair, word), RoFormer, equation 34
values = np.stack([np.cos(angle), np.sin(angle)], axis=-1)  # (pair, word, 2)
""",
        _turned,
        seen=_arrows,
        draw="""
figure = go.Figure()
for pair, (query, key) in zip($pairs, values):
    for word, (x, y) in (("query", query), ("key", key)):
        figure.add_scatter(x=[0, x], y=[0, y], name=f"pair {pair}, {word}: the product of both is {query @ key:.2f}")
figure.update_yaxes(scaleanchor="x")
figure.show()
""",
    ),
    "clock": ProgramTemplate(
        "a fast, a slower and a slow pair of a position's numbers: cosine to the right, sine up",
        """
position, i = np.arange($length), np.array($pairs)[:, None]
angle = position / 10_000 ** (2 * i / cfg.d_model)  # (pair, position), section 3.5 of the paper
values = np.stack([np.cos(angle), np.sin(angle)], axis=-1)  # (pair, position, 2)
""",
        _hands,
        seen=_tips,
        draw="""
figure = go.Figure()
for pair, tips in zip($pairs, values):
    figure.add_scatter(x=tips[:, 0], y=tips[:, 1], mode="markers", name=f"pair {pair}, all positions")
    figure.add_scatter(x=[0, tips[$hand, 0]], y=[0, tips[$hand, 1]], name=f"pair {pair}, position $hand")
figure.update_yaxes(scaleanchor="x")
figure.show()
""",
    ),
}
