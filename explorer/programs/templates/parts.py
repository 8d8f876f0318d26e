"""Templates of the pictures of the model by its sizes alone: shapes and parameters."""

from typing import Any

import numpy as np

from explorer.model_on_screen.forward import Random
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import initial_weights, model, parameters
from explorer.pictures.choices import index
from explorer.programs.template import Code, ProgramTemplate


def _blocks(shown: ShownModel, choices: model.BlockChoices) -> dict[str, Any]:
    return {"batch": 1 + choices.beside, "layer": index(choices.layer, shown.cfg.n_layers)}


def _sizes(_shown: ShownModel, _choices: Any, drawing: dict[str, Any]) -> list[np.ndarray]:
    """Reads the sides of all blocks; that of the probabilities, which are no stage, is left out."""
    groups = [group for column in drawing["columns"] for group in column["groups"]]
    blocks = [block for group in groups for block in group["blocks"] if not block.get("after")]
    return [np.array([size for block in blocks for _axis, size in block["axes"]])]


def _vocabulary(shown: ShownModel, choices: parameters.VocabularyChoices) -> dict[str, Any]:
    own = parameters.config_of(shown.cfg, choices) == shown.cfg
    vocab = choices.vocabulary
    return {"sizes": Code("cfg" if own else f"replace(cfg, src_vocab={vocab}, tgt_vocab={vocab})")}


def _spread(shown: ShownModel, choices: initial_weights.WeightChoices) -> dict[str, Any]:
    begun = initial_weights.begun(shown.model, choices.weight_seed)
    assert isinstance(begun.weights, Random)
    spreads = "[start, weight_spread(model, start.name)]" if shown.learning.step else "[start]"
    return {
        "seed": begun.weights.seed,
        "name": initial_weights.name_of(shown.model, choices),
        "bins": initial_weights.BINS,
        "spreads": Code(spreads),
    }


TEMPLATES = {
    "initial-weights": ProgramTemplate(
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
    "blocks": ProgramTemplate(
        "the sides of every tensor of a forward pass: of one layer of each stack, and of what stands before and after",
        """
blocks = shape_map(cfg, $batch, len(src), len(tgt))
blocks = [each for stack in ("encoder", "decoder") for each in blocks if each.stack == stack and each.layer in ($layer, None)]
values = [[size for _axis, size in each.axes] for each in blocks]
""",
        _blocks,
        seen=_sizes,
        draw="""
sides = ["×".join(f"{axis} {size}" for axis, size in each.axes) for each in blocks]
figure = go.Figure(go.Bar(x=[each.count for each in blocks], y=[each.name for each in blocks], text=sides, orientation="h"))
figure.update_layout(height=24 * len(blocks) + 160, xaxis={"title": "numbers", "type": "log"}, yaxis_autorange="reversed")
figure.show()
""",
    ),
    "parameters-by-part": ProgramTemplate(
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
}
