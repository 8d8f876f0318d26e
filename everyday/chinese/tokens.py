"""The vocabulary of Chinese answers."""

from everyday.chinese import (
    actions,
    adjectives,
    clauses,
    commands,
    persons,
    phrases,
    qualities,
    sentences,
    verbs,
    words,
)

_PARTS = (words, adjectives, phrases, verbs, actions, qualities, persons, clauses, commands, sentences)
TOKENS: tuple[str, ...] = tuple(sorted({token for part in _PARTS for token in part.TOKENS}))
