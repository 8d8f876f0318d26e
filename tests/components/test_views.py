"""Pins that every view is one module when it reaches the browser, and that it is what its files say."""

import json
import re
from pathlib import Path

import pytest

from explorer.components import HERE, _taking_a_list, joined
from tests.components import node

VIEWS = sorted(path.parent.name for path in HERE.glob("*/view.js"))


def test_every_view_is_one_module_with_the_function_that_streamlit_calls(tmp_path):
    for view in VIEWS:
        (tmp_path / f"{view}.mjs").write_text(_taking_a_list(view, joined(HERE / view / "view.js")), encoding="utf-8")
    (tmp_path / "take_home.mjs").write_text(joined(HERE / "take_home" / "main.js"), encoding="utf-8")
    addresses = [(tmp_path / f"{name}.mjs").as_uri() for name in (*VIEWS, "take_home")]
    code = """
      const views = await Promise.all(given.map((address) => import(address)));
      console.log(JSON.stringify(views.map((view) => [Object.keys(view), typeof view.default, view.default.length])));
    """
    assert node.run(code, addresses) == [*[[["default"], "function", 1]] * len(VIEWS), [["default"], "function", 2]]


def test_a_view_is_given_its_data_which_travels_in_a_list(tmp_path):
    module = tmp_path / "view.mjs"
    text = (
        "const before = 1;\nexport default function ({ data, key }) {\n  return [data.x + before, key];\n}\nconst after = 2;\n"
    )
    module.write_text(_taking_a_list("sum", text), encoding="utf-8")
    code = """
      const { default: view } = await import(given);
      const parentElement = {};
      console.log(JSON.stringify([view({ data: [{ x: 4 }], key: "k", parentElement }), parentElement.explorerView]));
    """
    assert node.run(code, module.as_uri()) == [[5, "k"], {"name": "sum", "data": {"x": 4}}]


def modules(folder: Path, **texts: str) -> Path:
    """Modules in a folder; returns the one called `entry`."""
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / "entry.js"


def test_what_is_imported_stands_once_and_before_what_imports_it(tmp_path):
    entry = modules(
        tmp_path,
        entry='import { double } from "./twice.js";\nimport {\n  one,\n  two,\n} from "./numbers.js";\n'
        "export const three = one + two;\nexport default () => double(three);\n",
        twice='import { two } from "./numbers.js";\nexport function double(x) {\n  return two * x;\n}\n',
        numbers="export const one = 1;\nexport const two = 2;\nglobalThis.read = (globalThis.read ?? 0) + 1;\n",
    )
    whole = tmp_path / "whole.mjs"
    whole.write_text(joined(entry), encoding="utf-8")
    code = "const { default: six } = await import(given); console.log(JSON.stringify([six(), globalThis.read]));"
    assert node.run(code, whole.as_uri()) == [6, 1]


@pytest.mark.parametrize(
    "entry",
    [
        'import { one as two } from "./numbers.js";\nexport default () => two;\n',
        'import * as numbers from "./numbers.js";\nexport default () => numbers.one;\n',
        'import numbers from "./numbers.js";\nexport default () => numbers;\n',
        'import { one } from "elsewhere";\nexport default () => one;\n',
        'import { one } from "./numbers.js";\nexport const two = 2 * one;\n',
        'import { one } from "./numbers.js";\nexport { one };\nexport default () => one;\n',
        'import { one } from "./other.js";\nexport default () => one;\n',
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path, entry):
    with pytest.raises(ValueError, match=r"\.js (imports|should)"):
        joined(
            modules(
                tmp_path, entry=entry, numbers="export const one = 1;\n", other="export default 1;\nexport const one = 1;\n"
            )
        )


def test_no_rule_asks_what_the_whole_page_has():
    """A browser would look at the style of every element anew whenever one is added: a third of the time of a rerun."""
    found = {}
    for path in HERE.parent.rglob("*.css"):
        rules = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found[str(path)] = re.findall(r"(?<![\w-])(?:body|html|:root)\S*:has\(", rules)
    assert len(found) > 10 and not any(found.values()), found


def test_no_committed_file_says_where_packages_come_from():
    lock = json.loads((HERE.parents[1] / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
