"""Views of ours that run in the browser, as Streamlit components with inline code."""

from pathlib import Path

from explorer.figures.style import LINES

_COLOURS = ("blue", "orange", "green", "pink", "sky", "red", "yellow", "grey")
_HERE = Path(__file__).parent


def text_of(name: str) -> str:
    """A file of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def script(*names: str) -> str:
    """A view's code, behind what the views have in common."""
    return "\n".join(map(text_of, ("common.js", *names)))


def stylesheet(name: str) -> str:
    """A view's rules, behind the theme's colours for data: --theme-blue, --theme-orange ..."""
    colours = " ".join(f"--theme-{name}: {colour};" for name, colour in zip(_COLOURS, LINES, strict=True))
    return f":root, :host {{ {colours} }}\n{text_of(name)}"
