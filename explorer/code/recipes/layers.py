"""Recipes of pictures of vectors on their way through the layers: norms, and what can be read on the way."""

from typing import Any

from explorer.code.recipe import Recipe, listed, written
from explorer.inference.shown_model import ShownModel
from explorer.pictures import depth, norms


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
}  # fmt: skip
