"""The decoder in training and in use: where its input comes from, what each position may attend to, and the loss."""

import math

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.decoding import TeacherForcing, labels, token_texts
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import decoding as pictures
from explorer.ui import document, pickers
from explorer.ui.format import plain, small
from explorer.ui.widgets import text
from transformer_core.analysis.mask_tiles import mask_tiles
from transformer_core.analysis.teacher_forcing import TeacherForced, teacher_forced
from transformer_core.model.decoding import decode_steps


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    typed = ""
    if shown.model.in_words and shown.cfg.has_encoder:
        with pickers.line():
            typed = text(
                "answer",
                _("target sentence"),
                "",
                _("What the model should generate. Empty: the right answer, where it is known; of several, the most probable."),
            )
    choices = pictures.AnswerChoices(typed)
    taught = pictures.taught_by(shown, choices)
    if not taught.known:
        st.info(
            _("This sentence is not in the model's corpus, so the model's own output stands in for the target. Type yours."),
            icon=":material/edit:",
        )
    own = pictures.own_tokens(shown, choices)
    _lanes(shown, choices, taught)

    def more() -> None:
        _differences(shown, taught, pictures.predicted_of(shown, choices), own)
        _details(shown, choices, taught)

    document.details("teacher_forcing", more)


def _details(shown: ShownModel, choices: pictures.AnswerChoices, taught: TeacherForcing) -> None:
    words = _("The encoder reads **{source}**. The decoder should generate **{target}**; its first input is {start}.")
    if not shown.cfg.has_encoder:
        words = _(
            "The model reads its text behind {start}, and at each place should predict the next token: **{target}**. The last "
            "of them is not in the text: it is what the model goes on with."
        )
    st.markdown(
        words.format(source=_line(shown, shown.src), target=_line(shown, taught.labels), start=_line(shown, taught.given[:1]))
    )
    document.section(_("What each position may attend to"))
    _visibility(shown, choices, taught)
    document.section(_("The probability of each next token"))
    _probabilities(shown, choices)
    document.section(_("From logits to the loss"))
    _loss(shown, taught, pictures.logits_of(shown, choices), pictures.forced_of(shown, choices))
    document.formula(
        r"\mathcal{L}=-\frac1n\sum_{i=1}^{n}\log p_i(y_i)=\frac1n\sum_{i=1}^{n}\Big(\log\sum_j e^{z_{ij}}-z_{i\,y_i}\Big)",
        _(
            "z are the logits, p their softmax (section 3.4 of the paper), y the target tokens. The second form needs no p: "
            "cross-entropy includes the log-softmax."
        ),
    )
    document.try_this(
        *_tries(shown),
        _("Move **learned for** in the sidebar from step 0 to the end: do the two lanes still differ?"),
    )
    document.the_code(teacher_forced, decode_steps)


def _tries(shown: ShownModel) -> list[str]:
    if not shown.cfg.has_encoder:
        return [
            _(
                "Change the last word of the text: with the **causal mask** on, the probabilities in the rows above it stay "
                "the same."
            ),
            _("Change any word of the text: what the model generates in use, from the start token alone, stays the same."),
        ]
    return [
        _(
            "Change the last word of the target: with the **causal mask** on, the probabilities in the rows above it stay the "
            "same."
        ),
        _("Change any word of the target: what the model generates in use stays the same, for it never sees the target."),
    ]


def _line(shown: ShownModel, ids: tuple[int, ...]) -> str:
    """Tokens for Markdown; of many only the first."""
    some = plain(" ".join(token_texts(shown, ids[:16])))
    return f"{some} …" if len(ids) > 16 else some


def _lanes(shown: ShownModel, choices: pictures.AnswerChoices, taught: TeacherForcing) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        of_text = _("**In training** (teacher forcing), the input is the text")
        st.markdown(_("**In training** (teacher forcing), the input is the target") if shown.cfg.has_encoder else of_text)
        _training_lane(shown, choices, taught)
    with right:
        st.markdown(_("**In use**, the input is what the model has generated"))
        _use_lane(shown, choices)


def _differences(shown: ShownModel, taught: TeacherForcing, predicted: list[int], own: tuple[int, ...]) -> None:
    st.markdown(" ".join(_comparison(shown, taught, predicted, own)))
    if len(taught.given) > pictures.DRAWN:
        st.caption(_("The first {n} of {all} positions are drawn.").format(n=pictures.DRAWN, all=len(taught.given)))


def _training_lane(shown: ShownModel, choices: pictures.AnswerChoices, taught: TeacherForcing) -> None:
    how = _(
        "the target, shifted right by one position behind {start}, is the decoder's input (orange arrows; section 3.1 of the "
        "paper). All positions are computed at once."
    )
    if not shown.cfg.has_encoder:
        how = _(
            "the text, shifted right by one position behind {start}, is the input (orange arrows). All positions are computed "
            "at once. ✓: the most likely token is the next one of the text."
        )
    elif taught.known:
        how = _(
            "the target, shifted right by one position behind {start}, is the decoder's input (orange arrows; section 3.1 of "
            "the paper). All positions are computed at once. ✓: the most likely token is the target."
        )
    document.picture(pictures.training_lane(shown, choices), how.format(start=token_texts(shown, taught.given[:1])[0]))


