"""The decoder in training and in use: who hands it the next word, what it may see, and the loss."""

import math

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.decoded import Lesson, answer, labels, lesson, most_steps, words
from explorer.figures.lanes import lane
from explorer.figures.matrix import matrix
from explorer.state import View, knobs, run_of
from explorer.words import _
from transformer_core.model.decoding import TeacherForced, decode_steps, teacher_forced, top_tokens
from transformer_core.model.masks import mask_tiles

_SHOWN = 12  # positions that the lanes draw; the loss counts them all
_COLUMNS = 20  # tokens in the picture of probabilities
_EXAMPLE = "i love you now"


def two_lanes(view: View) -> None:
    """Draws the part. Raises ValueError where a model from a file cannot say or read what it would have to."""
    typed = ""
    if view.stored is not None and view.stored.in_words:
        help_answer = _("What the decoder should say. Empty: the answer of its corpus, if the source is one of its sentences.")
        typed = controls.text("answer", _("right answer"), "", help_answer)
    taught = lesson(view, typed)
    logits = run_of(view.key, view.src, taught.given)["logits"]
    forced = teacher_forced(logits, taught.labels)
    st.markdown(
        _("The encoder reads **{words}**. The decoder has to say **{label}**, and begins with {start}.").format(
            words=_line(view, view.src), label=_line(view, taught.labels), start=_line(view, taught.given[:1])
        )
    )
    if not taught.known:
        st.info(
            _("This sentence is not in the model's corpus: what it says itself stands here for the right answer. Type yours."),
            icon=":material/edit:",
        )
    _lanes(view, taught, forced)
    document.section(_("What each position may see"))
    _sight(view, taught)
    document.section(_("How likely it finds each word"))
    _probabilities(view, taught, forced)
    document.section(_("From logits to the loss"))
    _loss(view, taught, logits, forced)

    document.formula(
        r"\mathcal{L}=-\frac1n\sum_{i=1}^{n}\log p_i(y_i)=\frac1n\sum_{i=1}^{n}\Big(\log\sum_j e^{z_{ij}}-z_{i\,y_i}\Big)",
        _(
            "z are the logits, p their softmax (section 3.4 of the paper), y the labels. The second form needs no p at all: "
            "cross-entropy contains the log-softmax."
        ),
    )
    document.try_this(
        _("Change the last word of the answer: with the **causal mask** on, the probabilities of the rows above it stay."),
        _("Change any word of the answer: the free lane says what it said before, for it never sees the answer."),
        _("Train a model and open it here: do the two lanes still part?"),
    )
    document.the_code(teacher_forced, decode_steps)


def _line(view: View, ids: tuple[int, ...]) -> str:
    """Words for Markdown; of many only the first."""
    some = " ".join(words(view, ids[:16])) + (" …" if len(ids) > 16 else "")
    return some.replace("<", "\\<")


def _own(view: View, taught: Lesson) -> tuple[int, ...]:
    """What the model says by itself, for as many positions as the lanes draw."""
    steps = most_steps(view, min(len(taught.given), _SHOWN))
    return tuple(said.token for said in answer(view.key, view.src, taught.given[0], steps, end=view.vocabulary.end))


def _lanes(view: View, taught: Lesson, forced: TeacherForced) -> None:
    count = min(len(taught.given), _SHOWN)
    said = forced.probabilities.argmax(axis=1)[:count].tolist()
    own = _own(view, taught)
    given_freely = (taught.given[0], *own[:-1])
    left, right = st.columns(2, gap="large")
    label, given, says = _("right answer") if taught.known else _("its own answer"), _("is given"), _("says")
    with left:
        st.markdown(_("**In training**: the teacher hands it the right word, whatever it said"))
        document.figure(
            lane(
                {
                    label: words(view, taught.labels[:count]),
                    given: words(view, taught.given[:count]),
                    says: words(view, said),
                },
                feeds=(label, given),
                reads=(given, says),
                marks={says: [a == b for a, b in zip(said, taught.labels, strict=False)]} if taught.known else None,
                teacher=True,
            ),
            "lane-training",
            _(
                "the answer, moved one place on behind {start}, is what the decoder is given (“shifted right” in the paper, "
                "orange arrows). All positions are computed at once."
            ).format(start=words(view, taught.given[:1])[0])
            + (" " + _("✓: the most likely word is the right one.") if taught.known else ""),
        )
    with right:
        st.markdown(_("**In use**: nobody knows the answer, so it is given what it said itself"))
        document.figure(
            lane(
                {given: words(view, given_freely), says: words(view, own)},
                feeds=(says, given),
                reads=(given, says),
                marks={given: [a == b for a, b in zip(given_freely, taught.given, strict=False)]},
            ),
            "lane-use",
            _("each word it says goes back in (blue arrows): one position after the other. ✓: the same word as in training."),
        )
    st.markdown(_agreement(view, taught, said, own, given_freely))
    if len(taught.given) > _SHOWN:
        st.caption(_("The first {n} of {all} positions are drawn.").format(n=count, all=len(taught.given)))
    if view.stored is None and not knobs().by_length:
        st.button(_("Take “I love you now” as the target"), icon=":material/edit:", on_click=_take_example)


