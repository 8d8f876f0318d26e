"""One weight of the output layer: its gradient as a sum of products, to the last digit, and where the step moves it."""

import numpy as np
import streamlit as st

from explorer import i18n
from explorer.exhibits.one_step import lesson
from explorer.i18n import _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.one_step import output_gradient_of, step_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import one_step as pictures
from explorer.ui import document, pickers
from explorer.ui.format import digits, plain
from explorer.ui.widgets import pick, set_next
from transformer_core.analysis.one_step import OneStep, OutputGradient, output_gradient
from transformer_core.errors import InputError


def draw() -> None:
    if (picked := lesson.pick()) is None:
        return
    shown, choices, learner = picked
    try:
        found = output_gradient_of(learner)
    except InputError as error:  # a tied layer has a second gradient
        st.info(i18n.error(error))
        return
    picture = pictures.output_gradient(shown, choices)
    with st.container(key="one-step-pictures"):
        clicked = document.picture(
            picture,
            _(
                "the gradient of the output layer, a row per word, the right words first. Blue, above 0: a larger weight would "
                "raise the loss; orange: lower it. The step goes the other way. Press a cell."
            ),
            clickable=True,
        )
    if clicked is not None:
        set_next("gradient_word", int(clicked["y"]))
        set_next("gradient_number", int(clicked["x"]))
    most = np.unravel_index(np.abs(picture.drawing.values[0]).argmax(), picture.drawing.values[0].shape)
    with pickers.row("gradient-cell"):
        word = pick("gradient_word", _("word"), picture.drawing.rows, default=int(most[0]))
        number = pick("gradient_number", _("number"), picture.drawing.columns, default=int(most[1]))
    _sum_of(learner, found, pictures.drawn_words(learner, found)[word], number)
    _moved(step_of(learner), found, pictures.drawn_words(learner, found)[word], number)
    document.details("one_weight", _details)


def _sum_of(learner: ShownModel, found: OutputGradient, word: int, number: int) -> None:
    """Draws a row per place: what the softmax says there of the word, what it should say, and the decoder's output."""
    labels = learner.batch(0, 0)[2]
    errors, states = found.errors[:, word], found.states[:, number]
    products = errors.astype(np.float64) * states
    (name,) = token_texts(learner, [word])
    st.markdown(
        _(
            "At each of the {n} places: how likely “{word}” is there (softmax), minus 1 if it is right there; divided by {n}, "
            "times number {number} of the decoder's output. The sum is the gradient of this one weight."
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
    st.markdown(
        _("The products add up to {sum}; autograd found {found}. Where the last digits differ, it is rounding.").format(
            sum=digits(products.sum()), found=digits(found.found[word, number])
        )
    )


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


def _details() -> None:
    document.formula(
        r"\frac{\partial L}{\partial W_{word,j}}=\sum_{i=1}^{n}\frac{p_i(word)-[\,word=right_i\,]}{n}\;h_{i,j}",
        _(
            "The output layer is W h + b, and L the mean cross-entropy (section 5.4): its gradient by the logits is softmax − "
            "one-hot, and by W an outer product with the decoder's output h, summed over the places i."
        ),
    )
    document.try_this(
        _("Press a cell of a right word, then of a wrong one: at which place does most of the sum come from?"),
        _("Take the last kept step: where the softmax is nearly right, all its products are nearly 0."),
    )
    document.the_code(output_gradient)
