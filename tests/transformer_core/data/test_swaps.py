"""Pins: the words that could stand in a word's place are those of the most similar sentences of the task."""

from transformer_core.data.corpus import Example, corpus
from transformer_core.data.swaps import words_in_place

SENTENCES = [
    "the cat sees a dog",
    "the cat sees a bird",
    "the dog likes a house",
    "a cat",
    "the cat sees a dog now",
    "one cow eats no ape",
]


def made(sentences):
    return corpus([Example(tuple(each.split()), ("yes",), (None,)) for each in sentences], sentences[0])


def test_words_of_similar_sentences_come_first():
    found = words_in_place(made(SENTENCES), "the cat sees a mouse".split(), 4)
    assert found == ["bird", "dog", "house", "ape"]  # four words in common, four, two, none; of another length: none
    assert words_in_place(made(SENTENCES), "the cat sees a bird".split(), 4) == ["dog", "house", "ape"]
    assert words_in_place(made(SENTENCES), "the cat sees".split(), 1) == []