def _use_lane(shown: ShownModel, choices: pictures.AnswerChoices) -> None:
    document.picture(
        pictures.use_lane(shown, choices),
        _(
            "each prediction is the next input (blue arrows), so positions are computed one after the other. ✓: the same input "
            "as in training."
        ),
    )


def _comparison(shown: ShownModel, taught: TeacherForcing, predicted: list[int], own: tuple[int, ...]) -> list[str]:
    """Says where the two lanes differ."""
    both, inputs = min(len(predicted), len(own)), (taught.given[0], *own[:-1])
    same = sum(a == b for a, b in zip(predicted, own, strict=False))
    first = next((i for i in range(both) if inputs[i] != taught.given[i]), None)
    sentences = [_("The predictions agree at {same} of {both} positions.").format(same=same, both=both)]
    if not shown.cfg.causal:
        whole = _("This model has no causal mask: in training, every position can attend to the whole target.")
        of_text = _("This model has no causal mask: in training, every position can attend to the whole text.")
        sentences.append(whole if shown.cfg.has_encoder else of_text)
    elif first is None:
        sentences.append(_("The inputs are the same so far, so the predictions must be, too."))
    else:
        sentences.append(
            _("The inputs first differ at position {i}: “{right}” in training, “{own}” in use.").format(
                i=first, right=_line(shown, taught.given[first : first + 1]), own=_line(shown, inputs[first : first + 1])
            )
        )
    if len(own) < len(predicted):
        sentences.append(_("In use it ends at step {n}, with {end}.").format(n=len(own), end=_line(shown, own[-1:])))
    return sentences


def _visibility(shown: ShownModel, choices: pictures.AnswerChoices, taught: TeacherForcing) -> None:
    count = min(len(taught.given), pictures.DRAWN)
    left, right = st.columns(2, gap="large")
    with left:
        may = mask_tiles(shown.src, taught.given, shown.vocabulary.pad, shown.cfg.causal)["target"][0, :count]
        how = _("the whole input is there at once; the mask hides what comes later (×). Row 0 may attend to {n} of {all}.")
        if not shown.cfg.causal:
            how = _(
                "the whole input is there at once, and this model has no mask to hide what comes later. Row 0 may attend "
                "to {n} of {all}."
            )
        document.picture(pictures.seen_in_training(shown, choices), how.format(n=int(may.sum()), all=count))
    with right:
        how = _("what is marked × has not been generated yet: the triangle arises without a mask.")
        document.picture(pictures.seen_in_use(shown, choices), how)


def _probabilities(shown: ShownModel, choices: pictures.AnswerChoices) -> None:
    taught, tokens, table, scale = pictures.probabilities_of(shown, choices)
    row, column = map(int, np.unravel_index(table.argmax(), table.shape))
    document.picture(
        pictures.probabilities(shown, choices),
        _(
            "each row adds up to 1 over all {vocab} tokens, of which {n} are shown; the colour scale ends at {scale:.2g}. "
            "The highest probability: {top:.1%} for “{column}” after “{row}”."
        ).format(
            vocab=shown.cfg.tgt_vocab,
            n=len(tokens),
            scale=scale,
            row=labels(shown, taught.given)[row],
            column=token_texts(shown, [int(tokens[column])])[0],
            top=float(table.max()),
        ),
    )


def _loss(shown: ShownModel, taught: TeacherForcing, logits: np.ndarray, forced: TeacherForced) -> None:
    places = np.arange(len(taught.labels)), list(taught.labels)
    st.dataframe(
        {
            _("decoder input"): labels(shown, taught.given),
            _("target"): token_texts(shown, taught.labels),
            _("logit"): logits[places],
            _("log-probability"): forced.label_log_probabilities.round(4) + 0.0,
            _("probability"): forced.probabilities[places],
            _("loss (−log p)"): (-forced.label_log_probabilities).round(4) + 0.0,
        },
        column_config=dict.fromkeys(
            (_("logit"), _("log-probability"), _("loss (−log p)")), st.column_config.NumberColumn(format="%.4f")
        )
        | {_("probability"): st.column_config.ProgressColumn(min_value=0.0, max_value=1.0, format="%.4f", color="blue")},
        hide_index=True,
    )
    document.caption(
        _(
            "the logit is the model's raw score for the target token. Subtract log Σ e^logit over its row, and it becomes the "
            "log-probability; the negative of that is the loss at this position."
        )
    )
    vocab = logits.shape[1]
    cells = (
        (_("mean of −log p, by hand"), forced.loss),
        (_("F.cross_entropy(logits)"), forced.cross_entropy),
        (_("… given log-probabilities"), forced.of_log_probabilities),
        (_("… given probabilities: wrong"), forced.of_probabilities),
        (_("equal probabilities: log {n}").format(n=vocab), math.log(vocab)),
    )
    for place, (name, value) in zip(st.columns(len(cells)), cells, strict=True):
        place.metric(name, f"{value:.4f}")
    document.caption(
        _(
            "all in nats per token. The first two differ by {delta}: cross-entropy takes the log-softmax itself, so the "
            "model returns logits. A second log-softmax changes nothing; probabilities in their place give another number, "
            "without a warning."
        ).format(delta=small(abs(forced.loss - forced.cross_entropy)))
    )
