"""Recipes of the pictures of words and positions as vectors."""

from typing import Any

import numpy as np

from explorer.code.recipe import Code, Recipe, listed
from explorer.figures.style import Figure
from explorer.inference.shown_model import ShownModel
from explorer.pictures import positions, rotation, word_order
from transformer_core.model.stages import embedding_stage


def _vectors(shown: ShownModel, choices: positions.IdChoices) -> dict[str, Any]:
    names = ["tokens", "scaled", *([] if shown.cfg.position == "none" else ["positions"])]
    ids = Code(list(choices.ids) or "[*src, vocabulary.pad]")
    return {"ids": ids, "n": min(shown.cfg.d_model, positions.MOST_DIMENSIONS), "names": names}


_IDS = "ids = $ids  # what is looked up\n"


def _sum(shown: ShownModel, _choices: Any) -> dict[str, Any]:
    stages = {name: embedding_stage("encoder", name) for name in ("scaled", "positions", "sum")}
    return stages | {"n": min(shown.cfg.d_model, positions.MOST_DIMENSIONS)}


def _hands(shown: ShownModel, choices: positions.HandChoices) -> dict[str, Any]:
    pairs = positions.pairs_of_hands(shown)
    return {"length": positions.LAST_HAND + 1, "pairs": pairs, "hand": choices.hand, "base": positions.PAPER}


def _tips(_shown: ShownModel, _choices: Any, figure: Figure) -> list[np.ndarray]:
    """Reads the tips of the hands: each dial has four traces, and its hand begins in its centre. Shape: each (position, 2)"""
    dials = range(0, len(figure["data"]), 4)
    return [np.stack([figure["data"][i]["x"] - figure["data"][i + 2]["x"][0], figure["data"][i]["y"]], axis=-1) for i in dials]


def _rotation(shown: ShownModel, choices: rotation.BaseChoices) -> dict[str, Any]:
    block = min(getattr(choices, "block", 0), rotation.most_dimensions(shown.cfg.d_model))
    sizes = {"shown": rotation.SHOWN, "length": rotation.LENGTH, "pairs": rotation.pairs_of(shown), "block": block}
    return vars(choices) | sizes | {"width": shown.cfg.d_model}


_ROTATE = "found = rotate($length, $width, $steps_on, $base)  # the matrix that shifts a position's vector\n"


def _order(shown: ShownModel, choices: word_order.OrderChoices) -> dict[str, Any]:
    n = min(shown.cfg.d_model, word_order.DIMENSIONS)
    return {"order": listed(word_order.order_of(shown, choices)), "n": n}


_MOVED = """
order = $order  # the old place of the word that stands at each place
found = permute_source(model, src, order)
values = np.stack([each[:, :$n] for each in (found.plain, found.moved, found.put_back)])
"""


def _tables(shown: ShownModel, choices: word_order.PlacesChoices) -> dict[str, Any]:
    length = len(word_order.tables_of(shown, choices)["none"])
    n = min(shown.cfg.d_model, word_order.DIMENSIONS)
    return {"length": length, "seed": word_order.seed_of(shown.choice), "n": n}


_TABLES = "tables = position_tables(model, $length, $seed)  # sinusoidal, learned, none\n"

RECIPES = {
    "looked-up": Recipe(
        "the rows of the embedding table that belong to these tokens",
        _IDS + 'values = embedded(model, ids)["tokens"][:, :$n]  # (token, d_model)', _vectors,
    ),
    "norms": Recipe(
        "the lengths of these vectors: as looked up, as scaled, and of the positions that are added",
        _IDS + "found = embedded(model, ids)\nvalues = [np.linalg.norm(found[name], axis=-1) for name in $names]", _vectors,
    ),
    "sum": Recipe(
        "what enters the encoder: words, positions, and the sum of both",
        """
scaled, total = stages[$scaled], stages[$sum]  # (token, d_model)
added = stages.get($positions, np.zeros_like(scaled))  # a model may have no positions
values = np.stack([scaled, added, total])[:, :, :$n]
""",
        _sum, padding=lambda _shown, _choices: (1, 0),
    ),
    "clock": Recipe(
        "a fast, a slower and a slow pair of a position's numbers: cosine to the right, sine up",
        """
table = encoding($length, cfg.d_model, $base)  # section 3.5 of the paper
values = np.stack([table[:, [2 * i + 1, 2 * i]] for i in $pairs])  # (pair, position, 2)
""",
        _hands, seen=_tips,
        draw="""
figure = go.Figure()
for pair, tips in zip($pairs, values):
    figure.add_scatter(x=tips[:, 0], y=tips[:, 1], mode="markers", name=f"pair {pair}, all positions")
    figure.add_scatter(x=[0, tips[$hand, 0]], y=[0, tips[$hand, 1]], name=f"pair {pair}, position $hand")
figure.update_yaxes(scaleanchor="x")
figure.show()
""",
    ),
    "angles": Recipe(
        "the angle of each pair of dimensions at each position, in radians",
        "values = angles($shown, $width, $base)[:, :$pairs]", _rotation,
    ),
    "counter": Recipe(
        "the sines for a width of 8, which switch like the digits of a counter",
        "values = encoding(16, 8, $base)[:, ::2]  # (position, sine)", _rotation,
    ),
    "binary": Recipe(
        "the numbers from 0 in binary, the ones first", "values = binary_digits(16, 4)[:, ::-1]  # (number, digit)",
    ),
    "moved-none": Recipe(
        "the encoder's output for two orders of the words, without positions: only the rows have moved",
        _MOVED.replace("(model,", "(without_positions(model),"), _order,
    ),
    "moved-own": Recipe("the encoder's output for two orders of the words, with the model's positions", _MOVED, _order),
    "kinds": Recipe(
        "what each kind of positions adds to a word",
        _TABLES + "values = np.stack([table[:, :$n] for table in tables.values()])  # (kind, position, d_model)", _tables,
    ),
    "kinds-alike": Recipe(
        "the cosine of each two positions, for each kind of positions",
        _TABLES + "values = np.stack([similarity(table) for table in tables.values()])", _tables,
    ),
    "rotation": Recipe(
        "the matrix that shifts a position's vector by so many positions",
        _ROTATE + "values = found.matrix[:$block, :$block]", _rotation,
    ),
    "turned": Recipe(
        "the vectors of the first positions, the same rotated, and those of the formula for the shifted positions",
        _ROTATE + "values = np.stack([each[:12, :$block] for each in (found.here, found.turned, found.there)])", _rotation,
    ),
}  # fmt: skip
