"""Opening pages without a browser, and reading what is on them."""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from explorer import resources
from explorer.model_on_screen.settings import ModelSettings, vocabulary_of
from explorer.session import Session
from explorer.session.session import PAGES_WITHOUT_MODEL
from explorer.ui import model_line as model_line_of
from explorer.ui.navigation import CONTENTS
from transformer_core import Recipe, Task, Trace, Transformer, TransformerConfig
from transformer_core.training import learned

ROOT = Path(__file__).resolve().parents[2]
TASK = "everyday-fr"
WORDS = vocabulary_of(TASK)
# Small, and before its first step: what is on screen follows from the seed alone.
SMALL = {"d_model": 64, "n_layers": 1, "d_ff": 128}
BASE = {"task": TASK, "step": "0"} | {name: str(size) for name, size in SMALL.items()}
PAGES = list(CONTENTS)
VIEWS = [name for name in PAGES if name not in PAGES_WITHOUT_MODEL]  # the pages that show the model of the sidebar
# Sizes that no task has, and two sentences: what is drawn of them is computed anew.
SIZES = {"d_model": 48, "n_heads": 3, "n_layers": 2, "d_ff": 80}
SENTENCES = {"src": "the red cat sees the dog", "tgt": "le chat rouge"}
TARGET = "est-ce que tu aimes ma voiture rouge ?"  # the right answer to the first sentence
FIGURES = {
    "home": 0,
    "reference": 0,
    "story": 0,
    "look_closer": 0,
    "be_the_head": 0,
    "predict": 0,
    "positions": 4,
    "masks": 6,
    "attention": 6,
    "heads": 1,
    "what_matters": 2,
    "layers": 3,
    "norms": 1,
    "shapes": 0,
    "decoding": 2,
    "one_step": 0,
    "next_word": 0,
    "training": 1,
    "compare": 0,
    "break_it": 0,
    "hunt": 0,
    "sentences": 0,
    "lesson": 0,
    "host": 0,
}
# Those that are there while the rest is folded.
FIRST_FIGURES = FIGURES | {"positions": 1, "masks": 1, "attention": 0, "heads": 0, "layers": 1, "decoding": 1}

# The parts of every page, as the address names them; None where there are none.
PARTS = {
    "home": [None],
    "reference": ["every_question", "explained_terms"],
    "story": [None],
    "look_closer": [None],
    "be_the_head": [None],
    "predict": [None],
    "positions": ["words_and_waves", "two_maps", "waves", "counters", "no_positions", "in_attention", "trained_length"],
    "masks": ["sentence_masks", "blocked_rows", "triangle", "batch_masks"],
    "attention": ["one_head", "other_scores", "why_scale"],
    "heads": ["words_and_lines", "every_head", "side_by_side", "split_and_join", "head_patterns", "head_cost"],
    "what_matters": [
        "without_a_word",
        "swap_and_patch",
        "ranking",
        "pairs_of_heads",
        "kinds_of_links",
        "rollout",
        "logit_lens",
        "other_seeds",
    ],
    "layers": ["residual_stream", "feed_forward", "keys_and_values", "dropout"],
    "norms": ["pre_and_post", "two_norms", "batch_norms", "residual_depth"],
    "shapes": ["stages", "parameters", "weights", "initial_weights", "printout", "cost_and_length", "against_torch"],
    "decoding": ["generation", "teacher_forcing", "samples", "beam_search"],
    "next_word": ["going_on", "beside_chatgpt", "repeating"],
    "one_step": ["six_stations", "in_a_batch", "one_weight"],
    "training": ["live_run", "schedule"],
    "compare": ["run_table", "sweep", "race"],
    "break_it": [None],
    "hunt": [None],
    "sentences": [None],
    "lesson": [None],
    "host": [None],
}


# What shows all of a page: its controls, and what is folded.
UNFOLDED = {"more": True} | {f"details-{part}": True for parts in PARTS.values() for part in parts if part}


_found: Any = None  # the components of all installed packages: looking for them anew would be most of a test's time


def script(path: Path) -> AppTest:
    """A script that has not run yet."""
    at = AppTest.from_file(path, default_timeout=120)
    at._bidi_component_manager = _found
    return at


def app(link: dict[str, str] | None = None, folded: bool = False, **state: Any) -> AppTest:
    """The app on its home page, opened by a link, with settings changed: on a small model at step 0 unless they say more."""
    return visit(base(link, **state), folded=folded, **({} if folded else UNFOLDED) | state)


def base(link: dict[str, str] | None = None, **state: Any) -> dict[str, str]:
    """The link to the small model at step 0, with another link's choices, and without what is set by hand."""
    return {name: value for name, value in (BASE | (link or {})).items() if name not in state}


