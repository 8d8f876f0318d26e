"""Numbers with a name, and their drawing: what an exhibit of a page is written with.

    @numbers(recorded=lambda run, stack, layer: run.part(stack, layer, "feed_forward")["hidden"])
    def hidden(run: Run, stack: Stack, layer: Layer) -> np.ndarray:  # the core alone: this text is the program
        \"\"\"The feed-forward units before the non-linearity. Shape: (word, unit)\"\"\"
        ...

    @drawn(hidden)
    def _draw_units(units: np.ndarray, shown: ShownModel, *, stack: str, layer: int) -> Matrices: ...

    picture = hidden.of(shown, stack, layer)                              # .drawing, .values, .live
    document.picture(picture, _("{n} units").format(n=picture.values.shape[1]))

The name of a picture is that of its function. Its first parameter is what it is given: `run`, or `cfg` where the sizes are
enough (`numbers_of_sizes`), or nothing (`numbers_of_choices`). Every other one is a choice, named as the knob of the page; its
type says what a browser may send, and how a choice that the model on screen lacks is fitted to it.

A formula that restates what the model does is right for some models and wrong for others, and screen and program would agree
on the wrong numbers: `recorded` names what the model recorded, and `tests/explorer/exhibits/test_recorded.py` compares both.

Where numbers are read off the pass, a program would hold no formula. Then another function writes it out, from the stages
before: `@hidden.formula`, with the same parameters. Only programs call it, and compare it with what was on screen.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, make_dataclass
from inspect import Parameter, signature
from typing import (
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from explorer.components import LivePicture
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import ShownRun, run_of
from explorer.pictures.registry import Drawn, Picture, register
from transformer_core.analysis.run import Run
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import AttentionKind, attention_kinds, stacks_of

Given = ParamSpec("Given")
Chosen = ParamSpec("Chosen")
Values = TypeVar("Values")

# What a function is given by the name of its first parameter, in place of a choice.
GIVEN: dict[str, Callable[[ShownModel], Any]] = {"run": run_of, "cfg": lambda shown: shown.cfg}
_BYTES = 2**26  # of all numbers that are kept


# --- Choices. ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fit:
    """How a choice is made one that the model on screen has: `fit(value, run, the choices before it)`."""

    fit: Callable[[Any, Run, Mapping[str, Any]], Any]


def among(count: Callable[[Run, Mapping[str, Any]], int]) -> Fit:
    """Marks an index; 0, as a picker shows it, where there are not so many."""
    return Fit(lambda value, run, said: value if 0 <= value < count(run, said) else 0)


def _present(kind: AttentionKind, run: Run, _said: Mapping[str, Any]) -> AttentionKind:
    if kind not in attention_kinds(run.cfg):
        raise ValueError("this model has no " + ("cross-attention" if kind == "cross" else kind))
    return kind


def _of_the_model(stack: str, run: Run, _said: Mapping[str, Any]) -> str:
    return stack if stack in stacks_of(run.cfg) else run.first_stack


Stack = Annotated[Literal["encoder", "decoder"], Fit(_of_the_model)]
Kind = Annotated[AttentionKind, Fit(_present)]
Layer = Annotated[int, among(lambda run, _said: run.cfg.n_layers)]
Head = Annotated[int, among(lambda run, _said: run.cfg.n_heads)]
Word = Annotated[int, among(lambda run, said: len(run.ids(said["stack"])))]  # of the sentence that passes through `stack`


def marks_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()


# --- Numbers. ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawnNumbers(Drawn[Any], Generic[Values]):
    """Attributes: values: the numbers that are drawn, for the words below the picture."""

    values: Values = field(kw_only=True)


class Numbers(Generic[Given, Chosen, Values]):
    """A function of a run and of choices, whose results all visitors share. In a program it is the plain function.

    Attributes:
        name: of the picture.
        takes: the parameters that are given, in their order; the others are choices: hints, their types by name.
        needs_weights: whether they depend on what the model has learned.
        recorded: finds the same numbers among what the model recorded; None where they restate nothing.
        by_formula: computes the same numbers in a program; None where this function itself stands there.
        draw: makes the picture: (values, shown, choices by name).
    """

    draw: Callable[..., Any]
    by_formula: "Numbers[Given, Chosen, Values] | None" = None

    def __init__(
        self, compute: Callable[Given, Values], name: str | None, needs_weights: bool, recorded: Callable[..., Any] | None
    ):
        self.compute, self.needs_weights, self.recorded = compute, needs_weights, recorded
        self.name = compute.__name__.replace("_", "-") if name is None else name
        self.__doc__, self.__module__ = compute.__doc__, compute.__module__
        self.signature = signature(compute)
        hints = get_type_hints(compute, include_extras=True)
        self.takes = [name for name in self.signature.parameters if name in GIVEN]
        self.hints = {name: hints[name] for name in self.signature.parameters if name not in GIVEN}
        self._fits = {name: [mark.fit for mark in marks_of(hint) if isinstance(mark, Fit)] for name, hint in self.hints.items()}

    @property
    def takes_run(self) -> bool:
        return "run" in self.takes

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Values:
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        runs = [each for each in bound.arguments.values() if isinstance(each, Run)]
        if not all(isinstance(each, ShownRun) for each in runs):
            return self.compute(*args, **kwargs)  # a run of a test, or of a notebook: it has no key
        values: Values = _shared(self, tuple(bound.arguments.items()))
        return values

    def formula(self, compute: Callable[Given, Values]) -> "Numbers[Given, Chosen, Values]":
        """Has programs compute these numbers by another function of the same parameters, in which the formula of the paper
        stands; for a decorator."""
        self.by_formula = Numbers(compute, self.name, self.needs_weights, self.compute)
        return self.by_formula

    def fitted(self, shown: ShownModel, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the choices as the model on screen has them."""
        run, fitted = run_of(shown), dict[str, Any]()
        for name in self.hints:
            value = chosen[name]
            for fit in self._fits[name]:
                value = fit(value, run, fitted)
            fitted[name] = value
        return fitted

    def values(self, shown: ShownModel, fitted: Mapping[str, Any]) -> Values:
        """Returns the numbers for the model on screen and choices that it has."""
        call: Callable[..., Values] = self
        return call(**{name: GIVEN[name](shown) for name in self.takes}, **fitted)

    def of(self, shown: ShownModel, *args: Chosen.args, **kwargs: Chosen.kwargs) -> DrawnNumbers[Values]:
        """Returns the picture for what the page has chosen."""
        bound = self.signature.replace(parameters=[self.signature.parameters[name] for name in self.hints]).bind(
            *args, **kwargs
        )
        bound.apply_defaults()
        chosen = dict(bound.arguments)
        fitted = self.fitted(shown, chosen)
        values = self.values(shown, fitted)
        return DrawnNumbers(self.draw(values, shown, **fitted), LivePicture(picture=self.name, choices=chosen), values=values)


