"""The first screen: a translator writes its answer, lines show where it looks, and each line can be cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from everyday.glosses import glosses
from explorer import i18n, limits
from explorer.i18n import _
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
        "steps": [{"step": step} | _numbers(answer) for step, answer in answers.items()],
        "glosses": glosses_of(asked, _words(answers.values())),
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
    links = {f"{query}-{key}": _numbers(answer) for (query, key), answer in answers.items()}
    return {"after": choices.after, "links": links, "glosses": glosses_of(shown, _words(answers.values()))}


def refused(error: TextError) -> dict[str, Any]:
    """Returns why a sentence cannot be read, and sentences without its unknown words."""
    offered = list(error.nearest.get("src", ()))
    if offered or "words" not in error.values:
        return {"refused": i18n.error(error), "offered": offered}
    words = _("The model has never seen {words}. Type a letter, and words that it knows appear.")
    return {"refused": words.format(words=error.values["words"]), "offered": []}


def asked_with(shown: ShownModel, sentence: str) -> ShownModel:
    """Returns the whole model with this source. Raises TextError for words that it does not know."""
    most = reader_of(of_task(shown.task)).most
    ids = source_ids(shown.vocabulary, shown.translation, sentence, most)
    text = replace(shown.text, src=ids, tgt=(shown.vocabulary.start,))
    return replace(shown, text=text, choice=shown.choice.whole)


def why_a_guess(shown: ShownModel, sentence: str) -> str:
    """Returns why the answer to a sentence is only a guess; "" where it is none."""
    if shown.translation is not None:
        try:
            check_taught(shown.translation, sentence)
        except TextError as error:
            return i18n.error(error)
    return ""


def _numbers(answer: WrittenAnswer) -> dict[str, Any]:
    return {"words": answer.words, "weights": answer.weights.round(3).tolist()}


def _words(answers: Iterable[WrittenAnswer]) -> Iterable[str]:
    return (word for answer in answers for word in answer.words)


def glosses_of(shown: ShownModel, words: Iterable[str]) -> dict[str, str]:
    """Returns an English word for each of these words of a translation that has one."""
    known = {} if shown.translation is None else glosses(shown.translation.language)
    return {word: known[word] for word in words if word in known}
