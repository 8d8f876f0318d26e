"""Recipes of the pictures of the model by its sizes alone: shapes and parameters."""

from typing import Any

import numpy as np

from explorer.code.recipe import Code, Recipe
from explorer.inference.forward import Random
from explorer.inference.shown_model import ShownModel
from explorer.pictures import initial_weights, layer_costs, model, parameters, printout
from explorer.pictures.choices import index


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


def _printed(says: str, numbers: str) -> Recipe:
    code = """
small = replace(cfg, d_model=$width, n_heads=$heads, d_ff=4 * $width, n_layers=1, max_len=$length, tgt_max_len=None)
printed = printed_numbers(small, $batch, $length, $p)  # of random weights and random tokens
"""
    return Recipe(f"{says}, as lecture notes print them", f"{code}values = printed.{numbers}", _of_printout)


def _of_printout(_shown: ShownModel, choices: printout.PrintoutChoices) -> dict[str, Any]:
    return {
        "batch": choices.print_batch, "length": choices.print_length, "width": choices.print_width,
        "heads": choices.print_heads, "p": choices.print_dropout, "columns": printout.COLUMNS,
    }  # fmt: skip


def _spread(shown: ShownModel, choices: initial_weights.WeightChoices) -> dict[str, Any]:
    begun = initial_weights.begun(shown, choices.weight_seed)
    assert isinstance(begun.weights, Random)
    spreads = "[start, weight_spread(whole, start.name)]" if shown.learning.step else "[start]"
    return {
        "seed": begun.weights.seed, "name": initial_weights.name_of(shown, choices), "bins": initial_weights.BINS,
        "spreads": Code(spreads),
    }  # fmt: skip


RECIPES = {
    "printed-embedded": _printed("embedded tokens after dropout", "dropped[:, :$columns]"),
    "printed-weights": _printed("attention weights of random tokens", "weights"),
    "printed-blocked": _printed("attention weights where every score is -1e9", "blocked"),
    "printed-dropped": _printed("the same weights after dropout", "blocked_dropped"),
    "initial-weights": Recipe(
        "how the weights of a matrix are spread before the first step, and now: the share in each bin",
        """
begun = initial(cfg, seed=$seed)  # drawn evenly between -b and b, b = √(6 / (n_in + n_out))
start = weight_spread(begun, $name)
spreads = $spreads
width = 2 * start.bound / $bins
most = max(start.bound, *(each.largest for each in spreads))
beyond = min(int(np.ceil((most - start.bound) / width)) + 1, 2 * $bins)  # bins beyond each bound
edges = (np.arange(-beyond, $bins + beyond + 1) - $bins / 2) * width
values = [each.shares(edges) for each in spreads]
""",
        _spread,
        draw="""
figure = go.Figure()
for name, row in zip(["step 0", "now"], values):
    figure.add_scatter(x=(edges[:-1] + edges[1:]) / 2, y=row, name=name)
figure.update_layout(title=start.name, xaxis_title="weight", yaxis_title="share of the weights")
figure.show()
""",
    ),
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
