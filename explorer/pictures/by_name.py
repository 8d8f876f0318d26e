"""The numbers of each picture that follows a knob, from the model and from what its page has chosen to show.

They are the very ones that the page's own part draws: both call the same function of the view.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, get_args

from explorer.components import arithmetic, attention_view, cut_answer, matrices, plot, scrubber, shape_map
from explorer.figures.attention import Scale, all_heads, vectors
from explorer.figures.matrix import Matrices
from explorer.figures.style import Figure
from explorer.inference.shown_model import ShownModel
from explorer.inference.word_by_word import word_by_word
from explorer.pictures import (
    beams,
    decoding,
    head_numbers,
    keys_and_values,
    layers,
    masks,
    needs,
    next_word,
    norms,
    other_scores,
    parameters,
    positions,
    rotation,
    samples,
    split,
    why_scale,
)
from explorer.pictures.choices import Choices, attention, one_of, place


def numbers(shown: ShownModel, picture: str, choices: Choices) -> dict[str, Any]:
    """What the view of this picture is sent. Raises ValueError for a picture or a choice that there is not."""
    if picture not in _PICTURES:
        raise ValueError(f"there is no picture {picture!r}")
    return _PICTURES[picture](shown, choices)


def _head(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    head = place(choices, "head", shown.cfg.n_heads)
    return arithmetic.numbers(attention(shown, choices), head, one_of(choices, "scale", get_args(Scale)))


def _lines(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    found = attention(shown, choices)
    without = attention_view.Without.of(shown.choice.cuts.made, found.kind, found.layer)
    return attention_view.numbers(found.map) | {"without": asdict(without)}


def _cut_answer(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    return cut_answer.numbers(shown)


def _word_by_word(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    return attention_view.numbers(word_by_word(shown))


def _blocks(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    sizes = 1 + place(choices, "beside", 64), len(shown.src), len(shown.tgt)
    return shape_map.numbers(shown.cfg, sizes, place(choices, "layer", shown.cfg.n_layers), shown.sentences)


def _heads(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    return matrices.numbers(all_heads(attention(shown, choices).map, one_of(choices, "scale", get_args(Scale))))


def _vectors(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    found, name = attention(shown, choices), one_of(choices, "name", ("q", "k", "v"))
    labels = found.map.query_labels if name == "q" else found.map.key_labels
    return matrices.numbers(vectors(found.stage(name)[place(choices, "head", shown.cfg.n_heads)], labels))


def _course(shown: ShownModel, choices: Choices) -> dict[str, Any]:
    return scrubber.numbers(scrubber.track_of(shown.course))


def _of_figure(draw: Callable[[ShownModel, Choices], Figure | Matrices]) -> Callable[[ShownModel, Choices], dict[str, Any]]:
    def numbers(shown: ShownModel, choices: Choices) -> dict[str, Any]:
        drawn = draw(shown, choices)
        return matrices.numbers(drawn) if isinstance(drawn, Matrices) else plot.numbers(drawn)

    return numbers


# What does not depend on the weights: it is as it will be, also where the model has to learn first.
WITHOUT_WEIGHTS = {"blocks", "mask", *parameters.PICTURES, *rotation.PICTURES, *positions.WAVES}
_MODULES = (
    positions, rotation, masks, layers, norms, needs, decoding, samples, beams, why_scale, other_scores, split, keys_and_values,
    head_numbers, parameters,
)  # fmt: skip
# Those that are a figure, by the names that pages give them (`ui.document.live_figure`).
FIGURES: dict[str, Callable[[ShownModel, Choices], Figure | Matrices]] = {
    name: draw for module in _MODULES for name, draw in module.PICTURES.items()
}
_PICTURES: dict[str, Callable[[ShownModel, Choices], dict[str, Any]]] = {
    "head": _head,
    "heads": _heads,
    "vectors": _vectors,
    "lines": _lines,
    "word_by_word": _word_by_word,
    "cut_answer": _cut_answer,
    "blocks": _blocks,
    "course": _course,
    "next-word": _of_figure(next_word.of_choices),
    **{name: _of_figure(draw) for name, draw in FIGURES.items()},
}
