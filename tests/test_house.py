"""The rules of the house that can be checked by reading its files: who imports whom, and what stands in one place only.

A file is held to them as soon as it is there. A new package is given its place in `ROWS`, a new floor of the core in `FLOORS`.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from explorer.model_on_screen.settings import ModelSettings
from explorer.ui.navigation import CONTENTS
from tests.browser.conftest import EVERY_TIME
from tests.pages.helpers import PARTS

ROOT = Path(__file__).resolve().parents[1]

# The packages, the highest first: a file imports from its own package and from those below it.
ROWS = (
    "app", "explorer.__main__", "explorer.serve", "pages", "explorer.shell", "explorer.exhibits", "explorer.ui",
    "explorer.session", "explorer.programs", "explorer.pictures", "explorer.components", "explorer.rooms",
    "explorer.model_on_screen", "explorer.runtime", "explorer.streamlit_patches", "explorer.resources",
    "explorer.many_machines", "explorer.learning", "explorer.limits", "explorer.figures", "explorer.glossary",
    "explorer.i18n", "explorer.root", "transformer_core", "everyday",
)  # fmt: skip
FLOORS = ("__main__", "commands", "__init__", "analysis", "training", "model", "data", "errors")  # of the core, likewise
# What a package may import beside the standard library and the packages below it, where that is limited.
MAY_USE = {
    "transformer_core": {"torch", "numpy", "safetensors"},
    "everyday": set(),
    "explorer.i18n": set(),
    "explorer.figures": {"numpy"},
}
ALSO_USES = {"transformer_core.commands.ray_pool": {"ray"}}  # one file alone, where it is installed
MAY_KNOW = {  # of the packages below, where not all of them are meant
    "explorer.i18n": (),
    "explorer.figures": (
        "explorer.i18n",
        "explorer.root",
        "transformer_core.analysis.attention_map",
        "transformer_core.model.stages",
    ),
}
WITHOUT_STREAMLIT = (
    "everyday",
    "transformer_core",
    "explorer.i18n",
    "explorer.glossary",
    "explorer.figures",
    "explorer.many_machines",
    "explorer.learning",
    "explorer.resources",
    "explorer.model_on_screen",
)
SHARED_KEYS = {"part", "kind", "layer", "head", "stack", "token", "query", "key"}  # of the address: many pages have them
CONTROLS = {
    "choose",
    "flag",
    "opens",
    "choose_number",
    "slider",
    "number",
    "text",
    "pick",
    "address_value",
}  # their first argument is a key of the address
PAGE_LINES = 60


def files(*folders: str, endings: tuple[str, ...] = (".py",)) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in endings)


PAGES, EXPLORER, CORE = files("pages"), files("explorer"), files("transformer_core")
HOUSE = [ROOT / "app.py", *PAGES, *EXPLORER, *CORE, *files("everyday")]


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module(path: Path) -> str:
    """The dotted name that a file is imported by."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module(path): path for path in HOUSE}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module, package: str = "") -> set[str]:
    """Dotted names of all that a file imports, wherever in it; `from a import b` gives a.b, for b may be a module. `package` is
    its own."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*parts, *([node.module] if node.module else [])])
            found |= {f"{origin}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "__import__"):
            argument = node.args[0] if node.args else None
            named = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            found.add(argument.value if named else RUNNING_TELLS)
    return found


RUNNING_TELLS = "a name that only running tells"


def last_name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


@cache
def imported_by(path: Path) -> frozenset[str]:
    return frozenset(imports(tree_of(path), ".".join(path.relative_to(ROOT).parent.parts)))


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def package(name: str) -> str | None:
    """The package that a module belongs to; None for a module of another project."""
    return next((each for each in ROWS if within(name, each)), None)


def of_ours(name: str) -> bool:
    return within(name, "app", "pages", "explorer", "transformer_core", "everyday", "tests", "benchmarks", "tools")


def offences(paths: list[Path], wrong: Callable[[Path], object]) -> dict[str, object]:
    """What is wrong with each of these files, where something is."""
    return {place(path): found for path in paths if (found := wrong(path))}


# ---------------------------------------------------------------- who imports whom


def test_the_reader_of_imports_finds_every_kind():
    source = """
