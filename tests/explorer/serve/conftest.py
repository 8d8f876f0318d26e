"""The real nginx, where it is installed: tests that need it carry the marker `nginx`."""

import pytest

from explorer.serve import configuration


@pytest.fixture(scope="session")
def nginx() -> str:
    """The program."""
    found = configuration.nginx()
    if found is None:
        pytest.skip("no nginx: install Debian's package nginx")
    return found
