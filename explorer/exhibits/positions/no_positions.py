"""A model and the order of words: another order, with and without positions, and three kinds of positions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import streamlit as st
import torch

from explorer.exhibits.positions.waves import sines_and_cosines
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrices
from explorer.i18n import _
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.settings import MAX_TOKENS
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.view_limits import affordable
from explorer.pictures.exhibit import DrawnNumbers, Fit, drawn, numbers
from explorer.pictures.registry import Ends, Longest
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.format import share_words, small
from explorer.ui.widgets import choose, pick, slider
from transformer_core import CopyTask, Transformer, TransformerConfig, sinusoidal_encoding
from transformer_core.analysis import word_order
from transformer_core.analysis.longer_rows import exact_by_length
from transformer_core.analysis.run import Run
from transformer_core.analysis.word_order import without_positions
from transformer_core.model.stages import OUTPUT
from transformer_core.model.trace import Trace

DIMENSIONS = 24  # columns that are drawn
MOST_PLACES = 128  # the end of the knob
_LONGER = 4  # tokens by which the longest test rows exceed those of training
_ROWS, _FEWEST = 100, 10  # that are copied, of each length: fewer by a model that takes long


def _of_the_words(order: tuple[int, ...], run: Run, _said: Mapping[str, Any]) -> tuple[int, ...]:
    """The new order; where the number of words has changed since, that of those that are still there, then the rest."""
    places = range(len(run.read))
    return tuple(dict.fromkeys([*(i for i in order if i in places), *places]))


# A new order of the words: entry i is the old place of the word that stands at place i now.
Order = Annotated[tuple[int, ...], Longest(MAX_TOKENS), Fit(_of_the_words)]
Places = Annotated[int, Ends(1, MOST_PLACES), Fit(lambda n, run, _said: min(n, run.cfg.longest_read))]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def encoded(model: Transformer, words: list[int], order: tuple[int, ...]) -> np.ndarray:
    """The output for the words of the encoder, or of a decoder alone; for the words in another order; and for these with each
    row put back where its word was. Shape: (3, word, d_model)
    """
    plain, moved = (output(model, torch.tensor([ids]))[0].numpy() for ids in (words, [words[i] for i in order]))
    return np.stack([plain, moved, moved[np.argsort(order)]])


def output(model: Transformer, ids: torch.Tensor) -> torch.Tensor:
    """The output of the encoder, or of a decoder alone. Shape: (batch, word) -> (batch, word, d_model)"""
    with torch.inference_mode(), Trace() as trace:
        if model.cfg.has_encoder:
            return model.encode(ids)
        model(ids[:, :0], ids)
        return trace[OUTPUT]


@numbers()
def moved_none(run: Run, order: Order) -> np.ndarray:
    """The output for two orders of the words, without positions: only the rows have moved.
    Shape: (3, word, d_model)
    """
    return encoded(without_positions(run.model), run.read, order)


@numbers()
def moved_own(run: Run, order: Order) -> np.ndarray:
    """The output for two orders of the words, with the model's positions. Shape: (3, word, d_model)"""
    return encoded(run.model, run.read, order)


@numbers()
def kinds(run: Run, places: Places) -> np.ndarray:
    """The vector that each kind of positions adds to a word: sinusoidal, learned, none. Shape: (kind, position, d_model)"""
    learned = learned_vectors(run, places)
    return np.stack([sinusoidal_encoding(*learned.shape).numpy(), learned, np.zeros_like(learned)])


@kinds.formula
def kinds_by_formula(run: Run, places: Places) -> np.ndarray:
    """Sines and cosines of each position (section 3.5), the learned vectors, and zeros. Shape: (kind, position, d_model)"""
    learned = learned_vectors(run, places)
    return np.stack([sines_and_cosines(len(learned), run.cfg.d_model, 10_000), learned, np.zeros_like(learned)])


def learned_vectors(run: Run, places: int) -> np.ndarray:
    """The table of a model with learned positions: its own, or that with which such a model begins.
    Shape: (position, d_model)
    """
    model = run.model
    if run.cfg.position != "learned":  # random: drawn first, so one layer is enough
        cfg = replace(run.cfg, position="learned", n_layers=1)
        model = Transformer(cfg, torch.Generator().manual_seed(run.seed))
    assert model.first_embedding.positions is not None
    return model.first_embedding.positions[:places].detach().numpy()


