"""CUDA graphs: work on a CUDA device that is recorded once and launched as a whole from then on.

A step of a small model is hundreds of kernels of a few microseconds each: the host takes longer to launch them one by one than
the device takes to run them. A CUDA graph launches them all at once. It repeats the same kernels at the same addresses, so
whatever is read or written between two launches has to stay where it was.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

# With more ids than this, the backward pass of torch's embedding sorts them, which was seen to wait for the host.
MOST_IDS = 3072
_WARM_UP = 3  # calls before recording: in the first ones, libraries allocate memory and choose their kernels
_RECORDING = threading.Lock()  # torch records one graph at a time in a process


@dataclass(frozen=True, eq=False)
class _Recording:
    graph: torch.cuda.CUDAGraph
    inputs: list[Tensor]
    output: Any


class Recorder:
    """Calls functions as CUDA graphs: each is recorded when it is first called with inputs of these shapes.

    A function must do the same on the device whatever values its inputs hold, and read nothing back: once it is recorded, its
    Python no longer runs. Inputs are numbers or tensors on the CPU; the function gets them on the device. Its result is in the
    same place after every call, and is overwritten by the next.

    Args:
        changed: the tensors on the device that the functions change in place. A recording leaves them as they were.
        generator: the one that the functions draw from. Its state ends up as it would have without recording.
    """

    def __init__(self, changed: Sequence[Tensor], generator: torch.Generator):
        self._changed, self._generator = changed, generator
        self._stream = torch.cuda.Stream(generator.device)
        self._recordings: dict[tuple[Any, ...], _Recording] = {}

    def __call__(self, work: Callable[..., Any], *inputs: Tensor | float) -> Any:
        values = [torch.as_tensor(value).pin_memory() for value in inputs]  # copied without waiting
        key = work.__name__, *(value.shape for value in values)
        if key not in self._recordings:
            with _RECORDING:
                self._recordings[key] = self._record(work, [value.to(self._generator.device) for value in values])
        recording = self._recordings[key]
        for place, value in zip(recording.inputs, values, strict=True):
            place.copy_(value, non_blocking=True)
        recording.graph.replay()
        return recording.output

    def _record(self, work: Callable[..., Any], inputs: list[Tensor]) -> _Recording:
        self._warm_up(work, inputs)
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self._generator)
        # Other runs of this process continue meanwhile: what their threads do is not recorded, and does no harm.
        with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
            output = work(*inputs)
        return _Recording(graph, inputs, output)

    def _warm_up(self, work: Callable[..., Any], inputs: list[Tensor]) -> None:
        """Calls `work` on the recording's stream, and restores everything."""
        here = torch.cuda.current_stream(self._generator.device)
        kept, drawn = [tensor.clone() for tensor in self._changed], self._generator.get_state()
        self._stream.wait_stream(here)
        try:
            with torch.cuda.stream(self._stream):
                for _ in range(_WARM_UP):
                    work(*inputs)
        finally:
            here.wait_stream(self._stream)
            self._generator.set_state(drawn)
            for tensor, before in zip(self._changed, kept, strict=True):
                tensor.copy_(before)


def directly(work: Callable[..., Any], *inputs: Tensor | float) -> Any:
    """Calls a function as a Recorder would, but without recording: for other devices, and for work that varies."""
    return work(*inputs)
