"""One step of learning with the sentence on screen: what it moves, alone and in a batch; the output layer's gradient."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from explorer.components import model_map
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.one_step import BATCH, lesson_of, output_gradient_of, step_of, steps_in_a_batch
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.analysis.one_step import OneStep, OutputGradient
from transformer_core.model.config import TransformerConfig

WORDS, NUMBERS = 12, 24  # rows and columns of the output layer's gradient that are drawn


@dataclass(frozen=True)
class StepChoices:
    """The kept step after which one step more is taken; another one than the model has: the first that is worth a look."""

    one_step_after: Annotated[int, Ends(0, 10**9)]


@picture("one-step")
def one_step(shown: ShownModel, choices: StepChoices) -> dict[str, Any]:
    """The words of the question and how likely the right ones are before and after, the losses, and the map of the model with
    the lengths of gradient and nudge of each part that has weights. Raises InputError as `lesson_of` does."""
    lesson = lesson_of(shown, choices.one_step_after)
    found = step_of(lesson)
    return {
        "step": lesson.learning.step if lesson.learning.says_steps else None,
        "source": token_texts(lesson, lesson.src),
        "words": right_words(lesson),
        "before": found.before.tolist(),
        "after": found.after.tolist(),
        "weakest": found.weakest,
        "losses": list(found.losses),
        "norm": found.norm,
        "clipping": found.clipping,
        "rate": found.rate,
        "map": _map(lesson.cfg, found),
    }


def right_words(lesson: ShownModel) -> list[str]:
    """Returns the right words in order, the end of the answer among them."""
    words = lesson.batch(0, 0)[2]
    return [
        _("the end") if i == lesson.vocabulary.end else word for i, word in zip(words, token_texts(lesson, words), strict=True)
    ]


def _map(cfg: TransformerConfig, found: OneStep) -> dict[str, Any]:
    drawn, told = model_map.plain_drawing(cfg), set[str]()
    for box in drawn["boxes"]:
        part = _part_of(box)
        if part in found.lengths and part not in told:
            told.add(part)  # in pre-norm, what stands behind a part only adds, and has no weights
            length = found.lengths[part]
            box |= {
                "name": _name_of(box, drawn["boxes"]),
                "gradient": length,
                "nudge": found.rate * found.clipping * length,
                "weights": found.weights[part],
            }
    assert told == found.lengths.keys()
    alt = _("The model from bottom to top, {n} layers in each stack.").format(n=cfg.n_layers)
    return drawn | {"alt": alt}


def _part_of(box: Mapping[str, Any]) -> str:
    """Returns the name of a box's weights in `one_step.part_of`."""
    stack, _dot, name = box["part"].partition(".")
    if name != "norm":
        return str(box["part"])
    return f"{stack}.{box['around']}_norm" if "around" in box else f"{stack}.final_norm"


def _name_of(box: Mapping[str, Any], boxes: list[dict[str, Any]]) -> str:
    """Returns what a box is called where it is not seen: with its stack, and a norm with the part that it is around."""
    stack, _dot, name = box["part"].partition(".")
    titles = {"encoder": _("encoder"), "decoder": _("decoder")}
    if name == "linear":
        return str(box["label"])
    around = next((each["label"] for each in boxes if each["part"] == f"{stack}.{box.get('around')}"), "")
    part = box["label"] if name != "norm" else _("norm of {part}").format(part=around) if around else _("last norm")
    return _("{stack}, {part}").format(stack=titles[stack], part=part)


@picture("one-step-in-a-batch")
def one_step_in_a_batch(shown: ShownModel, choices: StepChoices) -> Figure:
    """By how much each right word becomes more probable: after the sentence alone, after a batch with it, and after one
    without it. Raises InputError as `lesson_of` and `steps_in_a_batch` do."""
    lesson = lesson_of(shown, choices.one_step_after)
    alone, (with_it, without) = step_of(lesson), steps_in_a_batch(lesson)
    series = {
        _("after this sentence alone"): alone.after - alone.before,
        _("after {n} sentences with it").format(n=BATCH): with_it.after - alone.before,
        _("after {n} others").format(n=BATCH): without.after - alone.before,
    }
    return bars(right_words(lesson), series, x_title=_("right word"), y_title=_("change of probability"))


@picture("output-gradient")
def output_gradient(shown: ShownModel, choices: StepChoices) -> Matrices:
    """The gradient of the output layer, the whole one also where it is the table of the embeddings, for the right words and
    those with the longest gradients. Raises InputError as `lesson_of` does."""
    lesson = lesson_of(shown, choices.one_step_after)
    found = output_gradient_of(lesson)
    ids, n = drawn_words(lesson, found), min(NUMBERS, lesson.cfg.d_model)
    return matrix(
        found.found[ids, :n],
        rows=[
            _("the end") if i == lesson.vocabulary.end else word for i, word in zip(ids, token_texts(lesson, ids), strict=True)
        ],
        columns=n,
        row_title=_("word of the output layer"),
        column_title=_("number of its vector (first {n} of {all})").format(n=n, all=lesson.cfg.d_model),
        signed=True,
        cell=26,
    )


def drawn_words(lesson: ShownModel, found: OutputGradient) -> list[int]:
    """Returns the ids of the right words, in their order, and of those that the step moves most."""
    right = list(dict.fromkeys(lesson.batch(0, 0)[2]))[:WORDS]
    order = np.argsort(-np.linalg.norm(found.found, axis=1), kind="stable").tolist()
    return [*right, *[i for i in order if i not in right][: max(WORDS - len(right), 0)]]


def places(lesson: ShownModel) -> list[str]:
    """Returns the right words with their places."""
    return [f"{place} {word}" for place, word in enumerate(right_words(lesson))]


def places_read(lesson: ShownModel, found: OutputGradient) -> list[str]:
    """Returns the words that are read from the matrix of the output layer, each with its stack and its place."""
    labels = [
        _("{stack}, {part}").format(stack=stack, part=f"{at} {word}")
        for stack, ids in ((_("encoder"), lesson.src), (_("decoder"), lesson.tgt))
        for at, word in enumerate(token_texts(lesson, ids))
    ]
    return labels[len(labels) - len(found.read) :]