@numbers()
def kinds_alike(run: Run, places: Places) -> np.ndarray:
    """The cosine of each two positions, for each kind of positions. Shape: (kind, position, position)"""
    return cosines_of(kinds(run, places))


@kinds_alike.formula
def kinds_alike_by_formula(run: Run, places: Places) -> np.ndarray:
    """The same of the formula's sines and cosines. Shape: (kind, position, position)"""
    return cosines_of(kinds_by_formula(run, places))


def cosines_of(tables: np.ndarray) -> np.ndarray:
    """The cosine of each two rows of each table. Shape: (kind, position, d_model) -> (kind, position, position)"""
    lengths = np.linalg.norm(tables, axis=-1, keepdims=True)
    unit = tables / np.where(lengths > 0, lengths, np.nan)  # a vector of zeros has no direction
    return unit @ unit.swapaxes(1, 2)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(moved_none, moved_own)
def _draw_moved(outputs: np.ndarray, shown: ShownModel, **_chosen: tuple[int, ...]) -> Matrices:
    n, d = outputs.shape[1], min(shown.cfg.d_model, DIMENSIONS)
    names = [_("original order"), _("new order"), _("put back")]
    return matrices(
        outputs[:, :, :d],
        names=names,
        rows=n,
        columns=d,
        row_title=_("position"),
        column_title=_("dimension"),
        signed=True,
        wide=3,
        size=220,
    )


@drawn(kinds)
def _draw_kinds(tables: np.ndarray, shown: ShownModel, **_chosen: int) -> Matrices:
    d = min(shown.cfg.d_model, DIMENSIONS)
    return matrices(tables[:, :, :d], columns=d, column_title=_("dimension"), **_of_kinds(shown, len(tables[0])))


@drawn(kinds_alike)
def _draw_kinds_alike(cosines: np.ndarray, shown: ShownModel, **_chosen: int) -> Matrices:
    n, closed = len(cosines[0]), _("nothing to compare")
    return matrices(cosines, columns=n, column_title=_("position"), closed=closed, **_of_kinds(shown, n))


def _of_kinds(shown: ShownModel, length: int) -> dict[str, Any]:
    if shown.cfg.position != "learned":
        learned = _("learned (an example, still random)")
    else:
        learned = _("learned (this model's)") if shown.learning.step else _("learned (this model's, still random)")
    names = [_("sinusoidal"), learned, _("none")]
    return {"names": names, "rows": length, "row_title": _("position"), "signed": True, "wide": 3, "size": 260}


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    order = _reorder(shown)

    def more() -> None:
        _explained(shown, order)
        _kinds(shown)
        _longer(shown)
        document.try_this(
            *_tries(shown),
            _("Set the positions to “learned” under **More settings**: what has the table become, and what was it at step 0?"),
        )
        document.the_code(moved_none, moved_own, without_positions, kinds, kinds_alike)

    document.details("no_positions", more)


def _tries(shown: ShownModel) -> list[str]:
    if shown.cfg.has_encoder or not shown.cfg.causal:
        return [
            _("Swap two words that are far apart: without positions, their two rows change places and no other row changes."),
            _("Type a word twice: without positions, both get the very same row."),
        ]
    return [
        _(
            "Swap two words that are far apart: which rows stay as they were? The causal mask lets no word before them see "
            "either."
        ),
        _("Set **layers** to 1: now the last word’s row stays the same in any order of the words before it."),
    ]


