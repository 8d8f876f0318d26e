"""The first screen: a translator writes its answer, lines show where it looks, and each line can be cut."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from explorer import i18n, limits
from explorer.i18n import _, current_language
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.sources import reader_of
from explorer.model_on_screen.translator import check_taught, source_ids
from explorer.model_on_screen.written_answer import (
    WrittenAnswer,
    answer_without_link,
    answers_while_learning,
    answers_without_links,
    glosses_of,
)
from explorer.pictures.registry import Ends, Longest, picture
from transformer_core.errors import TextError


@dataclass(frozen=True)
class SentenceChoices:
    """The English sentence."""

    sentence: str


@dataclass(frozen=True)
class StepChoices(SentenceChoices):
    """A sentence, the step of learning after which its answer is written, and a link (query, key) of it; (): all links."""

    after: int
    link: Annotated[tuple[Annotated[int, Ends(0, limits.MAX_LENGTH)], ...], Longest(2)] = ()


@picture("start")
def start(shown: ShownModel, choices: SentenceChoices) -> dict[str, Any]:
    """The answer after each kept step of learning.

    `guess` is the reason why the answer is only a guess, or "". For a sentence with unknown words, returns instead `refused`,
    a message that names them, and `offered`, sentences without them.
    """
    try:
        asked = asked_with(shown, choices.sentence)
    except TextError as error:
        return refused(error)
    answers = answers_while_learning(asked)
    return {
        "sentence": choices.sentence,
        "source": token_texts(asked, asked.src),
        "guess": why_a_guess(asked, choices.sentence),
        "steps": [{"step": step} | _numbers(asked, answer) for step, answer in answers.items()],
    }


@picture("start-cuts")
def cuts(shown: ShownModel, choices: StepChoices) -> dict[str, Any]:
    """The answer after the link is cut, or after each link that is not faint is cut, by "query-key"."""
    if choices.after not in shown.learning.steps or len(choices.link) == 1:
        raise ValueError(f"{choices.after} is no step of this model, or {choices.link} no link")
    asked = asked_with(shown, choices.sentence).at(choices.after)
    if choices.link:
        query, key = choices.link
        answers: Mapping[tuple[int, int], WrittenAnswer] = {(query, key): answer_without_link(asked, query, key)}
    else:
        answers = answers_without_links(asked)
    links = {f"{query}-{key}": _numbers(asked, answer) for (query, key), answer in answers.items()}
    return {"after": choices.after, "links": links}


def refused(error: TextError) -> dict[str, Any]:
    """Returns why a sentence cannot be read, and sentences without its unknown words."""
    offered = list(error.nearest.get("src", ()))
    if _is_foreign(str(error.values.get("words", ""))):
        return {"refused": _("The model reads only English: please write the sentence in English."), "offered": offered}
    if offered or "words" not in error.values:
        return {"refused": i18n.error(error), "offered": offered}
    words = _("The model has never seen {words}. Type a letter, and words that it knows appear.")
    return {"refused": words.format(words=error.values["words"]), "offered": []}


def _is_foreign(words: str) -> bool:
    """Returns whether some letters of these words are of no Latin alphabet."""
    return any(letter.isalpha() and not unicodedata.name(letter, "").startswith("LATIN") for letter in words)


def asked_with(shown: ShownModel, sentence: str) -> ShownModel:
    """Returns the whole model with this source. Raises TextError for words that it does not know."""
    most = reader_of(of_task(shown.task)).most
    ids = source_ids(shown.vocabulary, shown.translation, sentence, most)
    text = replace(shown.text, src=ids, tgt=(shown.vocabulary.start,))
    return replace(shown, text=text, choice=shown.choice.original)


def why_a_guess(shown: ShownModel, sentence: str) -> str:
    """Returns why the answer to a sentence is only a guess; "" where it is none."""
    if shown.translation is not None:
        try:
            check_taught(shown.translation, sentence)
        except TextError as error:
            return i18n.error(error)
    return ""


def _numbers(shown: ShownModel, answer: WrittenAnswer) -> dict[str, Any]:
    glosses = list(glosses_of(shown, answer, current_language()))
    return {"words": answer.words, "weights": answer.weights.round(3).tolist(), "glosses": glosses}
