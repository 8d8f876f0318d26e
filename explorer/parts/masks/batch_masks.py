"""Several sentences as one batch: filled up, shifted, masked; and why a mask closes columns."""

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.matrix import matrices, matrix
from explorer.state import ModelKey, View
from explorer.words import _
from transformer_core.analysis.padding import Batch, PaddingLeak, make_batch, padding_leak

_PAIRS = (
    ("a cat", "un chat"),
    ("a dog sees the house", "un chien voit la maison"),
)
_MOST_TOKENS = 16


def batch_masks_part(view: View) -> None:
    """Draws the part."""
    try:
        sources, targets = _sentences(view)
        batch = make_batch(sources, targets, view.vocabulary.start, view.vocabulary.end, view.vocabulary.pad)
        reach = _reach(view.key, tuple(map(tuple, batch.src.tolist())), controls.knobs().seed)
    except ValueError as error:
        st.error(str(error), icon=":material/tune:")
        return
    _filled(view, batch)
    _masks(view, batch)
    _why(view, batch, reach)
    document.try_this(
        _("Make the second sentence longer than all others: now every other one is filled up to its length."),
        _("Give all sentences one length: no filler, and only the triangle is left of the target's masks."),
    )
    document.the_code(make_batch, padding_leak)


@st.cache_data(max_entries=64, show_spinner=False)
def _reach(key: ModelKey, src: tuple[tuple[int, ...], ...], seed: int) -> PaddingLeak:
    return padding_leak(state.model_of(key), np.array(src), seed)


def _sentences(view: View) -> tuple[list[list[int]], list[list[int]]]:
    """Your pair of sentences and two more that may be typed; for a model that reads numbers, rows made of yours.

    Raises ValueError for a sentence that is empty or too long to draw."""
    sources, targets = [list(view.src)], [list(view.tgt[1:])]
    if view.vocabulary.end is None:
        own = list(view.src)
        st.caption(_("This model reads numbers: below your row, the beginning and the end of it."))
        sources += [own[: -(-len(own) // 2)], [own[0], *own[-2:]]]
        targets = [list(row) for row in sources]
    else:
        first = _("The first pair is that of the sidebar; type two more.")
        if view.stored is not None:
            first = _("The first source is that of the sidebar, and its target what the model says to it; type two more pairs.")
        st.caption(first)
        for i, pair in enumerate(_PAIRS, start=2):
            left, right = st.columns(2)
            with left:
                src = controls.text(f"src_{i}", _("source {i}").format(i=i), pair[0], _("A sentence of any length."))
            with right:
                tgt = controls.text(f"tgt_{i}", _("target {i}").format(i=i), pair[1], _("A sentence of any length."))
            for name, words, ids in ((_("source"), src, sources), (_("target"), tgt, targets)):
                found = view.vocabulary.encode(words)
                if not found:
                    raise ValueError(_("{name} {i} is empty. Type at least one word.").format(name=name.capitalize(), i=i))
                ids.append(found)
    longest = max(map(len, [*sources, *targets]))
    if longest > _MOST_TOKENS:
        raise ValueError(
            _("One sentence has {n} tokens; up to {most} fit into this picture. Shorten it.").format(
                n=longest, most=_MOST_TOKENS
            )
        )
    return sources, [ids or [view.src[0]] for ids in targets]


def _filled(view: View, batch: Batch) -> None:
    document.section(_("1 · Filled up to one length, and shifted by one"))
    pad = view.vocabulary.pad
    for name, title, ids in (
        ("batch-src", _("source"), batch.src),
        ("batch-tgt", _("decoder's input"), batch.tgt),
        ("batch-label", _("label: what it should say"), batch.label),
    ):
        st.markdown(f"**{title}** {ids.shape}")
        st.dataframe(
            {
                str(place): [f"{token} {i}" for token, i in zip(view.vocabulary.decode(column), column, strict=True)]
                for place, column in enumerate(ids.T.tolist())
            },
            key=name,
        )
    document.reading(
        _(
            "one row per sentence: token and id. The label is the input moved one place to the left. The loss counts "
            "{n} of {all} labels; the other {rest} are filler, id {pad}."
        ).format(n=batch.n_tokens, all=batch.label.size, rest=batch.label.size - batch.n_tokens, pad=pad)
    )


def _names(batch: Batch) -> list[str]:
    return [_("sentence {i}").format(i=i) for i in range(1, len(batch.src) + 1)]


def _masks(view: View, batch: Batch) -> None:
    document.section(_("2 · Its masks"))
    names = _names(batch)
    src_open = batch.src_mask[:, 0, 0]
    document.figure(
        matrix(src_open.astype(float), rows=names, columns=src_open.shape[1], row_title=_("sentence"), valid=src_open, cell=30,
               column_title=_("source place (key)"), decimals=0),
        "batch-src-mask",
        _("source mask {shape}: one row per sentence, because the same columns are closed for every word that asks.").format(
            shape=batch.src_mask.shape
        ),
    )  # fmt: skip
    open_ = batch.tgt_mask[:, 0]
    document.figure(
        matrices(open_.astype(float), names=names, rows=open_.shape[1], columns=open_.shape[2], valid=open_, wide=3, size=240,
                 row_title=_("target place (query)"), column_title=_("target place (key)")),
        "batch-tgt-mask",
        _("target mask {shape} = padding AND causal: the triangle, less the columns of the filler.").format(
            shape=batch.tgt_mask.shape
        ),
    )  # fmt: skip


def _why(view: View, batch: Batch, reach: PaddingLeak) -> None:
    document.section(_("3 · Why columns are closed, not rows"))
    st.markdown(
        _(
            "An experiment on the encoder: put random words where the filler stands, without telling the masks, and see which "
            "outputs change. Filler must not matter to the words of a sentence."
        )
    )
    real = batch.src_mask[:, 0, 0]
    if real.all():
        st.info(_("All sentences have one length: there is no filler. Shorten one."), icon=":material/straighten:")
        return
    found = {
        _("columns closed"): reach.columns,
        _("rows closed"): reach.rows,
        _("no mask"): reach.nothing,
    }
    for place, (name, values) in zip(st.columns(3), found.items(), strict=True):
        place.metric(
            name,
            f"{values[real].max():.3g}",
            help=_("largest change of any number in the output of a real word"),
        )
    top = max(float(values[real].max()) for values in found.values())
    document.figure(
        matrices(list(found.values()), names=list(found), rows=_names(batch), columns=batch.src.shape[1], valid=real,
                 row_title=_("sentence"), column_title=_("source place"), top=top or 1.0, title=_("change"), wide=3, size=220),
        "filler",
        _(
            "the largest change of each word's output; × is the filler itself, whose own rows nobody reads. With its columns "
            "closed, as in this model, no word of a sentence notices: {closed:.3g}. With its rows closed, or no mask, they do."
        ).format(closed=float(reach.columns[real].max())),
    )  # fmt: skip
