"""The next word: a decoder alone reads a text, and says how likely each word is to follow."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from explorer import i18n, limits
from explorer.model_on_screen.cuts import NO_CUTS, Cuts
from explorer.model_on_screen.decoding import generated_steps, token_texts
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.sources import reader_of
from explorer.model_on_screen.story_counts import counted_next
from explorer.pictures.next_word import MOST_K, TEMPERATURES, TOP_P, sampling_of
from explorer.pictures.registry import Ends, Longest, picture
from transformer_core.analysis.cutting import WordCut
from transformer_core.errors import TextError

_LIKELIEST = 8  # next words that are drawn


@dataclass(frozen=True)
class TextChoices:
    """A text, and how the next word is chosen.

    Attributes:
        hidden: places of the text, from 0, to which no later word may attend.
        samples: whether words are drawn; otherwise the likeliest is taken, and the other settings change nothing.
    """

    text: str
    hidden: Annotated[tuple[Annotated[int, Ends(0, limits.MAX_LENGTH)], ...], Longest(limits.MAX_LENGTH)]
    samples: bool
    temperature: Annotated[float, Ends(*TEMPERATURES)]
    top_k: Annotated[int, Ends(0, MOST_K)]
    top_p: Annotated[float, Ends(*TOP_P)]


@picture("going-on")
def going_on(shown: ShownModel, choices: TextChoices) -> dict[str, Any]:
    """The words of the text, how much the last layer looks at each as it says the next one, and the likeliest next words: with
    all of the text, without the hidden words, and counted in the stories of training.

    `looks` is the mean of the last layer's heads, of the model as it is drawn: without the hidden words. `room` is how many
    words more fit. For a text with unknown words, returns instead `refused`, a message that names them.
    """
    try:
        read = read_text(shown, choices.text)
    except TextError as error:
        return {"refused": i18n.error(error)}
    words = token_texts(read, read.tgt[1:])
    hidden = [place for place in choices.hidden if place < len(words)]
    cut = Cuts(tuple(WordCut("tgt", place + 1) for place in hidden)) if hidden else NO_CUTS
    seen = replace(read, choice=replace(read.choice, cuts=cut))
    looks = seen.attention("decoder", seen.cfg.n_layers - 1).map.weights[:, -1].mean(axis=0)  # (key,)
    end = read.vocabulary.end
    return {
        "text": choices.text,
        "words": words,
        "hidden": hidden,
        "looks": [round(share, 4) for share in looks.tolist()[1:]],
        "next": _likeliest(read, choices),
        "without": _likeliest(seen, choices) if hidden else None,
        "counted": _named(read, counted_next(read.task, read.tgt)),
        "end": "" if end is None else token_texts(read, (end,))[0],
        "room": min(read.cfg.longest_tgt, limits.MAX_LENGTH) - len(read.tgt),
    }


def read_text(shown: ShownModel, text: str) -> ShownModel:
    """Returns the whole model with this text. Raises TextError for words that it does not know, and for too long a text."""
    vocabulary, most = shown.vocabulary, reader_of(of_task(shown.task)).most
    if unknown := vocabulary.unknown_words(text):
        raise TextError(
            "No story has the word {words}. Write with words that appear when you type a letter.",
            words=", ".join(f"“{word}”" for word in dict.fromkeys(unknown)),
        )
    ids = tuple(vocabulary.encode(text))
    if len(ids) > most:
        raise TextError("The text has {n:,} words; up to {most} fit: shorten it.", n=len(ids), most=most)
    read = replace(shown.text, src=(), tgt=(vocabulary.start, *ids))
    return replace(shown, text=read, choice=shown.choice.original)


def _likeliest(shown: ShownModel, choices: TextChoices) -> list[list[Any]]:
    """The likeliest next words, each with its probability, and with that by which it is drawn."""
    sampling = None
    if choices.samples:
        sampling = sampling_of(choices.temperature, min(choices.top_k, shown.cfg.tgt_vocab), choices.top_p)
    (step,) = generated_steps(shown.choice, (), shown.tgt, 1, sampling, end=shown.vocabulary.end)
    order = np.argsort(-step.probabilities, kind="stable")[:_LIKELIEST].tolist()
    order += [i for i in np.flatnonzero(step.sampling_probabilities).tolist() if choices.samples and i not in order]
    words = token_texts(shown, order)
    pairs = zip(step.probabilities[order].tolist(), step.sampling_probabilities[order].tolist(), strict=True)
    return [[word, round(p, 7), round(drawn, 7)] for word, (p, drawn) in zip(words, pairs, strict=True)]


def _named(shown: ShownModel, probabilities: np.ndarray) -> list[list[Any]]:
    order = np.argsort(-probabilities, kind="stable")[:_LIKELIEST].tolist()
    return [[word, round(float(probabilities[i]), 7)] for word, i in zip(token_texts(shown, order), order, strict=True)]


def known_words(shown: ShownModel) -> Sequence[str]:
    """Returns the words that a text may have."""
    return [word for word in shown.vocabulary.tokens if not word.startswith("<")]
