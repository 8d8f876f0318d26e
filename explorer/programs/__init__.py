"""Pictures as code: a short program that computes a picture with `transformer_core` alone, draws it, and compares its numbers
with those that were on screen.

An exhibit's program is derived from the source of its numbers, or of their formula (`derived`). A picture without an exhibit
has a template by its name (`templates.TEMPLATES`): a few lines that compute `values`. What stands before them, the model and
the sentence, and after them, the drawing and the comparison, is made alike for all. Programs are in English, as all code is;
the labels in them are those of the drawing, in the visitor's language. The curves of a run have a program of their own
(`of_run`).
"""
