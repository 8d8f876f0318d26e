"""Pairs of sentences that differ in one word: the swaps on offer, and what a patch from one to the other restores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.model_on_screen.cut_costs import worth_of_words
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.incremental import measure
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import check_passes, rows_at_once
from transformer_core.analysis import patching
from transformer_core.analysis.patching import Pair, Restored, output_stages, pair_of, restored, stream_stages
from transformer_core.data.swaps import words_in_place
from transformer_core.data.tasks import SentenceTask
from transformer_core.data.vocabulary import FIRST_WORD
from transformer_core.model.stages import ENCODER, stacks_of

_TRIES = 4  # words per place, and places, that are tried until a swap changes the answer


def places(shown: ShownModel) -> range:
    """Returns the places of the source, or of a decoder's text, whose token can be swapped: the first number of a row is fixed,
    and so is the start token."""
    return range(0 if shown.model.in_words and shown.cfg.has_encoder else 1, len(shown.read))


def words_for(shown: ShownModel, place: int) -> list[str]:
    """Returns the tokens that can replace one of the source: those that the task's sentences have there, the most sensible
    first; or else all that the model can read.
    """
    own, tokens = shown.read[place], shown.vocabulary.tokens[: shown.cfg.read_vocab]
    if not shown.cfg.has_encoder:
        first = max(shown.vocabulary.pad, shown.vocabulary.start) + 1
        return [*tokens[own + 1 :], *tokens[first:own]]
    if not shown.model.in_words:
        return [*tokens[own + 1 :], *tokens[1:own]]
    return _of_corpus(shown, place) or [word for word in _readable(shown) if word != tokens[own]]


def _of_corpus(shown: ShownModel, place: int) -> list[str]:
    if not isinstance(shown.taught, SentenceTask):
        return []
    return _alike(shown.taught, tuple(shown.vocabulary.decode(shown.src)), place)


@shared_cache(4 * 2**20)
def _alike(task: SentenceTask, words: tuple[str, ...], place: int) -> list[str]:
    """Returns the corpus's words for a place; those whose sentence the corpus can answer come first."""
    corpus = task.corpus
    alike = words_in_place(corpus, words, place)
    return sorted(alike, key=lambda word: not corpus.answers((*words[:place], word, *words[place + 1 :])))


def _readable(shown: ShownModel) -> Sequence[str]:
    tokens = shown.vocabulary.tokens[FIRST_WORD : shown.cfg.src_vocab]
    return tokens if shown.translation is None else shown.translation.source_words


def first_place(shown: ShownModel) -> int:
    """Returns the last place where one of a few swaps changes the answer; if there is none, the last place of all. In a text it
    is the word before the last one that the next word needs most."""
    last = places(shown)[::-1]
    if not shown.cfg.has_encoder and len(last) > 1:
        return 1 + int(np.nan_to_num(worth_of_words(shown)[-1, 1 : last[0]], nan=-np.inf).argmax())
    return next((place for place in last[:_TRIES] if _changing(shown, place) is not None), last[0])


def first_word(shown: ShownModel, place: int) -> str:
    """Returns a word for this place that changes the answer; after a few tries, the most sensible one."""
    return _changing(shown, place) or words_for(shown, place)[0]


def _changing(shown: ShownModel, place: int) -> str | None:
    own = answer(shown, shown.read)
    return next((word for word in words_for(shown, place)[:_TRIES] if answer(shown, swapped(shown, place, word)) != own), None)


def swapped(shown: ShownModel, place: int, word: str) -> tuple[int, ...]:
    """Replaces the token at a place of the source, or of the text."""
    return (*shown.read[:place], *shown.vocabulary.ids([word]), *shown.read[place + 1 :])


def answer(shown: ShownModel, words: tuple[int, ...]) -> tuple[int, ...]:
    """Decodes a source greedily, start token first, up to the end token; of numbers, as many as the source has. Of a decoder
    alone, what follows a text."""
    return _answer(shown.choice, words, shown.vocabulary.start, steps(shown), shown.vocabulary.end)