def visit(link: dict[str, str], page: str = "home", folded: bool = False, **state: Any) -> AppTest:
    """The app as a link to a page opens it that says just this; what is folded there is unfolded, unless it is to stay."""
    global _found
    at = script(ROOT / "explorer" / "shell" / "main.py")
    at.query_params.update(link)
    for name, value in (state if folded or page == "home" else UNFOLDED | state).items():
        at.session_state[name] = value
    go(at, page)
    _found = at._bidi_component_manager
    return at


def go(at: AppTest, page: str) -> AppTest:
    return at.switch_page(f"../../pages/{page}.py").run()


def open_page(page: str, link: dict[str, str] | None = None, **state: Any) -> AppTest:
    return visit(base(link, **state), page, **state)


def session_of(at: AppTest) -> Session:
    """What the app knows of this window."""
    session: Session = at.session_state["_session"]
    return session


def turn(at: AppTest, **state: Any) -> AppTest:
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def tour(at: AppTest, pages: Sequence[str] = PAGES) -> Iterator[tuple[str, str | None]]:
    """Opens every part of these pages in one window, all unfolded, and says each time which one is on screen."""
    for name in UNFOLDED:
        at.session_state[name] = True
    for page in pages:
        go(at, page)
        for i, part in enumerate(PARTS[page]):
            if i:
                turn(at, part=part)
            assert not at.exception, f"{page}, {part}: {at.exception[0].message}"
            assert part is None or at.error or at.session_state["part"] == part
            yield page, part


def close(found: Any, expected: Any) -> None:
    """Asserts that two arrays are equal as far as float32 allows."""
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def table_with(at: AppTest, column: str) -> Any:
    """The one table that has a column of this name."""
    (found,) = (frame.value for frame in at.dataframe if column in frame.value)
    return found


def measured(at: AppTest, key: str) -> AppTest:
    """Asks for a measurement, unless it has begun by itself, and returns when it is over."""
    if f"measure-{key}" in {each.key for each in at.button}:
        at.button(key=f"measure-{key}").click().run()
    for _ in range(400):
        if f"cancel-{key}" not in {each.key for each in at.button}:
            return at
        assert fine(at.run())
    raise AssertionError("it goes on for ever")


def array(packed: Any) -> np.ndarray:
    """Numbers as they are sent to the browser: a list, or base64 with a type and a shape."""
    if not isinstance(packed, dict):
        return np.array(packed, dtype=np.float64)
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"])
    return flat.reshape([int(n) for n in packed["shape"].split(",")]) if "shape" in packed else flat


class Figure:
    """One figure on a page: its place is the end of its id."""

    def __init__(self, element: Any):
        sent = sent_to(element)
        self.id, self.alt = element.proto.id, sent["alt"]
        plain = json.loads(sent["figure"])
        self.data, self.layout = plain["data"], plain["layout"]

    @property
    def lines(self) -> list[np.ndarray]:
        return [array(trace["y"]) for trace in self.data if "y" in trace]


class Drawn:
    """One matrix, or several side by side, on canvas: what the browser was sent."""

    def __init__(self, element: Any):
        self.id, self.data = element.proto.id, sent_to(element)
        self.alt, self.rows, self.columns, self.names = (self.data[name] for name in ("alt", "rows", "columns", "names"))
        self.ends = array(self.data["ends"])

    @property
    def cells(self) -> list[np.ndarray]:
        """The values of every matrix; masked cells are NaN."""
        return list(np.where(array(self.data["valid"]), array(self.data["values"]), np.nan))


def matrices(at: AppTest) -> list[Drawn]:
    return [Drawn(each) for each in at.get("bidi_component") if each.proto.component_name == "explorer_matrices"]


def plots(at: AppTest) -> list[Figure]:
    return [Figure(each) for each in at.get("bidi_component") if each.proto.component_name == "explorer_plot"]


def figures(at: AppTest) -> list[Any]:
    """Matrices, and what Plotly draws."""
    return [*matrices(at), *plots(at)]


def figure(at: AppTest, key: str) -> Any:
    (found,) = (each for each in figures(at) if each.id.endswith(f"-{key}"))
    return found


def field(at: AppTest, name: str) -> Any:
    """The field in which a number is typed, by the number's name."""
    (found,) = (each for each in at.text_input if each.key.startswith(f"{name}--typed"))
    return found


def component(at: AppTest, key: str) -> dict[str, Any]:
    """What a component was sent."""
    (element,) = (each for each in at.get("bidi_component") if each.proto.id.endswith(f"-{key}"))
    return sent_to(element)


def sent_to(element: Any) -> dict[str, Any]:
    """The data of a component."""
    (data,) = json.loads(element.proto.json)
    return data


