"""Pictures as code: a short program that computes a picture with `transformer_core` alone, draws it, and compares its numbers
with those that were on screen.

A picture has a recipe by its name (`recipes.RECIPES`): a few lines that compute `values`. What stands before them, the model
and the sentence, and after them, the drawing and the comparison, is made alike for all. Programs are in English, as all code
is; the labels in them are those of the drawing, in the visitor's language.
"""
