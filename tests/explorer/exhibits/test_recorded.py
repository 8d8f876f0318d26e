"""Pins every formula that an exhibit writes out to what the model recorded, for all kinds of models and cuts."""

from dataclasses import replace
from itertools import product
from typing import Annotated, Any, get_args, get_origin

import numpy as np
import pytest

from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import registry
from explorer.pictures.exhibit import GIVEN, ExhibitPicture, Stack
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401
from tests.explorer.programs.programs import choices_of
from tests.explorer.programs.test_programs import COPY, CUT, OTHER

PARTS_CUT = replace(ModelSettings(), cut="decoder.0.feed_forward,encoder.1.feed_forward,decoder.all.all:0-0")
FORMULAS = [
    each for each in map(registry.named, registry.names()) if isinstance(each, ExhibitPicture) and each.numbers.recorded
]


def plain_type(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@pytest.mark.parametrize(
    "settings", [ModelSettings(), OTHER, CUT, PARTS_CUT, COPY], ids=["first", "other", "cut", "parts", "copy"]
)
@pytest.mark.parametrize("picture", FORMULAS, ids=lambda each: each.name)
def test_a_formula_finds_what_the_model_recorded(picture, settings):
    shown, numbers = show_model(settings), picture.numbers
    kinds = get_args(plain_type(numbers.hints.get("kind", Stack)))
    for kind, stack, layer in product(kinds, get_args(Stack), range(shown.cfg.n_layers)):
        chosen = picture.read(choices_of(picture.name, kind=kind, stack=stack, layer=layer))
        fitted = numbers.fitted(shown, vars(chosen))
        given = {name: GIVEN[name](shown) for name in numbers.takes} | fitted
        np.testing.assert_allclose(numbers(**given), numbers.recorded(*given.values()), rtol=1e-4, atol=1e-5)
