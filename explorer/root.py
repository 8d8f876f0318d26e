"""The folder of app.py, pages/ and .streamlit/."""

from pathlib import Path

PACKAGE = Path(__file__).parent
_IN_WHEEL = PACKAGE / "site"  # where pyproject.toml puts them: at the top they could be taken for those of another app
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else PACKAGE.parent
CONFIG = ROOT / ".streamlit" / "config.toml"
