"""The whole program of a picture, as a Python file or as a notebook."""

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from explorer.figures.matrix import Matrices
from explorer.model_on_screen.forward import Random
from explorer.model_on_screen.model_caption import words as caption
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures import registry
from explorer.pictures.exhibit import ExhibitPicture, Numbers
from explorer.programs import derived
from explorer.programs import drawing as drawings
from explorer.programs.model_lines import FILE, READ, model_lines, sentence_lines
from explorer.programs.names import imports_of, used
from explorer.programs.on_screen import array_of, as_one, numbers_of
from explorer.programs.template import ProgramTemplate, filled, listed
from explorer.programs.templates import TEMPLATES
from transformer_core.analysis.run import Run

TOLERANCE = "1e-5"  # relative to the largest number: another processor rounds a pass in 32 bits a little differently
_WIDE = 100  # characters of a comment
# The commands that install the core: from a wheel, or in the project's folder.
_INSTALL = "pip install transformer_explorer-*.whl", "pip install ."
_NEEDS = {  # what a name of a program is made from
    "stages": {"model", "src", "tgt"},
    "src_tokens": {"src"},
    "tgt_tokens": {"tgt"},
    "next_tokens": {"labels"},
    "src": {"vocabulary"},
    "tgt": {"vocabulary"},
    "labels": {"tgt", "vocabulary"},
    "vocabulary": {"task"},
    "model": {"cfg"},
    "course": {"model"},
    "original": {"model"},
}
_PASS = """\
with torch.inference_mode(), Trace() as trace:  # one forward pass, which records every stage
    model(torch.tensor([src]), torch.tensor([tgt]))
stages = {name: trace[name].numpy() for name in trace.stages}
stages = {name: x[0] if trace.stages[name].axes[0] == "batch" else x for name, x in stages.items()}  # one sentence
"""
CHECK = "From here on only a check: are these the numbers that were on screen?"
_COMPARE = """\
def check(on_screen):
    here = np.concatenate([np.ravel(each) for each in values]).astype(np.float32)
    here[~np.isfinite(here)] = np.nan
    most = np.nanmax(np.abs(on_screen), initial=0)
    # A pass in 32 bits is rounded a little differently on another processor: hence the tolerance.
    if here.shape != on_screen.shape or not np.allclose(here, on_screen, rtol=0, atol={tolerance} * most, equal_nan=True):
        raise SystemExit("These are not the numbers that were on screen.{why}")
    print(f"The same {{here.size:,}} numbers as on screen, to {tolerance} of the largest.")


"""
_TRAINED = " Another kind of processor rounds otherwise, and in many steps of training that adds up."
_COMPARE_WORDS = """\
def check(on_screen):
    here = [word for row in values for word in row]
    if here != on_screen:
        raise SystemExit("These are not the words that were on screen.")
    print(f"The same {len(here):,} words as on screen.")


"""
_IN_A_FILE = {  # a line of a notebook, which shows a picture itself and has no __file__ -> what stands there in a Python file
    drawings.SHOW: """\
figure.write_html(f"{__file__}.html", auto_open=True)  # opened where there is a browser
print(f"The picture is in {__file__}.html.")""",
    READ: f'data = (Path(__file__).parent / "{FILE}").read_bytes()',
}


@dataclass(frozen=True)
class Cell:
    """Lines of a program that belong together, with their heading."""

    heading: str
    code: str


