"""The recipes of all pictures that are written as code, by their names; and the pictures that are not, with the reason."""

from explorer.code.recipe import Recipe
from explorer.code.recipes import attention, decoding, layers, parts, positions

RECIPES: dict[str, Recipe] = {
    **attention.RECIPES,
    **decoding.RECIPES,
    **layers.RECIPES,
    **parts.RECIPES,
    **positions.RECIPES,
}
# Pictures with a name that are not written as code, and why.
ABSENT: dict[str, str] = {
    "course": "it is the curve of a run, and its menu is that of the slider: no picture of the page",
    "cut_answer": "it is a line of words, without a menu",
    "start": "it is the first screen, without a menu; Heads shows the same weights",
    "start-cuts": "it is the first screen, without a menu; Heads shows the same weights",
}
