"""The decoder in training and in use, and what it attends to at a step: for their pages, and while one of their knobs is moved.

The choice "answer" is the target sentence that was typed, "" for the right one; those of a step are `next_word`'s, and a layer.
"""

from collections.abc import Callable, Mapping

import numpy as np

from explorer.figures.lanes import lane
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.decoding import (
    GeneratedStep,
    TeacherForcing,
    generated_steps,
    labels,
    most_steps,
    teacher_forcing,
    token_texts,
)
from explorer.inference.forward import ModelChoice, forward_pass
from explorer.inference.once import once
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, place
from explorer.pictures.next_word import step_of
from transformer_core.model.decoding import TeacherForced, teacher_forced, top_tokens
from transformer_core.model.masks import mask_tiles
from transformer_core.model.stages import LOGITS, attention_path

DRAWN = 12  # positions that the two lanes draw
_COLUMNS = 20  # tokens in the picture of probabilities
_LONGEST = 2000  # letters of an answer


# --- Teacher forcing. ---------------------------------------------------------------------------------------------------


def training_lane(shown: ShownModel, choices: Choices) -> Figure:
    """In training: the target is the input."""
    taught, predicted = taught_by(shown, choices), predicted_of(shown, choices)
    count = len(predicted)
    target, given, says = _("target") if taught.known else _("own output"), _("decoder input"), _("prediction")
    return lane(
        {
            target: token_texts(shown, taught.labels[:count]),
            given: token_texts(shown, taught.given[:count]),
            says: token_texts(shown, predicted),
        },
        feeds=(target, given), reads=(given, says), teacher=True,
        marks={says: [a == b for a, b in zip(predicted, taught.labels, strict=False)]} if taught.known else None,
    )  # fmt: skip


def use_lane(shown: ShownModel, choices: Choices) -> Figure:
    """In use: each prediction is the next input."""
    taught, own = taught_by(shown, choices), own_tokens(shown, choices)
    inputs, given, says = (taught.given[0], *own[:-1]), _("decoder input"), _("prediction")
    return lane(
        {given: token_texts(shown, inputs), says: token_texts(shown, own)}, feeds=(says, given), reads=(given, says),
        marks={given: [a == b for a, b in zip(inputs, taught.given, strict=False)]},
    )  # fmt: skip


def seen_in_training(shown: ShownModel, choices: Choices) -> Matrices:
    """Which positions each may attend to, where the whole target is the input."""
    taught, count = taught_by(shown, choices), len(predicted_of(shown, choices))
    may = mask_tiles(shown.src, taught.given, shown.vocabulary.pad, shown.cfg.causal)["target"][:count, :count]
    tokens = labels(shown, taught.given[:count])
    queries = [f"{label} → {target}" for label, target in zip(tokens, token_texts(shown, taught.labels), strict=False)]
    return matrix(
        may.astype(float), rows=queries, columns=tokens, row_title=_("query (decoder)"),
        column_title=_("key (decoder), in training"), valid=may, decimals=0, cell=24,
    )  # fmt: skip


def seen_in_use(shown: ShownModel, choices: Choices) -> Matrices:
    """The same, where the input is what has been generated."""
    inputs = (taught_by(shown, choices).given[0], *own_tokens(shown, choices)[:-1])
    there = np.tri(len(inputs), dtype=bool)
    return matrix(
        there.astype(float), rows=[_("step {i}").format(i=i + 1) for i in range(len(inputs))], columns=labels(shown, inputs),
        column_title=_("key (decoder), in use"), valid=there, decimals=0, cell=24,
    )  # fmt: skip


def probabilities(shown: ShownModel, choices: Choices) -> Matrices:
    """Of the next token at each position, for the likeliest tokens and those of the target."""
    taught, tokens, table, scale = probabilities_of(shown, choices)
    return matrix(
        table, rows=labels(shown, taught.given), columns=token_texts(shown, tokens.tolist()), top=scale,
        title=_("probability"), row_title=_("decoder input"), column_title=_("next token"), cell=26,
    )  # fmt: skip


