"""Toy grammars: each draws a sentence with its answer, and knows the word that each answer word comes from."""
