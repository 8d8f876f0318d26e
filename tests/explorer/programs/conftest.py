"""The process in which programs run: it starts once, as it imports torch and plotly."""

from collections.abc import Callable, Iterator

import pytest

from tests.explorer.programs.programs import Runner


@pytest.fixture(scope="package")
def run() -> Iterator[Callable[..., list[str]]]:
    """run(programs, folder): what each of them says."""
    runner = Runner()
    yield runner.run
    runner.end()
