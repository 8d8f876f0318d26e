"""Toy grammars: each draws a sentence with its answer and their alignment, word by word."""
