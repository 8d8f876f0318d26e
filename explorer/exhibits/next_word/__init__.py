"""The next word: a decoder alone goes on with a text."""
