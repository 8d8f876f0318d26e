"""Every figure that these tests build goes through Plotly's own check of its properties."""

import pytest

from explorer.figures import style


@pytest.fixture(autouse=True)
def _validated(monkeypatch):
    monkeypatch.setattr(style, "VALIDATE", True)
