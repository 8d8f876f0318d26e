"""The model on screen and its two input sequences, as described by the shared settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from everyday.translation import Translation
from explorer.model_on_screen.cuts import cuts_of
from explorer.model_on_screen.forward import ForwardPass, Learned, ModelChoice, forward_pass
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.model_at_step import ModelAtStep, find_model
from explorer.model_on_screen.sequences import Sequences, greedy_answer, right_answer, text_of
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.translator import Verdict, answer_ids, verdict
from explorer.model_on_screen.weight_edits import edits_of
from transformer_core import TASKS, TransformerConfig, Vocabulary
from transformer_core.analysis.attention_map import token_labels
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind

_BYTES = 2**13  # bytes of a cached model, about


@dataclass(frozen=True)
class ShownModel:
    """A model at a step of its learning with its two input sequences, the weights changed by hand, and the cuts in it.

    Attributes:
        choice: the model, with the changed weights that it has, and the cuts that it has room for on these sequences: a cut may
            name a word.
    """

    model: ModelAtStep
    text: Sequences
    choice: ModelChoice

    @property
    def cfg(self) -> TransformerConfig:
        return self.choice.cfg

    @property
    def task(self) -> str:
        return self.model.task

    @property
    def taught(self) -> Task | None:
        return self.model.taught

    @property
    def vocabulary(self) -> Vocabulary:
        return self.model.vocabulary

    @property
    def translation(self) -> Translation | None:
        return self.model.translation

    @property
    def learning(self) -> LearningState:
        return self.model.learning

    @property
    def initial(self) -> ModelChoice | None:
        return self.model.initial

    @property
    def src(self) -> tuple[int, ...]:
        return self.text.src

    @property
    def tgt(self) -> tuple[int, ...]:
        return self.text.tgt

    @property
    def start(self) -> tuple[int, ...]:
        """The beginning of every answer: the start token, or all that a decoder alone goes on with."""
        return self.tgt[:1] if self.cfg.has_encoder else self.tgt

    @cached_property
    def whole(self) -> "ShownModel":
        """The same model without cuts."""
        return replace(self, choice=self.choice.whole) if self.choice.cuts else self

    @cached_property
    def original(self) -> "ShownModel":
        """The same model without cuts, and without weights changed by hand."""
        return replace(self, choice=self.choice.original) if self.choice.is_changed else self

    def at(self, step: int) -> "ShownModel":
        """Returns the model, as it was learned, after another kept step."""
        return replace(self, choice=self.model.choice_at(step))

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

    @property
    def first_stack(self) -> Literal["encoder", "decoder"]:
        """The stack that reads first: the encoder, or a decoder alone."""
        return "encoder" if self.cfg.has_encoder else "decoder"

    @property
    def read(self) -> tuple[int, ...]:
        """The tokens that are read first: the source, or the text of a decoder alone behind the start token."""
        return self.src if self.cfg.has_encoder else self.tgt

    @property
    def read_labels(self) -> list[str]:
        return self.labels(self.read)

    def labels_of(self, stack: str) -> list[str]:
        """The words that pass through a stack."""
        return self.src_labels if stack == "encoder" else self.tgt_labels

    def labels(self, ids: Sequence[int]) -> list[str]:
        return list(token_labels(self.vocabulary.decode(ids)))

    def batch(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Returns source, decoder input and labels, each followed by padding; labels are the input shifted by one position."""
        pad = (self.vocabulary.pad,)
        last = self.text.last
        if last is None:
            last = self.src[-1] if self.vocabulary.end is None else self.vocabulary.end
        return *self._padded(pad_src, pad_tgt), (*self.tgt[1:], last) + pad_tgt * pad

    def forward(self, pad_src: int = 0, pad_tgt: int = 0) -> ForwardPass:
        """Runs the traced forward pass with so much padding after each sequence. Raises InputError for input that a model from
        a file cannot read: it may have fewer ids or positions than expected.
        """
        return forward_pass(self.choice, *self._padded(pad_src, pad_tgt))

    def _padded(self, pad_src: int, pad_tgt: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both sequences with padding behind them; a decoder alone has no source to be padded."""
        pad = (self.vocabulary.pad,)
        return self.src + (pad_src if self.cfg.has_encoder else 0) * pad, self.tgt + pad_tgt * pad

    def attention(self, kind: AttentionKind, layer: int, padding: tuple[int, int] = (0, 0)) -> ShownAttention:
        """Returns one of the three attentions of a layer (from 0), with so much padding after source and target."""
        decode = self.vocabulary.decode
        src, tgt, label = (tuple(decode(ids)) for ids in self.batch(*padding))
        return ShownAttention(self.choice, self.forward(*padding), kind, layer, src, tgt, label)

    @cached_property
    def answer(self) -> tuple[int, ...]:
        """The greedy answer to the source at this step, start token first, without the end token; of a decoder alone, its text
        and what follows."""
        return greedy_answer(self.choice, self.vocabulary, self.src, self.start, self.model.taught)

    @cached_property
    def verdict(self) -> Verdict | None:
        """Judges its answer at this step; None if no language tells, and for random words."""
        if self.translation is None or self.text.is_random:
            return None
        decode = self.vocabulary.decode
        return verdict(self.translation, decode(self.src), decode(self.answer[1:]))

    @cached_property
    def right_answer(self) -> tuple[int, ...]:
        """The most probable right answer to the source, without start and end; empty if the corpus has none."""
        return right_answer(self.model, self.src)

    def read_answer(self, text: str) -> tuple[int, ...]:
        """Returns the ids of a typed answer. Raises InputError for a word that the language lacks."""
        return answer_ids(self.vocabulary, self.translation, text, self.src)


def show_model(settings: ModelSettings, waits: bool = True) -> ShownModel:
    """Returns the model that these settings describe, with its sentences. Raises InputError, one sentence, if it cannot be
    shown.

    `waits`: as in `find_model`.
    """
    model = find_model(settings, waits)
    return _shown_again(settings, model) if model.learning.is_final else _shown(settings, model)


def is_offered(choice: ModelChoice, task: str) -> bool:
    """True for the fully learned model of a task's default settings: measurements of it serve everybody who comes."""
    is_known = task in TASKS and isinstance(choice.weights, Learned)
    return is_known and choice == find_model(of_task(task), waits=False).choice


@shared_cache(2**23, key=lambda settings, model: (settings, model.learning), size=lambda _shown: _BYTES)
def _shown_again(settings: ModelSettings, model: ModelAtStep) -> ShownModel:
    """Keeps what no longer changes: a dragged knob asks for it many times a second."""
    return _shown(settings, model)


def _shown(settings: ModelSettings, model: ModelAtStep) -> ShownModel:
    text = text_of(settings, model)
    cuts = cuts_of(settings, model.cfg, model.taught, len(text.src), len(text.tgt))
    edits = edits_of(settings, model.cfg)
    return ShownModel(model, text, replace(model.choice, cuts=cuts, edits=edits) if cuts or edits else model.choice)
