"""What a page says in the pseudo-locale, read off the screen: texts that bear no marks, and texts that are cut off."""

import re
from functools import cache

from explorer.i18n.languages import LANGUAGES
from explorer.i18n.pseudo import CLOSING, OPENING
from explorer.model_on_screen.settings import NAMES, choices
from tests.browser.window import Window
from transformer_core import TASKS

# Where words stand that are not ours to translate, by selector...
_NOT_OURS = {
    "code, pre, [data-testid=stCode]": "code",
    ".katex": "formulas",
    "[data-testid=stIconMaterial], [data-testid=stExpanderIcon], [data-testid=stAlertDynamicIcon]": "icons, by their names",
    "span[role=img]": "icons within a text",
    "script, style, noscript, template": "nothing to be seen",
    ".shape-map :is(.name, .ruler, dt)": "stages and axes, by their names in the code",
    "[class*=st-key-asked-]": "questions of the bank, which is a file for each language",
    "[data-testid=stSidebarNavViewButton]": "Streamlit's own “View more”",
    "[data-testid=stFileUploaderDropzone]": "Streamlit's own words about a file",
}

# ...and by what they say: what has one name in every language.
_OPTIONS = {option for name in NAMES for option in choices(name) or () if isinstance(option, str)}
_TERMS = (
    "d_model", "d_k", "√d_k", "d_ff", "dropout", "Q", "K", "V", "ε", "b", "−b", "Language · 语言", *LANGUAGES,
    *LANGUAGES.values(),
)  # fmt: skip
_NUMBER = re.compile(r"[\d,.]+ ?([kMG]?B|[kMG]|e[-+−]\d+)")  # 452 kB, 10k, 6.1e-08


def _is_term(text: str) -> bool:
    """Whether a text is a setting's option, a number, or made of tokens and terms: `3 rouge → voit`, `÷ √d_k`, `✓ <end>`."""
    words = [word for word in text.split() if re.search(r"[^\W\d]", word)]
    return text in _OPTIONS or _NUMBER.fullmatch(text) is not None or all(map(_is_token, words))


def _is_token(word: str) -> bool:
    """Also as one writes it: `aimes-tu` and `j'ai` are two tokens each."""
    return word in _TERMS or word in _tokens() or all(piece in _tokens() for piece in re.split(r"(?<=')|(?=-)", word))


@cache
def _tokens() -> frozenset[str]:
    """Those of all tasks."""
    return frozenset(token for make in TASKS.values() for token in make().vocabulary.tokens)


_UNMARKED = """([opening, closing, notOurs]) => {
  const found = [], depth = new Map();
  const blockOf = (node) => {
    let box = node.parentElement;
    while (box.parentElement && /^(inline|contents)/.test(getComputedStyle(box).display) && !box.matches("text, button, th")) {
      box = box.parentElement;
    }
    return box;
  };
  const roots = document.querySelectorAll("[data-testid=stMain], [data-testid=stSidebar], [data-testid=stHeader]");
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const parent = node.parentElement;
      if (!node.data.trim() || parent.closest(notOurs)) continue;
      if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !parent.closest("th")) continue;
      const block = blockOf(node);
      let inside = depth.get(block) ?? 0, left = "";
      for (const sign of node.data) {
        if (sign === opening) inside += 1;
        else if (sign === closing) inside -= 1;
        else if (!inside) left += sign;
      }
      depth.set(block, inside);
      if (/\\p{L}/u.test(left)) {
        const where = block.closest("[class*=st-key-]")?.className.match(/st-key-(\\S+)/)?.[1];
        found.push([left.trim(), `${block.tagName.toLowerCase()}.${block.getAttribute("class") ?? ""} in ${where}`]);
      }
    }
  }
  return found;
}"""

# Labels, buttons and links whose words do not fit, and are cut off or hidden.
_CUT = """() => [...document.querySelectorAll(`label, button, a, summary, h1, h2, h3, p,
    [data-testid=stSidebar] input[role=combobox], [data-testid=stMetricValue], [data-testid=stMarkdownContainer]`)]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }) && node.clientWidth > 1
    && !node.closest("[data-collapsed=true]")
    && /hidden|clip/.test(getComputedStyle(node).overflowX) && node.scrollWidth > node.clientWidth + 1)
  .map((node) => (node.innerText || node.value).slice(0, 80))"""


def unmarked(window: Window) -> list[str]:
    """The visible texts that never went through the catalogue."""
    found = window.ask(_UNMARKED, [OPENING, CLOSING, ", ".join(_NOT_OURS)])
    return [f"{text!r} ({where})" for text, where in found if not _is_term(text)]


def cut_off(window: Window) -> list[str]:
    return window.ask(_CUT)