@dataclass(frozen=True)
class Program:
    """A program: what it is, and its cells in order."""

    head: str
    cells: tuple[Cell, ...]

    @property
    def code(self) -> str:
        return "\n\n".join(cell.code for cell in self.cells)

    def as_python(self) -> str:
        """Writes a Python file whose cells editors know by their `# %%`."""
        head = self.head.replace("\\", "\\\\").replace('"""', "'''")
        cells = "\n\n".join(f"# %% {cell.heading}\n{cell.code}" for cell in self.cells)
        cells = "\n".join(_IN_A_FILE.get(line, line) for line in cells.split("\n"))
        return f'"""{head}\n"""\n\n{cells}\n'

    def as_notebook(self) -> str:
        """Writes a notebook, nbformat 4.5: the head and the headings in words, the same code in cells."""
        cells: list[dict[str, Any]] = [_markdown(self.head)]
        for cell in self.cells:
            cells.append(_markdown(f"## {cell.heading}"))
            made: dict[str, Any] = {"execution_count": None, "metadata": {}, "outputs": [], "source": _lines(cell.code)}
            cells.append({"cell_type": "code"} | made)
        for i, each in enumerate(cells):
            each["id"] = f"cell-{i}"
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        about = {"kernelspec": kernel, "language_info": {"name": "python"}}
        whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def program_of(
    shown: ShownModel, settings: ModelSettings, name: str, choices: Mapping[str, Any], address: str = "", title: str = ""
) -> Program:
    """Writes the program of a picture, with the numbers that its function draws for these settings and choices.

    Args:
        choices: as a browser sends them.
        address, title: of the page that the picture is on.

    Raises:
        ValueError: for a picture that does not exist or has no template, or choices that it cannot have.
        InputError: for a model that no program can make, or that the picture does not fit.
    """
    picture = registry.named(name)
    chosen = picture.read(choices)
    if isinstance(picture, ExhibitPicture):
        return _derived(shown, settings, picture, vars(chosen), address, title)
    if name not in TEMPLATES:
        raise ValueError(f"the picture {name} is not written as code")
    template, drawing = TEMPLATES[name], picture.of_json(shown, choices)
    gaps = dict(template.fill(shown, chosen))
    numbers = _no_blank_lines(filled(template.code, gaps))
    drawn = "\n".join(drawings.lines_of(drawing, template, gaps))
    wanted = _all_that_is_needed(used(numbers) | used(drawn))
    made = template.model(shown, chosen)
    if "model" in wanted and made.choice.cuts.task is not None:
        wanted.add("task")  # a mean is taken over its rows
    model = model_lines(made, settings, wanted)
    sentence = sentence_lines(shown, template.sentence(shown, chosen), template.padding(shown, chosen), wanted)
    if "stages" in wanted:
        sentence.append(_PASS.rstrip("\n"))
    parts = {
        "The model": "\n".join(model),
        "The sentence": "\n".join(sentence),
        "The numbers": f"{_comment(template.says)}\n{numbers}",
        "The drawing": drawn,
        CHECK: _comparison(template, shown, chosen, drawing, _trains(model)),
    }
    parts = {heading: code for heading, code in parts.items() if code}
    imports = "\n".join(imports_of("\n".join(parts.values())))
    cells = (Cell("What is needed", imports), *(Cell(heading, code) for heading, code in parts.items()))
    return Program(_head(template.says, made, parts, address, title), cells)


def _derived(
    shown: ShownModel, settings: ModelSettings, picture: ExhibitPicture, chosen: Mapping[str, Any], address: str, title: str
) -> Program:
    """Writes the program of a picture whose numbers are a function of its exhibit: that function, and its call."""
    numbers = picture.numbers
    fitted = numbers.fitted(shown, chosen)
    values = numbers.values(shown, fitted)
    function = derived.function_of(numbers, shown, fitted, values, float(TOLERANCE) / 10)  # the rest is for other processors
    source = derived.source_of(function)
    drawing = numbers.draw(values, shown, **fitted)
    run = _run_lines(shown, source) if numbers.takes_run else []
    names = used("\n".join(run)) - {"run", "Run"} if run else {*numbers.takes}
    wanted = _all_that_is_needed(names | ({"cfg"} if run else set()))
    model = model_lines(shown, settings, wanted)
    template = ProgramTemplate(_says(numbers), "")
    parts = {
        "The model": "\n".join(model),
        "The sentence": "\n".join([*sentence_lines(shown, shown.batch(0, 0), (0, 0), wanted), *run]),
        "The numbers": f"{source.code}\n\n\nvalues = {_call(function, fitted, values, drawing)}",
        "The drawing": "\n".join(drawings.lines_of(drawing, template, {})),
        CHECK: _comparison(template, shown, None, drawing, _trains(model)),
    }
    parts = {heading: code for heading, code in parts.items() if code}
    origin = source.origin | ({"Run": (Run.__module__, "Run")} if run else {})
    imports = "\n".join(imports_of("\n".join(parts.values()), source.blocks, origin))
    cells = (Cell("What is needed", imports), *(Cell(heading, code) for heading, code in parts.items()))
    return Program(_head(template.says, _drawn(shown, fitted), parts, address, title), cells)


def _drawn(shown: ShownModel, fitted: Mapping[str, Any]) -> ShownModel:
    """The model that the numbers are of: that before its first step, where a choice `initial` says so and it is known."""
    if not fitted.get("initial") or shown.initial is None:
        return shown
    model = replace(shown.model, learning=replace(shown.learning, step=0))
    return replace(shown, model=model, choice=shown.initial)


