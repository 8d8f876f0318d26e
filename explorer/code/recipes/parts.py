"""Recipes of the pictures of masks, and of the model by its sizes alone: shapes and parameters."""

from typing import Any

import numpy as np

from explorer.code.recipe import Code, Recipe
from explorer.inference.shown_model import ShownModel
from explorer.pictures import layer_costs, masks, model, parameters
from explorer.pictures.choices import index, padding
from explorer.pictures.masks import MaskChoices


def _padded(shown: ShownModel, choices: MaskChoices) -> tuple[int, int]:
    return padding(shown, choices.pad_src, choices.pad_tgt)


def _mask(_shown: ShownModel, choices: MaskChoices) -> dict[str, Any]:
    rows, columns = (Code(f"{side}_tokens") for side in masks.SIDES[choices.mask])
    return {"mask": choices.mask, "rows": rows, "columns": columns}


def _blocks(shown: ShownModel, choices: model.BlockChoices) -> dict[str, Any]:
    return {"batch": 1 + choices.beside, "layer": index(choices.layer, shown.cfg.n_layers)}


def _sizes(_shown: ShownModel, _choices: Any, drawing: dict[str, Any]) -> list[np.ndarray]:
    """Reads the sides of all blocks; that of the probabilities, which are no stage, is left out."""
    groups = [group for column in drawing["columns"] for group in column["groups"]]
    blocks = [block for group in groups for block in group["blocks"] if not block.get("after")]
    return [np.array([size for block in blocks for _axis, size in block["axes"]])]


def _fields(_shown: ShownModel, choices: Any) -> dict[str, Any]:
    """Fills in what the page has chosen, by the names of the fields."""
    return vars(choices)


def _lengths(_shown: ShownModel, choices: layer_costs.KernelChoices) -> dict[str, Any]:
    return vars(choices) | {"lengths": layer_costs.LENGTHS}


def _cost(says: str, field: str) -> Recipe:
    return Recipe(
        f"{says}: self-attention, a recurrent layer and a convolution, by the length of the sequence",
        f"costs = layer_costs($lengths, cfg.d_model, $kernel)\nvalues = [each.{field} for each in costs.values()]", _lengths,
    )  # fmt: skip


def _vocabulary(shown: ShownModel, choices: parameters.VocabularyChoices) -> dict[str, Any]:
    own = parameters.config_of(shown, choices) == shown.cfg
    vocab = choices.vocabulary
    return {"sizes": Code("cfg" if own else f"replace(cfg, src_vocab={vocab}, tgt_vocab={vocab})")}


RECIPES = {
    "mask": Recipe(
        "a mask: 1 where a query may attend to a key",
        """
open_pairs = mask_tiles(src, tgt, vocabulary.pad, cfg.causal)[$mask]  # (query, key) booleans
values = np.where(open_pairs, 1.0, np.nan)  # what is masked is left out
""",
        _mask, padding=_padded, labels=("token_labels($rows)", "token_labels($columns)"),
    ),
    "triangle": Recipe("1 on and above a diagonal", "values = upper_triangle($rows, $columns, $k)", _fields),
    "triangle-rest": Recipe("1 below a diagonal", "values = 1 - upper_triangle($rows, $columns, $k)", _fields),
    "triangle-counted": Recipe(
        "what a triangle leaves of a matrix that counts its cells", "values = counted_triangle($rows, $columns, $offset)",
        _fields,
    ),
    "causal-mask": Recipe("the causal mask: row i may attend to columns 0 to i", "values = lower_triangle($size)", _fields),
    "operations": _cost("the operations in one layer, as the paper counts them", "operations"),
    "sequential": _cost("the steps that have to wait for the one before", "sequential"),
    "path": _cost("the longest path between two tokens", "path"),
    "blocks": Recipe(
        "the sides of every tensor of a forward pass: of one layer of each stack, and of what stands before and after",
        """
blocks = shape_map(cfg, $batch, len(src), len(tgt))
blocks = [each for stack in ("encoder", "decoder") for each in blocks if each.stack == stack and each.layer in ($layer, None)]
values = [[size for _axis, size in each.axes] for each in blocks]
""",
        _blocks, seen=_sizes,
        draw="""
sides = ["×".join(f"{axis} {size}" for axis, size in each.axes) for each in blocks]
figure = go.Figure(go.Bar(x=[each.count for each in blocks], y=[each.name for each in blocks], text=sides, orientation="h"))
figure.update_layout(height=24 * len(blocks) + 160, xaxis={"title": "numbers", "type": "log"}, yaxis_autorange="reversed")
figure.show()
""",
    ),
    "parameters-by-part": Recipe(
        "the share of each part of the model in all parameters, in percent",
        """
parts = parameter_parts($sizes)
counts = np.array([part.by_count for part in parts])
values = [100 * counts / counts.sum()]
""",
        _vocabulary,
        draw="""
figure = go.Figure(go.Bar(x=values[0], y=[part.name for part in parts], text=counts, orientation="h"))
figure.update_layout(xaxis_title="%", yaxis_autorange="reversed")
figure.show()
""",
    ),
}  # fmt: skip
