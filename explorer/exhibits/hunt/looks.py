"""The looks of the hunt: the numbers of the broken translator beside the whole one's, for the view to draw."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.exhibits.hunt import words
from explorer.exhibits.hunt.game import Puzzle
from explorer.i18n import _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.held_out import rows_of
from explorer.model_on_screen.sabotages import (
    EXCHANGED,
    WHOLE,
    answer_to,
    answer_tokens,
    attention_of_row,
    evidence,
    held_out_answers,
    rows_answered_right,
    taught,
    writing_of_row,
)
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.data.sentence_text import sentence_text
from transformer_core.model.stages import ATTENTION_KINDS, AttentionKind, attention_path, parse_stage

_EXAMPLES = 3  # sentences that are shown at first
_WORDS = 6  # of a sentence that is drawn: the shorter, the sooner it is seen through

Panel = dict[str, Any]


def examples(shown: ShownModel, puzzle: Puzzle) -> list[int]:
    """Returns held-out rows that the broken translator answers wrong and the whole one right, short ones first; which of them
    follows from the puzzle.
    """
    wrong = rows_answered_right(shown, WHOLE) & ~rows_answered_right(shown, puzzle.number)
    rows: list[int] = np.roll(np.flatnonzero(wrong), -puzzle.variant).tolist()
    return sorted(rows, key=lambda row: len(_source(shown, row)) > _WORDS)[:_EXAMPLES]


def answers(shown: ShownModel, puzzle: Puzzle) -> Panel:
    """The sentences that one begins with, their right answers, and what the broken translator says."""
    rows = examples(shown, puzzle)
    said = [[answer_tokens(shown, held_out_answers(shown, number)[row]) for number in (WHOLE, puzzle.number)] for row in rows]
    pairs = [(_source(shown, row), *both) for row, both in zip(rows, said, strict=True)]
    return _table(shown, pairs, _("right"))


def own_answers(shown: ShownModel, puzzle: Puzzle, source: tuple[int, ...]) -> Panel:
    """Returns the answers of both to a sentence of one's own."""
    return _table(shown, [(source, *(answer_to(shown, number, source) for number in (WHOLE, puzzle.number)))], _("whole"))


def _table(shown: ShownModel, rows: Sequence[tuple[Sequence[int], ...]], sound: str) -> Panel:
    return {
        "kind": "answers",
        "columns": [_("asked"), sound, _("it says")],
        "rows": [
            {
                "asked": " ".join(token_texts(shown, source)),
                "whole": _marked(shown, whole, broken),
                "broken": _marked(shown, broken, whole),
            }
            for source, whole, broken in rows
        ],
    }


def _marked(shown: ShownModel, answer: Sequence[int], other: Sequence[int]) -> list[tuple[str, bool]]:
    """Returns the pieces of an answer, each with whether the other answer lacks it."""
    assert shown.translation is not None
    language, tokens = shown.translation.language, token_texts(shown, answer)
    blocks = SequenceMatcher(None, answer, other).get_matching_blocks()
    same = {i for block in blocks for i in range(block.a, block.a + block.size)}
    written = [sentence_text(tokens[:n], language) for n in range(len(tokens) + 1)]
    return [(after[len(before) :], i not in same) for i, (before, after) in enumerate(pairwise(written))]


def shares(shown: ShownModel, puzzle: Puzzle, _row: int) -> Panel:
    """Counts the held-out sentences that are right, by kinds of sentence."""
    rows = rows_of(taught(shown))
    sound, broken = (rows_answered_right(shown, number) for number in (WHOLE, puzzle.number))
    sources = [_source(shown, row) for row in range(len(rows.src))]
    longest, pair = rows.src.size(1), {*shown.vocabulary.ids(EXCHANGED)}
    question = {*shown.vocabulary.ids([mark for mark in ("?", "？") if mark in shown.vocabulary.tokens])}
    one, other = EXCHANGED
    kinds: dict[str, Callable[[int], bool]] = {
        _("all"): lambda row: True,
        _("filled up with padding"): lambda row: len(sources[row]) < longest,
        _("as long as the longest"): lambda row: len(sources[row]) == longest,
        _("questions"): lambda row: bool(question & {*rows.labels[row].tolist()}),
        _("a word twice"): lambda row: len({*sources[row]}) < len(sources[row]),
        _("with “{one}” or “{other}”").format(one=one, other=other): lambda row: bool(pair & {*sources[row]}),
        _("without these two"): lambda row: not pair & {*sources[row]},
    }
    chosen = {name: np.array([is_one(row) for row in range(len(sources))]) for name, is_one in kinds.items()}
    return {
        "kind": "shares",
        "title": _("Right, by kind of sentence"),
        "rows": [
            {"name": name, "n": int(of.sum()), "whole": int(sound[of].sum()), "broken": int(broken[of].sum())}
            for name, of in chosen.items()
            if of.any()
        ],
        "said": _("Held-out sentences in one batch, filled up to {n} words.").format(n=longest),
    }