def _run_lines(shown: ShownModel, source: derived.Source) -> list[str]:
    """The lines that make the run, with the models beside it that its numbers ask for."""
    beside = ""
    if "original" in source.attributes:
        beside += ", original=original"
    if "before" in source.attributes and shown.initial is not None:
        assert isinstance(shown.initial.weights, Random)
        beside += f", before=initial(cfg, seed={shown.initial.weights.seed})"
    if "seed" in source.attributes:
        beside += f", seed={run_of(shown).seed}"
    return ["# What the model reads, and every number of the pass.", f"run = Run(model, vocabulary, src, tgt, labels{beside})"]


def _call(numbers: Numbers[..., ..., Any], fitted: Mapping[str, Any], values: Any, drawing: Any) -> str:
    """The expression that computes the numbers, those alone that are drawn."""
    call, shape = derived.call_of(numbers, fitted), np.shape(values)
    if len(shape) == 1:
        return f"[{call}]"
    if isinstance(drawing, Matrices) and (drawn := drawing.values.shape[-len(shape) :]) != shape:
        return f"{call}[{', '.join(f':{n}' for n in drawn)}]"  # of vectors, the first numbers
    return call


def _says(numbers: Numbers[..., ..., Any]) -> str:
    """Returns the beginning of their docstring, which says what they are."""
    words = " ".join((numbers.__doc__ or "").split()).partition(" Shape: ")[0].rstrip(".")
    return words[:1].lower() + words[1:]


def _comparison(template: ProgramTemplate, shown: ShownModel, chosen: Any, drawing: Any, is_trained: bool) -> str:
    seen = numbers_of(drawing) if template.seen is None else template.seen(shown, chosen, drawing)
    if all(isinstance(each, str) for each in seen):
        return f"{_COMPARE_WORDS}check({listed([str(each) for each in seen])})"
    return check_of([each for each in seen if not isinstance(each, str)], is_trained)


def _trains(model: Sequence[str]) -> bool:
    """Returns whether the lines that make the model train it."""
    return not used("\n".join(model)).isdisjoint({"Trainer", "Learning"})


def check_of(numbers: Sequence[np.ndarray], is_trained: bool) -> str:
    """Writes the lines that compare `values` with these. `is_trained`: the program trains a model."""
    compare = _COMPARE.format(tolerance=TOLERANCE, why=_TRAINED if is_trained else "")
    return f"{compare}check({array_of(as_one(numbers))})"


def _all_that_is_needed(names: set[str]) -> set[str]:
    """Adds to the names that a program uses those that these are made from."""
    needed: set[str] = set()
    ahead = set(names)
    while ahead:
        needed |= ahead
        ahead = {need for name in ahead for need in _NEEDS.get(name, ())} - needed
    return needed


def _head(says: str, shown: ShownModel, parts: Mapping[str, str], address: str, title: str) -> str:
    """Returns the words above a picture's program. They name the model where its numbers are of one."""
    made = parts.get("The model", "")
    model = f"The model: {' · '.join(caption(shown).values())}." if made else ""
    return head_of(says, model, FILE in made, address, title)


def head_of(says: str, model: str, needs_file: bool, address: str, title: str) -> str:
    """Returns the words above a program: what its numbers are, of which model, if any, and what it needs."""
    lines = [f"{title}: {says}." if title else f"{_capital(says)}.", ""]
    lines += [model, ""] if model else []
    if address:
        lines.append(f"On screen: {address}")
    wheel, folder = _INSTALL
    lines += ["It needs transformer_core, torch, numpy and plotly. The wheel of Transformer Explorer brings all of them:"]
    lines += ["", f"    {wheel}", "", f"So does `{folder}` in the project's folder."]
    if needs_file:
        lines.append(f"And beside this file the model's own, as {FILE}.")
    does = "makes the model, computes the numbers" if model else "computes the numbers"
    lines += ["", f"It {does}, draws them, and compares them with those that were on screen."]
    return "\n".join(lines)


def safe_address(text: str) -> str:
    """Returns a page's address as a program may show it: "" for anything else."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return ""
    return text if parts.scheme in ("http", "https") and parts.netloc and text.isprintable() and " " not in text else ""


def _no_blank_lines(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if line.strip())


def _comment(words: str) -> str:
    return "\n".join(f"# {line}" for line in textwrap.wrap(f"{_capital(words)}.", _WIDE))


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