def _key(of: "Numbers[..., ..., Any]", given: tuple[tuple[str, Any], ...]) -> Hashable:
    return of.compute, *((name, value.key if isinstance(value, ShownRun) else value) for name, value in given)


@shared_cache(_BYTES, key=_key)
def _shared(of: "Numbers[..., ..., Any]", given: tuple[tuple[str, Any], ...]) -> Any:
    values = of.compute(**dict(given))
    if isinstance(values, np.ndarray):
        values.flags.writeable = False
    return values


def numbers(
    *, name: str | None = None, recorded: Callable[..., Any] | None = None, needs_weights: bool = True
) -> Callable[[Callable[Concatenate[Run, Chosen], Values]], Numbers[Concatenate[Run, Chosen], Chosen, Values]]:
    """Makes a function of a run and of choices one whose results are shared, and that a picture can be drawn of.

    Args:
        name: of the picture, where a function cannot have it: it would hide one of Python or of the core.
        recorded: (the same arguments) → what the model recorded of these numbers; see above.
        needs_weights: whether they depend on what the model has learned.
    """
    return lambda compute: Numbers(compute, name, needs_weights, recorded)


def numbers_of_sizes(
    *, name: str | None = None, recorded: Callable[..., Any] | None = None
) -> Callable[
    [Callable[Concatenate[TransformerConfig, Chosen], Values]], Numbers[Concatenate[TransformerConfig, Chosen], Chosen, Values]
]:
    """Likewise for a function of the model's configuration, `cfg`, and of choices."""
    return lambda compute: Numbers(compute, name, False, recorded)


def numbers_of_choices(
    *, name: str | None = None, recorded: Callable[..., Any] | None = None
) -> Callable[[Callable[Chosen, Values]], Numbers[Chosen, Chosen, Values]]:
    """Likewise for a function of choices alone, whatever model is on screen."""
    return lambda compute: Numbers(compute, name, False, recorded)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


class ExhibitPicture(Picture[Any, Any]):
    """A picture of numbers, as the live socket, exports and programs ask for it."""

    def __init__(self, of: Numbers[..., ..., Any]):
        fields = [_field(name, hint, of.signature.parameters[name]) for name, hint in of.hints.items()]
        choices = make_dataclass(f"Of_{of.compute.__name__}", fields, frozen=True)
        super().__init__(of.name, self._draw, of.needs_weights, choices)
        self.numbers = of

    def _draw(self, shown: ShownModel, choices: Any = None) -> Any:
        fitted = self.numbers.fitted(shown, {} if choices is None else vars(choices))
        return self.numbers.draw(self.numbers.values(shown, fitted), shown, **fitted)


def drawn(
    *of: Numbers[..., ..., Values],
) -> Callable[[Callable[Concatenate[Values, ShownModel, ...], Any]], Callable[Concatenate[Values, ShownModel, ...], Any]]:
    """Registers a function (values, shown, choices by name) → drawing data as the picture of these numbers."""

    def give(
        draw: Callable[Concatenate[Values, ShownModel, ...], Any],
    ) -> Callable[Concatenate[Values, ShownModel, ...], Any]:
        for each in of:
            each.draw = draw
            register(ExhibitPicture(each))
        return draw

    return give


def _field(name: str, hint: Any, parameter: Parameter) -> Any:
    """A field of the choices, checked as `registry.Picture` does: its type, and one mark."""
    tests = [mark for mark in marks_of(hint) if not isinstance(mark, Fit)]
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    typed = Annotated[kind, tests[0]] if tests else kind
    return (name, typed) if parameter.default is Parameter.empty else (name, typed, field(default=parameter.default))
