"""The same padded batch normed per token (LayerNorm) and per feature (BatchNorm), and how one sentence depends on the rest."""

from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.lines import curves
from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.widgets import pick, slider
from transformer_core.analysis.normalization import Company, by_feature, by_token, company, spread_by_batch_size

_MOST_PADDING = 12
_FEATURES = 24  # columns that are drawn
_SIZES = (2, 4, 8, 16, 32, 64)  # sentences in a batch
_DRAWS = 8  # batches of each size
_OTHERS = (  # of those that the model knows, the first three are offered
    "a dog sleeps",
    "the big white house is here",
    "she poured water from the pitcher into the cup until it was full",
    "the big white house",
    "水满了",
)
Sentences = tuple[tuple[int, ...], ...]


def draw(shown: ShownModel) -> None:
    others = _others(shown)
    left, right = st.columns(2)
    with left:
        titles = [_("nothing"), *(" ".join(shown.vocabulary.decode(ids)) for ids in others)]
        joins = pick("joins", _("batched with your sentence"), titles, 1)
    sentences: Sentences = (shown.read, *others[joins - 1 : joins]) if joins else (shown.read,)
    second = others[max(joins, 1) - 1]
    # A model from a file may know fewer places.
    most = min(_MOST_PADDING, shown.cfg.longest_read - max(len(shown.read), len(second)))
    with right:
        padding = slider("norm_padding", _("padding behind the longest"), 0, most, 2) if most else 0
    in_company = company(model_of(shown.choice), sentences, padding, shown.cfg.norm_eps)
    _batch(shown, in_company, sentences, as_it_is=False)
    document.details("batch_norms", lambda: _details(shown, in_company, sentences, second, most))


def _details(shown: ShownModel, in_company: Company, sentences: Sentences, second: tuple[int, ...], most: int) -> None:
    """Draws how a sentence depends on the others of its batch."""
    _batch(shown, in_company, sentences, as_it_is=True)
    _changes(shown, in_company)
    _against_padding(shown, second, most)
    _against_size(shown)
    st.markdown(
        _(
            "Normalized per token, a sentence does not depend on its batch. (BatchNorm is computed here as in training; in use "
            "it would take stored averages.)"
        )
    )
    document.formula(
        r"\begin{gathered}\mathrm{LayerNorm}:\ \mu_{s,p}=\tfrac1d\sum_i x_{s,p,i}\\"
        r"\mathrm{BatchNorm}:\ \mu_{i}=\tfrac1{S\,P}\sum_{s,p} x_{s,p,i}\end{gathered}",
        _(
            "Section 3.1 of the paper uses layer normalization (Ba et al., 2016). Here S = {s} sentences of P = {p} positions, "
            "d = {d}."
        ).format(s=len(sentences), p=in_company.batch.shape[1], d=shown.cfg.d_model),
    )
    document.try_this(
        _("Choose “nothing” and no padding: your sentence is the whole batch, and both differences are 0."),
        _("Add padding and watch how the columns of BatchNorm shift."),
    )
    document.the_code(by_token, by_feature, company)


