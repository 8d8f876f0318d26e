"""A stand-in for CUDA graphs where there is no CUDA: operations are written down as torch runs them, and run again later.

Like a graph it repeats operations on the same tensors, and no Python: a number that should change from call to call, or a
tensor that was replaced, gives what it gave when it was recorded. And recording changes nothing.
"""

from contextlib import contextmanager, nullcontext

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from transformer_core import Trainer


def tensors(*values):
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


class Tape(TorchDispatchMode):
    """Writes down what is run, and what it overwrites as it was before."""

    def __init__(self):
        super().__init__()
        self.operations, self.before = [], []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = dict(zip((argument.name for argument in func._schema.arguments), args, strict=False)) | kwargs
        written = [given[a.name] for a in func._schema.arguments if a.alias_info and a.alias_info.is_write and a.name in given]
        self.before += [(tensor, tensor.clone()) for tensor in tensors(written)]
        if isinstance(given.get("generator"), torch.Generator):
            self.before.append((given["generator"], given["generator"].get_state()))
        result = func(*args, **kwargs)
        self.operations.append((func, args, kwargs, tensors(result)))
        return result

    def undo(self):
        for what, value in reversed(self.before):
            what.set_state(value) if isinstance(what, torch.Generator) else what.copy_(value)
        self.before.clear()


class Graph:
    def __init__(self):
        self.tape, self.generators = Tape(), []

    def register_generator_state(self, generator):
        self.generators.append(generator)

    @torch.no_grad()
    def replay(self):
        for func, args, kwargs, places in self.tape.operations:
            for place, value in zip(places, tensors(func(*args, **kwargs)), strict=True):
                if place.data_ptr() != value.data_ptr():  # else it is a view, or was changed in place
                    place.copy_(value)


class Stream:
    def __init__(self, device=None):
        pass

    def wait_stream(self, other):
        pass


@contextmanager
def recording(graph, stream, capture_error_mode):
    with graph.tape:
        yield
    with torch.no_grad():
        graph.tape.undo()


def stand_in(monkeypatch):
    """Lets every Trainer on the CPU record its steps."""
    for name, instead in (("CUDAGraph", Graph), ("graph", recording), ("Stream", Stream), ("current_stream", Stream)):
        monkeypatch.setattr(torch.cuda, name, instead)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nullcontext())
    monkeypatch.setattr(torch.Tensor, "pin_memory", torch.Tensor.clone)
    monkeypatch.setattr(Trainer, "_can_record", lambda trainer: True)