def _reorder(shown: ShownModel) -> tuple[int, ...]:
    """Draws the words in another order, without positions, and returns that order."""
    shown.forward()  # refuses a sentence that the model cannot read
    places = _new_order(shown)
    st.code(
        "   ".join(shown.read_labels) + "\n" + "   ".join(shown.labels([shown.read[i] for i in places])),
        language=None,
        wrap_lines=True,
    )
    _compared(
        moved_none.of(shown, places),
        _("Without positions"),
        _(
            "the encoder's output, one row per word. Only the rows have moved: put back, they differ from those of the "
            "original order by at most {x}, which is rounding."
        )
        if shown.cfg.has_encoder
        else _(
            "the model's output, one row per word. Only the rows have moved: put back, they differ from those of the original "
            "order by at most {x}, which is rounding."
        )
        if not shown.cfg.causal
        else _(
            "the model's output, one row per word. Put back, the rows differ from those of the original order by up to {x}: "
            "the causal mask tells each word which ones stand before it, also without positions."
        ),
    )
    return places


def _explained(shown: ShownModel, order: tuple[int, ...]) -> None:
    """Draws what the model's positions change, and says why."""
    st.markdown(
        _(
            "In the encoder, attention compares every word with every other word and takes a weighted sum; **where** a word "
            "stands plays no part in it. So without positions the order of the words is lost: put them in another order, and "
            "each word keeps exactly the vector it had. The decoder still knows some of its own order: there, the causal mask "
            "lets each word see only those before it."
        )
        if shown.cfg.has_encoder
        else _(
            "Attention compares a word with every word that it may see and takes a weighted sum; **where** a word stands plays "
            "no part in it. So without positions, one layer with the causal mask knows only **which** words stand before each "
            "word, not in which order; further layers find out a part of it, for each of these words has itself seen only "
            "those before it."
        )
        if shown.cfg.causal
        else _(
            "Attention compares every word with every other word and takes a weighted sum; **where** a word stands plays no "
            "part in it. So without positions the order of the words is lost."
        )
    )
    if shown.cfg.position == "none":
        st.caption(_("The model on screen has no positions either: its output is the same."))
    else:
        title = {
            "sinusoidal": _("With the model's sinusoidal positions"),
            "learned": _("With the model's learned positions"),
            "rotary": _("With the model's rotary positions"),
            "alibi": _("With the model's ALiBi"),
        }
        _compared(
            moved_own.of(shown, order),
            title[shown.cfg.position],
            _("the same weights and words. Put back, the rows differ from those of the original order by up to {x}."),
        )
    if not shown.cfg.has_encoder and shown.cfg.causal:
        return
    stack = "Encoder" if shown.cfg.has_encoder else "Decoder"
    document.formula(
        rf"\begin{{gathered}}\mathrm{{{stack}}}(PX)=P\,\mathrm{{{stack}}}(X)\\<orders>\end{{gathered}}",
        _(
            "Section 3.5 of the paper: the model has neither recurrence nor convolution, so the encoder must get the order "
            "from positions that are added."
        )
        if shown.cfg.has_encoder
        else _(
            "Section 3.5 of the paper: the model has neither recurrence nor convolution, so it must get the order from "
            "positions that are added."
        ),
        orders=_("for every permutation $P$, without positions"),
    )


def _new_order(shown: ShownModel) -> tuple[int, ...]:
    """Entry i is the old place of the word that stands at place i now. The start token of a decoder alone keeps its place."""
    first = 0 if shown.cfg.has_encoder else min(1, len(shown.read) - 1)
    order, labels = _order_of(shown.read_labels[first:]), range(first)
    return (*labels, *(first + place for place in order))


def _order_of(words: Sequence[str]) -> tuple[int, ...]:
    """Asks for a new order of these words."""
    n = len(words)
    left, middle, right = st.columns(3)
    with left:
        titles = {"shuffle": _("shuffle"), "swap": _("swap two")}
        how = choose("reorder", _("new order"), list(titles), titles)
    if how == "shuffle":
        return word_order.new_order(n, slider("order_seed", _("seed of the order"), 0, 50, 0, place=middle))
    with middle:
        one = pick("one", _("this word"), words)
    with right:
        other = pick("other", _("changes places with"), words, min(1, n - 1))
    return word_order.swapped(n, one, other)


def _compared(picture: DrawnNumbers[np.ndarray], title: str, how_to_read: str) -> None:
    st.markdown(f"**{title}**")
    plain, _moved, put_back = picture.values
    document.picture(picture, how_to_read.format(x=small(float(np.abs(plain - put_back).max()), 2)))


