"""The model on screen and its two input sequences, as described by the shared settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import ref

import torch

from everyday.translation import Translation
from explorer import server
from explorer.inference.cuts import cuts_of
from explorer.inference.forward import ForwardPass, Learned, ModelChoice, Random, forward_pass, generated, hold
from explorer.inference.learning_state import Course, course_at, initial_course, learning_course, waiting_course
from explorer.inference.settings import MAX_TOKENS, ModelSettings, of_task
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.translator import Verdict, read_answer, source_ids, translation_of, verdict
from explorer.inference.view_limits import check_room, shorter
from explorer.model_store.learned_model import LearnedModel
from transformer_core import TASKS, CopyTask, TransformerConfig, Vocabulary
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import FIRST_WORD
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula
from transformer_core.model.stages import AttentionKind

_BYTES = 2**13  # of one that is kept, about


@dataclass(frozen=True)
class ShownModel:
    """A model at a step of its learning, and its two input sequences.

    Attributes:
        task: the name of what it learns; "" where a file does not say it.
        taught: the task itself, with its sizes; None where a file does not say it.
        src, tgt: ids of the source and of the decoder's input (start token first).
        course: of its learning.
        typed: whether the decoder's input is the visitor's.
        is_random: whether both sequences are random words, which are no sentence that could be answered right or wrong.
        unknown: typed words that the vocabulary lacks.
        last: the label of the last position, if it is neither the end token nor the last word of the source.
    """

    choice: ModelChoice
    task: str
    vocabulary: Vocabulary
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    course: Course
    typed: bool = False
    is_random: bool = False
    unknown: tuple[str, ...] = ()
    last: int | None = None
    taught: Task | None = None

    @property
    def cfg(self) -> TransformerConfig:
        return self.choice.cfg

    @cached_property
    def whole(self) -> "ShownModel":
        """The same without cuts."""
        return replace(self, choice=self.choice.whole) if self.choice.cuts else self

    @property
    def in_words(self) -> bool:
        """Whether it reads sentences of words, which have an end token."""
        return self.vocabulary.end is not None

    @cached_property
    def translation(self) -> Translation | None:
        """The language pair that it learns; None for other tasks."""
        return translation_of(self.task, self.vocabulary)

    @property
    def sentences(self) -> tuple[str, str]:
        """The source, and the decoder's input, as tokens with blanks between them."""
        src, tgt = (" ".join(self.vocabulary.decode(ids)) for ids in (self.src, self.tgt))
        return src, tgt

    @property
    def src_labels(self) -> list[str]:
        return self.labels(self.src)

    @property
    def tgt_labels(self) -> list[str]:
        return self.labels(self.tgt)

    def labels(self, ids: Sequence[int]) -> list[str]:
        return list(token_labels(self.vocabulary.decode(ids)))

    def batch(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Source, decoder input and labels, each followed by padding; the labels are the input, shifted by one position."""
        pad = (self.vocabulary.pad,)
        ends = self.src[-1] if self.vocabulary.end is None else self.vocabulary.end
        last = ends if self.last is None else self.last
        return self.src + pad_src * pad, self.tgt + pad_tgt * pad, (*self.tgt[1:], last) + pad_tgt * pad

    def forward(self, pad_src: int = 0, pad_tgt: int = 0) -> ForwardPass:
        """The traced forward pass, with this much padding after each sequence. Raises InputError for input that a model from a
        file cannot read: it may have fewer ids or positions than expected."""
        pad = (self.vocabulary.pad,)
        return forward_pass(self.choice, self.src + pad_src * pad, self.tgt + pad_tgt * pad)

    def attention(self, kind: AttentionKind, layer: int, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
        """One of the three attentions of a layer (from 0), with this much padding after source and target."""
        decode = self.vocabulary.decode
        src, tgt, label = (tuple(decode(ids)) for ids in self.batch(*padding))
        return ShownAttention(self.choice, self.forward(*padding), kind, layer, src, tgt, label)

    @property
    def initial(self) -> ModelChoice | None:
        """The same model before its first step; None where that is not known, or on screen."""
        return _initial(self.cfg, self.course) if self.course.step > 0 else None

    @cached_property
    def answer(self) -> tuple[int, ...]:
        """What the model at this step generates greedily for the source, start token first, without the end token."""
        return _generated(self.choice, self.vocabulary, self.src)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether its answer at this step is right; None where no language says so, and for random words."""
        if self.translation is None or self.is_random:
            return None
        decode = self.vocabulary.decode
        return verdict(self.translation, decode(self.src), decode(self.answer[1:]))

    @cached_property
    def right_answer(self) -> tuple[int, ...]:
        """The most probable right answer to the source, without start and end; empty where the corpus does not know it."""
        return right_answer(self.task, self.vocabulary, self.src)

    def read_answer(self, text: str) -> tuple[int, ...]:
        """An answer as a person types it. Raises InputError for a word that the language does not have."""
        if self.translation is None:
            return tuple(self.vocabulary.encode(text))
        return tuple(self.vocabulary.ids(read_answer(self.translation, text, self.vocabulary.decode(self.src))))

    @cached_property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def show_model(settings: ModelSettings, waits: bool = True) -> ShownModel:
    """The model that these settings describe. Raises InputError, one sentence, if it cannot be shown.

    `waits`: whether it is shown while it learns; one that has not learned is shown at step 0 otherwise.
    """
    if settings.model is not None:
        found = server.model_store().get(settings.model)
        if found is None:
            raise InputError("The model in this link is no longer on this server. Close it in the sidebar.")
        return _of_learned(settings, found)
    plan = settings.plan()
    found = server.model_store().get(plan.key)
    if found is not None:
        return _of_learned(settings, found)
    course = _unlearned(settings) if waits else initial_course(settings.seed)
    return _of_settings(course, settings)


def is_offered(choice: ModelChoice, task: str) -> bool:
    """Whether it is what the app offers for a task, learned to its end, with nothing set in another way: what is measured of it
    serves everybody who comes."""
    return isinstance(choice.weights, Learned) and choice == show_model(of_task(task), waits=False).choice


@shared_cache(2**23, key=lambda settings, found: (settings, ref(found)), size=lambda _shown: _BYTES)
def _of_learned(settings: ModelSettings, found: LearnedModel) -> ShownModel:
    """A model of the store, which does not change any more: whoever drags a knob asks for it many times a second."""
    course = course_at(found, settings.step)
    if settings.model is None:
        return _of_settings(course, settings)
    return _at(course, settings, found.task, found.taught, found.vocabulary, found.cfg)


def _of_settings(course: Course, settings: ModelSettings) -> ShownModel:
    plan = settings.plan()
    return _at(course, settings, settings.task, plan.task, plan.task.vocabulary, plan.cfg)


def _at(
    course: Course, settings: ModelSettings, name: str, taught: Task | None, vocabulary: Vocabulary, cfg: TransformerConfig
) -> ShownModel:
    """The model in a place of its course, with its two sequences."""
    choice = _choice(cfg, course, course.step)
    empty = ShownModel(choice, name, vocabulary, (), (vocabulary.start,), course, taught=taught)
    whole = _with_words(empty, settings) if empty.in_words else _with_numbers(empty, settings)
    tokens = len(whole.src), len(whole.tgt)
    check_room(cfg, *tokens, nearest=shorter(cfg, *tokens, settings, in_words=whole.in_words, typed=whole.typed))
    cuts = cuts_of(settings, cfg, taught, len(whole.src), len(whole.tgt))
    return replace(whole, choice=replace(choice, cuts=cuts)) if cuts else whole


def _unlearned(settings: ModelSettings) -> Course:
    """The course of a model that the store lacks: perhaps it is learning now."""
    plan, demand = settings.plan(), server.learning()
    if (live := demand.live(plan.key)) is not None:
        course = replace(learning_course(live, settings.step), note=demand.note(plan.key))
        if course.step:
            hold(ModelChoice(plan.cfg, Learned(plan.key, course.step)), live)
        return course
    if demand.is_wanted(plan.key):
        return replace(waiting_course(settings.seed, demand.refused(plan.key)), note=demand.note(plan.key))
    return initial_course(settings.seed)


def _choice(cfg: TransformerConfig, course: Course, step: int) -> ModelChoice:
    """The model at a step of its course."""
    if (initial := _initial(cfg, course)) is not None and step == 0:
        return initial
    assert course.model is not None
    return ModelChoice(cfg, Learned(course.model, step))


def _initial(cfg: TransformerConfig, course: Course) -> ModelChoice | None:
    return None if course.seed is None or course.steps[0] else ModelChoice(cfg, Random(course.seed))


def _with_words(empty: ShownModel, settings: ModelSettings) -> ShownModel:
    """A model of sentences with its source, and what its decoder is given: what was typed; else what the model generates at the
    end of its learning, so that pictures at all steps have the same tokens; else the right answer."""
    vocabulary = empty.vocabulary
    if settings.input == "lengths":
        generator = torch.Generator().manual_seed(settings.seed)
        src, tgt = (_random_words(vocabulary, n, generator) for n in (settings.src_len, settings.tgt_len))
        return replace(empty, src=src, tgt=(vocabulary.start, *tgt), typed=True, is_random=True)
    src = source_ids(vocabulary, empty.translation, settings.src, _most(empty))
    unknown: tuple[str, ...] = ()
    if empty.translation is None:
        unknown = tuple(dict.fromkeys(vocabulary.unknown_words(settings.src)))
    shown = replace(empty, src=src, unknown=unknown)
    if settings.tgt.strip():
        tgt = _target(shown.read_answer(settings.tgt), shown.cfg)
        if shown.translation is None:
            unknown = tuple(dict.fromkeys([*unknown, *vocabulary.unknown_words(settings.tgt)]))
        return replace(shown, tgt=(vocabulary.start, *tgt), unknown=unknown, typed=True)
    return replace(shown, tgt=_automatic(shown))


def _automatic(shown: ShownModel) -> tuple[int, ...]:
    """The decoder's input where nobody has typed one, start token first."""
    course = shown.course
    if course.state in ("learned", "cannot-learn"):
        return _generated(_choice(shown.cfg, course, course.last), shown.vocabulary, shown.src)
    return (shown.vocabulary.start, *shown.right_answer) if shown.right_answer else shown.answer


def _generated(choice: ModelChoice, vocabulary: Vocabulary, src: tuple[int, ...]) -> tuple[int, ...]:
    most = min(choice.cfg.longest_tgt, MAX_TOKENS) - 1
    return generated(choice, src, vocabulary, min(most, 2 * len(src) + 4))


def right_answer(task: str, vocabulary: Vocabulary, src: Sequence[int]) -> tuple[int, ...]:
    """The most probable right answer of a corpus to a source, without start and end; empty where it does not know it."""
    if task not in CORPORA or (corpus := CORPORA[task]()).vocabulary != vocabulary:
        return ()
    found = corpus.answers(vocabulary.decode(src))
    return tuple(vocabulary.ids(found[0])) if found else ()


def _with_numbers(empty: ShownModel, settings: ModelSettings) -> ShownModel:
    """A model of numbers with its source; its decoder is given the right answer."""
    vocabulary = empty.vocabulary
    src = source_ids(vocabulary, None, settings.numbers, _most(empty))
    if src[0] != vocabulary.start:
        src = (vocabulary.start, *src)
    if len(src) == 1:
        return replace(empty, src=src, tgt=src)
    rule = TASKS[empty.task]() if empty.task in TASKS else CopyTask()
    *answer, last = rule.answer(torch.tensor([src[1:]]))[0].tolist() if isinstance(rule, CopyTask) else src[1:]
    return replace(empty, src=src, tgt=(vocabulary.start, *answer), last=last)


def _most(shown: ShownModel) -> int:
    """Tokens of a source, at most: with a start token, or as an answer, it must fit too."""
    return min(shown.cfg.max_len, shown.cfg.longest_tgt) - 1


def _target(ids: Sequence[int], cfg: TransformerConfig) -> tuple[int, ...]:
    most = min(cfg.longest_tgt - 1, MAX_TOKENS)
    if len(ids) > most:
        raise InputError(
            "The decoder's input has {n:,} tokens; up to {most} can be shown. Shorten it in the sidebar.",
            n=len(ids), most=most,
        )  # fmt: skip
    return tuple(ids)


def _random_words(vocabulary: Vocabulary, length: int, generator: torch.Generator) -> tuple[int, ...]:
    """Random words of the vocabulary, drawn with a seed; never a special token."""
    return tuple(torch.randint(FIRST_WORD, len(vocabulary), (length,), generator=generator).tolist())