import torch.nn as nn, os
from plotly import graph_objects as go
def later():
    import streamlit
    from .words import _
    from .. import pages
    from . import controls
    importlib.import_module("explorer.state")
    __import__(name)
"""
    assert imports(ast.parse(source), "explorer.figures") == {
        "torch.nn",
        "os",
        "plotly.graph_objects",
        "streamlit",
        "explorer.figures.words._",
        "explorer.pages",
        "explorer.figures.controls",
        "explorer.state",
        RUNNING_TELLS,
    }


def test_every_file_has_its_place_in_the_rows():
    assert not offences(HOUSE, lambda path: package(module(path)) is None and module(path) != "explorer")
    assert {floor_of(path) for path in CORE} == set(FLOORS)


def test_a_file_imports_only_from_its_own_room_and_those_below():
    def wrong(path: Path) -> set[str]:
        own = package(module(path))
        below = ROWS[ROWS.index(own) :] if own else ()
        return {name for name in imported_by(path) if of_ours(name) and package(name) not in below}

    assert not offences(HOUSE, wrong)


def test_low_rooms_need_little():
    def wrong(path: Path) -> set[str]:
        own = package(module(path))
        ours = {name for name in imported_by(path) if of_ours(name)}
        others = {name for name in imported_by(path) - ours if name.split(".")[0] not in sys.stdlib_module_names}
        too_much = {name for name in ours if own in MAY_KNOW and not within(name, own, *MAY_KNOW[own])}
        allowed = MAY_USE.get(own, set()) | ALSO_USES.get(module(path), set())
        return too_much | {name for name in others if own in MAY_USE and name.split(".")[0] not in allowed}

    assert not offences(HOUSE, wrong)


def reached_from(*starts: Path) -> set[Path]:
    """These files, the files of the house that they import, and so on. A name that only running tells may be any of them."""
    reached, ahead = set(), [*starts]
    while ahead:
        if (path := ahead.pop()) not in reached:
            reached.add(path)
            for name in imported_by(path):
                parts = name.split(".")  # a package is imported before what lies in it
                prefixes = {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
                ahead += [MODULES[each] for each in (MODULES if name == RUNNING_TELLS else prefixes & MODULES.keys())]
    return reached


def test_requirements_name_every_package_that_is_imported_at_run_time():
    """Whoever runs this has more installed than a user: without a look at the imports, nobody here would miss a package."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    named = {name.lower() for name in re.findall(r"^[\w-]+", lines, re.MULTILINE)}
    distributions = packages_distributions()

    def missing(path: Path) -> set[str]:
        tops = {name.split(".")[0] for name in imported_by(path) if not of_ours(name)} - sys.stdlib_module_names
        return {top for top in tops if named.isdisjoint(name.lower() for name in distributions.get(top, [top]))}

    commands = [ROOT / folder / "__main__.py" for folder in ("transformer_core", "explorer", "explorer/serve")]
    reached = reached_from(ROOT / "app.py", *PAGES, *commands)
    assert len(reached) > 300, "imports are followed"
    only_on_a_cluster = {"explorer/many_machines/ray_bridge.py": {"ray"}, "transformer_core/commands/ray_pool.py": {"ray"}}
    found = offences(sorted(reached), missing)
    told = "\n".join(f"{file} imports {', '.join(sorted(names))}" for file, names in found.items())
    assert found == only_on_a_cluster, f"requirements.txt does not name all of this, which is more than Ray:\n{told}"


def test_streamlit_stays_above():
    """Imports are followed: a file below that imports a file which imports Streamlit needs it as well."""
    low = [path for path in HOUSE if package(module(path)) in WITHOUT_STREAMLIT]
    needs = {path for path in HOUSE if any(within(name, "streamlit") for name in imported_by(path))}
    assert len(low) > 150 and len(needs) > 50, "files are found"
    assert not offences(low, lambda path: sorted(map(place, reached_from(path) & needs)))


