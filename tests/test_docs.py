"""Pins: the table of what is taught names every point once, parts that exist, and tests marked with it; that of what to open
names files and names in them that exist; the README is short, and its example runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.helpers import PARTS

ROOT = Path(__file__).parents[1]
POINTS = [f"{letter}{n}" for letter, most in zip("ABCDE", (13, 3, 10, 6, 7), strict=True) for n in range(1, most + 1)]
ROWS = re.findall(
    r"^\| ([A-E]\d+) \| (.+) \| (.+) \| `(\w+)` \|$", (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8"), re.M
)


def test_every_point_stands_there_once():
    assert [row[0] for row in ROWS] == POINTS


def marked() -> Iterator[tuple[str, str]]:
    """Every point that a test is marked with, and the test."""
    for path in ROOT.glob("tests/**/test_*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        of_file = [node for node in body if isinstance(node, ast.Assign)]
        for test in body:
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
                marks = " ".join(map(ast.unparse, [*of_file, *test.decorator_list]))
                yield from ((point, test.name) for point in re.findall(r"teaches\(point='(\w+)'\)", marks))


def test_every_test_named_exists_and_carries_its_point():
    assert {(point, test) for point, _taught, _where, test in ROWS} - {*marked()} == set()


def test_every_mark_is_a_point():
    assert {point for point, _test in marked()} == {*POINTS}


def test_every_page_and_part_named_exists():
    address = r"`/(\w+)\?part=(\w+)(?:&details-(\w+)=on)?`"
    named = [found for _point, _taught, where, _test in ROWS for found in re.findall(address, where)]
    assert len(named) > len(POINTS) - 5
    assert [found for found in named if found[1] not in PARTS[found[0]] or found[2] not in ("", found[1])] == []


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    assert all((ROOT / link).exists() for link in re.findall(r"\]\((?!http)([^)#]+)\)", text))


def test_the_example_in_the_readme_gives_the_shape_beside_it():
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    names: dict[str, object] = {}
    exec(code, names)
    shown, remark = code.splitlines()[-1].split("  # ")
    axes, shape = remark.split(" = ")
    assert tuple(eval(shown, names)) == eval(shape) and len(axes.split(",")) == len(eval(shape))


def test_every_path_that_the_documents_name_is_there():
    named = r"`((?:explorer|transformer_core|everyday|benchmarks|tests|tools|pages|deploy|docs)/[\w./]*)`"
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")):
        found = re.findall(named, document.read_text(encoding="utf-8"))
        assert not [path for path in found if not (ROOT / path).exists()], document


CHANGES = re.findall(
    r"^\| ([^|`]+.*?) \| (.+) \|$",
    (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## To change …, open …")[1],
    re.MULTILINE,
)


def text_of(path: Path) -> str:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.suffix in (".py", ".js", ".css", ".toml")]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


@pytest.mark.parametrize(("change", "to_open"), CHANGES, ids=[change for change, _open in CHANGES])
def test_what_the_table_says_to_open_is_there(change, to_open):
    """A file without its folder lies beside the one before; another word in code's typeface stands in a file of its row."""
    paths: list[Path] = []
    names: list[str] = []
    for said in re.findall(r"`([^`]+)`", to_open):
        word = said.split("<")[0]
        if "/" in said or re.search(r"\.(py|js|css|toml|txt)$", said):
            beside = [folder / word for path in reversed(paths) for folder in (path, path.parent)]
            paths.append(next((path for path in (ROOT / word, *beside) if path.exists()), ROOT / word))
        elif not said.startswith(("python -m ", "EXPLORER_")):
            names += word.strip(".").split(".")
    assert paths and not [path for path in paths if not path.exists()]
    texts = "\n".join(map(text_of, paths))
    assert not [name for name in names if not re.search(rf"\b{re.escape(name)}\b", texts)]


def test_the_table_of_what_to_open_is_read():
    assert len(CHANGES) >= 30
