"""Everyday sentences in Chinese.

The names of things are in words; phrases in adjectives and phrases; actions and states in verbs, actions and qualities; the
meanings of "you" and "they" in persons; whole sentences in clauses, commands and sentences.
"""

from everyday.chinese.sentences import chinese
from everyday.chinese.tokens import TOKENS

__all__ = ["TOKENS", "chinese"]
