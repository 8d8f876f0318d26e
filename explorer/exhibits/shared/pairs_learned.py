"""The answers of a model of the visitor's pairs after its run: how many are right, of known and of new sentences."""

from dataclasses import dataclass

import streamlit as st
import torch

from explorer.exhibits.shared.run_model import model_of
from explorer.i18n import _
from explorer.learning.learned_model import LearnedModel
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.session import current
from explorer.ui import document
from explorer.ui.format import share_words
from explorer.ui.widgets import linked_text
from transformer_core.data.pair_rows import rows_of
from transformer_core.data.pairs import LONGEST
from transformer_core.data.tasks import PairsTask
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import greedy_decode
from transformer_core.training.evaluation import rows_right

Ids = tuple[int, ...]
_MOST_ASKED = 50  # sentences


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
    answered, history = _answers_of(run), run.history()
    learned, tested = ([each for each in answered if each.held_out is held] for held in (False, True))
    sentence = _(
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
            untold = _("{told} Most of them are wrong: more pairs of the same words may help.").format(told=untold)
    return f"{sentence} {untold}", all(each.is_right for each in answered)


def draw(run: TrainingRun) -> None:
    """Draws a list of all answers, and a field for other sentences."""
    st.dataframe(columns(run), hide_index=True)
    document.section(_("Ask it others"))
    help = _("One a line. With = and the answer that you expect, it is judged. Only you see them.")
    linked_text("asked", _("sentences of the same kind, such as: good night = buenas noches"), current().asked, _take, help)
    if current().asked.strip():
        st.dataframe(columns_asked(run, current().asked), hide_index=True)


def _take(text: str) -> None:
    current().asked = text


def columns_asked(run: TrainingRun, text: str) -> dict[str, list[str]]:
    """Returns the columns of a table of what the model answers to each line of a text, by their titles."""
    model = model_of(run)
    assert isinstance(model.taught, PairsTask)
    task = model.taught
    vocabulary, corpus, trained = task.vocabulary, task.corpus, task.corpus.examples[: task.trained_on]
    known, heard = {word for each in trained for word in each.src}, {each.src for each in trained}
    rows = [row for row in rows_of(text).cells if row and row[0]][:_MOST_ASKED]
    answered = _written(model, tuple(tuple(vocabulary.encode(row[0])[:LONGEST]) for row in rows))
    table: list[tuple[str, str, str, str, str]] = []
    for (sentence, *expected), ids in zip(rows, answered, strict=True):
        words, written = tuple(vocabulary.split(sentence))[:LONGEST], tuple(vocabulary.decode(ids))
        is_right = written == tuple(vocabulary.split(expected[0])) if expected else None
        notes = [_("learned")] if words in heard else []
        if new := [word for word in words if word not in known]:
            notes.append(_("never seen: {words}").format(words=", ".join(new)))
        judged = "" if is_right is None else _("✓ yes") if is_right else _("✗ no")
        table.append((sentence, corpus.answer_separator.join(written), judged, "".join(expected[:1]), "; ".join(notes)))
    titles = _("sentence"), _("the model writes"), _("right"), _("your answer"), ""
    return {title: [row[i] for row in table] for i, title in enumerate(titles)}


def columns(run: TrainingRun) -> dict[str, list[str]]:
    """Returns the columns of a table of all answers, by their titles. Raises CheckpointError for weights that are NaN."""
    answered = _answers_of(run)
    return {
        _("sentence"): [each.source for each in answered],
        _("the model writes"): [each.written for each in answered],
        _("right"): [_("✓ yes") if each.is_right else _("✗ no") for each in answered],
        _("your answer"): [" / ".join(each.right) for each in answered],
        _("held out"): [_("✓ yes") if each.held_out else "" for each in answered],
    }


def _answers_of(run: TrainingRun) -> tuple[Answer, ...]:
    return answers(model_of(run))


@shared_cache(2**20, key=lambda model, sentences: (model.id, sentences))
def _written(model: LearnedModel, sentences: tuple[Ids, ...]) -> tuple[Ids, ...]:
    """Returns what a model writes for each sentence, without what ends it."""
    assert isinstance(model.taught, PairsTask)
    task, learned = model.taught, model.model(model.last)
    written = (greedy_decode(learned, torch.tensor([ids]), task.start_id, LONGEST)[0, 1:].tolist() for ids in sentences)
    return tuple(tuple(before_end(each, task.vocabulary.end)) for each in written)


@shared_cache(2**20, key=lambda model: model.id)
def answers(model: LearnedModel) -> tuple[Answer, ...]:
    """Returns the answers of a model to all its sentences, each once."""
    assert isinstance(model.taught, PairsTask)
    task, corpus = model.taught, model.taught.corpus
    examples = list({each.src: each for each in corpus.examples}.values())
    batch = corpus.rows(examples)
    written = greedy_decode(model.model(model.last), batch.src, task.start_id, batch.labels.size(1))[:, 1:]  # (sentence, tgt)
    right = rows_right(task, batch, written)
    kept = {each.src for each in corpus.examples[: task.trained_on]}
    return tuple(
        Answer(
            corpus.separator.join(example.src),
            corpus.answer_separator.join(task.vocabulary.decode(before_end(ids, task.vocabulary.end))),
            tuple(map(corpus.answer_separator.join, corpus.answers(example.src))),
            is_right,
            example.src not in kept,
        )
        for example, ids, is_right in zip(examples, written.tolist(), right.tolist(), strict=True)
    )
