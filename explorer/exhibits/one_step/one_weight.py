"""One weight of the output layer: its gradient as a sum of products, to the last digit, and where the step moves it."""

import numpy as np
import streamlit as st

from explorer.exhibits.one_step import lesson
from explorer.i18n import _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.one_step import kept_steps, output_gradient_of, step_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import one_step as pictures
from explorer.ui import document, pickers
from explorer.ui.format import digits, plain
from explorer.ui.widgets import pick, set_next
from transformer_core.analysis.one_step import OneStep, OutputGradient, output_gradient


def draw() -> None:
    if (picked := lesson.pick()) is None:
        return
    shown, choices, learner = picked
    found, is_tied = output_gradient_of(learner), learner.cfg.tie_embeddings != "none"
    picture = pictures.output_gradient(shown, choices)
    with st.container(key="one-step-pictures"):
        clicked = document.picture(picture, _how_to_read(is_tied), clickable=True)
    if clicked is not None:
        set_next("gradient_word", int(clicked["y"]))
        set_next("gradient_number", int(clicked["x"]))
    most = np.unravel_index(np.abs(picture.drawing.values[0]).argmax(), picture.drawing.values[0].shape)
    with pickers.row("gradient-cell"):
        word = pick("gradient_word", _("word"), picture.drawing.rows, default=int(most[0]))
        number = pick("gradient_number", _("number"), picture.drawing.columns, default=int(most[1]))
    chosen = pictures.drawn_words(learner, found)[word]
    total = _as_output(learner, found, chosen, number)
    if is_tied:
        total += _as_table(learner, found, chosen, number)
    st.markdown(
        _(
            "All products add up to {sum}, the gradient of this one weight; autograd found {found}. Where the last digits "
            "differ, it is rounding."
        ).format(sum=digits(total), found=digits(found.found[chosen, number]))
    )
    _moved(step_of(learner), found, chosen, number)
    document.details("one_weight", lambda: _details(learner, found.scale))


def _how_to_read(is_tied: bool) -> str:
    if is_tied:
        return _(
            "the gradient of the matrix that is output layer and table of embeddings in one, both ways added up: a row per "
            "word, the right words first. Blue, above 0: a larger weight would raise the loss; orange: lower it. The step goes "
            "the other way. Press a cell."
        )
    return _(
        "the gradient of the output layer, a row per word, the right words first. Blue, above 0: a larger weight would raise "
        "the loss; orange: lower it. The step goes the other way. Press a cell."
    )


def _as_output(learner: ShownModel, found: OutputGradient, word: int, number: int) -> float:
    """Draws a row per place: what the softmax says there of the word, what it should say, and the decoder's output. Returns
    the sum of the products."""
    labels = learner.batch(0, 0)[2]
    errors, states = found.errors[:, word], found.states[:, number]
    products = errors.astype(np.float64) * states
    (name,) = token_texts(learner, [word])
    st.markdown(
        _(
            "At each of the {n} places: how likely “{word}” is there (softmax), minus 1 if it is right there; divided by {n}, "
            "times number {number} of the decoder's output."
        ).format(n=len(labels), word=plain(name), number=number)
    )
    st.dataframe(
        {
            _("place"): [*pictures.places(learner), _("sum")],
            _("softmax"): [*map(digits, found.probabilities[:, word]), ""],
            _("right"): [*("1" if label == word else "0" for label in labels), ""],
            _("(softmax − right) / {n}").format(n=len(labels)): [*map(digits, errors), ""],
            _("decoder's output"): [*map(digits, states), ""],
            _("product"): [*map(digits, products), digits(products.sum())],
        },
        hide_index=True,
    )
    return float(products.sum())


def _as_table(learner: ShownModel, found: OutputGradient, word: int, number: int) -> float:
    """Draws a row per place where the word is read: the gradient with respect to the vector that enters the first layer
    there. Returns the sum of the products."""
    at, (name,) = np.flatnonzero(found.read == word), token_texts(learner, [word])
    if not at.size:
        st.markdown(
            _(
                "The output layer is also {table} (section 3.4), but “{word}” is not read from it here: nothing is added."
            ).format(table=lesson.table_of(learner.cfg), word=plain(name))
        )
        return 0.0
    gradients = found.entering[at, number]
    products = gradients.astype(np.float64) * found.scale
    st.markdown(
        _(
            "The output layer is also {table} (section 3.4), and “{word}” is read from it here: its row, times {scale}, enters "
            "the first layer. So the gradient with respect to number {number} of what enters, times {scale}, is added."
        ).format(table=lesson.table_of(learner.cfg), word=plain(name), number=number, scale=digits(found.scale))
    )
    places = pictures.places_read(learner, found)
    st.dataframe(
        {
            _("read by"): [*(places[i] for i in at), _("sum")],
            _("gradient with respect to what enters"): [*map(digits, gradients), ""],
            _("product"): [*map(digits, products), digits(products.sum())],
        },
        hide_index=True,
    )
    return float(products.sum())


def _moved(step: OneStep, found: OutputGradient, word: int, number: int) -> None:
    old, gradient = found.weight[word, number], found.found[word, number]
    st.markdown(
        _("The new weight = {old} − {rate} × {clipping} × {gradient} = **{new}**").format(
            old=digits(old),
            rate=step.rate,
            clipping=digits(step.clipping),
            gradient=digits(gradient),
            new=digits(old - np.float32(step.rate * step.clipping) * gradient),
        )
    )
    st.caption(
        _("Rate {rate}; {clipping} shortens the whole gradient, {norm:.2f} long, to length {clip:.0f}.").format(
            rate=step.rate, clipping=digits(step.clipping), norm=step.norm, clip=step.clip
        )
        if step.clipping < 1
        else _("Rate {rate}; the whole gradient, {norm:.2f} long, is short enough to stay as it is.").format(
            rate=step.rate, norm=step.norm
        )
    )


def _details(learner: ShownModel, scale: float) -> None:
    tex = r"\frac{\partial L}{\partial W_{word,j}}=\sum_{i=1}^{n}\frac{p_i(word)-[\,word=right_i\,]}{n}\;h_{i,j}"
    if learner.cfg.tie_embeddings == "none":
        document.formula(
            tex,
            _(
                "The output layer is W h + b, and L the mean cross-entropy (section 5.4): its gradient with respect to the "
                "logits is softmax − one-hot, and to W an outer product with the decoder's output h, summed over the places i."
            ),
        )
    else:
        document.formula(
            tex + r"+s\sum_{i:\,read_i=word}\frac{\partial L}{\partial x_{i,j}}",
            _(
                "The output layer is W h, and L the mean cross-entropy (section 5.4): its gradient with respect to the logits "
                "is softmax − one-hot, and to W an outer product with the decoder's output h, summed over the places i. W is "
                "also {table} (section 3.4): a word that is read from it enters the first layer as x, which holds s times its "
                "row. So s times the gradient with respect to x is added for each such place; s is √d_model in the paper, "
                "{scale} here."
            ).format(table=lesson.table_of(learner.cfg), scale=digits(scale)),
        )
    has_later = len(kept_steps(learner.learning)) > 1
    document.try_this(
        _("Press a cell of a right word, then of a wrong one: at which place does most of the sum come from?"),
        _("Take the last kept step: where the softmax is nearly right, all its products are nearly 0.") if has_later else "",
    )
    document.the_code(output_gradient)
