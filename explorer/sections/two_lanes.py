"""The decoder in training and in use: who hands it the next word, what it may see, and the loss."""

import math

import numpy as np
import streamlit as st

from explorer import document
from explorer.decoded import answer, labels, most_steps, words
from explorer.figures.lanes import lane
from explorer.figures.matrix import matrix
from explorer.state import View, knobs, token_labels
from explorer.words import _
from transformer_core.decoding import TeacherForced, decode_steps, teacher_forced, top_tokens
from transformer_core.measures import mask_tiles

_SHOWN = 12  # positions that the lanes draw; the loss counts them all
_COLUMNS = 20  # tokens in the picture of probabilities
_EXAMPLE = "i love you now"


def two_lanes(view: View) -> None:
    """Draws the part. Raises ValueError where a model from a file cannot say or read what it would have to."""
    labelled = view.batch(0, 0)[2]
    forced = teacher_forced(view.run()["logits"], labelled)
    st.markdown(
        _("The encoder reads **{words}**. The decoder has to say **{label}**, and begins with {start}.").format(
            words=_line(view, view.src), label=_line(view, labelled), start=_line(view, view.tgt[:1])
        )
    )
    _lanes(view, labelled, forced)
    st.subheader(_("What each position may see"))
    _sight(view)
    st.subheader(_("How likely it finds each word"))
    _probabilities(view, labelled, forced)
    st.subheader(_("From logits to the loss"))
    _loss(view, labelled, forced)

    document.formula(
        r"\mathcal{L}=-\frac1n\sum_{i=1}^{n}\log p_i(y_i)=\frac1n\sum_{i=1}^{n}\Big(\log\sum_j e^{z_{ij}}-z_{i\,y_i}\Big)",
        _(
            "z are the logits, p their softmax (section 3.4 of the paper), y the labels. The second form needs no p at all: "
            "cross-entropy contains the log-softmax."
        ),
    )
    document.try_this(
        _("Change the last target word: the probabilities of all rows above stay, for no position may look ahead."),
        _("Change any target word: the free lane says what it said before, for it never sees the answer."),
        _("Train a model and open it here: do the two lanes still part?"),
    )
    document.the_code(teacher_forced, decode_steps)


def _line(view: View, ids: tuple[int, ...]) -> str:
    """Words for Markdown; of many only the first."""
    some = " ".join(words(view, ids[:16])) + (" …" if len(ids) > 16 else "")
    return some.replace("<", "\\<")


def _own(view: View) -> tuple[int, ...]:
    """What the model says by itself, for as many positions as the lanes draw."""
    steps = most_steps(view, min(len(view.tgt), _SHOWN))
    return tuple(said.token for said in answer(view.key, view.src, view.tgt[0], steps, end=view.vocabulary.end))


def _lanes(view: View, labelled: tuple[int, ...], forced: TeacherForced) -> None:
    count = min(len(view.tgt), _SHOWN)
    said = forced.probabilities.argmax(axis=1)[:count].tolist()
    own = _own(view)
    given_freely = (view.tgt[0], *own[:-1])
    left, right = st.columns(2, gap="large")
    label, given, says = _("right answer"), _("is given"), _("says")
    with left:
        st.markdown(_("**In training**: the teacher hands it the right word, whatever it said"))
        document.figure(
            lane(
                {label: words(view, labelled[:count]), given: words(view, view.tgt[:count]), says: words(view, said)},
                feeds=(label, given),
                reads=(given, says),
                marks={says: [a == b for a, b in zip(said, labelled, strict=False)]},
                teacher=True,
            ),
            "lane-training",
            _(
                "the answer, moved one place on behind {start}, is what the decoder is given (“shifted right” in the paper, "
                "orange arrows). All positions are computed at once. ✓: the most likely word is the right one."
            ).format(start=words(view, view.tgt[:1])[0]),
        )
    with right:
        st.markdown(_("**In use**: nobody knows the answer, so it is given what it said itself"))
        document.figure(
            lane(
                {given: words(view, given_freely), says: words(view, own)},
                feeds=(says, given),
                reads=(given, says),
                marks={given: [a == b for a, b in zip(given_freely, view.tgt, strict=False)]},
            ),
            "lane-use",
            _("each word it says goes back in (blue arrows): one position after the other. ✓: the same word as in training."),
        )
    st.markdown(_agreement(view, said, own, given_freely))
    if len(view.tgt) > _SHOWN:
        st.caption(_("The first {n} of {all} positions are drawn.").format(n=count, all=len(view.tgt)))
    if view.stored is None and not knobs().by_length:
        st.button(_("Take “I love you now” as the target"), icon=":material/edit:", on_click=_take_example)


def _take_example() -> None:
    st.session_state["tgt"] = _EXAMPLE


