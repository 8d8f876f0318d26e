"""What addresses said in former versions, by page: links that were made then still open the same view."""

from collections.abc import Callable, Mapping

from explorer.inference.settings import SIZES

# Former values of a key on any page: most are labels, which stood in the address once.
VALUES: dict[str, Mapping[str, str]] = {
    "part": {
        # positions
        "Words and waves": "words_and_waves",
        "Counters and rotation": "counters",
        "Without positions": "no_positions",
        # masks
        "Masks of this sentence": "sentence_masks",
        "Blocked rows": "blocked_rows",
        "The triangle": "triangle",
        "A batch": "batch_masks",
        # attention; "Step by step" of decoding has a line of its own below
        "Other scores": "other_scores",
        "Why √d_k": "why_scale",
        # heads
        "Words and lines": "words_and_lines",
        "Heads": "side_by_side",
        "Split and join": "split_and_join",
        "What they look at": "head_patterns",
        "What they cost": "head_cost",
        # layers
        "One word's way": "residual_stream",
        "Feed-forward": "feed_forward",
        "Follow K and V": "keys_and_values",
        # norms
        "Two norms": "two_norms",
        "LayerNorm and BatchNorm": "batch_norms",
        "Residuals and depth": "residual_depth",
        # shapes
        "Shapes": "stages",
        "Parameters": "parameters",
        "The notes' printout": "printout",
        "Cost and length": "cost_and_length",
        # decoding
        "Two lanes": "teacher_forcing",
        "Beam search": "beam_search",
        # training
        "Watch it learn": "live_run",
        "Schedule and smoothing": "schedule",
    },
    "task": {
        "copy numbers": "copy",
        "numbers backwards": "reverse",
        "sort numbers": "sort",
        "English → French": "small-fr",
        "English → Chinese": "small-zh",
        "translate-fr": "small-fr",
        "translate-zh": "small-zh",
        "what is “it”?": "pronoun-en",
        "what is “it”? (Chinese)": "pronoun-zh",
        "add numbers": "addition",
        "add numbers, units first": "addition-units-first",
    },
    "experiment": {
        "the causal mask": "causal",
        "the positions": "positions",
        "cross-attention": "cross",
        "the residual sums": "residual",
        "the norm's place before each part": "norm",
        "the warm-up": "warmup",
        "all heads but one": "heads",
        "most of the width": "width",
        "the ÷ √d_k": "scale",
    },
}

# Former values that mean something on one page only.
VALUES_ON_PAGE: dict[tuple[str, str], Mapping[str, str]] = {
    ("attention", "part"): {"Step by step": "one_head"},
    ("decoding", "part"): {"Step by step": "generation"},
    ("heads", "split_size"): {"this model": "model", "8 in 2": "8-2", "1000 in 4": "1000-4"},
}


def _one_less(text: str) -> str:
    """Layers were counted from 1 once."""
    return str(int(text) - 1) if text.isdecimal() and len(text) < 9 else text


def _after_the_average(text: str) -> str:
    """The place of "head 2" in a list that begins with the average of all heads."""
    head = text.removeprefix("head ")
    return str(int(head) + 1) if head != text and head.isdecimal() and len(head) < 9 else text


# Former keys: (page, key) -> today's key, and how its value is read.
KEYS: dict[tuple[str, str], tuple[str, Callable[[str], str]]] = {
    # positions
    ("positions", "positions"): ("wave_positions", str),
    # masks
    ("masks", "filler"): ("blocked_padding", str),
    ("masks", "asking"): ("blocked_query", str),
    # heads
    ("heads", "filler"): ("patterns_padding", str),
    # training
    ("training", "layer_watched"): ("timeline_layer", _one_less),
    # compare
    ("compare", "compare_head"): ("compare_head", _after_the_average),
}
_SCENES = {str(scene) for scene in range(1, 10)}  # of the story, whose address called them steps; no model is kept at these

# What described a model with random weights, when there were such: it stood there without a task.
OF_RANDOM_WEIGHTS = (*SIZES, "seed", "input", "tgt", "src_len", "tgt_len")
_TINY = {"d_model": "64", "n_layers": "1", "d_ff": "128"}  # the sizes that it had unless they were named
_MODELS = {  # those that came with the app had names of their own
    "translate-fr": "everyday-fr", "translate-zh": "everyday-zh", "copy": "copy", "pronoun-en": "pronoun-en",
    "pronoun-zh": "pronoun-zh",
}  # fmt: skip


def _model_of(page: str, said: Mapping[str, str]) -> dict[str, str]:
    """An address whose model is named as it is today: by its task, and the step of its learning."""
    found = {name: value for name, value in said.items() if name != "model"}
    model = said.get("model")
    if model in _MODELS:
        return {"task": _MODELS[model]} | found
    if model != "random" and (model is not None or "task" in said or "step" in said):
        return dict(said)
    if page == "training":  # it named what it trained beside the model on screen, and began with this
        return {"task": "copy"} | _TINY | found if model or found.keys() & {*OF_RANDOM_WEIGHTS, "symbols", "length"} else found
    return {"step": "0"} | _TINY | found if model or found.keys() & set(OF_RANDOM_WEIGHTS) else found


def translated(page: str, said: Mapping[str, str]) -> dict[str, str]:
    """What an address says, in today's keys and ids."""
    found = {}
    for key, value in said.items():
        was_scene = page == "story" and key == "step" and value in _SCENES
        key, read = ("scene", str) if was_scene else KEYS.get((page, key), (key, str))
        value = read(value)
        value = VALUES_ON_PAGE.get((page, key), {}).get(value) or VALUES.get(key, {}).get(value, value)
        found[key] = value
    return _model_of(page, found)
