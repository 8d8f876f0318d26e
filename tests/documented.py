"""The commands that the documents name: every line of a block of shell, and code in a sentence that begins with a program.

What the Dockerfile itself runs is not among them: the gate runs that in its place (`.ci/places.py`).
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DEPLOY = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "deploy").iterdir())
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")),
    "transformer_core/shipped/README.md",
    "explorer/components/plot/plotly_js/README.md",
    *DEPLOY,
]
PROGRAMS = (
    "python python3 py pip pipx uv uvx pytest streamlit transformer-explorer node npm npx bash docker ray nginx "
    "sudo openssl kill git curl ruff mypy"
).split()
CORE = "train shapes params translate evaluate prepare sweep draw parity".split()  # which sentences name without the rest

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")
_COMMENT = re.compile(r"#[^`\n]*: (.+)$", re.MULTILINE)  # of a file in deploy/: what follows the colon may be a command
_FOLDERS = re.compile(r"\.venv(?:/bin/|\\Scripts\\)")
_OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w.-]*")
_VARIABLE = re.compile(r"\w+=")


@dataclass(frozen=True)
class Command:
    """Its words, variables before it included, without the folder of its program; and the comment beside it."""

    document: str
    words: tuple[str, ...]
    remark: str = ""

    def __str__(self) -> str:
        return shlex.join(self.words)

    @property
    def program(self) -> str:
        return _without_variables(self.words)[0]

    @property
    def options(self) -> set[str]:
        """All that are shown for it, also in the comment; of `python -m module` those of the module."""
        words = _without_variables(self.words)
        if words[:2] == ["python", "-m"]:
            words = words[2:]
        return {word.partition("=")[0] for word in words if _OPTION.match(word)} | set(options_in(self.remark))


def options_in(text: str) -> list[str]:
    return _OPTION.findall(text)


def commands(document: str, text: str) -> list[Command]:
    """In their order, blocks first."""
    blocks = _BLOCK.findall(text)
    rest = _BLOCK.sub("", text)
    sure = [block for kind, block in blocks if kind == "sh"]
    lines = [line for kind, block in blocks if kind == "" for line in block.splitlines()]
    inline = [code.replace("\n", " ") for part in (rest, "\n".join(lines)) for code in _CODE.findall(part)]
    told = _COMMENT.findall(text) if document in DEPLOY else []
    found = [Command(document, words, remark) for block in sure for words, remark in _simple(block)]
    for code in (*lines, *inline, *told):
        if code.split(" ")[0] in CORE and (code in CORE or " --" in code):
            code = f"python -m transformer_core {code}"
        if _of_a_program(code):
            found += [Command(document, words, remark) for words, remark in _simple(code)]
    return found


def lone_options(text: str) -> set[str]:
    """Options that a sentence shows without their command."""
    return {option for code in _CODE.findall(_BLOCK.sub("", text)) if code.startswith("--") for option in options_in(code)}


def _of_a_program(code: str) -> bool:
    return any(word in PROGRAMS for word in _without_variables(_FOLDERS.sub("", code).split())[:1])


def _without_variables(words: Sequence[str]) -> list[str]:
    """What follows the variables before a command."""
    return [*dropwhile(_VARIABLE.match, words)]


def _simple(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The simple commands of some lines of shell, each with the line's comment. Of its grammar no more is known than is used:
    variables that are set in a line of their own, `$(…)`, `for … do … done`."""
    text = _FOLDERS.sub("", text)
    known = dict(re.findall(r'^(\w+)="([^"$]*)"$', text, re.MULTILINE))
    text = re.sub(r"\$(\w+)", lambda found: known.get(found[1], found[0]), text)
    within = re.findall(r"\$\((.*?)\)", text)
    for line in [*re.sub(r"\$\(.*?\)", "_", text).splitlines(), *within]:
        line, _, remark = line.partition(" #")
        lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;<>")
        lexer.whitespace_split, lexer.commenters = True, ""
        words: list[str] = []
        for word in [*lexer, ";"]:
            if word.strip("&|;"):
                words.append(word)
                continue
            if simple := _without_keywords(words):
                yield tuple("python" if each == "python3" else each for each in simple), remark
            words = []


def _without_keywords(words: list[str]) -> list[str]:
    words = words[words[:1] == ["do"] :]
    only_sets = not _without_variables(words)
    return [] if only_sets or words[0] in ("for", "done", "export") else words


def reduced(words: tuple[str, ...], sizes: str, more: str) -> tuple[str, ...]:
    """A command with other values for options that it names (`sizes`), and with options that it has in any case (`more`)."""
    own, *options = _groups(list(words))
    instead = {group[0]: group for group in _groups(shlex.split(sizes))[1:]}
    added = _groups(shlex.split(more))[1:]
    names = {group[0] for group in added}
    kept = [instead.get(group[0], group) for group in options if group[0] not in names]
    return tuple(word for group in (own, *kept, *added) for word in group)


def _groups(words: list[str]) -> list[list[str]]:
    """What stands before the options, and each option with its values; where input comes from, and output goes, likewise."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word.startswith("--") or word in ("<", ">"):
            groups.append([])
        groups[-1].append(word)
    return groups


TEXTS = {document: (ROOT / document).read_text(encoding="utf-8") for document in DOCUMENTS}
ALL = [command for document, text in TEXTS.items() for command in commands(document, text)]