def test_private_parts_of_streamlit_are_named_in_one_room():
    """Elsewhere nothing is imported from within Streamlit but the type that its functions return; where it is used, names
    with an underscore are looked up in objects and classes of ours alone."""

    def wrong(path: Path) -> set[str]:
        names = {name for name in imported_by(path) if within(name, "streamlit")}
        if within(module(path), "explorer.streamlit_patches") or not names:
            return set()
        attributes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)]
        private = {ast.unparse(node) for node in attributes if re.match("_[a-z]", node.attr)}
        own = {name for name in private if re.match(r"(self|cls|_here|[A-Z]\w*)\b", name)}
        return names - {"streamlit", "streamlit.delta_generator.DeltaGenerator"} | private - own

    assert not offences(HOUSE, wrong)


def test_every_fragment_takes_turns():
    def wrong(path: Path) -> list[str]:
        attributes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)]
        return [each for each in map(ast.unparse, attributes) if each == "st.fragment"]

    assert not offences([path for path in HOUSE if module(path) != "explorer.runtime.turns"], wrong)


def test_what_scripts_use_of_streamlits_page_is_named_in_one_module_and_looked_at_in_a_browser():
    module = ROOT / "explorer" / "components" / "shared" / "streamlit_dom.js"
    named = re.compile(r"data-testid=st\w+|\bst-key-|data-test-|dataset\.test\w+")
    scripts = [path for path in files("explorer", endings=(".js",)) if "plotly_js" not in path.parts]
    assert [path for path in scripts if named.search(path.read_text(encoding="utf-8"))] == [module]
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "browser").glob("*.py"))
    used = set(re.findall(r"data-testid=(st\w+)", module.read_text(encoding="utf-8")))
    assert used and used <= set(re.findall(r"\bst[A-Z]\w+", tests))


def test_a_colour_that_older_phones_do_not_know_stands_behind_a_question_in_one_place():
    """`light-dark(…)` is unknown to phones of before 2024, which then draw no colour: lines and borders are gone."""
    styles = [path for path in files("explorer", endings=(".css", ".py", ".js")) if "plotly_js" not in path.parts]
    uses = [path for path in styles if "light-dark(" in path.read_text(encoding="utf-8")]
    assert uses == [ROOT / "explorer" / "shell" / "main.py"] and "@supports (color: light-dark(" in uses[0].read_text("utf-8")


def test_pages_do_no_tensor_arithmetic():
    assert not offences([ROOT / "app.py", *PAGES], lambda path: [name for name in imported_by(path) if within(name, "torch")])


def floor_of(path: Path) -> str:
    """Its name in FLOORS: that of the package a file lies in, or its own."""
    return path.relative_to(ROOT / "transformer_core").with_suffix("").parts[0]


def test_the_core_has_floors():
    def wrong(path: Path) -> set[str]:
        allowed = [f"transformer_core.{name}" for name in FLOORS[FLOORS.index(floor_of(path)) :]]
        return {name for name in imported_by(path) if within(name, "transformer_core") and not within(name, *allowed)}

    assert not offences(CORE, wrong)


def test_a_page_and_its_parts_know_no_other_page():
    def wrong(path: Path) -> set[str]:
        own = path.stem if path in PAGES else path.relative_to(ROOT / "explorer" / "exhibits").parts[0]
        parts = {name for name in imported_by(path) if within(name, "explorer.exhibits")}
        return {name for name in parts if not within(name, f"explorer.exhibits.{own}", "explorer.exhibits.shared")}

    assert not offences([*PAGES, *files("explorer/exhibits")], wrong)


def test_no_module_needs_itself():
    def module_of(name: str) -> str:
        return name if name in MODULES else name.rpartition(".")[0]

    needs = {
        name: {module_of(other) for other in imported_by(path) if module_of(other) in MODULES} for name, path in MODULES.items()
    }
    assert sum(map(len, needs.values())) > 3 * len(needs), "imports are found"
    list(TopologicalSorter(needs).static_order())  # raises CycleError


