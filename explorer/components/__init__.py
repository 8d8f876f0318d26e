"""The app's own views, which run in the browser as Streamlit components with inline code.

Each has a folder: component.py, which Python calls; view.js, a module whose exports Streamlit calls, with its imports;
view.css, or several, and view.html.
"""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypedDict

import streamlit as st

from explorer.figures.style import LINES

HERE = Path(__file__).parent
_views: dict[str, dict[str, str]] = {}  # the parts of each view, as `view_parts` returns them
_COLOURS = ("blue", "orange", "green", "pink", "sky", "red", "yellow", "grey")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const)\b)", re.MULTILINE)


class LivePicture(TypedDict):
    """A picture that follows a dragged knob: its name (see `pictures.registry`), and its page's choices for it."""

    picture: str
    choices: dict[str, Any]


def register(folder: str, name: str | None = None, html: str = "view.html", looks_like: str = "") -> Callable[..., Any]:
    """Registers the view in a folder as a Streamlit component. `name` defaults to that of the folder; `looks_like`: another
    folder, whose styles come before its own.

    Its data travels in a list of one element: in a dict, Streamlit searches every value for a data frame, which takes long.
    """
    here, name = HERE / folder, name or folder
    folders = [HERE / "shared", *([HERE / looks_like] if looks_like else []), here]
    css = _theme() + "".join(_text(sheet) for each in folders for sheet in sorted(each.glob("*.css")))
    parts = {"html": _text(here / html), "css": css, "js": joined(here / "view.js")}
    _views[name] = parts
    component = st.components.v2.component(
        f"explorer_{name}", **(parts | {"js": _taking_a_list(name, parts["js"])}), isolate_styles=False
    )

    @wraps(component)
    def mounted(*, data: dict[str, Any], **given: Any) -> Any:
        return component(data=[data], **given)

    return mounted


def view_parts(name: str) -> dict[str, str]:
    """Returns the HTML, CSS and JavaScript of a view by its name. Raises KeyError for an unknown one."""
    return _views[name]


def route_of(path: str) -> str:
    """Returns the server's route for a path that a page fetches: below `server.baseUrlPath`, if any.

    The browser gets the path alone, relative to the page: all pages are siblings, and only the browser knows a proxy's prefix.
    """
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"/{base}/{path}" if base else f"/{path}"


def joined(entry: Path) -> str:
    """Joins a module and all its imports into one text: Streamlit accepts only one.

    The modules then share one scope, so no two modules of a view may define the same name; the browser, and a test, refuse
    that.

    Raises:
        ValueError: for an import or export in a form that cannot be joined: only `import { a, b } from "./c.js";` can be.
    """
    whole = joined_script(entry)
    left = re.findall(r"^(?:import|export)\b.*", whole, re.MULTILINE)
    if len(left) != 1 or not left[0].startswith("export default "):
        raise ValueError(f"{entry} should be left with its one default export, not with {left}")
    return whole


def joined_script(*entries: Path) -> str:
    """Joins scripts and all that they import into one text."""
    texts: dict[Path, str] = {}
    for entry in entries:
        _collect(entry.resolve(), texts)
    return "\n".join(texts.values())


def _taking_a_list(name: str, module: str) -> str:
    """Wraps a view for Streamlit, which calls it with its data in a list of one element.

    The view's box keeps its name and data, for those who take it home as a page of its own.
    """
    view = module.replace("\nexport default ", "\nconst givenItsData = ", 1)
    return f"""{view}
export default (component) => {{
  const data = component.data[0];
  component.parentElement.explorerView = {{ name: "{name}", data }};
  return givenItsData({{ ...component, data }});
}};
"""


def _collect(path: Path, texts: dict[Path, str]) -> None:
    """Adds the text of a module after the texts of its imports."""
    text = _text(path)
    for names, origin in _IMPORT.findall(text):
        if " as " in names:
            raise ValueError(f"{path} imports a name by another one: {names.strip()}")
        imported = (path.parent / origin).resolve()
        if imported not in texts:
            _collect(imported, texts)
    texts[path] = _EXPORT.sub("", _IMPORT.sub("", text))


def _theme() -> str:
    """Returns the theme's colours for data as CSS variables: --theme-blue, --theme-orange ..."""
    colours = " ".join(f"--theme-{name}: {colour};" for name, colour in zip(_COLOURS, LINES, strict=True))
    return f":root, :host {{ {colours} }}\n"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
