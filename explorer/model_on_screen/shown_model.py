"""The model on screen and its two input sequences, as described by the shared settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from weakref import ref

from explorer.model_on_screen.cuts import cuts_of
from explorer.model_on_screen.forward import ForwardPass, Learned, ModelChoice, Random, forward_pass, generated
from explorer.model_on_screen.learning_state import KnownModel, LearningState, known_model
from explorer.model_on_screen.sequences import read_sequences
from explorer.model_on_screen.settings import MAX_TOKENS, ModelSettings, of_task
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.translator import HasVocabulary, Verdict, answer_ids, verdict
from transformer_core import TASKS, TransformerConfig, Vocabulary
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind
from transformer_core.training.cost import count_by_formula

_BYTES = 2**13  # bytes of a cached model, about


@dataclass(frozen=True)
class ShownModel(HasVocabulary):
    """A model at a step of its learning, and its two input sequences.

    Attributes:
        task: the name of its task; "" if a file does not name it.
        taught: the task with its sizes; None if a file does not name it.
        src, tgt: ids of the source and of the decoder's input (start token first).
        learning: how far it has learned.
        typed: whether the visitor typed the decoder's input.
        is_random: whether both sequences are random words, which have no right answer.
        unknown: typed words that the vocabulary lacks.
        last: the label of the last position, if it is neither the end token nor the last word of the source.
    """

    choice: ModelChoice
    task: str
    vocabulary: Vocabulary
    src: tuple[int, ...]
    tgt: tuple[int, ...]
    learning: LearningState
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
        """The same model without cuts."""
        return replace(self, choice=self.choice.whole) if self.choice.cuts else self

    def at(self, step: int) -> "ShownModel":
        """Returns the same model, whole, after another kept step of its learning."""
        return replace(self, choice=_choice(self.cfg, self.learning, step))

    @property
    def sentences(self) -> tuple[str, str]:
        """The source and the decoder's input as tokens separated by spaces."""
        src, tgt = (" ".join(self.vocabulary.decode(ids)) for ids in (self.src, self.tgt))
        return src, tgt

    @property
    def src_labels(self) -> list[str]:
        return self.labels(self.src)

    @property
    def tgt_labels(self) -> list[str]:
        return self.labels(self.tgt)

    def labels_of(self, stack: str) -> list[str]:
        """The words that pass through a stack."""
        return self.src_labels if stack == "encoder" else self.tgt_labels

    def labels(self, ids: Sequence[int]) -> list[str]:
        return list(token_labels(self.vocabulary.decode(ids)))

    def batch(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Returns source, decoder input and labels, each followed by padding; labels are the input shifted by one position."""
        pad = (self.vocabulary.pad,)
        ends = self.src[-1] if self.vocabulary.end is None else self.vocabulary.end
        last = ends if self.last is None else self.last
        return self.src + pad_src * pad, self.tgt + pad_tgt * pad, (*self.tgt[1:], last) + pad_tgt * pad

    def forward(self, pad_src: int = 0, pad_tgt: int = 0) -> ForwardPass:
        """Runs the traced forward pass with so much padding after each sequence. Raises InputError for input that a model from
        a file cannot read: it may have fewer ids or positions than expected.
        """
        pad = (self.vocabulary.pad,)
        return forward_pass(self.choice, self.src + pad_src * pad, self.tgt + pad_tgt * pad)

    def attention(self, kind: AttentionKind, layer: int, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
        """Returns one of the three attentions of a layer (from 0), with so much padding after source and target."""
        decode = self.vocabulary.decode
        src, tgt, label = (tuple(decode(ids)) for ids in self.batch(*padding))
        return ShownAttention(self.choice, self.forward(*padding), kind, layer, src, tgt, label)

    @property
    def initial(self) -> ModelChoice | None:
        """The same model before its first step; None if that is unknown, or on screen."""
        return _initial(self.cfg, self.learning) if self.learning.step > 0 else None

    @cached_property
    def answer(self) -> tuple[int, ...]:
        """The greedy answer to the source at this step, start token first, without the end token."""
        return _generated(self.choice, self.vocabulary, self.src)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Judges its answer at this step; None if no language tells, and for random words."""
        if self.translation is None or self.is_random:
            return None
        decode = self.vocabulary.decode
        return verdict(self.translation, decode(self.src), decode(self.answer[1:]))

    @cached_property
    def right_answer(self) -> tuple[int, ...]:
        """The most probable right answer to the source, without start and end; empty if the corpus has none."""
        return right_answer(self, self.src)

    def read_answer(self, text: str) -> tuple[int, ...]:
        """Returns the ids of a typed answer. Raises InputError for a word that the language lacks."""
        return answer_ids(self.vocabulary, self.translation, text, self.src)

    @cached_property
    def parameters(self) -> int:
        return count_by_formula(self.cfg)


def show_model(settings: ModelSettings, waits: bool = True) -> ShownModel:
    """Returns the model that these settings describe. Raises InputError, one sentence, if it cannot be shown.

    `waits`: whether it is shown while it learns; otherwise a model that has not learned is shown at step 0.
    """
    known = known_model(settings, waits)
    return _shown(settings, known) if known.found is None else _shown_again(settings, known)


def is_offered(choice: ModelChoice, task: str) -> bool:
    """True for the fully learned model of a task's default settings: measurements of it serve everybody who comes."""
    is_known = task in TASKS and isinstance(choice.weights, Learned)
    return is_known and choice == show_model(of_task(task), waits=False).choice


@shared_cache(2**23, key=lambda settings, known: (settings, ref(known.found)), size=lambda _shown: _BYTES)
def _shown_again(settings: ModelSettings, known: KnownModel) -> ShownModel:
    """Keeps a stored model, which no longer changes: a dragged knob asks for it many times a second."""
    return _shown(settings, known)


def _shown(settings: ModelSettings, known: KnownModel) -> ShownModel:
    """Returns the model at a step of its learning, with its two sequences."""
    read = read_sequences(settings, known, partial(_written, known))
    choice = _choice(known.cfg, known.learning, known.learning.step)
    if cuts := cuts_of(settings, known.cfg, known.taught, len(read.src), len(read.tgt)):
        choice = replace(choice, cuts=cuts)
    return ShownModel(choice, known.task, known.vocabulary, learning=known.learning, taught=known.taught, **vars(read))


def _choice(cfg: TransformerConfig, learning: LearningState, step: int) -> ModelChoice:
    """Returns the model at a step of its learning."""
    if (initial := _initial(cfg, learning)) is not None and step == 0:
        return initial
    assert learning.model is not None
    return ModelChoice(cfg, Learned(learning.model, step))


def _initial(cfg: TransformerConfig, learning: LearningState) -> ModelChoice | None:
    return None if learning.seed is None or learning.steps[0] else ModelChoice(cfg, Random(learning.seed))


def _written(known: KnownModel, src: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the decoder's input if nobody has typed one, start token first: the answer at the end of learning, so that
    pictures of all steps have the same tokens; else the right answer."""
    learning, vocabulary = known.learning, known.vocabulary
    if learning.state in ("learned", "cannot-learn"):
        return _generated(_choice(known.cfg, learning, learning.last), vocabulary, src)
    if right := right_answer(known, src):
        return (vocabulary.start, *right)
    return _generated(_choice(known.cfg, learning, learning.step), vocabulary, src)


def _generated(choice: ModelChoice, vocabulary: Vocabulary, src: tuple[int, ...]) -> tuple[int, ...]:
    most = min(choice.cfg.longest_tgt, MAX_TOKENS) - 1
    return generated(choice, src, vocabulary, min(most, 2 * len(src) + 4))


def right_answer(model: HasVocabulary, src: Sequence[int]) -> tuple[int, ...]:
    """Returns the corpus's most probable answer to a source, without start and end; empty if it has none."""
    found = model.corpus.answers(model.vocabulary.decode(src)) if model.corpus is not None else []
    return tuple(model.vocabulary.ids(found[0])) if found else ()