def _others(shown: ShownModel) -> Sentences:
    """Sentences that could be batched with the one on screen: of words that the model knows, or made of its own."""
    known = [text for text in _OTHERS if not shown.vocabulary.unknown_words(text)]
    own = shown.read
    half = own[: -(-len(own) // 2)]
    others = [tuple(shown.vocabulary.encode(text)) for text in known[:3]] or [own[::-1], half, own + half]
    return tuple(ids for ids in others if len(ids) <= shown.cfg.longest_read) or (own[::-1],)


def _batch(shown: ShownModel, in_company: Company, sentences: Sentences, as_it_is: bool) -> None:
    """Draws the batch through both norms; `as_it_is`: before them."""
    length, pad = in_company.batch.shape[1], shown.vocabulary.pad
    rows = [
        _("{i}: {token}").format(i=i, token=label)
        for i, ids in enumerate(sentences, start=1)
        for label in shown.labels((*ids, *[pad] * (length - len(ids))))
    ]
    n = min(_FEATURES, shown.cfg.d_model)

    def picture(values: np.ndarray, key: str, title: str, how_to_read: str) -> None:
        st.markdown(f"**{title}**")
        drawn = matrix(
            values.reshape(len(rows), -1)[:, :n],
            rows=rows,
            columns=n,
            row_title=_("sentence: token"),
            signed=True,
            cell=20,
            column_title=_("feature (first {n} of {all})").format(n=n, all=shown.cfg.d_model),
        )
        document.picture(drawn, how_to_read, key)

    if as_it_is:
        words = _("one row per token, one column per feature. The sentences stand one above the other, padded to one length.")
        picture(
            in_company.batch,
            "batch",
            _("The batch as it enters the encoder") if shown.cfg.has_encoder else _("The batch as it enters the model"),
            words,
        )
        return
    left, right = st.columns(2)
    with left:
        title = _("LayerNorm: along each row")
        picture(in_company.tokens, "by-token", title, _("every row by itself now has mean 0 and standard deviation 1."))
    with right:
        words = _("every column now has mean 0 and standard deviation 1, taken over all {n} rows, padding included.")
        picture(in_company.features, "by-feature", _("BatchNorm: along each column"), words.format(n=len(rows)))


def _changes(shown: ShownModel, in_company: Company) -> None:
    """Draws how much the rest of the batch changes the first sentence."""
    document.section(_("How your sentence depends on the others"))
    token_change, feature_change = (float(np.abs(x).max()) for x in (in_company.token_change, in_company.feature_change))
    names = [_("LayerNorm: largest change"), _("BatchNorm: largest change")]
    for place, name, value in zip(st.columns(2), names, (token_change, feature_change), strict=True):
        words = _("in the normed vectors of your sentence, compared with the same sentence alone")
        place.metric(name, "0" if value == 0 else f"{value:.3f}", help=words)
    n = min(_FEATURES, shown.cfg.d_model)
    document.picture(
        matrices(
            np.stack([in_company.token_change, in_company.feature_change])[:, :, :n],
            names=[_("LayerNorm: in this batch − alone"), _("BatchNorm: in this batch − alone")],
            rows=shown.read_labels,
            columns=n,
            row_title=_("your sentence"),
            column_title=_("feature"),
            signed=True,
            wide=2,
            size=int(np.clip(20 * len(shown.read), 240, 560)),
        ),
        _(
            "how the batch changes the vectors of your sentence: by up to {token} with LayerNorm, and by up to {feature} with "
            "BatchNorm."
        ).format(token=small(token_change, 2), feature=small(feature_change, 2)),
        "company",
    )


def _against_padding(shown: ShownModel, second: tuple[int, ...], most: int) -> None:
    alone = _largest_changes(shown.choice, (shown.read,), most)
    joined = _largest_changes(shown.choice, (shown.read, second), most)
    series = {
        _("LayerNorm"): joined[0],
        _("BatchNorm, alone"): alone[1],
        _("BatchNorm, with a second sentence"): joined[1],
    }
    axes: dict[str, Any] = {"x_title": _("padding behind the longest sentence (tokens)"), "y_title": _("largest change")}
    document.picture(
        curves(np.arange(most + 1), series, markers=True, **axes),
        _("the same change with more and more padding, which enters BatchNorm's means and deviations."),
        "padding",
    )


def _against_size(shown: ShownModel) -> None:
    spreads = _spreads(shown.choice, shown.read)
    document.picture(
        curves(_SIZES, dict(zip((_("LayerNorm"), _("BatchNorm")), spreads, strict=True)), markers=True, log_x=True,
               x_title=_("sentences in the batch"), y_title=_("spread (standard deviation)")),
        _("how widely your sentence's normed values vary with the others of the batch, over {draws} draws of random words, as "
          "many to a sentence as yours has. BatchNorm: {first:.2f} with {few} sentences, {last:.2f} with {many}; LayerNorm: "
          "{token} with any number.").format(
            draws=_DRAWS, first=spreads[1][0], few=_SIZES[0], last=spreads[1][-1], many=_SIZES[-1],
            token=small(spreads[0].max(), 2),
        ), "batch-size",
    )  # fmt: skip


@shared_cache(2**20)
def _spreads(choice: ModelChoice, sentence: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    return spread_by_batch_size(model_of(choice), sentence, _SIZES, _DRAWS, eps=choice.cfg.norm_eps)


@shared_cache(2**20)
def _largest_changes(choice: ModelChoice, sentences: Sentences, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest changes in the first sentence, by LayerNorm and by BatchNorm, for 0 to `most` places of padding."""
    model = model_of(choice)
    by_padding = [company(model, sentences, padding, choice.cfg.norm_eps) for padding in range(most + 1)]
    return (
        np.array([np.abs(each.token_change).max() for each in by_padding]),
        np.array([np.abs(each.feature_change).max() for each in by_padding]),
    )