def probabilities_of(shown: ShownModel, choices: Choices) -> tuple[TeacherForcing, np.ndarray, np.ndarray, float]:
    """What the decoder is given, the tokens that are drawn, their probabilities (position, token), and where the scale ends."""
    taught, forced = taught_by(shown, choices), forced_of(shown, choices)
    tokens = top_tokens(forced.probabilities, _COLUMNS)
    if forced.probabilities.shape[1] > _COLUMNS:
        wanted = sorted(set(taught.labels))[: _COLUMNS // 2]
        tokens = top_tokens(forced.probabilities, _COLUMNS - len(wanted), wanted)
    table = forced.probabilities[:, tokens]
    top = float(table.max())
    return taught, tokens, table, 1.0 if top > 0.5 else top


def taught_by(shown: ShownModel, choices: Choices) -> TeacherForcing:
    """The decoder's input in training, and its labels. Raises ValueError for what is no text, and InputError for words that the
    language does not have."""
    answer = choices.get("answer")
    if not isinstance(answer, str) or len(answer) > _LONGEST:
        raise ValueError("this is no answer")
    return teacher_forcing(shown, answer)


def logits_of(shown: ShownModel, choices: Choices) -> np.ndarray:
    """Shape: (position, token). Raises InputError as `forward_pass` does."""
    return forward_pass(shown.choice, shown.src, taught_by(shown, choices).given)[LOGITS]


def forced_of(shown: ShownModel, choices: Choices) -> TeacherForced:
    """What the model makes of the decoder's input in training."""
    taught = taught_by(shown, choices)
    return _forced(shown.choice, shown.src, tuple(taught.given), tuple(taught.labels))


@once(2**24)
def _forced(choice: ModelChoice, src: tuple[int, ...], given: tuple[int, ...], labels: tuple[int, ...]) -> TeacherForced:
    return teacher_forced(forward_pass(choice, src, given)[LOGITS], labels)


def predicted_of(shown: ShownModel, choices: Choices) -> list[int]:
    """The likeliest token at each position that is drawn."""
    tokens: list[int] = forced_of(shown, choices).probabilities.argmax(axis=1)[:DRAWN].tolist()
    return tokens


def own_tokens(shown: ShownModel, choices: Choices) -> tuple[int, ...]:
    """What the model generates by itself, for as many positions."""
    taught = taught_by(shown, choices)
    steps = most_steps(shown, min(len(taught.given), DRAWN))
    generated = generated_steps(shown.choice, shown.src, taught.given[0], steps, end=shown.vocabulary.end)
    return tuple(step.token for step in generated)


# --- What the decoder attends to at a step. -------------------------------------------------------------------------------


def row_of_step(shown: ShownModel, choices: Choices) -> Matrices:
    """The row of attention from which a step's token came."""
    now, _options = step_of(shown, choices)
    return row(shown, shown.choice, now, place(choices, "layer", shown.cfg.n_layers))


def row(shown: ShownModel, choice: ModelChoice, now: GeneratedStep, layer: int) -> Matrices:
    """The last position's row of attention of a model, head by head."""
    weights, keys, query = row_of(shown, choice, now, layer)
    cross = shown.cfg.cross_attention
    return matrix(
        weights, rows=[_("head {i}").format(i=i) for i in range(len(weights))], columns=keys,
        row_title=_("query: {query}").format(query=query), column_title=_("key (encoder)") if cross else _("key (decoder)"),
        title=_("weight"), cell=34,
    )  # fmt: skip


def row_of(shown: ShownModel, choice: ModelChoice, now: GeneratedStep, layer: int) -> tuple[np.ndarray, list[str], str]:
    """(head, key) of cross-attention, or of self-attention where the decoder has nothing else; the keys, and the query."""
    cross = shown.cfg.cross_attention
    stage = attention_path("cross" if cross else "decoder", layer).stage("weights")
    weights = forward_pass(choice, shown.src, now.given)[stage][:, -1]
    keys = shown.src_labels if cross else labels(shown, now.given)
    return weights, keys, f"{labels(shown, now.given)[-1]} → {token_texts(shown, [now.token])[0]}"


PICTURES: Mapping[str, Callable[[ShownModel, Choices], Figure | Matrices]] = {
    "lane-training": training_lane,
    "lane-use": use_lane,
    "sees-training": seen_in_training,
    "sees-use": seen_in_use,
    "probabilities": probabilities,
    "cross-row": row_of_step,
}