def _take_example() -> None:
    st.session_state["tgt"] = _EXAMPLE


def _agreement(view: View, taught: Lesson, said: list[int], own: tuple[int, ...], given: tuple[int, ...]) -> str:
    """Where the lanes part, in one sentence."""
    both = min(len(said), len(own))
    same = sum(a == b for a, b in zip(said, own, strict=False))
    first = next((i for i in range(both) if given[i] != taught.given[i]), None)
    sentence = _("Both lanes say the same word at {same} of {both} positions.").format(same=same, both=both)
    if not view.cfg.causal:
        sentence += " " + _("This model may look ahead: in training it has seen the whole answer before it says a word of it.")
    elif first is None:
        sentence += " " + _("So far they have been given the same words, so they must.")
    else:
        sentence += " " + _("They part at position {i}: in training it is given “{right}”, in use “{own}”.").format(
            i=first, right=_line(view, taught.given[first : first + 1]), own=_line(view, given[first : first + 1])
        )
    if len(own) < len(said):
        sentence += " " + _("In use it ends after {n}, with {end}.").format(n=len(own), end=_line(view, own[-1:]))
    return sentence


def _sight(view: View, taught: Lesson) -> None:
    count = min(len(taught.given), _SHOWN)
    may = mask_tiles(view.src, taught.given, view.vocabulary.pad, view.cfg.causal)["target"][:count, :count]
    given = (taught.given[0], *_own(view, taught)[:-1])
    there = np.tri(len(given), dtype=bool)
    left, right = st.columns(2, gap="large")
    with left:
        document.figure(
            matrix(
                may.astype(float), rows=labels(view, taught.given[:count]),
                columns=labels(view, taught.given[:count]), row_title=_("position (query)"),
                column_title=_("in training it may see (key)"), valid=may, decimals=0, cell=24,
            ),
            "sees-training",
            _("all words lie there at once; what comes later is {hidden}. Row 0 may see {n} of {all}.").format(
                hidden=_("hidden by the mask (×)") if view.cfg.causal else _("not hidden in this model: no mask"),
                n=int(may[0].sum()), all=count,
            ),
        )  # fmt: skip
    with right:
        document.figure(
            matrix(
                there.astype(float), rows=[_("step {i}").format(i=i + 1) for i in range(len(given))],
                columns=labels(view, given), column_title=_("in use it has so far"), valid=there, decimals=0, cell=24,
            ),
            "sees-use",
            _("nothing is hidden here, but what is marked × has not been said yet: the triangle comes by itself."),
        )  # fmt: skip


def _probabilities(view: View, taught: Lesson, forced: TeacherForced) -> None:
    vocab = forced.probabilities.shape[1]
    shown = top_tokens(forced.probabilities, _COLUMNS)
    if vocab > _COLUMNS:
        wanted = sorted(set(taught.labels))[: _COLUMNS // 2]
        shown = top_tokens(forced.probabilities, _COLUMNS - len(wanted), wanted)
    table = forced.probabilities[:, shown]
    top = float(table.max())
    scale = 1.0 if top > 0.5 else top
    row, column = map(int, np.unravel_index(table.argmax(), table.shape))
    document.figure(
        matrix(
            table, rows=labels(view, taught.given), columns=words(view, shown.tolist()), top=scale, title=_("probability"),
            row_title=_("is given (position, word)"), column_title=_("could say next"), cell=26,
        ),
        "probabilities",
        _("each row adds up to 1 over all {vocab} tokens ({shown} are shown); the colours reach up to {scale:.2g}. "
          "The highest: after “{row}” comes “{column}”, {top:.1%}.").format(
            vocab=vocab, shown=len(shown), scale=scale, row=labels(view, taught.given)[row],
            column=words(view, [int(shown[column])])[0], top=top,
        ),
    )  # fmt: skip


def _loss(view: View, taught: Lesson, logits: np.ndarray, forced: TeacherForced) -> None:
    places = np.arange(len(taught.labels)), list(taught.labels)
    st.dataframe(
        {
            _("is given"): labels(view, taught.given),
            _("right answer"): words(view, taught.labels),
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
