"""What a model says of the visitor's text after its run: how many next words are right, of known lines and of new ones."""

from collections import Counter
from dataclasses import dataclass

import streamlit as st
import torch

from explorer.exhibits.shared.run_model import model_of
from explorer.i18n import _, share_text
from explorer.learning.learned_model import LearnedModel
from explorer.learning.run import TrainingRun
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.session import current
from explorer.ui import document
from explorer.ui.widgets import linked_text
from transformer_core.data.tasks import TextTask
from transformer_core.data.texts import LONGEST_LINE
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import decode_steps, without_padding

Ids = tuple[int, ...]
_MOST_ASKED = 20  # beginnings
_LOT = 32  # lines in a pass
_LEARNED = 0.98  # of the next words that can be right


@dataclass(frozen=True)
class SaidLine:
    """A line, and the likeliest next word at each of its places, each behind the right words before it.

    Attributes:
        right: of so many tokens, its end included, the likeliest one is right.
        other: the beginning up to the first place where another word is likeliest, and that word; empty where there is none.
        held_out: whether the line was kept from training.
    """

    line: str
    right: int
    tokens: int
    other: tuple[str, str]
    held_out: bool


def told(run: TrainingRun) -> tuple[str, bool]:
    """Returns the tally in words, and whether it has learned nearly all that its lines tell: where some begin alike, as many
    next words as can be right.
    """
    said, history = said_lines(model_of(run)), run.history()
    learned, tested = ([each for each in said if each.held_out is held] for held in (False, True))
    sentence = _(
        "After {steps:,} steps and {s:.1f} seconds of compute it says the next word right in {share} of {n:,} places of the "
        "lines from which it has learned."
    ).format(steps=history.step, s=history.seconds, share=_share(learned), n=sum(each.tokens for each in learned))
    others = _("Where two lines begin alike, nobody can know how one goes on.")
    if tested:
        others = _("In the {lines} lines that it has never seen: {share} of {n:,}. {others}").format(
            lines=len(tested), share=_share(tested), n=sum(each.tokens for each in tested), others=others
        )
    return f"{sentence} {others}", sum(each.right for each in learned) >= _LEARNED * _most_right(run)


def _most_right(run: TrainingRun) -> int:
    """Counts the next words of the lines for training that are right if the most frequent one is said behind each beginning."""
    task = run.plan.task
    assert isinstance(task, TextTask)
    following: dict[tuple[str, ...], Counter[str]] = {}
    for example in task.corpus.examples[: task.trained_on]:
        words = (*example.tgt, "")
        for place, word in enumerate(words):
            following.setdefault(words[:place], Counter())[word] += 1
    return sum(max(counts.values()) for counts in following.values())


def _share(said: list[SaidLine]) -> str:
    return share_text(sum(each.right for each in said) / sum(each.tokens for each in said), 1)


def draw(run: TrainingRun) -> None:
    """Draws a list of all lines, and a field for beginnings."""
    st.dataframe(columns(run), hide_index=True)
    document.section(_("Let it go on"))
    help = _("One beginning a line. It takes the likeliest word, again and again. Only you see them.")
    linked_text("asked", _("a beginning, in words of the text"), current().asked, _take, help, height=120)
    if current().asked.strip():
        st.dataframe(columns_asked(run, current().asked), hide_index=True)


def _take(text: str) -> None:
    current().asked = text


def columns(run: TrainingRun) -> dict[str, list[str]]:
    """Returns the columns of a table of all lines, by their titles. Raises CheckpointError for weights that are NaN."""
    said = said_lines(model_of(run))
    other = _("“{word}” after “{beginning}”")
    return {
        _("line"): [each.line for each in said],
        _("next words right"): [_("{right} of {n}").format(right=each.right, n=each.tokens) for each in said],
        _("the first that differs"): [
            other.format(beginning=each.other[0], word=each.other[1]) if each.other[1] else "" for each in said
        ],
        _("held out"): [_("✓ yes") if each.held_out else "" for each in said],
    }


def columns_asked(run: TrainingRun, text: str) -> dict[str, list[str]]:
    """Returns the columns of a table of how the model goes on with each line of a text, by their titles."""
    model = model_of(run)
    assert isinstance(model.taught, TextTask)
    vocabulary, blank = model.taught.vocabulary, model.taught.corpus.separator
    lines = [line.strip() for line in text.splitlines() if line.strip()][:_MOST_ASKED]
    continued = _continuations(model, tuple(tuple(vocabulary.encode(line)[: LONGEST_LINE - 1]) for line in lines))
    table: list[tuple[str, str, str]] = []
    for line, ids in zip(lines, continued, strict=True):
        unknown = vocabulary.unknown_words(line)
        written = vocabulary.decode(ids)
        note = _("never seen: {words}").format(words=", ".join(dict.fromkeys(unknown))) if unknown else ""
        table.append((line, blank.join(written), note))
    titles = _("beginning"), _("goes on with"), ""
    return {title: [row[i] for row in table] for i, title in enumerate(titles)}


@shared_cache(2**20, key=lambda model, beginnings: (model.id, beginnings))
def _continuations(model: LearnedModel, beginnings: tuple[Ids, ...]) -> tuple[Ids, ...]:
    """Returns how a model goes on with each beginning, without what ends its text."""
    assert isinstance(model.taught, TextTask)
    learned, none = model.model(model.last), torch.empty(1, 0, dtype=torch.long)
    start, end = model.taught.start_id, model.taught.vocabulary.end

    def continued(ids: Ids) -> Ids:
        *_before, last = decode_steps(learned, none, [start, *ids], LONGEST_LINE - len(ids), end_id=end)
        return tuple(before_end(last.tokens[0, 1 + len(ids) :].tolist(), end))

    return tuple(map(continued, beginnings))


@shared_cache(2**20, key=lambda model: model.id)
def said_lines(model: LearnedModel) -> tuple[SaidLine, ...]:
    """Returns what a model says of every line of its text."""
    assert isinstance(model.taught, TextTask)
    task, corpus = model.taught, model.taught.corpus
    batch, net = corpus.rows(corpus.examples), model.model(model.last).eval()
    with torch.no_grad():
        lots = (batch.rows(slice(at, at + _LOT)) for at in range(0, len(batch.tgt), _LOT))
        likeliest = torch.cat(
            [without_padding(net(lot.src, lot.tgt), task.pad_id).argmax(dim=-1) for lot in lots]
        )  # (line, tgt)
    said = []
    for number, example in enumerate(corpus.examples):
        count = len(example.tgt) + 1
        labels, guesses = batch.labels[number, :count].tolist(), likeliest[number, :count].tolist()
        wrong = next((place for place in range(count) if labels[place] != guesses[place]), None)
        other = ("", "")
        if wrong is not None:
            other = corpus.separator.join(example.tgt[:wrong]), task.vocabulary.tokens[guesses[wrong]]
        right = sum(label == guess for label, guess in zip(labels, guesses, strict=True))
        said.append(SaidLine(corpus.separator.join(example.tgt), right, count, other, number >= corpus.train))
    return tuple(said)
