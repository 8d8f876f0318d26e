"""The two sequences that the model on screen is given, as the settings say them."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from explorer.model_on_screen.forward import ModelChoice, generated
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.settings import MAX_TOKENS, ModelSettings
from explorer.model_on_screen.translator import HasVocabulary, answer_ids, source_ids
from explorer.model_on_screen.view_limits import check_pass_size, shorter
from transformer_core import TASKS, CopyTask, TransformerConfig, Vocabulary
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import FIRST_WORD
from transformer_core.errors import InputError

_FEWEST_MORE = 4  # words by which a decoder alone goes on


@dataclass(frozen=True)
class Sequences:
    """Source and decoder input.

    Attributes:
        src, tgt: ids; the start token comes first in the decoder's input. A decoder alone has a source of no words.
        typed: whether the decoder's input is the visitor's.
        is_random: whether both are random words, which are no sentence that could be answered right or wrong.
        unknown: typed words that the vocabulary lacks.
        last: the label of the last position, if it is neither the end token nor the last word of the source.
    """

    src: tuple[int, ...]
    tgt: tuple[int, ...]
    typed: bool = False
    is_random: bool = False
    unknown: tuple[str, ...] = ()
    last: int | None = None


def text_of(settings: ModelSettings, model: ModelAtStep) -> Sequences:
    """Reads what the settings say of source and decoder input.

    Raises:
        InputError: for a word that the model does not have, and for sequences that are too long to be shown.
    """
    vocabulary, cfg = model.vocabulary, model.cfg
    if model.in_words and settings.input == "lengths":
        read = _random_words(vocabulary, settings, cfg.has_encoder)
    else:
        text = settings.src if model.in_words else settings.numbers
        most = min(cfg.max_len, cfg.longest_tgt) if cfg.has_encoder else cfg.longest_tgt
        src = source_ids(vocabulary, model.translation, text, most - 1)
        if not cfg.has_encoder:
            read = _to_go_on_with(settings, model, src)
        elif model.in_words:
            read = _in_words(settings, model, src)
        else:
            read = _in_numbers(model, src)
    tokens = len(read.src), len(read.tgt)
    check_pass_size(cfg, *tokens, nearest=shorter(cfg, *tokens, settings, in_words=model.in_words, typed=read.typed))
    return read


def _in_words(settings: ModelSettings, model: ModelAtStep, src: tuple[int, ...]) -> Sequences:
    typed = settings.tgt.strip()
    texts = (settings.src, settings.tgt) if typed else (settings.src,)
    unknown: list[str] = []
    if model.translation is None:
        unknown = [word for text in texts for word in model.vocabulary.unknown_words(text)]
    if not typed:
        tgt = _written(model, src)
    else:
        answer = answer_ids(model.vocabulary, model.translation, settings.tgt, src)
        _check_length(answer, min(model.cfg.longest_tgt - 1, MAX_TOKENS))
        tgt = (model.vocabulary.start, *answer)
    return Sequences(src, tgt, typed=bool(typed), unknown=tuple(dict.fromkeys(unknown)))


def _check_length(answer: Sequence[int], most: int) -> None:
    if len(answer) > most:
        raise InputError(
            "The decoder's input has {n:,} tokens; up to {most} can be shown. Shorten it in the sidebar.",
            n=len(answer),
            most=most,
        )


def _in_numbers(model: ModelAtStep, src: tuple[int, ...]) -> Sequences:
    """A row of numbers behind the start token; the decoder is given the right answer."""
    start = model.vocabulary.start
    if src[0] != start:
        src = (start, *src)
    if len(src) == 1:
        return Sequences(src, src)
    rule = TASKS[model.task]() if model.task in TASKS else CopyTask()
    *answer, last = rule.answer(torch.tensor([src[1:]]))[0].tolist() if isinstance(rule, CopyTask) else src[1:]
    return Sequences(src, (start, *answer), last=last)


def _to_go_on_with(settings: ModelSettings, model: ModelAtStep, beginning: tuple[int, ...]) -> Sequences:
    """Returns the input of a decoder alone: the text, behind the start token. The label of its last word is the one that the
    model goes on with at the end of its learning."""
    unknown = model.vocabulary.unknown_words(settings.src) if model.in_words else []
    tgt = (model.vocabulary.start, *beginning)
    learning = model.learning
    is_over = learning.state in ("learned", "cannot-learn")
    next_word = generated(model.choice_at(learning.last) if is_over else model.choice, (), model.vocabulary, 1, tgt)
    last = next_word[-1] if len(next_word) > len(tgt) else model.vocabulary.end
    return Sequences((), tgt, typed=True, unknown=tuple(dict.fromkeys(unknown)), last=last)


def _random_words(vocabulary: Vocabulary, settings: ModelSettings, has_source: bool) -> Sequences:
    """Random words of the vocabulary, drawn with the seed; never a special token."""
    generator = torch.Generator().manual_seed(settings.seed)
    src, tgt = (
        torch.randint(FIRST_WORD, len(vocabulary), (length,), generator=generator).tolist()
        for length in (settings.src_len, settings.tgt_len)
    )
    return Sequences(tuple(src) if has_source else (), (vocabulary.start, *tgt), typed=True, is_random=True)


def _written(model: ModelAtStep, src: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the decoder's input if nobody has typed one, start token first: the answer at the end of learning, so that
    pictures of all steps have the same tokens; else the right answer."""
    learning = model.learning
    if learning.state in ("learned", "cannot-learn"):
        return greedy_answer(model.choice_at(learning.last), model.vocabulary, src)
    if right := right_answer(model, src):
        return (model.vocabulary.start, *right)
    return greedy_answer(model.choice, model.vocabulary, src)


def greedy_answer(
    choice: ModelChoice,
    vocabulary: Vocabulary,
    src: tuple[int, ...],
    start: tuple[int, ...] = (),
    task: Task | None = None,
) -> tuple[int, ...]:
    """Returns a model's own answer to a source, start token first, without the end token. A decoder alone goes on with `start`
    to the length of its task's texts, by a few words at least."""
    steps, beginning = room_for_answer(choice.cfg, src, start, task)
    return generated(choice, src, vocabulary, steps, beginning)


def room_for_answer(
    cfg: TransformerConfig, src: tuple[int, ...], start: tuple[int, ...] = (), task: Task | None = None
) -> tuple[int, tuple[int, ...]]:
    """Returns the most steps of such an answer, and what it begins with; empty: the start token."""
    most = min(cfg.longest_tgt, MAX_TOKENS) - 1
    if cfg.has_encoder:
        return min(most, 2 * len(src) + 4), ()
    left = (task.longest[1] if task is not None else 0) - len(start) + 1
    return max(1, min(most - len(start) + 1, max(left, _FEWEST_MORE))), start


def right_answer(model: HasVocabulary, src: Sequence[int]) -> tuple[int, ...]:
    """Returns the corpus's most probable answer to a source, without start and end; empty if it has none."""
    found = model.corpus.answers(model.vocabulary.decode(src)) if model.corpus is not None else []
    return tuple(model.vocabulary.ids(found[0])) if found else ()
