"""How each command of the documents is started: here, with small arguments, or by which file, or why nobody does.

A command belongs to the longest name in `COMMANDS` that it begins with. Where the documents say no more than the beginning of
a name, they mean that one.
"""

from dataclasses import dataclass

from tests.documented import ALL, Command, reduced

GATE, PLACES, OTHERS = ".ci/run", ".ci/places.py", ".ci/test_other_commands.py"


@dataclass(frozen=True)
class Start:
    """Here, by the documents' own words, each line of them.

    Attributes:
        sizes: smaller values for options that a line names, and the device that every machine has.
        more: options that every line gets.
    """

    sizes: str = ""
    more: str = ""


@dataclass(frozen=True)
class Serve:
    """Here, until it is stopped: a server."""


@dataclass(frozen=True)
class Elsewhere:
    """By another file, in which these words stand."""

    file: str
    words: str


@dataclass(frozen=True)
class Nowhere:
    why: str


_NO_DOCKER = Nowhere("Docker is not everywhere; the gate starts what the image copies, by its command (.ci/places.py)")
_ANOTHER_SYSTEM = Nowhere("it changes the machine")
_OTHER_MACHINES = Nowhere("several machines; tests/cluster starts Ray's own on this one")

COMMANDS: dict[str, Start | Serve | Elsewhere | Nowhere] = {
    # Setting up, and the gate.
    "python -m venv": Elsewhere(PLACES, "by_the_readme"),
    "pip install -r requirements.txt": Elsewhere(PLACES, "by_the_readme"),
    "pip install -r requirements-dev.txt": Elsewhere(GATE, "test_command"),
    "pip install -r requirements-cluster.txt": Elsewhere(GATE, "pip install -q -r requirements-cluster.txt"),
    "pip install .": Elsewhere(PLACES, "from_a_wheel"),
    "pip install uv": Nowhere("requirements-dev.txt brings it"),
    "uv pip install": Nowhere("it asks for torch where not every machine may; the gate starts the app by `uv run`"),
    "pip install --no-index": Elsewhere(PLACES, '"--no-index", "--find-links"'),
    "pip download": Elsewhere(PLACES, '"pip", "download"'),
    "pipx install .": Nowhere("pipx is not among the requirements; it installs the same wheel as pip"),
    "uvx": Nowhere("it would fetch torch anew; the gate starts the same command from a wheel"),
    "py": Nowhere("Windows has not been tried"),
    "sudo apt": _ANOTHER_SYSTEM,
    "kill": _ANOTHER_SYSTEM,
    "bash .ci/run": Nowhere("it is the gate, of which this is a part"),
    "npm ci": Elsewhere(GATE, "npm ci"),
    "npm run check": Elsewhere(GATE, "npm run check"),
    "npm pack": Nowhere("it asks npm's registry; tests/components/test_plot_route.py compares the version"),
    "pytest": Elsewhere("tests/test_commands.py", "--collect-only"),
    "python -m tools.ablation_seeds": Start(sizes="--seeds 1"),
    "python -m tools.catalogue": Start(),
    "python -m tools.longer_rows": Start("--seeds 1", "--steps 1 --out longer.jsonl"),
    "python -m tools.glyphs": Start(more="--out outlines.json"),
    "python -m tools.shipped_models": Start(),
    "python -m tools.pairs_sweep": Start("--seeds 1", "--sizes 12 --sets verbs"),
    "python -m tools.recorded_runs": Start(more="--models 1 --pairs 0 --out recorded.npz"),
    "python -m tools.readme_pictures": Start(more="--only heads --out pictures"),
    "openssl": Start(),
    # The app.
    "streamlit run app.py": Elsewhere(PLACES, "by_the_readme"),
    "EXPLORER_MAX_ACTIVE=10 EXPLORER_RUNS_PER_BROWSER=2 streamlit run app.py": Serve(),
    "EXPLORER_CLUSTER=auto streamlit run app.py": Elsewhere("tests/cluster/test_other_machines.py", "machines.address"),
    "PYTHONPATH=. streamlit run pages/masks.py": Serve(),
    "python app.py": Elsewhere(OTHERS, "app.py"),
    "uv run app.py": Elsewhere(PLACES, '"run", "--quiet", "app.py"'),
    "transformer-explorer": Elsewhere(PLACES, "transformer-explorer"),
    "python -m explorer.serve": Elsewhere(OTHERS, "-m explorer.serve"),
    "python -m explorer.serve --print": Start(),
    "docker build": _NO_DOCKER,
    "docker compose": _NO_DOCKER,
    "PYTHONPATH=$PWD ray start": _OTHER_MACHINES,
    "ray start": _OTHER_MACHINES,
    "ray status": _OTHER_MACHINES,
    # The core.
    "python -m transformer_core train": Start("--until 0 --steps 20 --device cpu", "--threads 1"),
    "python -m transformer_core shapes": Start(),
    "python -m transformer_core params": Start(),
    "python -m transformer_core translate": Start(),
    "python -m transformer_core generate": Start(),
    "python -m transformer_core evaluate": Start(more="--count 2"),
    "python -m transformer_core prepare": Start(
        "--around pronoun-en --d-model 16 --n-heads 1 --n-layers 1 --seed 1 --keep-at 1 --keep 1 --device cpu",
        "--steps 2 --processes 1 --folder prepared",
    ),
    "python -m transformer_core sweep": Start("--d-model 16 --heads 1 --seeds 1", "--steps 2 --processes 1 --out rows.jsonl"),
    "EXPLORER_CLUSTER=auto python -m transformer_core sweep": Elsewhere("tests/cluster/test_a_sweep.py", "EXPLORER_CLUSTER"),
    "python -m transformer_core race": Start("--out race.json", "--task reverse --length 3 --seed 1 --model lstm-attention"),
    "python -m transformer_core draw": Start(more="--task small-fr"),
    "python -m transformer_core parity": Start(),
    # The benchmarks.
    "python -m benchmarks.attention": Start(more="--sentences 5"),
    "python -m benchmarks.board": Start(more="--phones 2 --voting 0"),
    "python -m benchmarks.drag": Start("--pictures every-head 144-heads", "--drags 1 --people 1 --seconds 1 --settled 0"),
    "python -m benchmarks.follow": Start(more="--phones 2 --events 2 --joining 0"),
    "python -m benchmarks.rerun": Start(more="--actions 1 --pages heads"),
    "python -m benchmarks.room": Start(more="--people 1 --runs 0 --seconds 1 --after 0 --arrive 5 --settled 0"),
    "python -m benchmarks.runs": Start("--starts 1", "--settled 0"),
    "python -m benchmarks.soak": Start(more="--minutes 0.1 --people 1 --runs 1 --after 1"),
    "python -m benchmarks.start": Start(more="--starts 1 --pages 1 --settled 0"),
    "python -m benchmarks.training": Start(more="--quick --device cpu"),
}


def name_of(command: Command) -> str | None:
    """The one in the table that it belongs to."""
    words = command.words
    names = [name for name in COMMANDS if words[: len(name.split())] == tuple(name.split())]
    return max(names, key=len) if names else next((name for name in COMMANDS if _is_beginning(words, name)), None)


def _is_beginning(words: tuple[str, ...], name: str) -> bool:
    return tuple(name.split())[: len(words)] == words


def lines(name: str) -> list[tuple[str, ...]]:
    """The documents' lines of this name, each once, as they are started; without arguments only where all are."""
    start = COMMANDS[name]
    documented = [command.words for command in ALL if name_of(command) == name]
    told = [words for words in documented if len(words) > len(name.split())] or documented
    if isinstance(start, Start):
        told = [reduced(words, start.sizes, start.more) for words in told]
    return [*dict.fromkeys(told)]
