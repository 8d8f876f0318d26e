"""Pins: a number in a byte is off by a two-hundred-and-fiftieth of the largest in its block, and zeros stay zeros."""

import pytest
import torch

from tests.transformer_core.helpers import generator
from transformer_core.training.packing import BLOCK, packed, unpacked


@pytest.mark.parametrize("length", [1, 63, 64, 65, 1000])
@pytest.mark.parametrize("size", [1e-3, 1.0, 300.0])
def test_how_far_off_a_number_may_be(length, size):
    vector = size * torch.randn(length, generator=generator(length))
    vector[::7] *= 1e-3
    tensors = packed("v", vector)
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in tensors.items()} == {
        "v.bytes": (torch.int8, (length,)),
        "v.most": (torch.float16, (-(-length // BLOCK),)),
    }
    found = unpacked("v", tensors)
    assert found.dtype == torch.float16 and found.shape == (length,)
    for begin in range(0, length, BLOCK):
        block, back = vector[begin : begin + BLOCK], found[begin : begin + BLOCK].float()
        most = float(block.abs().max())
        # Half a step; the largest number and the result are rounded to float16.
        assert float((block - back).abs().max()) <= most * (1 / 254 + 2 / 2048) + 2**-24, (
            "2^-24 is the smallest that float16 knows"
        )


def test_zeros_and_numbers_of_float16_at_its_limit():
    assert torch.equal(unpacked("v", packed("v", torch.zeros(100))), torch.zeros(100, dtype=torch.float16))
    most = torch.finfo(torch.float16).max
    found = unpacked("v", packed("v", torch.tensor([most, -most, 0.0])))
    assert found.isfinite().all() and found[2] == 0 and found[0] == -found[1] == most


def test_equal_vectors_give_equal_bytes_and_packing_twice_changes_nothing_more():
    vector = torch.randn(200, generator=generator(0))
    once = packed("v", vector)
    again = packed("v", unpacked("v", once))
    assert torch.equal(once["v.bytes"], packed("v", vector.clone())["v.bytes"])
    assert int((again["v.bytes"].int() - once["v.bytes"].int()).abs().max()) <= 1
