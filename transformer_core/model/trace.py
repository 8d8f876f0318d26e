"""Every tensor of a forward pass, by name.

Each function of the model passes its intermediate results through a `trace` and continues with what the trace returns. Without
a trace (`NO_TRACE`) that is the same tensor; a `Trace` records it; with `Edited` it is another tensor, so that switching a
head off uses the same mechanism as looking at it. One Trace serves one forward pass: nothing is kept on the model.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

AXES = frozenset("batch head query key src tgt d_model d_k d_v d_ff vocab".split())


@dataclass(frozen=True)
class Stage:
    """One named tensor: `decoder.0.cross_attn.weights`, axes `batch head query key`. `value` is None where it is not kept."""

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    value: Tensor | None


class Tracer(Protocol):
    """What the model's functions pass their tensors through: they continue with what it returns."""

    @property
    def active(self) -> bool:
        """Whether stages are recorded or edited, so that each has to be computed."""
        ...

    def at(self, scope: str) -> "Tracer":
        """The same tracer, with `scope.` before every name."""
        ...

    def __call__(self, name: str, x: Tensor, axes: str) -> Tensor: ...

    def close(self) -> None:
        """Called when the forward pass is over."""
        ...


class NoTrace:
    """Returns what it is given and keeps nothing; with it, the model may use its faster, fused kernel."""

    active = False

    def at(self, scope: str) -> "NoTrace":
        return self

    def __call__(self, name: str, x: Tensor, axes: str) -> Tensor:
        return x

    def close(self) -> None:
        pass


NO_TRACE = NoTrace()


class Trace:
    """Records every stage of one forward pass, in order, in `stages`.

    Args:
        shapes_only: keep no values. With a model on the "meta" device, the whole pass then takes no memory.
        only: the last words of the names whose values are kept, as in "weights"; None for all. On many rows at once, all stages
            may take a hundred times the memory of one.

    Raises:
        ValueError: when a name occurs twice, an axis is unknown, or the axes do not fit the tensor's rank.
    """

    active = True

    def __init__(self, shapes_only: bool = False, only: Collection[str] | None = None):
        self._kept = () if shapes_only else only
        self.stages: dict[str, Stage] = {}
        self._prefix = ""

    def at(self, scope: str) -> "Trace":
        """The same trace, with `scope.` before every name."""
        inner = object.__new__(Trace)
        inner._kept, inner.stages = self._kept, self.stages
        inner._prefix = f"{self._prefix}{scope}."
        return inner

    def __call__(self, name: str, x: Tensor, axes: str) -> Tensor:
        name, words = self._prefix + name, tuple(axes.split())
        if name in self.stages:
            raise ValueError(f"stage {name!r} was recorded twice: use a new Trace for each forward pass")
        if unknown := set(words) - AXES:
            raise ValueError(f"{name}: unknown axis {min(unknown)!r}")
        if x.ndim != len(words):
            raise ValueError(f"{name}: axes {axes!r} do not fit the shape {tuple(x.shape)}")
        is_kept = self._kept is None or name.rpartition(".")[2] in self._kept
        self.stages[name] = Stage(name, words, tuple(x.shape), x.detach() if is_kept else None)
        return x

    def close(self) -> None:
        pass

    def __getitem__(self, name: str) -> Tensor:
        value = self.stages[name].value
        if value is None:
            raise ValueError(f"{name} has no value: this trace keeps {', '.join(self._kept or ()) or 'shapes'} only")
        return value


class Edited:
    """Another tracer, which is given changed stages; all of them are computed.

    Args:
        tracer: what records them, if anything does.
        edits: stage name -> function of the tensor; its result replaces the tensor. It must not change its argument in place.
    """

    active = True

    def __init__(self, tracer: Tracer, edits: Mapping[str, Callable[[Tensor], Tensor]]):
        self._tracer, self._edits, self._prefix = tracer, edits, ""
        self._missed = set(edits)

    def at(self, scope: str) -> "Edited":
        """The same, with `scope.` before every name."""
        inner = object.__new__(Edited)
        inner._tracer, inner._edits, inner._missed = self._tracer.at(scope), self._edits, self._missed
        inner._prefix = f"{self._prefix}{scope}."
        return inner

    def __call__(self, name: str, x: Tensor, axes: str) -> Tensor:
        full = self._prefix + name
        if full in self._edits:
            self._missed.discard(full)
            x = self._edits[full](x)
        return self._tracer(name, x, axes)

    def close(self) -> None:
        """Raises ValueError for an edit of a stage that does not exist: a misspelt name must not pass unnoticed."""
        if self._missed:
            raise ValueError(f"there is no stage {min(self._missed)!r} to edit in this model")
        self._tracer.close()
