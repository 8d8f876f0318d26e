"""Leave a word out: the worth of each word that is read to each word of the answer, beside the attention it gets."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import streamlit as st

from explorer.figures.matrix import Matrices
from explorer.i18n import _, n_
from explorer.model_on_screen.cut_costs import worth_of_words
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import word_importance
from explorer.pictures.exhibit import Fit, drawn, numbers
from explorer.ui import document, more, pickers
from explorer.ui.format import plain, true_minus
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose
from transformer_core.analysis.damage import NEEDED, erasures
from transformer_core.analysis.run import Run
from transformer_core.model.stages import most_telling

ALL_LAYERS = -1


def _fitted(layer: int, run: Run, _said: Mapping[str, Any]) -> int:
    if run.cfg.has_encoder and not run.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return layer if layer == ALL_LAYERS or 0 <= layer < run.cfg.n_layers else 0


CrossLayer = Annotated[int, Fit(_fitted)]  # or ALL_LAYERS

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def erasure_attention(run: Run, erasure_layer: CrossLayer) -> np.ndarray:
    """Cross-attention, averaged over the heads of a layer, or of all of them; of a decoder alone, its self-attention, without
    that of each word to itself. Shape: (tgt, src), or (tgt, tgt)
    """
    layers = range(run.cfg.n_layers) if erasure_layer == ALL_LAYERS else [erasure_layer]
    parts = [run.attention(most_telling(run.cfg), layer) for layer in layers]
    mean = np.mean([each["weights"].mean(axis=0) for each in parts], axis=0)  # weights: (head, tgt, src)
    if run.cfg.has_encoder:
        return mean
    return np.where(parts[0].allowed & ~np.eye(len(mean), dtype=bool), mean, np.nan)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(erasure_attention)
def _draw_attention(values: np.ndarray, shown: ShownModel, *, erasure_layer: int) -> Matrices:
    return word_importance.by_words(shown, values, signed=False)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws both matrices, and says how often they point at the same word."""
    if shown.cfg.has_encoder and not shown.cfg.cross_attention:
        st.info(_("This model has no cross-attention: its decoder knows nothing of the source, so no source word matters."))
        return
    highlight(most_telling(shown.cfg))
    layers = [ALL_LAYERS, *range(shown.cfg.n_layers)]
    with pickers.line(), more.controls():
        layer = choose("erasure_layer", _("attention of layer"), layers, {ALL_LAYERS: _("all, averaged")})
    worth, rows = worth_of_words(shown), word_importance.labels_of(shown)
    picture = erasure_attention.of(shown, layer)
    attention = picture.values
    left, right = document.grid(2)
    with left:
        st.markdown(f"**{_('What hiding a word costs')}**")
        document.picture(
            word_importance.worth(shown),
            _(
                "with the column's word hidden, the row's loses so many nats: 4.6 leave a hundredth of its probability. "
                "Orange: it becomes more probable."
            )
            if shown.cfg.has_encoder
            else _(
                "with the column's word hidden, the row's loses so many nats: 4.6 leave a hundredth of its probability. "
                "Orange: it becomes more probable. ×: the newest word cannot be hidden, since its vector is there without "
                "attention, and what comes later is not seen."
            ),
        )
    with right:
        st.markdown(f"**{_('Where the attention goes')}**")
        document.picture(
            picture,
            _("the weights of the row at which the word is written, averaged over the heads."),
        )
    if not shown.cfg.has_encoder:  # rows with a choice of words
        several = np.flatnonzero(np.isfinite(worth).sum(axis=1) > 1)
        worth, attention = (np.nan_to_num(each[several], nan=-np.inf) for each in (worth, attention))
        rows = [rows[i] for i in several]
    st.markdown(_agreement(worth, attention))
    told = _against(worth, attention, rows, shown.read_labels)
    document.details("without_a_word", lambda: _details(told, shown.cfg.has_encoder))


def _details(told: str | None, has_encoder: bool) -> None:
    if told is not None:
        st.markdown(told)
    document.try_this(
        _("Is a word that gets much attention always needed? Look for one whose hiding costs little."),
        _("Move the step of learning back: which picture becomes sharp first?"),
        _("Choose the task “what is “it”?”: which words decide the answer, and do they get the attention?")
        if has_encoder
        else "",
    )
    document.the_code(erasures, erasure_attention)


def _agreement(worth: np.ndarray, attention: np.ndarray) -> str:
    """Counts the rows that need some word, and says in how many of them the most needed word gets the most attention."""
    needing = worth.max(axis=1, initial=-np.inf) > NEEDED
    n = int(needing.sum())
    if not n:
        return _("Hiding any one of these words costs next to nothing here: less than {least} nats.").format(least=NEEDED)
    same = int((worth.argmax(axis=1) == attention.argmax(axis=1))[needing].sum())
    return n_(
        "Of the {n} word to be written for which hiding some word costs more than {least} nats, the most attended word "
        "is the most needed one in {same}.",
        "Of the {n} words to be written for which hiding some word costs more than {least} nats, the most attended word "
        "is the most needed one in {same}.",
        n,
    ).format(n=n, least=NEEDED, same=same)


def _against(worth: np.ndarray, attention: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str | None:
    """Says in which row the most needed word is not the most attended, the costliest such row; None if there is none."""
    if not len(rows):
        return None
    needed, attended = worth.argmax(axis=1), attention.argmax(axis=1)
    apart = np.flatnonzero((needed != attended) & (worth.max(axis=1) > NEEDED))
    if not len(apart):
        return None
    row = int(apart[worth.max(axis=1)[apart].argmax()])
    told = _(
        "The clearest case: for “{said}”, hiding “{needed}” costs most, {cost:.1f} nats, and it gets {share:.0%} of the "
        "attention; “{attended}” gets {most:.0%}, and hiding it costs {less:.1f} nats."
    ).format(
        said=plain(rows[row]),
        needed=plain(columns[needed[row]]),
        cost=worth[row, needed[row]],
        share=attention[row, needed[row]],
        attended=plain(columns[attended[row]]),
        most=attention[row, attended[row]],
        less=worth[row, attended[row]],
    )
    return true_minus(told)
