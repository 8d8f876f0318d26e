"""What the encoder knows of order: words moved about, with and without positions, and three kinds of positions."""

from typing import Any

import streamlit as st

from explorer import controls, document, state
from explorer.figures.matrix import matrices
from explorer.state import ModelKey, View
from explorer.words import _
from transformer_core.analysis import word_order
from transformer_core.analysis.embedding_metrics import similarity
from transformer_core.analysis.word_order import Moved

_DIMENSIONS = 24


def no_positions_part(view: View) -> None:
    """Draws the part."""
    _shuffle(view)
    _kinds(view)
    document.try_this(
        _("Swap two words far apart: without positions their two rows change places, and no other row changes."),
        _("Type a word twice: without positions both get the very same row."),
        _("Set the positions to “learned” under **Variant**, train, open the model, and come back: what has its table become?"),
    )
    document.the_code(word_order.permute_source, word_order.without_positions)


@st.cache_data(max_entries=64, show_spinner=False)
def _moved(key: ModelKey, src: tuple[int, ...], places: tuple[int, ...]) -> tuple[Moved, Moved]:
    """Without positions, and as the model is."""
    model = state.model_of(key)
    return word_order.permute_source(word_order.without_positions(model), src, places), word_order.permute_source(
        model, src, places
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _tables(key: ModelKey, length: int) -> dict:
    return word_order.position_tables(state.model_of(key), length, key.seed)


def _shuffle(view: View) -> None:
    document.section(_("1 · The same words in another order"))
    st.markdown(
        _(
            "Attention compares every word with every other and adds up; nowhere does it ask **where** a word stands. So "
            "without positions the order of the words is lost: move them about, and each word keeps the very vector it had."
        )
    )
    view.run()  # declines a sentence that the model cannot read
    n, labels = len(view.src), view.src_labels
    left, middle, right = st.columns(3)
    with left:
        how = controls.choose("reorder", _("new order"), ["shuffle", "swap"], help=_("all words, or only two of them"))
    if how == "shuffle":
        places = word_order.new_order(n, controls.slider("order_seed", _("seed of the order"), 0, 50, 0, place=middle))
    else:
        with middle:
            one = controls.pick("one", _("this word"), labels)
        with right:
            other = controls.pick("other", _("changes places with"), labels, min(1, n - 1))
        places = word_order.swapped(n, one, other)
    typed = view.vocabulary.decode(view.src)
    st.code(
        "   ".join(state.token_labels(typed)) + "\n" + "   ".join(state.token_labels([typed[i] for i in places])),
        language=None,
        wrap_lines=True,
    )
    bare, own = _moved(view.key, view.src, places)
    kind = view.cfg.position
    d = min(view.cfg.d_model, _DIMENSIONS)
    names = [_("as typed"), _("in the new order"), _("put back in the old order")]
    axes: dict[str, Any] = {"rows": n, "columns": d, "row_title": _("place"), "column_title": _("dimension"), "signed": True}
    for title, found, name, words in (
        (
            _("Without positions"),
            bare,
            "moved-none",
            _(
                "the encoder's output, one row per word. Only rows have moved: put back, they differ from the first picture by "
                "{x:.2g}, which is rounding, for sums are made in another order."
            ),
        ),
        (
            _("As the model is (positions: {kind})").format(kind=kind),
            own,
            "moved-own",
            _(
                "the same weights and words. Put back in the old order, the rows differ from the first picture: by up to "
                "{x:.2g}."
            ),
        ),
    ):
        text, number = st.columns([3, 1], vertical_alignment="bottom")
        text.markdown(f"**{title}**")
        number.metric(
            _("largest difference"), f"{found.difference:.2g}", help=_("between the first and the last picture, all dimensions")
        )
        document.figure(
            matrices([x[:, :d] for x in (found.plain, found.moved, found.put_back)], names=names, wide=3, size=260, **axes),
            name,
            words.format(x=found.difference),
        )
    document.formula(
        r"\begin{gathered}\mathrm{Encoder}(PX)=P\,\mathrm{Encoder}(X)\\"
        r"\text{for every permutation }P\text{, without positions}\end{gathered}",
        _("Section 3.5 of the paper: since the model has no recurrence and no convolution, positions have to tell the order."),
    )


def _kinds(view: View) -> None:
    document.section(_("2 · Three kinds of positions"))
    max_len = view.cfg.max_len
    length = max_len
    if max_len > 2:
        length = controls.slider("places", _("positions shown"), 2, min(128, max_len), min(32, max_len))
    tables = _tables(view.key, length)
    own = view.cfg.position == "learned"
    learned = _("learned (by this model)") if own else _("learned (still random)")
    if own and view.stored is None:
        learned = _("learned (of this model, still random)")
    learned_words = _("Learned: rows drawn at random show no pattern.")
    if own and view.stored is not None:
        learned_words = _("Learned: what training has made of rows drawn at random.")
    names = [_("sinusoidal"), learned, _("none")]
    d = min(view.cfg.d_model, _DIMENSIONS)
    document.figure(
        matrices([table[:, :d] for table in tables.values()], names=names, rows=length, columns=d, row_title=_("position"),
                 column_title=_("dimension"), signed=True, wide=3, size=260),
        "kinds",
        _(
            "what is added to the word at each position. A learned table starts as random numbers, and training shapes it. "
            "Here its largest is {x:.2f}."
        ).format(x=float(abs(tables["learned"]).max())),
    )  # fmt: skip
    document.figure(
        matrices([similarity(table) for table in tables.values()], names=names, rows=length, columns=length,
                 row_title=_("position"), column_title=_("position"), signed=True, wide=3, size=260),
        "kinds-alike",
        " ".join((_("how alike two positions are. Waves: near ones are alike, before anything is learned."), learned_words,
                  _("None: nothing to compare (×)."))),
    )  # fmt: skip
    st.markdown(
        "\n".join(
            f"- {words}"
            for words in (
                _("**sinusoidal**: computed for any length, also one that was never trained; nothing to learn."),
                _(
                    "**learned**: a table of max_len = {n} rows; it takes any shape that helps, and ends at position {last}."
                ).format(n=max_len, last=max_len - 1),
                _("**none**: nothing to learn, but the encoder cannot tell one order from another, as above."),
            )
        )
    )
    st.caption(_("The paper tried sinusoidal and learned positions and found nearly the same quality (table 3, row E)."))