def right_without(shown: ShownModel, number: int) -> tuple[int, int, int]:
    """Counts the held-out sentences without the words that may be exchanged: those that are right, those that are right in the
    whole model, and all.
    """
    pair = {*shown.vocabulary.ids(EXCHANGED)}
    of = np.array([not pair & {*row} for row in rows_of(taught(shown)).src.tolist()])
    broken, sound = (rows_answered_right(shown, each)[of] for each in (number, WHOLE))
    return int(broken.sum()), int(sound.sum()), int(of.sum())


def attention(kind: AttentionKind, shown: ShownModel, puzzle: Puzzle, row: int) -> Panel:
    """Every head of one attention on one sentence, padding included."""
    titles = {
        "encoder": _("Where words look: encoder"),
        "decoder": _("Where words look: decoder"),
        "cross": _("Where words look: decoder → encoder"),
    }
    rows, both = rows_of(taught(shown)), [attention_of_row(shown, number, row) for number in (WHOLE, puzzle.number)]
    source, count = _named(shown, rows.src[row].tolist()), len(_source(shown, row) if kind == "encoder" else rows.tgt[row])
    given = [token for token in rows.tgt[row].tolist() if token != shown.cfg.pad_id]
    target = _named(shown, given)
    spreads = evidence(shown, puzzle.number).spreads
    layers = []
    for layer in range(shown.cfg.n_layers):
        sound, broken = (each[kind, layer][:, :count].round(3).tolist() for each in both)
        spread = spreads[attention_path(kind, layer).module].heads
        heads = zip(sound, broken, spread, strict=True)
        layers.append(
            {
                "name": _("layer {layer}").format(layer=layer + 1),
                "heads": [{"whole": a, "broken": b, "spread": [f"{bits:.2f}" for bits in pair]} for a, b, pair in heads],
            }
        )
    return {
        "kind": "heads",
        "title": titles[kind],
        "queries": source[:count] if kind == "encoder" else target,
        "keys": target if kind == "decoder" else source,
        "layers": layers,
        "said": _("A row is a word, and where it looks; · is padding. Spread in bits, the mean of {n} sentences.").format(
            n=len(rows.src)
        ),
    }


def writing(shown: ShownModel, puzzle: Puzzle, row: int) -> Panel:
    """Returns the words that the decoder reads, and those that it would say after each layer."""
    models = []
    for title, number in ((_("whole"), WHOLE), (_("broken"), puzzle.number)):
        seen = writing_of_row(shown, number, row)
        models.append({"title": title, "rows": [_named(shown, each) for each in (seen.reads, *seen.layers)]})
    count = shown.cfg.n_layers
    return {
        "kind": "writing",
        "title": _("How the answer is written"),
        "steps": [_("reads"), *(_("after layer {layer}").format(layer=layer) for layer in range(1, count)), _("writes")],
        "models": models,
        "said": _("To “{sentence}”: each word that the decoder reads, and the likeliest next word.").format(
            sentence=" ".join(token_texts(shown, _source(shown, row)))
        ),
    }


def lengths(shown: ShownModel, puzzle: Puzzle, _row: int) -> Panel:
    """Returns the lengths of the vectors that each part adds, and of the residual stream after it."""
    found = evidence(shown, puzzle.number).lengths
    rows = []
    for name, pair in found.items():
        stage = parse_stage(name)
        if stage.name == "positions":
            rows.append({"part": _("positions of the encoder"), "values": [pair]})
        elif stage.path is not None and stage.name == "output":
            rows.append({"part": words.part_words(name), "values": [pair, found[stage.path.stage("residual")]]})
    return {
        "kind": "lengths",
        "title": _("How long the vectors are"),
        "columns": [_("adds"), _("stream after it")],
        "rows": rows,
        "said": _("The mean of {n} sentences. Bars grow with the logarithm.").format(n=len(rows_of(taught(shown)).src)),
    }


def first(shown: ShownModel, puzzle: Puzzle, _row: int) -> Panel:
    """The first stage that differs from the whole model."""
    return {
        "kind": "first",
        "title": _("The first number that differs"),
        "said": words.where_first(evidence(shown, puzzle.number)),
    }


PANELS: dict[str, Callable[[ShownModel, Puzzle, int], Panel]] = {
    "shares": shares,
    "writing": writing,
    **{kind: partial(attention, kind) for kind in ATTENTION_KINDS},
    "lengths": lengths,
    "first": first,
}


def _source(shown: ShownModel, row: int) -> tuple[int, ...]:
    return tuple(token for token in rows_of(taught(shown)).src[row].tolist() if token != shown.cfg.pad_id)


def _named(shown: ShownModel, tokens: Sequence[int]) -> list[str]:
    """Returns the words of tokens; of padding a dot."""
    return ["·" if token == shown.cfg.pad_id else word for token, word in zip(tokens, token_texts(shown, tokens), strict=True)]
