"""Everyday sentences in Chinese.

What things are called stands in words; how a phrase is said, in adjectives and phrases; what somebody does or is, in verbs,
actions and qualities; whom "you" and "they" mean, in persons; whole sentences, in clauses, commands and sentences.
"""

from everyday.chinese.sentences import chinese
from everyday.chinese.tokens import TOKENS

__all__ = ["TOKENS", "chinese"]
