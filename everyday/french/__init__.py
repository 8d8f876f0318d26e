"""Everyday sentences in French: `french` says a tree, `TOKENS` are all words that it can say."""

from everyday.french.sentences import TOKENS, french

__all__ = ["TOKENS", "french"]
