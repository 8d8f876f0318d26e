"""The same padded batch normed per token (LayerNorm) and per feature (BatchNorm), and what one sentence notices of the rest."""

import numpy as np
import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import curves
from explorer.figures.matrix import matrices, matrix
from explorer.state import ModelKey, View
from explorer.words import _
from transformer_core.analysis.normalization import by_feature, by_token, company

_MOST_PADDING = 12
_FEATURES = 24  # columns that are drawn
_OTHERS = (  # of those that the model knows, the first three are offered
    "a dog sleeps",
    "the big white house is here",
    "she poured water from the pitcher into the cup until it was full",
    "the big white house",
    "水满了",
)


def batch_norms_part(view: View) -> None:
    """Draws the part."""
    model, eps = state.model_of(view.key), view.cfg.norm_eps
    others = _others(view)
    left, right = st.columns(2)
    with left:
        joins = controls.pick(
            "joins", _("what joins your sentence"), [_("nothing"), *(" ".join(_words(view, o)) for o in others)], 1
        )
    sentences = [view.src, *others[joins - 1 : joins]] if joins else [view.src]
    second = others[max(joins, 1) - 1]
    # A model from a file may know fewer places.
    paddings = range(1 + min(_MOST_PADDING, view.cfg.max_len - max(len(view.src), len(second))))
    with right:
        most = paddings[-1]
        padding = controls.slider("norm_padding", _("padding behind the longest"), 0, most, 2) if most else 0
    found = company(model, sentences, padding, eps)

    length = found.batch.shape[1]
    pad = view.vocabulary.pad
    rows = [
        f"{i}: {label}"
        for i, ids in enumerate(sentences, start=1)
        for label in view.labels((*ids, *[pad] * (length - len(ids))))
    ]
    n = min(_FEATURES, view.cfg.d_model)

    def draw(values: np.ndarray, key: str, title: str, how_to_read: str) -> None:
        st.markdown(f"**{title}**")
        picture = matrix(
            values.reshape(len(rows), -1)[:, :n],
            rows=rows,
            columns=n,
            row_title=_("sentence: token"),
            column_title=_("feature (first {n} of {all})").format(n=n, all=view.cfg.d_model),
            signed=True,
            cell=20,
        )
        document.figure(picture, key, how_to_read)

    draw(
        found.batch,
        "batch",
        _("The batch as it enters the encoder"),
        _("one row per token, sentence above sentence, filled up with <pad> to one length; one column per feature."),
    )
    left, right = st.columns(2)
    with left:
        draw(
            found.tokens, "by-token", _("LayerNorm: along each row"),
            _("every row for itself now has mean 0 and spread 1."),
        )  # fmt: skip
    with right:
        draw(
            found.features, "by-feature", _("BatchNorm: along each column"),
            _("every column has mean 0 and spread 1, taken over all {n} rows, padding included.").format(n=len(rows)),
        )  # fmt: skip

    document.section(_("What your sentence notices of the others"))
    token_change, feature_change = (float(np.abs(x).max()) for x in (found.token_change, found.feature_change))
    for place, (name, value, words) in zip(
        st.columns(2),
        (
            (_("LayerNorm: largest change"), token_change, _("in your sentence's normed vectors, against being alone")),
            (_("BatchNorm: largest change"), feature_change, _("in your sentence's normed vectors, against being alone")),
        ),
        strict=True,
    ):
        place.metric(name, "0" if value == 0 else f"{value:.3f}", help=words)
    document.figure(
        matrices(
            np.stack([found.token_change, found.feature_change])[:, :, :n],
            names=[_("LayerNorm: in this batch − alone"), _("BatchNorm: in this batch − alone")],
            rows=view.src_labels,
            columns=n,
            row_title=_("your sentence"),
            column_title=_("feature"),
            signed=True,
            wide=2,
            size=int(np.clip(20 * len(view.src), 240, 560)),
        ),
        "company",
        _(
            "how your sentence's own vectors change because of the batch they stand in. LayerNorm: nothing at all, it never "
            "looks at another token. BatchNorm: up to {x:.2f}, where a spread is 1."
        ).format(x=feature_change),
    )
    alone, joined = (_against_padding(view.key, batch, paddings[-1]) for batch in ((view.src,), (view.src, second)))
    series = {
        _("LayerNorm"): joined[0],
        _("BatchNorm, alone"): alone[1],
        _("BatchNorm, with a second sentence"): joined[1],
    }
    document.figure(
        curves(
            np.array(paddings),
            series,
            x_title=_("padding behind the longest sentence (tokens)"),
            y_title=_("largest change"),
            markers=True,
        ),
        "padding",
        _("the same change with more and more padding, which is no text at all: it pollutes BatchNorm's means and spreads."),
    )
    st.markdown(
        _(
            "This is why language models norm per token: sentences have different lengths, batches are filled up with "
            "padding, and in use there may be one sentence alone. (BatchNorm is taken as in training; in use it would fall "
            "back on stored averages.)"
        )
    )
    document.formula(
        r"\mathrm{LayerNorm}:\ \bar x_{s,p}=\tfrac1d\sum_i x_{s,p,i}\qquad"
        r"\mathrm{BatchNorm}:\ \bar x_{i}=\tfrac1{S\,P}\sum_{s,p} x_{s,p,i}",
        _("Section 3.1 of the paper uses layer normalization. Here S = {s} sentences of P = {p} places, d = {d}.").format(
            s=len(sentences), p=length, d=view.cfg.d_model
        ),
    )
    document.try_this(
        _("Choose “nothing” and no padding: now your sentence is the batch, and both changes are 0."),
        _("Turn the padding up and watch BatchNorm's column means move."),
    )
    document.the_code(by_token, by_feature, company)


@st.cache_data(max_entries=64, show_spinner=False)
def _against_padding(key: ModelKey, sentences: tuple[tuple[int, ...], ...], most: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest changes in the first sentence, by LayerNorm and by BatchNorm, for 0 to `most` places of padding."""
    model = state.model_of(key)
    found = [company(model, sentences, padding, key.cfg.norm_eps) for padding in range(most + 1)]
    return (
        np.array([np.abs(each.token_change).max() for each in found]),
        np.array([np.abs(each.feature_change).max() for each in found]),
    )


def _others(view: View) -> list[tuple[int, ...]]:
    """Sentences that could stand in one batch with the one on screen: of words that the model knows, or made of its own."""
    known = [text for text in _OTHERS if not view.vocabulary.unknown_words(text)]
    half = view.src[: -(-len(view.src) // 2)]
    found = [tuple(view.vocabulary.encode(text)) for text in known[:3]] or [view.src[::-1], half, view.src + half]
    return [ids for ids in found if len(ids) <= view.cfg.max_len] or [view.src[::-1]]


def _words(view: View, ids: tuple[int, ...]) -> list[str]:
    return view.vocabulary.decode(ids)
