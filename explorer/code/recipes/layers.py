"""Recipes of pictures of vectors on their way through the layers: residual stream, norms, keys, values."""

from typing import Any

from explorer.code.recipe import Code, Recipe, listed, written
from explorer.inference.shown_model import ShownModel
from explorer.pictures import depth, dropout, keys_and_values, layers, norms
from explorer.pictures.choices import index
from transformer_core.model.stages import MEMORY, OUTPUT


def _of_layer(shown: ShownModel, choices: layers.LayerChoices) -> dict[str, Any]:
    layer = index(choices.layer, shown.cfg.n_layers)
    found = {"stack": choices.stack, "layer": layer, "dimensions": layers.DIMENSIONS}
    if not isinstance(choices, layers.WordChoices):
        return found
    token, end = layers.token_of(shown, choices), MEMORY if choices.stack == "encoder" else OUTPUT
    ends = shown.cfg.has_final_norm and layer == shown.cfg.n_layers - 1
    last = f"vectors.append(stages[{written(end)}][{token}])  # after the norm at the end of the stack"
    return found | {"token": token, "at_the_end": Code(last if ends else "")}


_STEPS = "steps = [step for step in walk(stages, cfg, $stack) if step.layer == $layer]  # the parts of the layer, in order\n"


def _of_norm(shown: ShownModel, choices: norms.EpsilonChoices) -> dict[str, Any]:
    found = {"eps": norms.eps_of(shown, choices), "shown": norms.SHOWN, "widths": norms.WIDTHS, "vectors": norms.VECTORS}
    if not isinstance(choices, norms.NormChoices):
        return vars(choices) | found
    epsilons = sorted({*norms.EPSILONS.tolist(), shown.cfg.norm_eps, found["eps"]})
    return found | {"epsilons": listed(epsilons), **norms.place_of(shown, choices)}


_GIVEN = """
read = [given for given, _gave in norms(stages, cfg).values()]  # what each norm of the model reads
given = read[$norm_place][$token]  # (d_model,), one word's vector
"""
_NORMED = _GIVEN + "standard, unbiased = two_norms(given, $eps)  # the second divides by std + ε, with d - 1\n"


def _keys(shown: ShownModel, _choices: Any) -> dict[str, Any]:
    return {"n": min(keys_and_values.DIMENSIONS, shown.cfg.d_model), "memory": MEMORY}


def _dropout(shown: ShownModel, choices: dropout.DropoutChoices) -> dict[str, Any]:
    first = Code("[0]  # of head 0" if choices.dropout_place == "weights" else "")
    n = min(dropout.COLUMNS, dropout.before_and_after(shown, choices)[0].shape[1])
    found = {"p": choices.dropout_share, "seed": choices.dropout_seed, "n": n, "counts": dropout.COUNTS, "first": first}
    return found | {"given": dropout.stage_of(choices.dropout_place)}


_NUMBERS = """
x, p, seed = stages[$given], $p, $seed
x = x$first
"""


def _depth(says: str, what: str, arrangements: list[depth.Arrangement]) -> Recipe:
    return Recipe(
        f"{says}; with random weights, with residual connections and without",
        f"""
found = gradient_profiles($depth, seed=$depth_seed)
values = [found[norm, residual].{what} for norm in {written(arrangements)} for residual in (True, False)]
""",
        lambda _shown, choices: vars(choices),
    )


RECIPES = {
    "stream-rows": Recipe(
        "one word's vector, a row for each operation of the layer",
        _STEPS + """
vectors = [steps[0].before[$token]]
for step in steps:
    vectors += [each[$token] for name, each in step.ordered.items() if cfg.residual or name != "sum"]
$at_the_end
values = np.stack(vectors)[:, :$dimensions]
""",
        _of_layer,
    ),
    "lengths": Recipe(
        "the length of the vector before and after each part of the layer, and of what the part adds",
        _STEPS + "values = np.stack([step.lengths[:, $token] for step in steps], axis=1)  # (before, output, after)", _of_layer,
    ),
    "stream": Recipe(
        "the length of the vector after each part of all layers",
        """
steps = walk(stages, cfg, $stack)
values = [[steps[0].lengths[0, $token], *(step.lengths[2, $token] for step in steps)]]
""",
        _of_layer,
    ),
    "dropout-before": Recipe("what dropout is given in a step of training", _NUMBERS + "values = x[:, :$n]", _dropout),
    "dropout-after": Recipe(
        "what dropout makes of them: some become 0, all others are multiplied by 1 / (1 − p)",
        _NUMBERS + "values = dropped(x, p, seed)[:, :$n]", _dropout,
    ),
    "dropout-mean": Recipe(
        "how far the average over some steps is from the numbers before, as a share of their size",
        _NUMBERS + "values = [distance_of_mean(x, p, $counts, seed)]", _dropout,
    ),
    "bare": _depth("the length of the gradient at each layer of an encoder without norms", "norms", ["none"]),
    "normed": _depth("the length of the gradient at each layer of an encoder", "norms", ["pre", "post"]),
    "aligned": _depth("the cosine of the gradient with that at the top, at each layer", "aligned", ["pre", "post"]),
    "stream-lengths": Recipe(
        "the mean length of a word's vector after each layer of an encoder with random weights",
        """
found = gradient_profiles($depth)  # by the place of the norm, and whether there are residual connections
values = [found["pre", True].lengths, found["post", True].lengths]
""",
        lambda _shown, _choices: {"depth": depth.DEPTH},
    ),
    "logit-lens": Recipe(
        "the probability of the likeliest word, when the vector after each part of the decoder goes to the output at once",
        "values = np.stack([each.probabilities.max(axis=-1) for each in logit_lens(model, stages)])  # (depth, position)",
    ),
    "before-after": Recipe(
        "one word's vector before a layer norm and after it", _NORMED + "values = [given, standard]", _of_norm,
    ),
    "two-norms": Recipe(
        "one word's vector after each of two norms, and the difference",
        _NORMED + "values = np.stack([standard, unbiased, unbiased - standard])[:, :$shown]", _of_norm,
    ),
    "by-width": Recipe(
        "the difference between the two norms, for random vectors of each width",
        "values = difference_by_width($widths, $vectors, $norm_seed, $eps)  # the largest, and the typical one", _of_norm,
    ),
    "by-eps": Recipe(
        "the standard deviation after each norm, for each ε", _GIVEN + """
epsilons = $epsilons
values = deviation_by_eps(given, epsilons)
""",
        _of_norm,
    ),
    "memory": Recipe("the encoder's output", "values = stages[$memory][:, :$n]  # (source, d_model)", _keys),
    "k-v": Recipe(
        "the keys and values that each decoder layer makes of the encoder's output",
        "found = cross_projections(model, stages)\n"
        "values = np.stack([each[:, :$n] for layer in found for each in (layer.k, layer.v)])", _keys,
    ),
    "q": Recipe(
        "the queries of each decoder layer", "values = np.stack([each.q[:, :$n] for each in cross_projections(model, stages)])",
        _keys,
    ),
}  # fmt: skip
