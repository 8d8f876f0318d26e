"""Recipes of pictures of what can be read from vectors on their way through the layers."""

from explorer.programs.template import ProgramTemplate

RECIPES = {
    "logit-lens": ProgramTemplate(
        "the probability of the likeliest word, when the vector after each part of the decoder goes to the output at once",
        "values = np.stack([each.probabilities.max(axis=-1) for each in logit_lens(model, stages)])  # (depth, position)",
    ),
}
