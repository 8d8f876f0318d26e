"""Pins every formula that an exhibit writes out to what the model recorded, for all kinds of models and cuts."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import pytest

from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.pictures import registry
from explorer.pictures.exhibit import GIVEN, ExhibitPicture, Stack
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401
from tests.explorer.programs.programs import choices_of
from tests.explorer.programs.test_programs import ALIBI, COPY, CUT, EDITED, OTHER, ROTARY

PARTS_CUT = replace(ModelSettings(), cut="decoder.0.feed_forward,encoder.1.feed_forward,decoder.all.all:0-0")
PICTURES = [each for each in map(registry.named, registry.names()) if isinstance(each, ExhibitPicture)]
FORMULAS = [each for each in PICTURES if each.numbers.recorded]
IN_PROGRAMS = [each for each in PICTURES if each.numbers.by_formula]


def plain_type(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@pytest.mark.parametrize(
    "settings",
    [ModelSettings(), OTHER, CUT, PARTS_CUT, EDITED, COPY, ROTARY, ALIBI],
    ids=["first", "other", "cut", "parts", "edited", "copy", "rotary", "ALiBi"],
)
@pytest.mark.parametrize("picture", FORMULAS, ids=lambda each: each.name)
def test_a_formula_finds_what_the_model_recorded(picture, settings):
    shown, numbers = show_model(settings), picture.numbers
    for given in every_attention(picture, shown):
        np.testing.assert_allclose(numbers(**given), numbers.recorded(*given.values()), rtol=1e-4, atol=1e-5)


DOT_PRODUCTS = replace(OTHER, score="scaled_dot")


@pytest.mark.parametrize(
    "settings", [ModelSettings(), DOT_PRODUCTS, CUT, COPY], ids=["first", "other settings", "cuts", "numbers"]
)
@pytest.mark.parametrize("picture", IN_PROGRAMS, ids=lambda each: each.name)
def test_a_formula_of_a_program_finds_what_is_on_screen(picture, settings):
    """Far closer than a program asks for: so it is the formula that stands there."""
    shown, numbers = show_model(settings), picture.numbers
    for given in every_attention(picture, shown):
        values = numbers(**given)
        most = np.nanmax(np.abs(values), initial=0)
        np.testing.assert_allclose(numbers.by_formula(**given), values, rtol=0, atol=1e-6 * most)


def every_attention(picture: ExhibitPicture, shown: ShownModel) -> Iterator[dict[str, Any]]:
    """Yields the arguments of a picture's numbers, in each layer."""
    numbers = picture.numbers
    kinds, stages = (get_args(plain_type(numbers.hints.get(name, Stack))) for name in ("kind", "stage"))
    for kind, stack, stage, layer in product(kinds, get_args(plain_type(Stack)), stages, range(shown.cfg.n_layers)):
        chosen = picture.read(choices_of(picture.name, kind=kind, stack=stack, layer=layer, stage=stage))
        yield {name: GIVEN[name](shown) for name in numbers.takes} | numbers.fitted(shown, vars(chosen))
