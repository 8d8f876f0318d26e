"""`translate`: sentences as people type them, what the model answers, and how far it can be trusted."""

import argparse
import json
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from everyday.suggestions import similar_words
from everyday.translation import TRANSLATIONS, Translation
from transformer_core.analysis.translation_metrics import Answer, Words, decoded_answers
from transformer_core.commands.options import of_a_model, opened_reader, whole
from transformer_core.data.corpus import Corpus, FixedCorpus
from transformer_core.data.sentence_text import sentence_text
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.transformer import Transformer

_SIMILAR = 3  # known words that are named for an unknown one
_NEARNESS = 0.6  # of their spelling


@dataclass(frozen=True)
class Language:
    """The sentences that a model has learned to answer.

    Attributes:
        translation: the language pair, of an everyday language; None for a list of sentences, such as somebody's own pairs.
        longest: the most words of a sentence that the model can read.
    """

    corpus: Corpus
    translation: Translation | None
    longest: int

    @property
    def vocabulary(self) -> Vocabulary:
        return self.corpus.vocabulary

    @cached_property
    def source_words(self) -> Collection[str]:
        """The words of its sentences; its answers may have others."""
        if self.translation is not None:
            return self.translation.source_words
        assert isinstance(self.corpus, FixedCorpus)
        return sorted({word for example in self.corpus.examples for word in example.src})

    def similar(self, word: str) -> list[str]:
        """Known words like an unknown one; none where there is nothing like it."""
        if self.translation is not None:
            return similar_words(word, self.source_words)
        return get_close_matches(word, self.source_words, _SIMILAR, _NEARNESS)

    def answers(self, words: Words) -> dict[Words, float]:
        """Every right answer with its probability, the most probable first; empty where nobody can tell."""
        if self.translation is not None:
            return self.translation.answers(words)
        answers = self.corpus.answers(words)
        return {answer: 1 / len(answers) for answer in answers}

    def text(self, words: Words) -> str:
        """An answer as one writes it."""
        if self.translation is not None:
            return sentence_text(words, self.translation.language)
        return self.corpus.answer_separator.join(words)


@dataclass(frozen=True)
class TypedSentence:
    """A sentence as it was typed, and what its language knows of it.

    Attributes:
        words: as the model reads it.
        unknown: the words that the model has never seen, each with known ones like it. Then nothing is to be translated.
        too_long: whether it has more words than the model can read.
        right: every right answer with its probability; empty for what is not in the language, and so was never taught.
    """

    text: str
    words: Words
    unknown: dict[str, list[str]]
    too_long: bool
    right: dict[Words, float]

    @property
    def readable(self) -> bool:
        """True if there is anything that the model can translate."""
        return bool(self.words) and not self.unknown and not self.too_long


def understood(language: Language, text: str) -> TypedSentence:
    words, known = tuple(language.vocabulary.split(text)), language.source_words
    unknown = {word: language.similar(word) for word in words if word not in known}
    too_long = len(words) > language.longest
    return TypedSentence(text, words, unknown, too_long, {} if unknown or too_long else language.answers(words))


def answers_of(model: Transformer, language: Language, sentences: Sequence[TypedSentence], width: int) -> list[list[Answer]]:
    """The answers that the model finds for each, the most probable first; none where there is nothing to translate."""
    sources = [each.words for each in sentences if each.readable]
    decoded = iter(decoded_answers(model, language.vocabulary, sources, width))
    return [next(decoded) if each.readable else [] for each in sentences]


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "translate", parents=[of_a_model()], help="translate sentences as people type them; exit with 2 if one could not be"
    )
    command.add_argument("sentence", nargs="*", help="without one, standard input is read, a sentence a line")
    command.add_argument("--beam", type=whole(1, 64), default=4, metavar="N", help="width of the beam (default: %(default)s)")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Returns 2 if anything could not be translated."""
    model, task = opened_reader(args.model)
    language = Language(task.corpus, TRANSLATIONS.get(task.name), model.cfg.max_len)
    lines: Iterable[str] = [" ".join(args.sentence)] if args.sentence else sys.stdin
    show, code = as_json if args.json else as_text, 0
    for text in map(str.strip, lines):  # an empty line gets an answer as well: those of a file stay beside its lines
        sentence = understood(language, text)
        (answers,) = answers_of(model, language, [sentence], args.beam)
        print(show(sentence, answers, language) if text or args.json else "", flush=True)
        code = 2 if text and not answers else code
    return code


def as_json(sentence: TypedSentence, answers: Sequence[Answer], language: Language) -> str:
    """One line. `taught` and `right` are null where nobody can tell."""
    ranked = [
        {
            "answer": language.text(answer.words),
            "probability": answer.probability,
            "right": answer.words in sentence.right if sentence.right else None,
        }
        for answer in answers
    ]
    first = ranked[0] if ranked else {"answer": None, "probability": None, "right": None}
    facts = {
        "source": sentence.text,
        **first,
        "unknown": list(sentence.unknown),
        "words_like": sentence.unknown,
        "taught": bool(sentence.right) if sentence.readable else None,
        "right_answers": {language.text(words): p for words, p in sentence.right.items()},
        "runners_up": ranked[1:],
    }
    return json.dumps(facts, ensure_ascii=False)


def as_text(sentence: TypedSentence, answers: Sequence[Answer], language: Language) -> str:
    """A few lines: the sentence, the answer with its probability, warnings, runners-up."""
    lines = [sentence.text]
    for word, known in sentence.unknown.items():
        like = f" Words like it that it knows: {', '.join(known)}." if known else ""
        lines.append(f"  The model has never seen “{word}”.{like}")
    if sentence.too_long:
        lines.append(f"  It has {len(sentence.words)} tokens, and the model reads up to {language.longest}: shorten it.")
    if not answers:
        said = sentence.unknown or sentence.too_long
        return "\n".join(lines if said else [*lines, "  The model has no answer to this."])
    first, *others = (f"  {answer.probability:6.1%}  {language.text(answer.words)}" for answer in answers)
    if sentence.right:
        marks = (" (right)" if answer.words in sentence.right else " (wrong)" for answer in answers[1:])
        others = [other + mark for other, mark in zip(others, marks, strict=True)]
    return "\n".join([*lines, first, f"          {_verdict(sentence, answers[0], language)}", *others])


def _verdict(sentence: TypedSentence, answer: Answer, language: Language) -> str:
    count = len(sentence.right)
    if not count:
        untaught = "no sentence of this form was taught"
        if language.translation is None:
            untaught = "this sentence is not in the list that was taught"
        return f"Every word is known, but {untaught}: the answer is a guess."
    if answer.words not in sentence.right:
        return f"This is wrong. A right answer is: {language.text(next(iter(sentence.right)))}"
    return f"This is right: one of {count} right answers." if count > 1 else "This is right: the only right answer."
