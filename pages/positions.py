"""From words to the vectors that enter the model: token table, scaling, positions, their sum."""

import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import bars, curves
from explorer.figures.matrix import matrices, matrix
from explorer.words import _
from transformer_core import sinusoidal_encoding
from transformer_core.embedding import Embedding
from transformer_core.measures import binary_digits, encoding, norms, similarity, wave_lengths

document.opening(
    _("Words and positions"),
    _(
        "A model cannot read; it can only calculate. So each word becomes a list of numbers, its **embedding**, and a second "
        "list, the **positional encoding**, tells where in the sentence it stands."
    ),
)
view = state.view()
document.weights_note(view)
d = view.cfg.d_model
ids = (*view.src, view.vocabulary.pad)
labels = view.labels(ids)
run = view.run(pad_src=1)
tokens, scaled, positions, total = (run[f"encoder.embedding.{name}"] for name in ("tokens", "scaled", "positions", "sum"))

st.subheader(_("1 · A word is looked up in a table"))
st.markdown(_("Each word has a number, its **token id**. The table holds {d} numbers for every id.").format(d=d))
st.code("   ".join(f"{label} → {i}" for label, i in zip(labels, ids, strict=True)), language=None, wrap_lines=True)
lengths = {_("row"): norms(tokens), _("row × √d_model"): norms(scaled), _("position"): norms(positions)}
document.figure(
    bars(labels, lengths, y_title=_("length of the vector")),
    "norms",
    _(
        "how long each word's vector is as looked up, and times √{d} = {root:.1f}, beside that of its "
        "position: the factor brings "
        "the two to one scale. Padding, added here as the last token, has a row of length {pad:.2f}."
    ).format(d=d, root=d**0.5, pad=lengths[_("row")][-1]),
)

st.subheader(_("2 · A position is a set of waves"))
left, right = st.columns(2)
base = left.select_slider(_("base"), [10, 100, 1000, 10_000, 100_000], 10_000, key="base", bind="query-params")
length = controls.slider("positions", _("positions shown"), 10, 200, 100, step=10, place=right)
first = controls.slider("dimension", _("first dimension drawn"), 0, d - 4, 4, step=2)
table = encoding(length, d, base)
waves = {_("dimension {i}").format(i=i): table[:, i] for i in range(first, first + 4)}
document.figure(
    curves(range(length), waves, x_title=_("position"), y_title=_("value")),
    "waves",
    _("each curve is one of the {d} numbers, followed along the sentence: a sine, and the cosine of the same speed.").format(
        d=d
    ),
)
places = {"row_title": _("position"), "signed": True}
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
        _("how alike two positions are (1 = the same direction): only their distance matters, so diagonals have one colour."),
    )

st.subheader(_("3 · Two counters: digits and waves"))
left, right = st.columns(2)
counted = [_("ones"), _("twos"), _("fours"), _("eights")]
with left:
    document.figure(
        matrix(binary_digits(16, 4)[:, ::-1], rows=16, columns=counted, row_title=_("number"), cell=18, decimals=0),
        "binary",
        _("a number in binary: the ones change at every row, each next digit half as often."),
    )
with right:
    drawn = [_("dimension {i}").format(i=i) for i in (0, 2, 4, 6)]
    document.figure(
        matrix(encoding(16, 8, base)[:, ::2], rows=16, columns=drawn, cell=18, **places),
        "counter",
        _("the sines of a d_model of 8: the same idea without jumps."),
    )

st.subheader(_("4 · Their sum enters the model"))
n = min(d, 32)
parts = {_("word × √d_model"): scaled, _("position"): positions, _("sum"): total}
document.figure(
    matrices([x[:, :n] for x in parts.values()], names=list(parts), rows=labels, columns=n, row_title=_("token"),
             column_title=_("dimension"), signed=True, wide=3, size=280),
    "sum",
    _("left plus middle is right, cell by cell (the first {n} of {d} dimensions): this is what the first "
"layer sees.").format(n=n, d=d),
)  # fmt: skip

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
