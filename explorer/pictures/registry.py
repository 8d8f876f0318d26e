"""Pictures by their names.

A picture is a pure function of the model on screen and of what its page has chosen, a frozen dataclass:

    @dataclass(frozen=True)
    class MaskChoices:
        mask: Literal["source padding", "causal"]
        pad_src: Annotated[int, Ends(0, 8)] = 0

    @picture("mask")
    def mask(shown: ShownModel, choices: MaskChoices) -> Matrices: ...

A page draws what the function returns (`ui.document.picture`). A browser whose knob is being dragged asks for the same function
by its name (`numbers`). Fields are named as the knobs of the page; what a browser sends is checked against their types.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
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

from explorer.components import LivePicture, matrices, plot
from explorer.figures.matrix import Matrices
from explorer.model_on_screen.shown_model import ShownModel

Chosen = ParamSpec("Chosen")
Drawing = TypeVar("Drawing")


@dataclass(frozen=True)
class Ends:
    """The lowest and the highest number that a choice can be: `Annotated[int, Ends(0, 8)]`."""

    low: float
    high: float


@dataclass(frozen=True)
class OneOf:
    """The values that a choice can have, where a Literal cannot list them: `Annotated[int, OneOf(BASES)]`."""

    options: Sequence[Any]


@dataclass(frozen=True)
class Longest:
    """The most items of a tuple: `Annotated[tuple[int, ...], Longest(32)]`."""

    items: int


@dataclass(frozen=True)
class NoChoices:
    """The choices of a picture that shows the model and nothing else."""


@dataclass(frozen=True)
class Drawn(Generic[Drawing]):
    """A drawn picture, and how a browser asks for it again.

    Attributes:
        drawing: a figure, matrices, or the data of another view.
    """

    drawing: Drawing
    live: LivePicture


class Picture(Generic[Chosen, Drawing]):
    """A picture: call it with the model and its choices, if it has any."""

    def __init__(
        self,
        name: str,
        draw: Callable[Concatenate[ShownModel, Chosen], Drawing],
        needs_weights: bool,
        choices: type | None = None,
    ):
        self.name, self.draw, self.needs_weights = name, draw, needs_weights
        self.choices: type = choices or get_type_hints(draw).get("choices", NoChoices)
        hints = get_type_hints(self.choices, include_extras=True)
        self._tests = {each.name: _test(hints[each.name]) for each in fields(self.choices)}
        self._required = {each.name for each in fields(self.choices) if each.default is MISSING}

    def __call__(self, shown: ShownModel, *choices: Chosen.args, **none: Chosen.kwargs) -> Drawn[Drawing]:
        return Drawn(self.draw(shown, *choices, **none), self.live(*choices, **none))

    def live(self, *choices: Chosen.args, **_none: Chosen.kwargs) -> LivePicture:
        """Returns the name and choices by which a browser asks for it while a knob is dragged."""
        chosen: Any = choices[0] if choices else NoChoices()
        return LivePicture(picture=self.name, choices=asdict(chosen))

    def of_json(self, shown: ShownModel, choices: Mapping[str, Any]) -> Drawing:
        """Draws it for choices as a browser sends them. Raises ValueError as `read` does."""
        chosen = self.read(choices)
        draw: Callable[..., Drawing] = self.draw
        return draw(shown) if self.choices is NoChoices else draw(shown, chosen)

    def read(self, choices: Mapping[str, Any]) -> Any:
        """Returns the choices that a browser sends as the picture takes them. Raises ValueError for a field that is missing or
        unknown, or whose value its type does not allow."""
        if not self._required <= choices.keys() <= self._tests.keys():
            raise ValueError(f"picture {self.name} has the choices {', '.join(self._tests)}, not {', '.join(choices):.200}")
        said = {name: _with_tuples(value) for name, value in choices.items()}
        for name, value in said.items():
            if not self._tests[name](value):
                raise ValueError(f"{name} cannot be {value!r:.100}")
        return self.choices(**said)


_PICTURES: dict[str, Picture[..., Any]] = {}


def picture(
    name: str, needs_weights: bool = True
) -> Callable[[Callable[Concatenate[ShownModel, Chosen], Drawing]], Picture[Chosen, Drawing]]:
    """Registers a function as the picture of this name.

    Args:
        needs_weights: False for a picture that is the same before the model has learned.
    """

    def made(draw: Callable[Concatenate[ShownModel, Chosen], Drawing]) -> Picture[Chosen, Drawing]:
        return register(Picture(name, draw, needs_weights))

    return made


def register(made: Picture[Chosen, Drawing]) -> Picture[Chosen, Drawing]:
    assert made.name not in _PICTURES, f"two pictures are named {made.name}"
    _PICTURES[made.name] = made
    return made


def numbers(shown: ShownModel, name: str, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the data that is sent to the view of a picture, for choices as a browser sends them.

    Raises:
        ValueError: for a picture that does not exist, or choices that it cannot have.
    """
    drawing = named(name).of_json(shown, choices)
    if isinstance(drawing, Matrices):
        return matrices.numbers(drawing)
    return plot.numbers(drawing) if "layout" in drawing else drawing


def needs_weights(name: str) -> bool:
    """Returns whether a picture depends on what the model has learned. Raises ValueError for an unknown name."""
    return named(name).needs_weights


def names() -> tuple[str, ...]:
    """Returns the names of all pictures."""
    return tuple(_PICTURES)


def named(name: str) -> Picture[..., Any]:
    """Returns the picture of a name. Raises ValueError for an unknown one."""
    if name not in _PICTURES:
        raise ValueError(f"there is no picture {name!r:.100}")
    return _PICTURES[name]


def _test(hint: Any) -> Callable[[Any], bool]:
    """Makes a function that tells whether a value is of this type."""
    kind, given = get_origin(hint), get_args(hint)
    if kind is Annotated:
        inner, mark = _test(given[0]), given[1]
        if isinstance(mark, Longest):
            return lambda value: inner(value) and len(value) <= mark.items
        if isinstance(mark, OneOf):
            return lambda value: inner(value) and value in mark.options
        return lambda value: inner(value) and mark.low <= value <= mark.high
    if kind is Literal:
        return lambda value: any(type(value) is type(each) and value == each for each in given)
    if kind is tuple and given[-1] is Ellipsis:
        each_fits = _test(given[0])
        return lambda value: type(value) is tuple and all(map(each_fits, value))
    if kind is tuple:
        each_fit = [_test(each) for each in given]
        return lambda value: (
            type(value) is tuple
            and len(value) == len(each_fit)
            and all(fit(each) for fit, each in zip(each_fit, value, strict=True))
        )
    if hint is float:
        return lambda value: type(value) in (int, float)
    if hint in (int, str, bool):
        return lambda value: type(value) is hint
    raise TypeError(f"choices cannot be of type {hint}")


def _with_tuples(value: Any) -> Any:
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
