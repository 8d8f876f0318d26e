"""Every tensor of a forward pass, by name.

Each function of the model hands its intermediate results to `stage` and goes on with what that returns: the same tensor, unless
the stage is edited. So switching a head off uses the same mechanism as looking at it. What records and edits belongs to the
thread that runs the pass: nothing is kept on the model, and threads that share it do not mix.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from transformer_core.model.stages import stage_axes

Edit = Callable[[Tensor], Tensor]  # its result replaces the tensor; it must not change its argument in place
Observer = Callable[[str, Tensor], Tensor]  # given a stage's full name and tensor; the pass goes on with what it returns

_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
_path: ContextVar[str] = ContextVar("path", default="")


def stage(name: str, x: Tensor) -> Tensor:
    """Hands a tensor to what observes this pass, if anything does; `name` is the last word of the stage's name.

    Returns what the pass continues with: the same tensor, unless an edit has replaced it.
    """
    if (observer := _observer.get()) is None:
        return x
    path = _path.get()
    return observer(f"{path}.{name}" if path else name, x)


def is_observed() -> bool:
    """Returns whether stages are recorded or edited in this pass: each of them has to be computed then."""
    return _observer.get() is not None


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Inside it, each stage goes through `observer`. Set it around one forward pass, never around a `yield`."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def edited(edits: Mapping[str, Edit]) -> AbstractContextManager[None]:
    """Inside it, the stages of these names are changed, and then observed as they would be without it."""
    outer = _observer.get()

    def edit(name: str, x: Tensor) -> Tensor:
        if name in edits:
            x = edits[name](x)
        return x if outer is None else outer(name, x)

    return observed(edit)


class Scope(nn.Module):
    """A module of one output whose stages are named by its place in the model, its `path`; alone it has none."""

    path = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        output: Tensor
        if _observer.get() is None:
            output = super().__call__(*args, **kwargs)
            return output
        token = _path.set(self.path)
        try:
            output = super().__call__(*args, **kwargs)
            return output
        finally:
            _path.reset(token)


@dataclass(frozen=True)
class Stage:
    """One named tensor: `decoder.0.cross_attn.weights`, axes `batch head query key`. `value` is None where it is not kept."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    value: Tensor | None


class Trace:
    """Records every stage of the forward pass inside it, in order, in `stages`::

        with Trace() as trace:
            model(src, tgt)

    Args:
        shapes_only: keep no values. With a model on the "meta" device, the whole pass then takes no memory.
        only: the last words of the names whose values are kept, as in "weights"; None for all. On many rows at once, all stages
            may take a hundred times the memory of one.

    Raises:
        ValueError: when a name occurs twice, or a tensor has not as many axes as the stage.
    """

    def __init__(self, shapes_only: bool = False, only: Collection[str] | None = None):
        self._kept = () if shapes_only else only
        self._token: Token[Observer | None] | None = None
        self.stages: dict[str, Stage] = {}

    def __enter__(self) -> "Trace":
        self._token = _observer.set(self._record)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._token is not None
        _observer.reset(self._token)

    def _record(self, name: str, x: Tensor) -> Tensor:
        axes = stage_axes(name)
        if name in self.stages:
            raise ValueError(f"stage {name!r} was recorded twice: use a new Trace for each forward pass")
        if x.ndim != len(axes):
            raise ValueError(f"{name}: axes {' '.join(axes)!r} do not fit the shape {tuple(x.shape)}")
        is_kept = self._kept is None or name.rpartition(".")[2] in self._kept
        self.stages[name] = Stage(name, axes, tuple(x.shape), x.detach() if is_kept else None)
        return x

    def __getitem__(self, name: str) -> Tensor:
        value = self.stages[name].value
        if value is None:
            raise ValueError(f"{name} has no value: this trace keeps {', '.join(self._kept or ()) or 'shapes'} only")
        return value
