"""One step of learning with the sentence on screen: its right answer, after which kept steps it is taken, and what it moves."""

from dataclasses import replace

import torch

from explorer import limits
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.sequences import Sequences
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import check_passes
from transformer_core.analysis import one_step
from transformer_core.analysis.one_step import OneStep, OutputGradient
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError
from transformer_core.training.cost import count_by_formula

BATCH = 64  # sentences
_HALF = 0.5
_PASSES = 5  # that a step takes as long as: the pass, twice that for its gradient, and what is likely before and after
_WRITTEN_OUT = 6  # that a gradient written out takes as long as: the same twice, for autograd's and for that of what is read
_COPIES = 4 * 4  # bytes of a parameter: the weights before and after, the gradient, and what autograd keeps meanwhile


def kept_steps(learning: LearningState) -> tuple[int, ...]:
    """Returns the steps after which one step more is worth a look: from the last kept one at which less than half of the
    held-out rows were answered right. Before, one step of a translator moves next to nothing."""
    if learning.curve is None or not len(learning.curve):
        return (learning.steps[-1],)
    early = [step for step in learning.steps if _right_until(learning, step) < _HALF]
    first = early[-1] if early else learning.steps[0]
    return tuple(step for step in learning.steps if step >= first)


def _right_until(learning: LearningState, step: int) -> float:
    assert learning.curve is not None
    measured = learning.curve[learning.curve[:, 0] <= step]
    return float(measured[-1, 1]) if len(measured) else 0.0


def lesson_of(shown: ShownModel, after: int) -> ShownModel:
    """Returns the whole model after a kept step, or the first that is worth a look, with the sentence on screen and its right
    answer; of a decoder alone, with its text, of which each next word is right.

    Raises:
        InputError: for a sentence whose right answer nobody knows, a model of which nobody knows what it learned, and one too
            large to be copied.
    """
    if count_by_formula(shown.cfg) * _COPIES > limits.FORWARD_BYTES:
        raise InputError("One step of this model would need too much memory here. Choose a smaller model.")
    learning, steps = shown.learning, kept_steps(shown.learning)
    step = after if after in steps else steps[0]
    at_step = learning if step == learning.step else replace(learning, step=step, right=None)
    return replace(shown.at(step), model=replace(shown.model, learning=at_step), text=_with_right_answer(shown))


def _with_right_answer(shown: ShownModel) -> Sequences:
    if shown.text.is_random:
        raise InputError("Random words have no right answer: type a sentence in the sidebar.")
    if not shown.cfg.has_encoder:
        return replace(shown.text, tgt=shown.tgt[:-1], last=shown.tgt[-1])
    if shown.taught is None:
        raise _nothing_to_ask()
    if not shown.model.in_words:
        return shown.text
    if not shown.right_answer:
        raise InputError("Nobody knows the right answer to this sentence: take another one in the sidebar.")
    return replace(shown.text, tgt=(shown.vocabulary.start, *shown.right_answer), last=None)


def _nothing_to_ask() -> InputError:
    return InputError("It is not known from which examples this model learned, so there is nothing to ask it.")


def step_of(lesson: ShownModel) -> OneStep:
    """Returns the step with this sentence alone. Raises InputError for too large a model."""
    check_passes(lesson.cfg, len(lesson.src), len(lesson.tgt), lambda _src: _PASSES)
    return _step_of(lesson.choice, *lesson.batch(0, 0))


Ids = tuple[int, ...]


@shared_cache(2**25)
def _step_of(choice: ModelChoice, src: Ids, tgt: Ids, labels: Ids) -> OneStep:
    return one_step.one_step(model_of(choice), one_step.row_of(src, tgt, labels))


def steps_in_a_batch(lesson: ShownModel) -> tuple[OneStep, OneStep]:
    """Returns the step with a batch of BATCH sentences of training, this one among them, and the step with as many others.

    Raises:
        InputError: for a model of which nobody knows what it learns from, or that is too large.
    """
    if lesson.taught is None:
        raise _nothing_to_ask()
    check_passes(lesson.cfg, *lesson.taught.longest, lambda _src: 2 * BATCH * _PASSES)
    return _steps_in_a_batch(lesson.choice, lesson.taught, *lesson.batch(0, 0))


@shared_cache(2**25)
def _steps_in_a_batch(choice: ModelChoice, task: Task, src: Ids, tgt: Ids, labels: Ids) -> tuple[OneStep, OneStep]:
    model, row = model_of(choice), one_step.row_of(src, tgt, labels)
    others = task.batch(BATCH, torch.Generator().manual_seed(0))
    beside = one_step.beside(row, others.rows(slice(1, None)), choice.cfg.pad_id)
    return one_step.one_step(model, row, beside), one_step.one_step(model, row, others)


def output_gradient_of(lesson: ShownModel) -> OutputGradient:
    """Returns the gradient of the output layer for this sentence. Raises InputError for too large a model."""
    check_passes(lesson.cfg, len(lesson.src), len(lesson.tgt), lambda _src: _WRITTEN_OUT)
    return _output_gradient_of(lesson.choice, *lesson.batch(0, 0))


@shared_cache(2**25)
def _output_gradient_of(choice: ModelChoice, src: Ids, tgt: Ids, labels: Ids) -> OutputGradient:
    return one_step.output_gradient(model_of(choice), one_step.row_of(src, tgt, labels))
