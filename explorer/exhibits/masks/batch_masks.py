"""Several sentences as one batch: padded, shifted, masked; and why a mask closes columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.i18n import N_, _, n_
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.sequences import right_answer
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.sources import Reader, of_length
from explorer.session import current
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.widgets import text
from transformer_core.analysis.padding import PaddedSentences, PaddingLeak, make_batch, padding_leak
from transformer_core.errors import InputError

_FRENCH = (
    ("a cat", "un chat"),
    ("a dog sees the house", "un chien voit la maison"),
)
_MOST_TOKENS = 16
_HIGH, _WORD = 36, 44  # of a cell with a token and its id: how high it is, and how narrow it may be, in pixels
_EMPTY = (  # what is said of an empty sentence of each side
    N_("Source {i} is empty. Type at least one word."),
    N_("Target {i} is empty. Type at least one word."),
)


def draw(shown: ShownModel) -> None:
    above = st.container()  # the picture comes before what can be typed for it
    if not shown.cfg.has_encoder:
        sources, targets = _texts(shown)
    else:
        sources, targets = _numbers(shown) if shown.vocabulary.end is None else _sentences(shown)
    if (longest := max(map(len, [*sources, *targets]))) > _MOST_TOKENS:
        raise InputError(
            "One sentence has {n} tokens; up to {most} fit into this picture. Shorten it.", n=longest, most=_MOST_TOKENS
        )
    batch = make_batch(sources, targets, shown.vocabulary.start, shown.vocabulary.end, shown.vocabulary.pad)
    with above:
        _padded(shown, batch)

    def more() -> None:
        _masks(batch)
        if shown.cfg.has_encoder:
            _why(batch, _leak(shown.choice, tuple(map(tuple, batch.src.tolist())), current().settings.seed))
        elif shown.cfg.causal:
            st.markdown(
                _(
                    "Padding stands behind the words, where the causal mask lets no word look: here it would keep the padding "
                    "out by itself. Where every word may look everywhere, as in an encoder, only the padding mask does."
                )
            )
        document.try_this(*_tries(shown))
        document.the_code(make_batch, padding_leak)

    document.details("batch_masks", more)


def _tries(shown: ShownModel) -> list[str]:
    if not shown.cfg.has_encoder:
        return [_("Change the sequence length in the sidebar: how much of the batch is padding then?")]
    return [
        _("Make the second sentence longer than all others: now every other one is padded to its length."),
        _("Give all sentences the same length: no padding, and only the triangle is left of the target masks.")
        if shown.cfg.causal
        else _("Give all sentences the same length: no padding, and nothing is masked."),
    ]


@shared_cache(2**20)
def _leak(choice: ModelChoice, src: tuple[tuple[int, ...], ...], seed: int) -> PaddingLeak:
    return padding_leak(model_of(choice), np.array(src), seed)


def _numbers(shown: ShownModel) -> tuple[list[list[int]], list[list[int]]]:
    """Makes rows like the one on screen, for a model that reads numbers."""
    own = list(shown.src)
    st.caption(_("This model reads numbers: below your row stand the first half of it, and its first and last numbers."))
    sources = [own, own[: -(-len(own) // 2)], [own[0], *own[-2:]]]
    return sources, [list(row) for row in sources]


def _texts(shown: ShownModel) -> tuple[list[list[int]], list[list[int]]]:
    """Makes a batch of the text of a decoder alone and parts of it. There are no sources."""
    own = list(shown.tgt[1:_MOST_TOKENS]) or [shown.tgt[0]]
    st.caption(_("Below your text stand the first half of it, and its last two words."))
    return [[], [], []], [own, own[: -(-len(own) // 2)], own[-2:]]


def _sentences(shown: ShownModel) -> tuple[list[list[int]], list[list[int]]]:
    """Returns the pair on screen and two that can be typed. Raises InputError for an empty one."""
    most = None if shown.text.typed else _MOST_TOKENS  # what a model generates that has not learned to end may be long
    sources, targets = [list(shown.src)], [list(shown.tgt[1:most])]
    st.caption(
        _("The first pair is that of the sidebar; type two more.")
        if shown.text.typed
        else _("The first source is that of the sidebar, its target what the decoder is given there; type two more pairs.")
    )
    for i, pair in enumerate(_pairs(shown.model), start=2):
        left, right = st.columns(2)
        with left:
            source = text(f"src_{i}", _("source {i}").format(i=i), pair[0], _("A sentence of any length."))
        with right:
            target = text(f"tgt_{i}", _("target {i}").format(i=i), pair[1], _("A sentence of any length."))
        for typed, read, ids, empty in zip(
            (source, target), (shown.vocabulary.encode, shown.read_answer), (sources, targets), _EMPTY, strict=True
        ):
            rows = list(read(typed))
            if not rows:
                raise InputError(empty, i=i)
            ids.append(rows)
    return sources, [ids or [shown.src[0]] for ids in targets]


def _pairs(model: ModelAtStep) -> Sequence[tuple[str, str]]:
    """Returns two sentences with their answers: the shortest of the task, and a longer one."""
    if model.task == "everyday-fr":
        return _FRENCH
    reader = Reader(model.task, model.taught, model.vocabulary)
    return [_taught(reader, shortest) for shortest in (0, len(reader.lengths) // 2)]


def _taught(reader: Reader, shortest: int) -> tuple[str, str]:
    """Returns the first sentence with a known answer, from this place among the lengths on."""
    blank = " " if reader.task in ("small-fr", "pronoun-en", "pairs") else ""
    for length in reader.lengths[shortest:]:
        text = of_length(reader, length)
        if answer := right_answer(reader, reader.vocabulary.encode(text)):
            return text, blank.join(reader.vocabulary.decode(answer))
    return text, text


def _padded(shown: ShownModel, batch: PaddedSentences) -> None:
    pad = shown.vocabulary.pad
    padding = _("one row per sentence, each token with its id; × is padding, the token {token} with the id {pad}.")
    given = _("the target, behind the start token.")
    label = _("the token to be predicted: the target, one place ahead of the decoder input.")
    if not shown.cfg.has_encoder:
        given = _(
            "one row per text, each token with its id, behind the start token; × is padding, the token {token} with the id "
            "{pad}."
        )
        label = _("the token to be predicted: the text, one place ahead.")
    of_padding = {"token": shown.vocabulary.tokens[pad], "pad": pad}
    places = (st.container(), *(st.columns(2) if shown.cfg.has_encoder else (st.container(), st.container())))
    pictures = [
        (places[0], "batch-src", _("source"), batch.src, padding.format(**of_padding)),
        (places[1], "batch-tgt", _("decoder input"), batch.tgt, given.format(**of_padding)),
        (places[2], "batch-label", _("label"), batch.label, label),
    ]
    for place, key, title, ids, words in pictures if shown.cfg.has_encoder else pictures[1:]:
        with place:
            st.markdown(f"**{title}** {ids.shape}")
            document.picture(_tokens(shown, batch, ids), words, key)
    rest = batch.label.size - batch.n_tokens
    words = n_(
        "The loss counts {counted} of {all} labels; {n} is padding, id {pad}.",
        "The loss counts {counted} of {all} labels; {n} are padding, id {pad}.",
        rest,
    )
    st.caption(words.format(counted=batch.n_tokens, all=batch.label.size, n=rest, pad=pad))


def _tokens(shown: ShownModel, batch: PaddedSentences, ids: np.ndarray) -> Matrices:
    """ids: (sentence, position), with each token written into its cell."""
    tokens, rows = [shown.vocabulary.decode(row) for row in ids.tolist()], _names(batch)
    drawn = matrix(
        np.zeros(ids.shape),
        rows=rows,
        columns=ids.shape[1],
        row_title=_("sentence"),
        column_title=_("position"),
        valid=ids != shown.vocabulary.pad,
        closed=_("padding"),
        cell=_HIGH,
        scale=False,
        alt="; ".join(f"{name}: {' '.join(row)}" for name, row in zip(rows, tokens, strict=True)),
    )
    written = [[(token, str(i)) for token, i in zip(*row, strict=True)] for row in zip(tokens, ids.tolist(), strict=True)]
    return replace(
        drawn,
        marks=[["\n".join(cell) for cell in row] for row in written],
        notes=[[" · ".join(cell) for cell in row] for row in written],
        narrowest=_WORD,
    )


def _names(batch: PaddedSentences) -> list[str]:
    return [_("sentence {i}").format(i=i) for i in range(1, len(batch.src) + 1)]


def _masks(batch: PaddedSentences) -> None:
    document.section(_("Its masks"))
    src_open, tgt_open = batch.src_mask[:, 0, 0], batch.tgt_mask[:, 0]
    if batch.src.size:
        document.picture(
            matrix(
                src_open.astype(float),
                rows=_names(batch),
                columns=src_open.shape[1],
                row_title=_("sentence"),
                valid=src_open,
                column_title=_("source position (key)"),
                cell=30,
                decimals=0,
            ),
            _("the source mask, {shape}. One row per sentence is enough: the same keys are masked for every query.").format(
                shape=batch.src_mask.shape
            ),
            "batch-src-mask",
        )
    of_queries, of_keys = _("target position (query)"), _("target position (key)")
    how = _("the target mask, {shape}: causal and padding, both. It is the triangle without the columns of the padding.")
    if not batch.src.size:
        of_queries, of_keys = _("position (query)"), _("position (key)")
        how = _("the mask, {shape}: causal and padding, both. It is the triangle without the columns of the padding.")
    document.picture(
        matrices(
            tgt_open.astype(float),
            names=_names(batch),
            rows=tgt_open.shape[1],
            columns=tgt_open.shape[2],
            valid=tgt_open,
            wide=3,
            size=240,
            row_title=of_queries,
            column_title=of_keys,
        ),
        how.format(shape=batch.tgt_mask.shape),
        "batch-tgt-mask",
    )


def _why(batch: PaddedSentences, leak: PaddingLeak) -> None:
    document.section(_("Why columns are masked, not rows"))
    st.markdown(
        _(
            "An experiment with the encoder: put random words where the padding is, leave the masks as they are, and see which "
            "outputs change. Padding must not affect the words of a sentence."
        )
    )
    real = batch.src_mask[:, 0, 0]
    if real.all():
        st.info(_("All sentences have the same length, so there is no padding. Shorten one."), icon=":material/straighten:")
        return
    leaks = {_("columns masked"): leak.columns, _("rows masked"): leak.rows, _("no mask"): leak.nothing}
    largest = [float(values[real].max()) for values in leaks.values()]
    for place, name, value in zip(st.columns(3), leaks, largest, strict=True):
        place.metric(name, small(value, 3), help=_("largest change of any number in the output of a real word"))
    axes: dict[str, Any] = {"row_title": _("sentence"), "column_title": _("source position"), "title": _("change")}
    document.picture(
        matrices(list(leaks.values()), names=list(leaks), rows=_names(batch), columns=batch.src.shape[1], valid=real,
                 top=max(largest) or 1.0, wide=3, size=220, closed=_("padding"), **axes),
        _(
            "the largest change in each word's output; × is the padding itself, whose outputs are never used. With its "
            "columns masked, as in this model, the words of a sentence change by {columns}; with its rows masked by up to "
            "{rows}, without a mask by up to {nothing}."
        ).format(columns=small(largest[0], 3), rows=small(largest[1], 3), nothing=small(largest[2], 3)), "batch-padding",
    )  # fmt: skip
