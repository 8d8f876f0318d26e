"""`translate`: sentences as people type them, what the model answers, and how far it can be trusted."""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from everyday.suggestions import similar_words
from everyday.tokenizer import tokenize
from everyday.translation import Translation
from transformer_core.analysis.translation_metrics import Answer, Words, decoded_answers
from transformer_core.commands.options import of_a_model, opened_translator, whole
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.sentence_text import sentence_text
from transformer_core.model.transformer import Transformer


@dataclass(frozen=True)
class TypedSentence:
    """A sentence as it was typed, and what a language pair knows of it.

    Attributes:
        words: as the model reads it.
        unknown: the words that the model has never seen, each with known ones like it. Then nothing is to be translated.
        right: every right answer with its probability; empty for what is not in the grammar, and so was never taught.
    """

    text: str
    words: Words
    unknown: dict[str, list[str]]
    right: dict[Words, float]

    @property
    def readable(self) -> bool:
        """True if there is anything that the model can translate."""
        return bool(self.words) and not self.unknown


def understood(translation: Translation, text: str) -> TypedSentence:
    words, known = tuple(tokenize(text)), translation.source_words
    unknown = {word: similar_words(word, known) for word in words if word not in known}
    return TypedSentence(text, words, unknown, {} if unknown else translation.answers(words))


def answers_of(
    model: Transformer, translation: Translation, sentences: Sequence[TypedSentence], width: int
) -> list[list[Answer]]:
    """The answers that the model finds for each, the most probable first; none where there is nothing to translate."""
    sources = [each.words for each in sentences if each.readable]
    decoded = iter(decoded_answers(model, everyday_vocabulary(translation), sources, width))
    return [next(decoded) if each.readable else [] for each in sentences]


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "translate", parents=[of_a_model()], help="translate sentences as people type them; exit with 2 if one could not be"
    )
    command.add_argument("sentence", nargs="*", help="in English; without one, standard input is read, a sentence a line")
    command.add_argument("--beam", type=whole(1, 64), default=4, metavar="N", help="width of the beam (default: %(default)s)")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Returns 2 if anything could not be translated."""
    model, translation = opened_translator(args.model)
    lines: Iterable[str] = [" ".join(args.sentence)] if args.sentence else sys.stdin
    show, code = as_json if args.json else as_text, 0
    for text in map(str.strip, lines):  # an empty line gets an answer as well: those of a file stay beside its lines
        sentence = understood(translation, text)
        (answers,) = answers_of(model, translation, [sentence], args.beam)
        print(show(sentence, answers, translation.language) if text or args.json else "", flush=True)
        code = 2 if text and not answers else code
    return code


def as_json(sentence: TypedSentence, answers: Sequence[Answer], language: str) -> str:
    """One line. `taught` and `right` are null where nobody can tell."""
    ranked = [
        {
            "answer": sentence_text(answer.words, language),
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
        "right_answers": {sentence_text(words, language): p for words, p in sentence.right.items()},
        "runners_up": ranked[1:],
    }
    return json.dumps(facts, ensure_ascii=False)


def as_text(sentence: TypedSentence, answers: Sequence[Answer], language: str) -> str:
    """A few lines: the sentence, the answer with its probability, warnings, runners-up."""
    lines = [sentence.text]
    for word, known in sentence.unknown.items():
        like = f" Words like it that it knows: {', '.join(known)}." if known else ""
        lines.append(f"  The model has never seen “{word}”.{like}")
    if not answers:
        return "\n".join(lines if sentence.unknown else [*lines, "  The model has no answer to this."])
    first, *others = (f"  {answer.probability:6.1%}  {sentence_text(answer.words, language)}" for answer in answers)
    if sentence.right:
        marks = (" (right)" if answer.words in sentence.right else " (wrong)" for answer in answers[1:])
        others = [other + mark for other, mark in zip(others, marks, strict=True)]
    return "\n".join([*lines, first, f"          {_verdict(sentence, answers[0], language)}", *others])


def _verdict(sentence: TypedSentence, answer: Answer, language: str) -> str:
    count = len(sentence.right)
    if not count:
        return "Every word is known, but no sentence of this form was taught: the answer is a guess."
    if answer.words not in sentence.right:
        return f"This is wrong. A right answer is: {sentence_text(next(iter(sentence.right)), language)}"
    return f"This is right: one of {count} right answers." if count > 1 else "This is right: the only right answer."
