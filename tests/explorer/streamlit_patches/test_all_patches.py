"""Pins that the patches fit the Streamlit that requirements.txt names, and that they give way to any other."""

import pkgutil

import pytest

from explorer.streamlit_patches import options
from explorer.streamlit_patches.all_patches import PATCHES
from explorer.streamlit_patches.patch import Function, Patch, patch

FUNCTIONS = [each for module in PATCHES for each in module.FUNCTIONS]
OTHERS = [each for each in vars(options).values() if isinstance(each, Function)]


def in_place(function: Function) -> object:
    return getattr(pkgutil.resolve_name(function.owner), function.name)


@pytest.mark.parametrize("function", [*FUNCTIONS, *OTHERS], ids=lambda each: each.name)
def test_streamlit_has_what_the_patches_are_written_for(function):
    assert function.is_as_expected


@pytest.mark.parametrize("module", PATCHES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_patch_is_installed_and_may_be_again(module, caplog):
    patches = [each for each in module.FUNCTIONS if isinstance(each, Patch)]
    assert patches and patch(*module.FUNCTIONS)
    assert all(hasattr(in_place(each), "streamlits_own") for each in patches)
    assert not any(hasattr(each.original, "streamlits_own") for each in patches)
    assert not caplog.records


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("is_there", [True, False])
def test_where_streamlit_differs_it_stays_as_it_is_and_the_log_says_so_in_a_line(function, is_there, without, caplog):
    (module,) = (module for module in PATCHES if function in module.FUNCTIONS)
    without(module)
    owner = pkgutil.resolve_name(function.owner)
    with pytest.MonkeyPatch.context() as other:
        if is_there:
            other.setattr(owner, function.name, lambda other_parameter: None)
        else:
            for each in getattr(owner, "__mro__", [owner]):
                other.delattr(each, function.name, raising=False)
        assert not patch(*module.FUNCTIONS)
        patches = [each for each in module.FUNCTIONS if isinstance(each, Patch) and each is not function]
        assert not any(hasattr(in_place(each), "streamlits_own") for each in patches)
    (line,) = (record.getMessage() for record in caplog.records)
    assert f"{function.owner}.{function.name}({function.signature})" in line and "\n" not in line
