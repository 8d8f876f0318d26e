"""Pins that what the app needs is the same by requirements.txt, as an installed package, and by `uv run app.py`."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def of_requirements() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [stripped for line in lines if (stripped := line.partition("#")[0].strip())]


def of_package() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def of_script() -> dict[str, object]:
    """The metadata that app.py carries in its first comment (PEP 723)."""
    (block,) = re.findall(r"^# /// script\n((?:#.*\n)+?)# ///$", (ROOT / "app.py").read_text(encoding="utf-8"), re.MULTILINE)
    return tomllib.loads(re.sub(r"^# ?", "", block, flags=re.MULTILINE))


def test_the_three_lists_of_requirements_agree():
    assert of_package()["dependencies"] == of_requirements() == of_script()["dependencies"]


def test_they_want_the_same_python():
    assert of_package()["requires-python"] == of_script()["requires-python"] == ">=3.11"
    assert "Python 3.11 or newer" in (ROOT / "README.md").read_text(encoding="utf-8")