def _kinds(shown: ShownModel) -> None:
    document.section(_("Three kinds of positions that are added, or not"))
    max_len = shown.cfg.longest_read
    most = min(MOST_PLACES, max_len)
    length = slider("places", _("positions shown"), 2, most, min(32, most)) if max_len > 2 else max_len
    tables = kinds.of(shown, length)
    document.picture(
        tables,
        _(
            "what is added to the word at each position. A learned table starts as random numbers, which training changes; "
            "the largest here is {x:.2f}."
        ).format(x=np.abs(tables.values[1]).max()),
    )
    document.picture(
        kinds_alike.of(shown, length),
        _("the cosine between two positions (1 = same direction). Without positions there is nothing to compare (×)."),
    )
    lines = (
        _("**sinusoidal**: computed for any length, nothing to learn; neighbouring positions are alike from the start."),
        _(
            "**learned**: one row for each of max_len = {n} positions. Training changes them; beyond position {last} there is "
            "none."
        ).format(n=max_len, last=max_len - 1),
        _("**none**: nothing to learn, but the encoder cannot tell one order from another.")
        if shown.cfg.has_encoder or not shown.cfg.causal
        else _("**none**: nothing to learn; of the order, a word knows only what the causal mask tells it."),
    )
    st.markdown("\n".join(f"- {words}" for words in lines))
    st.caption(_("The paper tried sinusoidal and learned positions, with nearly identical results (table 3, row E)."))


def _lengths(task: CopyTask, cfg: TransformerConfig) -> range:
    """One number fewer than in training, where that leaves one to be answered, and more as far as there are positions."""
    return range(max(2, task.length - 1), min(task.length + _LONGER, cfg.max_len, cfg.longest_tgt + 1) + 1)


@shared_cache(2**25)
def _exact(choice: ModelChoice, task: CopyTask, rows: int) -> dict[int, float]:
    return exact_by_length(model_of(choice), task, _lengths(task, choice.cfg), rows)


def _longer(shown: ShownModel) -> None:
    """The model on screen, where its task is one of numbers, at the step that is on screen."""
    document.section(_("Longer than in training"))
    if not isinstance(task := shown.taught, CopyTask):
        st.markdown(_("How far do positions carry beyond the lengths of training? Rows of numbers can be of any length:"))
        st.button(
            _("Show a model that copies numbers"),
            key="longer-copy",
            icon=":material/pin:",
            on_click=model_choice.open_task,
            args=(CopyTask.name,),
        )
        return
    lengths = _lengths(task, shown.cfg)
    longest, count = lengths[-1], len(lengths)
    rows = affordable(shown.cfg, longest, longest, count * _ROWS, count * _FEWEST) // count
    exact = _exact(shown.choice, task, rows)
    counts = {length: min(rows, replace(task, length=length).held_out_rows) for length in exact}
    shares = ", ".join(f"{n}: {share_words(share, counts[n])}" for n, share in exact.items() if n >= task.length)
    document.picture(
        bars([str(length) for length in exact], {_("exact"): np.array([*exact.values()])}, y_title=_("rows answered exactly")),
        _(
            "the share of {rows} different held-out rows of each length, or of all there are, that the model on screen, at "
            "this step of its learning, answers without an error. All rows of its training had {n} numbers. {shares}; in "
            "brackets 95% intervals (Wilson)."
        ).format(n=task.length, rows=rows, shares=shares),
        "longer",
    )
    words = _("The model has never met rows longer than those of training.")
    if shown.cfg.position == "sinusoidal":
        words = _(
            "The model has never met a position beyond those of training. Sinusoids can be computed for any of them; whether "
            "the model can use them there is another question, which only a measurement like this one answers."
        )
    elif shown.cfg.position == "learned":
        words = _("The rows of a learned table that lie beyond the positions of training have never been used.")
    elif shown.cfg.has_position_in_attention:
        words = _(
            "Here it counts how far apart two words are, and distances beyond those of training are new to the model. Whether "
            "it can use them is another question, which only a measurement like this one answers."
        )
    st.markdown(words)
