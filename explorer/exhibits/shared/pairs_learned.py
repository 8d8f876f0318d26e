"""The answers of a model of the visitor's pairs after its run: how many are right, of known and of new sentences."""

from dataclasses import dataclass

import streamlit as st

from explorer import resources
from explorer.i18n import _
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.ui.format import share_words
from transformer_core.data.tasks import PairsTask
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import greedy_decode
from transformer_core.training.evaluation import rows_right


@dataclass(frozen=True)
class Answer:
    """A sentence, what the model writes, and all right answers.

    Attributes:
        held_out: whether the sentence was kept from training.
    """

    source: str
    written: str
    right: tuple[str, ...]
    is_right: bool
    held_out: bool


def told(run: TrainingRun) -> tuple[str, bool]:
    """Returns the tally in words, and whether all answers are right."""
    found, history = _answers_of(run), run.history()
    learned, tested = ([each for each in found if each.held_out is held] for held in (False, True))
    said = _(
        "After {steps:,} steps and {s:.1f} seconds of compute it answers {right} of the {n} sentences right from which it has "
        "learned."
    ).format(steps=history.step, s=history.seconds, n=len(learned), right=sum(each.is_right for each in learned))
    untold = _("Whether it could answer others, nobody knows: all were needed for learning.")
    if tested:
        right = sum(each.is_right for each in tested)
        untold = _(
            "Of the {n} that it has never seen, {right} are right: {share} (in brackets: the 95% confidence interval)."
        ).format(n=len(tested), right=right, share=share_words(right / len(tested), len(tested)))
        if right < len(tested) / 2:
            untold = _("{told} Most of them are wrong: more pairs of the same kind may help.").format(told=untold)
    return f"{said} {untold}", all(each.is_right for each in found)


def draw(run: TrainingRun) -> None:
    """Draws a list of all answers."""
    st.dataframe(columns(run), hide_index=True)


def columns(run: TrainingRun) -> dict[str, list[str]]:
    """Returns the columns of a table of all answers, by their titles. Raises CheckpointError for weights that are NaN."""
    found = _answers_of(run)
    return {
        _("sentence"): [each.source for each in found],
        _("the model writes"): [each.written for each in found],
        _("right"): [_("✓ yes") if each.is_right else _("✗ no") for each in found],
        _("your answer"): [" / ".join(each.right) for each in found],
        _("held out"): [_("✓ yes") if each.held_out else "" for each in found],
    }


def _answers_of(run: TrainingRun) -> tuple[Answer, ...]:
    return answers(resources.model_store().add(run.checkpoint()).id)


@shared_cache(2**20)
def answers(model_id: str) -> tuple[Answer, ...]:
    """Returns the answers of a model in the store to all its sentences, each once."""
    model = resources.model_store().get(model_id)
    assert model is not None and isinstance(model.taught, PairsTask)
    task, corpus = model.taught, model.taught.corpus
    examples = list({each.src: each for each in corpus.examples}.values())
    batch = corpus.rows(examples)
    written = greedy_decode(model.model(model.last), batch.src, task.start_id, batch.labels.size(1))[:, 1:]  # (sentence, tgt)
    right = rows_right(task, batch, written)
    kept = {each.src for each in corpus.examples[: task.trained_on]}
    return tuple(
        Answer(
            corpus.separator.join(example.src),
            corpus.separator.join(task.vocabulary.decode(before_end(ids, task.vocabulary.end))),
            tuple(map(corpus.separator.join, corpus.answers(example.src))),
            is_right,
            example.src not in kept,
        )
        for example, ids, is_right in zip(examples, written.tolist(), right.tolist(), strict=True)
    )