def steps(shown: ShownModel) -> int:
    """Returns the most tokens that an answer may have."""
    if not shown.cfg.has_encoder:
        return max(1, len(shown.answer) - len(shown.start))
    n = len(shown.src)
    return n - 1 if shown.vocabulary.end is None else min(shown.cfg.longest_tgt, MAX_TOKENS, 2 * n + 5) - 1


@shared_cache(4 * 2**20)
def _answer(choice: ModelChoice, src: tuple[int, ...], start: int, steps: int, end: int | None) -> tuple[int, ...]:
    return patching.answer(model_of(choice), src, start, steps, end)


def pair(shown: ShownModel, words: tuple[int, ...]) -> Pair | None:
    """Pairs the source on screen, or the text, with another one; None if the model answers both alike."""
    return pair_of(shown.read, words, answer(shown, shown.read), answer(shown, words))


def stages(shown: ShownModel, of_parts: bool) -> dict[str, list[str]]:
    """Returns the stages that are patched, by stack: the outputs of parts, or the residual stream."""
    named = output_stages if of_parts else stream_stages
    return {stack: named(shown.cfg, stack) for stack in stacks_of(shown.cfg)}


@dataclass(frozen=True)
class Shares:
    """The effects of patching each stage, the first `in_encoder` of them in the encoder; None: not measured yet."""

    found: Sequence[Restored | None]
    in_encoder: int

    @property
    def progress(self) -> tuple[int, int]:
        return sum(each is not None for each in self.found), len(self.found)

    @property
    def whole(self) -> Restored | None:
        """The effects of all stages, once all are measured."""
        known = [each for each in self.found if each is not None]
        if len(known) < len(self.found):
            return None
        encoder, decoder = known[: self.in_encoder], known[self.in_encoder :]
        of_encoder = np.array([row for each in encoder for row in each.encoder])
        of_decoder = np.array([row for each in decoder for row in each.decoder])
        return Restored(of_encoder, of_decoder, known[0].first, known[0].second)


def shares(choice: ModelChoice, of: Pair, encoder: Sequence[str], decoder: Sequence[str], seconds: float) -> Shares:
    """Measures what every patch restores, stage by stage, as far as time allows (see `patching.restored`,
    `incremental.measure`). Raises InputError for too many patches.
    """
    src, tgt = lengths(choice, of)
    check_passes(choice.cfg, src, tgt, lambda src: _passes(src, tgt, encoder, decoder), in_turns=True)

    def patch(key: tuple[str, ModelChoice, Pair, str, str]) -> Restored:
        stack, stage = key[3:]
        return restored(model_of(choice), of, *(([stage], ()) if stack == ENCODER else ((), [stage])))

    keys = [
        ("patch", choice, of, stack, each) for stack, all_of in ((ENCODER, encoder), ("decoder", decoder)) for each in all_of
    ]
    return Shares(measure(seconds, keys, patch), len(encoder))


def takes_turns(choice: ModelChoice, of: Pair, encoder: Sequence[str], decoder: Sequence[str]) -> bool:
    """True if the patches are too many for one go."""
    src, tgt = lengths(choice, of)
    return _passes(src, tgt, encoder, decoder) > rows_at_once(choice.cfg, src, tgt)


def lengths(choice: ModelChoice, of: Pair) -> tuple[int, int]:
    """Returns the lengths of the source and of the decoder's input, where the answers part."""
    words, given = len(of.first), len(of.given)
    return (words, given) if choice.cfg.has_encoder else (0, words + given)


def _passes(src: int, tgt: int, encoder: Sequence[str], decoder: Sequence[str]) -> int:
    """Counts the passes: per stage one for each place, one without a patch, and two to know what to patch."""
    return len(encoder) * (src + 3) + len(decoder) * (tgt + 3)


@shared_cache(2 * 2**20)
def patched_answer(choice: ModelChoice, of: Pair, stage: str, place: int, steps: int, end: int | None) -> tuple[int, ...]:
    """Decodes the second source, or text, with one patch."""
    start = of.given[0] if choice.cfg.has_encoder else of.second[0]
    return patching.answer(patching.patched(model_of(choice), of, stage, place), of.second, start, steps, end)
