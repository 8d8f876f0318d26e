"""Pictures of the decoder in training and in use, and of its attention at a step."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from explorer.figures.lanes import lane
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.decoding import (
    GeneratedStep,
    TeacherForcing,
    generated_steps,
    labels,
    most_steps,
    teacher_forcing,
    token_texts,
)
from explorer.model_on_screen.forward import ModelChoice, forward_pass
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.next_word import StepChoices, step_of
from explorer.pictures.registry import Longest, picture
from transformer_core.analysis.mask_tiles import mask_tiles
from transformer_core.analysis.teacher_forcing import TeacherForced, teacher_forced, top_tokens
from transformer_core.model.stages import LOGITS, attention_path

DRAWN = 12  # positions that the two lanes draw
COLUMNS = 20  # tokens in the picture of probabilities
_LONGEST = 2000  # letters of an answer


# --- Teacher forcing. ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerChoices:
    """The target sentence that was typed; "" for the right one."""

    answer: Annotated[str, Longest(_LONGEST)]


@picture("lane-training")
def training_lane(shown: ShownModel, choices: AnswerChoices) -> Figure:
    """Draws the decoder in training: the target is its input."""
    taught, predicted = taught_by(shown, choices), predicted_of(shown, choices)
    count = len(predicted)
    target, given, says = _("target") if taught.known else _("own output"), _("decoder input"), _("prediction")
    return lane(
        {
            target: token_texts(shown, taught.labels[:count]),
            given: token_texts(shown, taught.given[:count]),
            says: token_texts(shown, predicted),
        },
        feeds=(target, given),
        reads=(given, says),
        teacher=True,
        marks={says: [a == b for a, b in zip(predicted, taught.labels, strict=False)]} if taught.known else None,
    )


@picture("lane-use")
def use_lane(shown: ShownModel, choices: AnswerChoices) -> Figure:
    """Draws the decoder in use: each prediction is its next input."""
    taught, own = taught_by(shown, choices), own_tokens(shown, choices)
    inputs, given, says = (taught.given[0], *own[:-1]), _("decoder input"), _("prediction")
    return lane(
        {given: token_texts(shown, inputs), says: token_texts(shown, own)},
        feeds=(says, given),
        reads=(given, says),
        marks={given: [a == b for a, b in zip(inputs, taught.given, strict=False)]},
    )


@picture("sees-training")
def seen_in_training(shown: ShownModel, choices: AnswerChoices) -> Matrices:
    """Draws which positions each position may attend to in training, where the whole target is the input."""
    taught, count = taught_by(shown, choices), len(predicted_of(shown, choices))
    may = mask_tiles(shown.src, taught.given, shown.vocabulary.pad, shown.cfg.causal)["target"][:count, :count]
    tokens = labels(shown, taught.given[:count])
    queries = [f"{label} → {target}" for label, target in zip(tokens, token_texts(shown, taught.labels), strict=False)]
    return matrix(
        may.astype(float),
        rows=queries,
        columns=tokens,
        row_title=_("query (decoder)"),
        column_title=_("key (decoder), in training"),
        valid=may,
        decimals=0,
        cell=24,
    )


@picture("sees-use")
def seen_in_use(shown: ShownModel, choices: AnswerChoices) -> Matrices:
    """Draws the same in use, where the input is what has been generated so far."""
    inputs = (taught_by(shown, choices).given[0], *own_tokens(shown, choices)[:-1])
    there = np.tri(len(inputs), dtype=bool)
    return matrix(
        there.astype(float),
        rows=[_("step {i}").format(i=i + 1) for i in range(len(inputs))],
        columns=labels(shown, inputs),
        column_title=_("key (decoder), in use"),
        valid=there,
        decimals=0,
        cell=24,
    )


@picture("probabilities")
def probabilities(shown: ShownModel, choices: AnswerChoices) -> Matrices:
    """Draws the probabilities of the next token at each position, for the likeliest tokens and those of the target."""
    taught, tokens, table, scale = probabilities_of(shown, choices)
    return matrix(
        table,
        rows=labels(shown, taught.given),
        columns=token_texts(shown, tokens.tolist()),
        top=scale,
        title=_("probability"),
        row_title=_("decoder input"),
        column_title=_("next token"),
        cell=26,
    )


def probabilities_of(shown: ShownModel, choices: AnswerChoices) -> tuple[TeacherForcing, np.ndarray, np.ndarray, float]:
    """The decoder's input, the tokens that are drawn, their probabilities (position, token), and the top of the scale."""
    taught, forced = taught_by(shown, choices), forced_of(shown, choices)
    tokens = top_tokens(forced.probabilities, COLUMNS)
    if forced.probabilities.shape[1] > COLUMNS:
        wanted = sorted(set(taught.labels))[: COLUMNS // 2]
        tokens = top_tokens(forced.probabilities, COLUMNS - len(wanted), wanted)
    table = forced.probabilities[:, tokens]
    top = float(table.max())
    return taught, tokens, table, 1.0 if top > 0.5 else top


def taught_by(shown: ShownModel, choices: AnswerChoices) -> TeacherForcing:
    """The decoder's input in training, and its labels. Raises InputError for words that the language does not have."""
    return teacher_forcing(shown, choices.answer)


def logits_of(shown: ShownModel, choices: AnswerChoices) -> np.ndarray:
    """The logits for the decoder's input in training. Shape: (position, token). Raises InputError as `forward_pass` does."""
    return forward_pass(shown.choice, shown.src, taught_by(shown, choices).given)[LOGITS]


def forced_of(shown: ShownModel, choices: AnswerChoices) -> TeacherForced:
    """The model's probabilities for the decoder's input in training."""
    taught = taught_by(shown, choices)
    return _forced(shown.choice, shown.src, tuple(taught.given), tuple(taught.labels))


@shared_cache(2**24)
def _forced(choice: ModelChoice, src: tuple[int, ...], given: tuple[int, ...], labels: tuple[int, ...]) -> TeacherForced:
    return teacher_forced(forward_pass(choice, src, given)[LOGITS], labels)


def predicted_of(shown: ShownModel, choices: AnswerChoices) -> list[int]:
    """The likeliest token at each position that is drawn."""
    tokens: list[int] = forced_of(shown, choices).probabilities.argmax(axis=1)[:DRAWN].tolist()
    return tokens


def own_tokens(shown: ShownModel, choices: AnswerChoices) -> tuple[int, ...]:
    """The tokens that the model generates by itself, at most as many as are drawn."""
    taught = taught_by(shown, choices)
    steps = most_steps(shown.cfg, min(len(taught.given), DRAWN))
    generated = generated_steps(shown.choice, shown.src, taught.given[:1], steps, end=shown.vocabulary.end)
    return tuple(step.token for step in generated)


# --- The decoder's attention at a step. -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowChoices(StepChoices):
    """A step of decoding, and a layer, from 0."""

    layer: int


@picture("cross-row")
def row_of_step(shown: ShownModel, choices: RowChoices) -> Matrices:
    """The row of attention from which a step's token came."""
    now, _options = step_of(shown, choices)
    return row(shown, shown.choice, now, index(choices.layer, shown.cfg.n_layers))


def row(shown: ShownModel, choice: ModelChoice, now: GeneratedStep, layer: int) -> Matrices:
    """The last position's row of attention of a model, head by head."""
    weights, keys, query = row_of(shown, choice, now, layer)
    cross = shown.cfg.cross_attention
    return matrix(
        weights,
        rows=[_("head {i}").format(i=i) for i in range(len(weights))],
        columns=keys,
        row_title=_("query: {query}").format(query=query),
        column_title=_("key (encoder)") if cross else _("key (decoder)"),
        title=_("weight"),
        cell=34,
    )


def row_of(shown: ShownModel, choice: ModelChoice, now: GeneratedStep, layer: int) -> tuple[np.ndarray, list[str], str]:
    """The last position's weights (head, key) of cross-attention, or of self-attention in a decoder without it; the labels of
    the keys and of the query."""
    cross = shown.cfg.cross_attention
    stage = attention_path("cross" if cross else "decoder", layer).stage("weights")
    weights = forward_pass(choice, shown.src, now.given)[stage][:, -1]
    keys = shown.src_labels if cross else labels(shown, now.given)
    return weights, keys, f"{labels(shown, now.given)[-1]} → {token_texts(shown, [now.token])[0]}"
