from tests.explorer.training.conftest import one_thread  # noqa: F401
