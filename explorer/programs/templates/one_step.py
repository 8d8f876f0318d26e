"""Templates of the pictures of one step of learning."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.model_on_screen.one_step import BATCH, lesson_of, output_gradient_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.one_step import NUMBERS, StepChoices, drawn_words
from explorer.programs.template import ProgramTemplate


def _lesson(shown: ShownModel, choices: StepChoices) -> ShownModel:
    return lesson_of(shown, choices.one_step_after)


def _sentence(shown: ShownModel, choices: StepChoices) -> Any:
    return _lesson(shown, choices).batch(0, 0)


def _in_the_film(_shown: ShownModel, _choices: StepChoices, drawing: Mapping[str, Any]) -> list[np.ndarray]:
    lengths = sorted(box["gradient"] for box in drawing["map"]["boxes"] if "gradient" in box)
    return [*(np.asarray(drawing[name]) for name in ("before", "after", "losses")), np.array(lengths)]


def _cells(shown: ShownModel, choices: StepChoices) -> dict[str, Any]:
    lesson = _lesson(shown, choices)
    return {"ids": drawn_words(lesson, output_gradient_of(lesson)), "n": min(NUMBERS, lesson.cfg.d_model)}


TEMPLATES = {
    "one-step": ProgramTemplate(
        "one step of plain gradient descent with this sentence alone: how likely each right word is before and after, and the "
        "loss",
        """
found = one_step(model, row_of(src, tgt, labels), rate=0.1, clip=1.0)
lengths = sorted(found.lengths.values())  # of the gradient, by part
values = [found.before, found.after, found.losses, lengths]
""",
        sentence=_sentence,
        seen=_in_the_film,
        model=_lesson,
        draw="""
words = [f"{place} {word}" for place, word in enumerate(next_tokens)]
figure = go.Figure([go.Bar(x=words, y=found.before, name="before"), go.Bar(x=words, y=found.after, name="after")])
figure.update_yaxes(title="probability of the right word")
figure.show()
""",
    ),
    "one-step-in-a-batch": ProgramTemplate(
        "by how much each right word becomes more probable: after one step with this sentence alone, with a batch that has it, "
        "and with one that does not",
        """
row, others = row_of(src, tgt, labels), task.batch($n, torch.Generator().manual_seed(0))
alone = one_step(model, row)
with_it = one_step(model, row, beside(row, others.rows(slice(1, None)), cfg.pad_id))
without = one_step(model, row, others)
values = [each.after - each.before for each in (alone, with_it, without)]
""",
        lambda _shown, _choices: {"n": BATCH},
        sentence=_sentence,
        model=_lesson,
    ),
    "output-gradient": ProgramTemplate(
        "the gradient of the output layer: at each place softmax − one-hot times the decoder's output, added up; where it is "
        "the table of the embeddings, with the gradients with respect to the words that are read",
        """
found = output_gradient(model, row_of(src, tgt, labels))
ids = $ids  # of the words that are shown
values = found.written_out[ids, :$n]  # (word, number of its vector)
""",
        _cells,
        sentence=_sentence,
        model=_lesson,
    ),
}
