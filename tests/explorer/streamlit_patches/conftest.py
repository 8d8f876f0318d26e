"""Streamlit with and without the patches."""

from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from explorer.streamlit_patches.all_patches import patch_streamlit
from explorer.streamlit_patches.patch import Patch


@pytest.fixture(autouse=True)
def with_all_mends() -> None:
    patch_streamlit()


@pytest.fixture
def without() -> Iterator[Callable[[ModuleType], None]]:
    """without(mend): takes a mend out until the end of the test."""
    removed: list[Patch] = []

    def remove(mend: ModuleType) -> None:
        for each in mend.FUNCTIONS:
            if isinstance(each, Patch):
                each.remove()
                removed.append(each)

    yield remove
    for each in removed:
        each.install()
