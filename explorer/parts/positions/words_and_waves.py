"""From words to the vectors that enter the model: token table, scaling, positions, their sum."""

import re
from typing import Any

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import bars, curves
from explorer.figures.matrix import matrices, matrix
from explorer.sections.wave_base import wave_base
from explorer.state import View
from explorer.words import _
from transformer_core import sinusoidal_encoding
from transformer_core.analysis.embedding_metrics import embedded, encoding, norms, similarity, wave_lengths
from transformer_core.model.embedding import Embedding

_MOST_IDS = 32
_NOTES_WIDTH = 20  # of the waves that textbooks draw: dimensions 4 to 7 of 20, over 100 positions


def words_and_waves_part(view: View) -> None:
    """Draws the part."""
    _table(view)
    _waves(view)
    _sum(view)
    document.formula(
        r"\begin{gathered}PE_{(pos,2i)}=\sin\!\left(pos/10000^{2i/d_{model}}\right)\\"
        r"PE_{(pos,2i+1)}=\cos\!\left(pos/10000^{2i/d_{model}}\right)\end{gathered}",
        _("Section 3.5 of the paper; the factor √d_model is in section 3.4."),
    )
    with st.expander(_("The first four positions for d_model 6, to check by hand")):
        st.dataframe({str(i): column for i, column in enumerate(encoding(4, 6).T.round(3))})
    document.try_this(
        _("Set the base to 10: even the slow waves turn fast, and far positions look alike."),
        _("Turn **d_model** up in the sidebar: more waves, more steps between fast and slow."),
        _("Type the same word twice: its table row is the same, only its position tells the two apart."),
    )
    document.the_code(sinusoidal_encoding, Embedding)


def _table(view: View) -> None:
    d, pad = view.cfg.d_model, view.vocabulary.pad
    view.run(pad_src=1)  # declines a sentence that the model cannot read
    document.section(_("1 · A word is looked up in a table"))
    st.markdown(_("Each word has a number, its **token id**. The table holds {d} numbers for every id.").format(d=d))
    ids: tuple[int, ...] = (*view.src, pad)
    words = _("Whole numbers from 0 to {last}, up to {most} of them. Empty: the ids of your sentence.")
    typed = controls.text(
        "ids", _("look up other ids"), "", words.format(last=view.cfg.src_vocab - 1, most=_MOST_IDS)
    )  # fmt: skip
    try:
        if typed.strip():
            ids = _numbers(typed)
        found = embedded(state.model_of(view.key), ids)
    except ValueError as error:
        st.error(str(error), icon=":material/tune:")
        ids = (*view.src, pad)
        found = embedded(state.model_of(view.key), ids)
    labels = view.labels(ids)
    st.code("   ".join(f"{label} → {i}" for label, i in zip(labels, ids, strict=True)), language=None, wrap_lines=True)
    n = min(d, 32)
    pads = [label for label, i in zip(labels, ids, strict=True) if i == pad]
    document.figure(
        matrix(found["tokens"][:, :n], rows=labels, columns=n, row_title=_("token"), column_title=_("dimension"), signed=True,
               cell=22),
        "looked-up",
        _("the table's row for each id, as it is (the first {n} of {d} numbers).").format(n=n, d=d)
        + (_(" Padding, “{label}”, is a row of zeros: it says nothing.").format(label=pads[0]) if pads else ""),
    )  # fmt: skip
    tokens, scaled = found["tokens"], found["scaled"]
    positions = found.get("positions", np.zeros_like(tokens))
    lengths = {_("row"): norms(tokens), _scaled_name(view): norms(scaled), _("position"): norms(positions)}
    if view.cfg.embedding_scale:
        how = _(
            "how long each word's vector is as looked up, and times √{d} = {root:.1f}, beside that of its "
            "position: the factor brings "
            "the two to one scale."
        ).format(d=d, root=d**0.5)
    else:
        how = _(
            "how long each word's vector is, beside that of its position. The factor √{d} = {root:.1f} is switched off."
        ).format(d=d, root=d**0.5)
    if pads:
        how += _(" Padding has a row of length {pad:.2f}.").format(pad=lengths[_("row")][ids.index(pad)])
    document.figure(bars(labels, lengths, y_title=_("length of the vector")), "norms", how)


