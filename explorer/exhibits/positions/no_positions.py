"""The encoder and the order of words: another order, with and without positions, and three kinds of positions."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices
from explorer.i18n import _
from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from explorer.inference.view_limits import affordable
from explorer.pictures import word_order as order
from explorer.pictures.registry import Drawn
from explorer.pictures.word_order import MOST_PLACES, OrderChoices, PlacesChoices
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.format import share_words, small
from explorer.ui.widgets import choose, pick, slider
from transformer_core import CopyTask, TransformerConfig
from transformer_core.analysis import word_order
from transformer_core.analysis.longer_rows import exact_by_length
from transformer_core.analysis.word_order import Moved

_LONGER = 4  # tokens by which the longest test rows exceed those of training
_ROWS, _FEWEST = 100, 10  # that are copied, of each length: fewer by a model that takes long


def draw(shown: ShownModel) -> None:
    choices, own = _reorder(shown)

    def more() -> None:
        _explained(shown, choices, own)
        _kinds(shown)
        _longer(shown)
        document.try_this(
            _("Swap two words that are far apart: without positions, their two rows change places and no other row changes."),
            _("Type a word twice: without positions, both get the very same row."),
            _("Set the positions to “learned” under **More settings**: what has the table become, and what was it at step 0?"),
        )
        document.the_code(word_order.permute_source, word_order.without_positions)

    document.details("no_positions", more)


def _reorder(shown: ShownModel) -> tuple[OrderChoices, Moved]:
    """Draws the words in another order, without positions; returns them, and what the model makes of it with its own."""
    shown.forward()  # refuses a sentence that the model cannot read
    places = _new_order(shown)
    st.code(
        "   ".join(shown.src_labels) + "\n" + "   ".join(shown.labels([shown.src[i] for i in places])),
        language=None,
        wrap_lines=True,
    )
    choices = OrderChoices(places)
    bare, own = order.moved_of(shown, choices)
    _compared(
        order.without_positions(shown, choices),
        _("Without positions"),
        bare,
        _(
            "the encoder's output, one row per word. Only the rows have moved: put back, they differ from those of the "
            "original order by at most {x}, which is rounding."
        ),
    )
    return choices, own


def _explained(shown: ShownModel, choices: OrderChoices, own: Moved) -> None:
    """Draws what the model's positions change, and says why."""
    st.markdown(
        _(
            "In the encoder, attention compares every word with every other word and takes a weighted sum; **where** a word "
            "stands plays no part in it. So without positions the order of the words is lost: put them in another order, and "
            "each word keeps exactly the vector it had. The decoder still knows some of its own order: there, the causal mask "
            "lets each word see only those before it."
        )
    )
    if shown.cfg.position == "none":
        st.caption(_("The model on screen has no positions either: its output is the same."))
    else:
        title = {"sinusoidal": _("With the model's sinusoidal positions"), "learned": _("With the model's learned positions")}
        _compared(
            order.with_its_positions(shown, choices),
            title[shown.cfg.position],
            own,
            _("the same weights and words. Put back, the rows differ from those of the original order by up to {x}."),
        )
    document.formula(
        r"\begin{gathered}\mathrm{Encoder}(PX)=P\,\mathrm{Encoder}(X)\\<orders>\end{gathered}",
        _(
            "Section 3.5 of the paper: the model has neither recurrence nor convolution, so the encoder must get the order "
            "from positions that are added."
        ),
        orders=_("for every permutation $P$, without positions"),
    )


def _new_order(shown: ShownModel) -> tuple[int, ...]:
    """Entry i is the old place of the word that stands at place i now."""
    n = len(shown.src)
    left, middle, right = st.columns(3)
    with left:
        titles = {"shuffle": _("shuffle"), "swap": _("swap two")}
        how = choose("reorder", _("new order"), list(titles), titles)
    if how == "shuffle":
        return word_order.new_order(n, slider("order_seed", _("seed of the order"), 0, 50, 0, place=middle))
    with middle:
        one = pick("one", _("this word"), shown.src_labels)
    with right:
        other = pick("other", _("changes places with"), shown.src_labels, min(1, n - 1))
    return word_order.swapped(n, one, other)


def _compared(drawn: Drawn[Matrices], title: str, found: Moved, how_to_read: str) -> None:
    st.markdown(f"**{title}**")
    document.picture(drawn, how_to_read.format(x=small(found.difference, 2)))


def _kinds(shown: ShownModel) -> None:
    document.section(_("Three kinds of positions"))
    max_len = shown.cfg.max_len
    most = min(MOST_PLACES, max_len)
    length = slider("places", _("positions shown"), 2, most, min(32, most)) if max_len > 2 else max_len
    choices = PlacesChoices(length)
    document.picture(
        order.kinds(shown, choices),
        _(
            "what is added to the word at each position. A learned table starts as random numbers, which training changes; "
            "the largest here is {x:.2f}."
        ).format(x=float(abs(order.tables_of(shown, choices)["learned"]).max())),
    )
    document.picture(
        order.kinds_alike(shown, choices),
        _("the cosine between two positions (1 = same direction). Without positions there is nothing to compare (×)."),
    )
    lines = (
        _("**sinusoidal**: computed for any length, nothing to learn; neighbouring positions are alike from the start."),
        _("**learned**: one row for each of max_len = {n} positions. Training changes them; beyond position {last} there is "
          "none.").format(n=max_len, last=max_len - 1),
        _("**none**: nothing to learn, but the encoder cannot tell one order from another."),
    )  # fmt: skip
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
            _("Show a model that copies numbers"), key="longer-copy", icon=":material/pin:", on_click=model_choice.open_task,
            args=(CopyTask.name,),
        )  # fmt: skip
        return
    lengths = _lengths(task, shown.cfg)
    longest, count = lengths[-1], len(lengths)
    rows = affordable(shown.cfg, longest, longest, count * _ROWS, count * _FEWEST) // count
    found = _exact(shown.choice, task, rows)
    counts = {length: min(rows, replace(task, length=length).held_out_rows) for length in found}
    shares = ", ".join(f"{n}: {share_words(share, counts[n])}" for n, share in found.items() if n >= task.length)
    document.picture(
        bars([str(length) for length in found], {_("exact"): np.array([*found.values()])}, y_title=_("rows answered exactly")),
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
    st.markdown(words)