def _agreement(view: View, said: list[int], own: tuple[int, ...], given: tuple[int, ...]) -> str:
    """Where the lanes part, in one sentence."""
    both = min(len(said), len(own))
    same = sum(a == b for a, b in zip(said, own, strict=False))
    first = next((i for i in range(both) if given[i] != view.tgt[i]), None)
    sentence = _("Both lanes say the same word at {same} of {both} positions.").format(same=same, both=both)
    if first is None:
        sentence += " " + _("So far they have been given the same words, so they must.")
    else:
        sentence += " " + _("They part at position {i}: in training it is given “{right}”, in use “{own}”.").format(
            i=first, right=_line(view, view.tgt[first : first + 1]), own=_line(view, given[first : first + 1])
        )
    if len(own) < len(said):
        sentence += " " + _("In use it ends after {n}, with {end}.").format(n=len(own), end=_line(view, own[-1:]))
    return sentence


def _sight(view: View) -> None:
    count = min(len(view.tgt), _SHOWN)
    may = mask_tiles(view.src, view.tgt, view.vocabulary.pad, view.cfg.causal)["target"][:count, :count]
    own = _own(view)
    given = (view.tgt[0], *own[:-1])
    there = np.tri(len(given), dtype=bool)
    left, right = st.columns(2, gap="large")
    with left:
        document.figure(
            matrix(
                may.astype(float), rows=token_labels(words(view, view.tgt[:count])),
                columns=labels(view, view.tgt[:count]), row_title=_("position (query)"),
                column_title=_("in training it may see (key)"), valid=may, decimals=0, cell=24,
            ),
            "sees-training",
            _("all words lie there at once; the mask (×) hides what comes later. Row {i} may see {n} of {all}.").format(
                i=count - 1, n=int(may[-1].sum()), all=count
            ),
        )  # fmt: skip
    with right:
        document.figure(
            matrix(
                there.astype(float), rows=[_("step {i}").format(i=i + 1) for i in range(len(given))],
                columns=labels(view, given), column_title=_("in use it has so far"), valid=there, decimals=0, cell=24,
            ),
            "sees-use",
            _("the same triangle, but nothing is hidden: what is marked × has not been said yet."),
        )  # fmt: skip


def _probabilities(view: View, labelled: tuple[int, ...], forced: TeacherForced) -> None:
    vocab = forced.probabilities.shape[1]
    shown = top_tokens(forced.probabilities, _COLUMNS)
    if vocab > _COLUMNS:
        wanted = sorted(set(labelled))[: _COLUMNS // 2]
        shown = top_tokens(forced.probabilities, _COLUMNS - len(wanted), wanted)
    table = forced.probabilities[:, shown]
    top = float(table.max())
    scale = 1.0 if top > 0.5 else top
    row, column = map(int, np.unravel_index(table.argmax(), table.shape))
    document.figure(
        matrix(
            table, rows=labels(view, view.tgt), columns=words(view, shown.tolist()), top=scale, title=_("probability"),
            row_title=_("is given (position, word)"), column_title=_("could say next"), cell=26,
        ),
        "probabilities",
        _("each row adds up to 1 over all {vocab} tokens ({shown} are shown); the colours reach up to {scale:.2g}. "
          "The highest: after “{row}” comes “{column}”, {top:.1%}.").format(
            vocab=vocab, shown=len(shown), scale=scale, row=labels(view, view.tgt)[row],
            column=words(view, [int(shown[column])])[0], top=top,
        ),
    )  # fmt: skip


def _loss(view: View, labelled: tuple[int, ...], forced: TeacherForced) -> None:
    logits = view.run()["logits"]
    places = np.arange(len(labelled)), list(labelled)
    st.dataframe(
        {
            _("is given"): labels(view, view.tgt),
            _("right answer"): words(view, labelled),
            _("logit"): logits[places].round(4),
            _("log-probability"): forced.label_log_probabilities.round(4),
            _("probability"): forced.probabilities[places],
            _("loss (−log p)"): (-forced.label_log_probabilities).round(4) + 0.0,
        },
        column_config={
            _("probability"): st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.4f", color="blue")
        },
        hide_index=True,
    )
    document.reading(
        _(
            "a logit is the raw score of the right word. Less the logarithm of the sum of all e^logit of its row it is the "
            "log-probability; its negative is the loss of that position."
        )
    )
    vocab = logits.shape[1]
    cells = (
        (_("mean of −log p, by hand"), forced.loss),
        (_("F.cross_entropy(logits)"), forced.cross_entropy),
        (_("… given log-probabilities"), forced.of_log_probabilities),
        (_("… given probabilities: a slip"), forced.of_probabilities),
        (_("guessing: log {n}").format(n=vocab), math.log(vocab)),
    )
    for place, (name, value) in zip(st.columns(len(cells)), cells, strict=True):
        place.metric(name, f"{value:.4f}")
    document.reading(
        _(
            "nats per token. The first two differ by {delta:.0e}: cross-entropy takes the log-softmax itself, so the model "
            "returns logits. A second log-softmax changes nothing; given probabilities, it is another number, "
            "without a warning."
        ).format(delta=abs(forced.loss - forced.cross_entropy))
    )