def _scaled_name(view: View) -> str:
    return _("row × √d_model") if view.cfg.embedding_scale else _("row × 1")


def _numbers(typed: str) -> tuple[int, ...]:
    """The ids in a line of text. Raises ValueError with what to type instead."""
    parts = re.split(r"[\s,;]+", typed.strip(" ,;"))
    wrong = next((part for part in parts if not re.fullmatch(r"-?[0-9]{1,9}", part)), None)
    if wrong is not None:
        raise ValueError(_("“{part}” is not a token id; type whole numbers, like 4 8 15").format(part=wrong[:40]))
    if len(parts) > _MOST_IDS:
        raise ValueError(_("These are {n:,} ids; up to {most} can be shown.").format(n=len(parts), most=_MOST_IDS))
    return tuple(map(int, parts))


def _waves(view: View) -> None:
    own = view.cfg.d_model
    document.section(_("2 · A position is a set of waves"))
    if view.cfg.position != "sinusoidal":
        st.caption(_("The model on screen has other positions ({kind}); these are the paper's.").format(kind=view.cfg.position))
    left, right = st.columns(2)
    base = wave_base(left)
    length = controls.slider("positions", _("positions shown"), 10, 200, 100, step=10, place=right)
    left, right = st.columns([1, 2])
    with left:
        words = _("“model”: the d_model of the sidebar, {d}. “20”: the width of the picture that textbooks print.")
        width = controls.choose("width", _("width of the waves"), ["model", str(_NOTES_WIDTH)], help=words.format(d=own))
    d = own if width == "model" else _NOTES_WIDTH
    first = 0
    if d > 4:
        first = controls.slider("dimension", _("first dimension drawn"), 0, d - 4, 4, step=2, place=right)
    table = encoding(length, d, base)
    waves = {_("dimension {i}").format(i=i): table[:, i] for i in range(first, min(first + 4, d))}
    document.figure(
        curves(range(length), waves, x_title=_("position"), y_title=_("value")),
        "waves",
        _(
            "each curve is one of the {d} numbers, followed along the sentence: a sine, and the cosine of the same speed."
        ).format(d=d),
    )
    places: dict[str, Any] = {"row_title": _("position"), "signed": True}
    document.figure(
        matrix(table, rows=length, columns=d, column_title=_("dimension"), cell=4, **places),
        "encoding",
        _("one row per position. On the left the values change from row to row, on the right hardly at all."),
    )
    left, right = st.columns(2)
    with left:
        document.figure(
            curves(
                range(0, d, 2),
                {_("wave"): wave_lengths(d, base)},
                x_title=_("dimension"),
                y_title=_("positions"),
                log_y=True,
                markers=True,
            ),
            "wavelengths",
            _("how many positions until a wave repeats: from 2π ≈ 6.3 up to nearly 2π times the base ({base:,}).").format(
                base=base
            ),
        )
    with right:
        document.figure(
            matrix(similarity(table), rows=length, columns=length, column_title=_("position"), cell=4, **places),
            "similarity",
            _(
                "how alike two positions are (1 = the same direction): only their distance matters, so diagonals have one "
                "colour."
            ),
        )


def _sum(view: View) -> None:
    document.section(_("3 · Their sum enters the model"))
    d, labels = view.cfg.d_model, view.labels((*view.src, view.vocabulary.pad))
    run = view.run(pad_src=1)
    scaled, total = (run[f"encoder.embedding.{name}"] for name in ("scaled", "sum"))
    positions = run.values.get("encoder.embedding.positions", np.zeros_like(scaled))  # a model may have none
    n = min(d, 32)
    parts = {_scaled_name(view): scaled, _("position"): positions, _("sum"): total}
    document.figure(
        matrices(
            [x[:, :n] for x in parts.values()],
            names=list(parts),
            rows=labels,
            columns=n,
            row_title=_("token"),
            column_title=_("dimension"),
            signed=True,
            wide=3,
            size=280,
        ),
        "sum",
        _(
            "left plus middle is right, cell by cell (the first {n} of {d} dimensions): this is what the first layer sees."
        ).format(n=n, d=d),
    )
