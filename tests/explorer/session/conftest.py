"""Apps without a browser, as the tests of pages have them."""

from tests.pages.conftest import a_server_of_its_own, compiled_once  # noqa: F401