def attention_view(at: AppTest, key: str = "attention-view") -> dict[str, Any]:
    """What an attention view was given to draw; its weights (head, query, key) and its mask as arrays."""
    sent = component(at, key)
    return sent | {"weights": array(sent["weights"]), "valid": array(sent["valid"]).astype(bool)}


class Cells:
    """The matrix with arithmetic under a key: what the browser was sent."""

    def __init__(self, at: AppTest, key: str):
        self.data = component(at, key)
        self.stages = {name: array(packed) for name, packed in self.data["stages"].items()}
        self.allowed = np.isfinite(self.stages["masked"])

    @property
    def weights(self) -> np.ndarray:
        """Masked cells are NaN, as they are drawn."""
        return np.where(self.allowed, self.stages["weights"], np.nan)


def read_small(text: str) -> float:
    """A number as `ui.format.small` writes it: `3 × 10⁻⁷`."""
    mantissa, _times, exponent = text.partition(" × 10")
    return float(f"{mantissa}e{exponent.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789')) or 0}")


def model_line(at: AppTest) -> dict[str, str]:
    """The line that says which model is on screen: its attributes, and its words."""
    (body,) = (each.proto.body for each in at.get("html") if f'data-testid="{model_line_of.TEST_ID}"' in each.proto.body)
    element = ElementTree.fromstring(body)
    return {name.removeprefix("data-"): value for name, value in element.attrib.items()} | {
        "words": "".join(element.itertext())
    }


def learned_file(
    task: Task, nets: Mapping[int, Transformer], seed: int = 0, right: float = 0.5, outcome: learned.Outcome = "learned"
) -> str:
    """The id of a model from a file that holds the course of its learning: these weights by their steps, in half precision."""
    curve = np.array([[step, right, 1.0] for step in nets])
    states = {step: learned.parameters_of(net) for step, net in nets.items()}
    cfg = next(iter(nets.values())).cfg
    course = learned.Learned(cfg, task, Recipe(seed=seed), outcome, curve, 200, states, 1.0)
    return resources.model_store().add(learned.to_bytes(course)).id


def rounded(net: Transformer) -> Transformer:
    """A model as a file of its learning gives it back."""
    return learned.with_parameters(net.cfg, learned.parameters_of(net))


def place(at: AppTest, key: str) -> list[int]:
    """Where on the page a control, or a container, stands: which of all those beside it, on each level."""

    def found(block: Any) -> list[int] | None:
        for index, child in getattr(block, "children", {}).items():
            if re.fullmatch(rf"\$\$ID-[0-9a-f]+-{key}", getattr(child.proto, "id", "")):
                return [index]
            if (below := found(child)) is not None:
                return [index, *below]
        return None

    where = found(at.main)
    assert where is not None, f"there is no {key} on the page"
    return where


def complaints(at: AppTest) -> list[str]:
    return [element.value for element in (*at.error, *at.warning)]


def fine(at: AppTest) -> bool:
    """No traceback, and nothing to complain about."""
    assert not at.exception, at.exception[0].message
    assert not complaints(at)
    return True


def told(at: AppTest) -> str:
    """The one clear sentence with which the page declines."""
    assert not at.exception, at.exception[0].message
    (sentence,) = complaints(at)
    return sentence


def shown(at: AppTest) -> str:
    """All words on the page that pass through Markdown."""
    parts = (*at.markdown, *at.caption, *at.info, *at.success, *at.warning, *at.error)
    assert not any(getattr(part.proto, "allow_html", False) for part in parts)
    return "\n".join(part.value for part in parts)


def config(**changes: Any) -> TransformerConfig:
    """What the sidebar describes, put together here anew."""
    names = ("d_model", "n_heads", "n_layers", "d_ff", "norm", "dropout", "tie_embeddings")
    sizes = {name: getattr(ModelSettings(), name) for name in names} | SMALL | changes
    return TransformerConfig(src_vocab=len(WORDS), tgt_vocab=len(WORDS), **sizes)


def traced(model: Transformer, src: list[int], tgt: list[int]) -> dict[str, np.ndarray]:
    """Every stage of one pass, the batch axis taken off."""
    trace = Trace()
    with torch.no_grad(), trace:
        model.eval()(torch.tensor([src]), torch.tensor([tgt]))
    return {
        name: value[0].numpy() if value.shape[0] == 1 else value.numpy() for name in trace.stages for value in [trace[name]]
    }


def fresh(cfg: TransformerConfig, seed: int, src: str = ModelSettings().src, tgt: str = TARGET) -> dict[str, np.ndarray]:
    """The stages of a model at step 0, on two sentences, the second as tokens with blanks between them."""
    model = Transformer(cfg, torch.Generator().manual_seed(seed))
    return traced(model, WORDS.encode(src), [WORDS.start, *WORDS.ids(tgt.split())])