# ---------------------------------------------------------------- what stands in one place only


def test_state_and_address_are_read_and_written_in_one_room():
    """Widgets and components know their own keys in the state; the address is the session's alone."""

    def wrong(path: Path) -> set[str]:
        component = within(module(path), "explorer.components") and path.stem == "component"
        state = component or within(module(path), "explorer.session", "explorer.ui.widgets", "explorer.ui.number_field")
        allowed = {"session_state"} if state else set()
        allowed |= {"query_params"} if within(module(path), "explorer.session") else set()
        used = {node.attr for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)}
        return used & {"session_state", "query_params"} - allowed

    assert not offences([*PAGES, *EXPLORER], wrong)


def keys_of(path: Path) -> Iterator[str]:
    """The keys of the address that a file's controls have; {} stands for what only running tells."""
    names_it = "widgets" in path.read_text(encoding="utf-8")  # most files do not, and need not be parsed
    if names_it and any(within(name, "explorer.ui.widgets") for name in imported_by(path)):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CONTROLS and node.args:
                yield written(node.args[0])


def written(node: ast.expr) -> str:
    """A string as the source has it."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(map(written, node.values)) if isinstance(node, ast.JoinedStr) else "{}"


def test_no_press_is_read_or_swallowed_in_a_way_that_loses_it():
    """`st.rerun` takes the place of what was asked for meanwhile; a button that says itself whether it was pressed forgets that
    where its run gives way to a newer one. `session.run_all_again` and `widgets.pressed` do not."""

    def wrong(path: Path) -> set[str]:
        calls = [
            node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        ]
        silent = {ast.unparse(call) for call in calls if call.func.attr == "button" and not has(call, "on_click")}
        return silent | {ast.unparse(call) for call in calls if ast.unparse(call.func) == "st.rerun"}

    def has(call: ast.Call, name: str) -> bool:
        return any(given.arg == name for given in call.keywords)

    assert not offences([*PAGES, *EXPLORER], wrong)


def test_the_reader_of_keys_finds_them():
    assert set(keys_of(ROOT / "explorer" / "ui" / "pickers.py")) == {
        "kind",
        "layer",
        "head",
        "stack",
        "scale",
        "patterns_padding",
    }
    assert [written(ast.parse(text, mode="eval").body) for text in ('"a_b"', 'f"src_{i}"', "name")] == ["a_b", "src_{}", "{}"]


def test_a_key_of_the_address_is_an_id_and_means_one_thing_in_the_app():
    where = defaultdict(set)
    for path in [*EXPLORER, *PAGES]:
        for key in keys_of(path):
            where[key].add(place(path))
    assert len(where) > 50, "keys are found"
    assert not [key for key in where if not re.fullmatch(r"[a-z][a-z0-9_]*(-?{})?", key)]
    assert not {key: found for key, found in where.items() if len(found) > 1 and key not in SHARED_KEYS}
    assert not set(where) & ({setting.name for setting in fields(ModelSettings)} | {"lang", "run"})


_STAGE = re.compile(  # {} stands for what an f-string puts in
    r"\b(encoder|decoder)\.({}|\d|embedding|output)|(self_attn|cross_attn|feed_forward)\.\w"
    r"|{}\.({}|\d)\.(self_attn|cross_attn|feed_forward)"
)


def stage_names(tree: ast.Module) -> list[str]:
    """The strings of a file, but for its docstrings, that are names of stages or the making of them."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    docstrings = {id(statement.value) for statement in first if isinstance(statement, ast.Expr)}
    pieces = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.Constant)]
    looked_up = [written(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    texts = [written(node) for node in found if id(node) not in docstrings | pieces]
    return [text for text in texts if _STAGE.search(text)] + [text for text in looked_up if text in ("memory", "logits")]


@pytest.mark.parametrize(
    ("source", "is_stage"),
    [
        ('f"decoder.{layer}.x"', True),
        ('"encoder.0.self_attn.q"', True),
        ('f"{stack}.{0}.cross_attn"', True),
        ('"encoder.embedding.sum"', True),
        ('"decoder.output"', True),
        ('stages["memory"]', True),
        ('"the decoder. 3 words"', False),
        ('"decoder.cross_attn"', False),
        ('"memory"', False),
        ('"in the encoder."', False),
    ],
)
def test_the_reader_of_stage_names_knows_one(source, is_stage):
    assert bool(stage_names(ast.parse(f"x = {source}"))) == is_stage


def test_names_of_stages_are_put_together_in_the_core():
    drawing = "explorer.components.model_map"  # it names its boxes so
    assert not offences(
        [path for path in EXPLORER if not within(module(path), drawing)], lambda path: stage_names(tree_of(path))
    )


def test_what_is_masked_is_read_from_scores_in_one_place():
    def wrong(path: Path) -> list[str]:
        calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        asked = [ast.unparse(call) for call in calls if last_name(call.func) in ("isfinite", "isinf", "isneginf", "isposinf")]
        return [call for call in asked if "score" in call]

    everywhere = offences([*EXPLORER, *files("transformer_core/analysis")], wrong)
    assert set(everywhere) == {"transformer_core/analysis/attention_map.py"}


# ---------------------------------------------------------------- what is kept in memory

# Caches of the explorer that `model_on_screen.shared_cache` does not bound in bytes: no more is kept in them than is said here.
KNOWN_CACHES = {
    "explorer/model_on_screen/before_training.py": {"_small_step"},  # one number
    "explorer/programs/derived.py": {"_file"},  # the files of exhibits
    "explorer/components/plot/component.py": {"compressed"},  # plotly.js, 0.4 MB
    "explorer/i18n/lookup.py": {"_catalogue"},  # one for each language
    "explorer/glossary/__init__.py": {"terms"},  # likewise
    "explorer/shell/terms.py": {"_digest", "_joined"},  # likewise
    "explorer/exhibits/reference/search.py": {"_entries", "part_titles"},  # likewise; one for each page
    "explorer/shell/room_bundle.py": {"template", "bundled", "style"},  # pages of rooms, 0.1 MB
    "explorer/learning/shipped_recordings.py": {"contents", "_arrays", "_snapshots"},  # what the file holds, 1 MB
    "explorer/model_on_screen/sources.py": {
        "_of_task",
        "_drawn_lengths",
        "_first_suitable",
        "_found",
        "_by_length",
    },  # tasks, and lengths of their sentences
    "explorer/model_on_screen/settings.py": {"of_task", "defaults", "stacks_for"},  # one for each task
    "explorer/model_on_screen/sweeps.py": {"shipped_sweep"},  # one
    "explorer/model_on_screen/translator.py": {"known_words"},  # one for each language
    "explorer/exhibits/sentences/pairs_field.py": {"_example"},  # three examples
    "explorer/exhibits/sentences/text_field.py": {"_example"},  # three more
    "explorer/runtime/__init__.py": {"_kept"},  # one
    "explorer/learning/ablations.py": {"untrained", "starts_alike"},  # 32 snapshots of the smallest model, 32 answers
    "explorer/many_machines/ray_workers.py": {"cluster_address"},  # whether there is one
    "explorer/ui/document.py": {"_source"},  # the functions that pages show
    "explorer/ui/navigation.py": {"_page"},  # one for each page and language
}


def test_what_grows_with_what_visitors_choose_is_bounded_in_bytes():
    unbounded = {"cache", "lru_cache", "cached", "cache_data", "cache_resource", "LRUCache", "TTLCache"}

    def kept(path: Path) -> set[str]:
        """The functions of a file that are decorated with such a cache, and the names that one is given to."""
        found = set()
        for node in ast.walk(tree_of(path)):
            decorators = getattr(node, "decorator_list", [])
            names = {last_name(each.func if isinstance(each, ast.Call) else each) for each in decorators}
            if names & unbounded:
                found.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
                made = {last_name(each.func) for each in ast.walk(node.value) if isinstance(each, ast.Call)}
                if made & unbounded:
                    found.add(ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target))
        return found

    by_bytes = {"explorer/model_on_screen/shared_cache.py": {"self._kept"}}
    by_digests = {"explorer/learning/store.py": {"self._files", "self._told"}}  # 256 times what a file holds in a few words
    assert offences(EXPLORER, kept) == KNOWN_CACHES | by_bytes | by_digests


# ---------------------------------------------------------------- pages and parts


def parts_of(page: Path) -> list[str]:
    """The modules that a page gives to `document.parts`, by their names."""
    for node in ast.walk(tree_of(page)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "document.parts":
            assert isinstance(node.args[0], ast.Dict) and all(isinstance(key, ast.Name) for key in node.args[0].keys), page
            return [ast.unparse(key) for key in node.args[0].keys]
    return []


def test_the_contents_name_every_page_and_the_tests_every_part():
    assert {path.stem for path in PAGES} == set(CONTENTS) == set(PARTS)
    assert {path.stem: parts_of(path) or [None] for path in PAGES} == PARTS


def drawn_by(page: Path) -> list[Path]:
    return [MODULES[name] for name in imported_by(page) if within(name, "explorer.exhibits")]


def test_a_part_has_one_public_function_and_its_file_s_name_is_its_id():
    """What else a page draws, such as buttons above its parts, has a `draw` too; other files help those."""

    def public(path: Path) -> list[str]:
        tree = tree_of(path)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        computed, ahead = set[str](), {name for name, node in functions.items() if is_numbers(node)}
        while ahead:  # and what they call: a program has them too
            computed |= ahead
            read = {each.id for name in ahead for each in ast.walk(functions[name]) if isinstance(each, ast.Name)}
            ahead = (read & functions.keys()) - computed
        named = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        return [name for name in named if not name.startswith("_") and name not in computed]

    def is_numbers(node: ast.FunctionDef) -> bool:
        given = [ast.unparse(each) for each in node.decorator_list]
        return any(each.startswith("numbers") or each.endswith(".formula") for each in given)

    for page in PAGES:
        drawn = {path.stem: public(path) for path in drawn_by(page)}
        assert {part: drawn.get(part) for part in parts_of(page)} == {part: ["draw"] for part in parts_of(page)}
        assert all("draw" in functions for functions in drawn.values()), page


def test_every_exhibit_with_numbers_is_registered():
    """Before its page is opened: a browser may ask for a picture of an address that it has kept."""
    drawn = {module(path) for path in files("explorer/exhibits") if "explorer.pictures.exhibit.drawn" in imported_by(path)}
    assert drawn and drawn == {name for name in imported_by(MODULES["explorer.shell.every_exhibit"]) if name in MODULES}


def test_every_part_is_drawn_or_helps():
    known = {name for path in HOUSE for name in imported_by(path)}
    known |= {name.rpartition(".")[0] for name in known}
    assert not offences(files("explorer/exhibits"), lambda path: path.stem != "__init__" and module(path) not in known)


def test_the_code_that_a_page_shows_is_used_by_more_than_its_page_to_show_it():
    shown, used = set(), set()
    for path in HOUSE:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and last_name(node.func) == "the_code":
                shown |= {last_name(argument) for argument in node.args}
            else:
                used |= {last_name(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.Name | ast.Attribute)}
    assert len(shown) > 50 and not shown - used


def test_pages_are_short():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PAGES}
    assert not {path: n for path, n in lines.items() if n > PAGE_LINES}


def test_the_walks_of_every_run_exist():
    for file, names in EVERY_TIME.items():
        text = (ROOT / "tests" / "browser" / f"{file}.py").read_text(encoding="utf-8")
        assert [name for name in names if f"def {name}(" not in text] == []
