"""Links that were made in former versions open the same view."""

import pytest

from explorer.parts.story import recorded
from explorer.session.former import translated
from explorer.training.ablations import ABLATIONS
from explorer.training.task_titles import TASK_TITLES as LEARNED_HERE
from tests.pages.helpers import PAGES, PARTS, fine, session_of, visit

# What the parts of every page were called when their titles stood in the address; None where the page has none.
PART_TITLES = {
    "positions": ["Words and waves", "Counters and rotation", "Without positions"],
    "masks": ["Masks of this sentence", "Blocked rows", "The triangle", "A batch"],
    "attention": ["Step by step", "Other scores", "Why √d_k"],
    "heads": ["Words and lines", "Heads", "Split and join", "What they look at", "What they cost"],
    "layers": ["One word's way", "Feed-forward", "Follow K and V"],
    "norms": ["Two norms", "LayerNorm and BatchNorm", "Residuals and depth"],
    "shapes": ["Shapes", "Parameters", "The notes' printout", "Cost and length"],
    "decoding": ["Two lanes", "Step by step", "Beam search"],
    "training": ["Watch it learn", "Schedule and smoothing"],
}
TASK_TITLES = {
    "copy numbers", "numbers backwards", "sort numbers", "English → French", "English → Chinese", "what is “it”?",
    "what is “it”? (Chinese)", "add numbers", "add numbers, units first",
}  # fmt: skip
SINCE = {"everyday-fr", "everyday-zh"}  # links have only ever said their ids
EXPERIMENTS = {
    "the causal mask", "the positions", "cross-attention", "the residual sums", "the norm's place before each part",
    "the warm-up", "all heads but one", "most of the width", "the ÷ √d_k",
}  # fmt: skip


def test_every_part_s_title_is_read_as_its_id():
    found = {page: [translated(page, {"part": title})["part"] for title in titles] for page, titles in PART_TITLES.items()}
    since = {
        "samples",
        "against_torch",
        "initial_weights",
        "dropout",
        *PARTS["what_matters"],
        *PARTS["compare"],
    }  # links have only ever said their ids
    parts = {page: [part for part in parts if part not in since] for page, parts in PARTS.items() if parts != [None]}
    assert found == {page: left for page, left in parts.items() if left}


def test_every_task_s_and_experiment_s_title_is_read_as_its_id():
    assert {translated("training", {"task": title})["task"] for title in TASK_TITLES} == set(LEARNED_HERE) - SINCE
    assert {translated("break_it", {"experiment": title})["experiment"] for title in EXPERIMENTS} == set(ABLATIONS)


def test_ids_of_today_are_left_alone():
    for page, parts in PARTS.items():
        for part in filter(None, parts):
            assert translated(page, {"part": part, "unheard": "of"}) == {"part": part, "unheard": "of"}


@pytest.mark.parametrize(
    ("page", "said", "means"),
    [
        ("training", {"layer_watched": "1"}, {"timeline_layer": "0"}),
        ("training", {"layer_watched": "top"}, {"timeline_layer": "top"}),
        ("training", {"layer_watched": "9" * 5000}, {"timeline_layer": "9" * 5000}),
        ("compare", {"compare_head": "head 2"}, {"compare_head": "3"}),
        ("compare", {"compare_head": "average of all"}, {"compare_head": "average of all"}),
        ("masks", {"filler": "3"}, {"blocked_padding": "3"}),
        ("heads", {"filler": "3"}, {"patterns_padding": "3"}),
        ("shapes", {"filler": "3"}, {"filler": "3"}),
    ],
)
def test_former_keys_are_read_as_today_s(page, said, means):
    assert translated(page, said) == means


# Random weights are those of step 0, of sizes that were the defaults then.
RANDOM = {"task": "everyday-fr", "step": 0, "model": None, "d_model": 64, "n_layers": 1, "d_ff": 128}
TRANSLATOR = {"task": "everyday-fr", "step": None, "model": None, "d_model": 88, "n_layers": 2, "d_ff": 256}
OLD_LINKS = {
    "home": ({"n_heads": "2", "causal": "off"}, {}, RANDOM | {"n_heads": 2, "causal": False}),
    "story": ({"step": "2", "present": "on"}, {"scene": 2, "present": True}, TRANSLATOR),
    "positions": ({"model": "random", "positions": "50", "base": "100"}, {"wave_positions": 50, "base": 100}, RANDOM),
    "masks": (
        {"model": "random", "part": "Blocked rows", "filler": "3", "asking": "1 red", "kind": "encoder"},
        {"part": "blocked_rows", "blocked_padding": 3, "blocked_query": 1}, RANDOM,
    ),
    "attention": (
        {"query": "3 rouge", "key": "4 a", "kind": "cross", "layer": "0", "head": "1"},
        {"query": 3, "key": 4, "kind": "cross", "head": 1}, TRANSLATOR,
    ),
    "heads": (
        {"seed": "3", "part": "Split and join", "split_size": "1000 in 4", "head": "2"},
        {"part": "split_and_join", "split_size": "1000-4", "head": 2}, RANDOM | {"seed": 3},
    ),
    "layers": (
        {"src": "a cat", "part": "Feed-forward", "stack": "encoder", "token": "1 cat"}, {"part": "feed_forward", "token": 1},
        TRANSLATOR | {"src": "a cat"},
    ),
    "norms": (
        {"norm": "post", "n_layers": "2", "part": "Two norms", "norm_place": "decoder, layer 0: after feed-forward"},
        {"norm_place": 6}, RANDOM | {"norm": "post", "n_layers": 2},
    ),
    "shapes": ({"seed": "1", "part": "The notes' printout", "print_heads": "2"}, {"part": "printout", "print_heads": 2},
               RANDOM | {"seed": 1}),
    "decoding": (
        {"model": "copy", "numbers": "1 4 2", "part": "Step by step", "decode_how": "sample", "top_p": "0.5", "compare": "yes"},
        {"part": "generation", "decode_how": "sample", "top_p": 0.5, "compare": "yes"},
        {"task": "copy", "step": None, "numbers": "1 4 2"},
    ),
    "training": (
        {"task": "English → French", "steps": "250", "rate": "0.001", "dropout": "0.25", "part": "Schedule and smoothing"},
        {"steps": 250, "rate": 0.001, "part": "schedule"}, {"task": "small-fr", "dropout": 0.25},
    ),
    "compare": ({"input": "lengths", "src_len": "5", "tie_embeddings": "all"}, {}, RANDOM | {"input": "lengths", "src_len": 5}),
    "break_it": ({"experiment": "the positions", "seed": "4"}, {"experiment": "positions"}, RANDOM | {"seed": 4}),
}  # fmt: skip


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in ("what_matters", "host")]
)  # which are no older than their links
def test_an_old_link_opens_the_same_view(page, monkeypatch):
    monkeypatch.setattr(recorded, "recordings", dict)  # nothing is trained for the story
    link, choices, settings = OLD_LINKS[page]
    at = visit(link, page)
    assert fine(at)
    session = session_of(at)
    assert {name: session.rerun.drawn[name][0] for name in choices} == choices
    assert {name: getattr(session.settings, name) for name in settings} == settings


TINY = {"d_model": "64", "n_layers": "1", "d_ff": "128"}


@pytest.mark.parametrize(
    ("page", "said", "means"),
    [
        ("heads", {"model": "translate-zh"}, {"task": "everyday-zh"}),
        ("heads", {"model": "pronoun-en", "src": "a"}, {"task": "pronoun-en", "src": "a"}),
        ("heads", {"model": "random"}, {"step": "0"} | TINY),
        ("heads", {"d_model": "72"}, {"step": "0"} | TINY | {"d_model": "72"}),
        ("heads", {"tgt": "un chat", "src": "a cat"}, {"step": "0"} | TINY | {"tgt": "un chat", "src": "a cat"}),
        ("heads", {"src": "a cat"}, {"src": "a cat"}),
        ("heads", {"model": "0123456789abcdef", "d_model": "72"}, {"model": "0123456789abcdef", "d_model": "72"}),
        ("heads", {"task": "everyday-fr", "d_model": "72"}, {"task": "everyday-fr", "d_model": "72"}),
        ("heads", {"step": "0", "d_model": "72"}, {"step": "0", "d_model": "72"}),
        ("training", {"model": "random"}, {"task": "copy"} | TINY),
        ("training", {"model": "random", "task": "sort", "n_heads": "2"}, {"task": "sort", "n_heads": "2"} | TINY),
        ("training", {"n_layers": "3"}, {"task": "copy"} | TINY | {"n_layers": "3"}),
        ("training", {"length": "5"}, {"task": "copy"} | TINY | {"length": "5"}),
        ("training", {"model": "translate-fr", "task": "reverse"}, {"task": "reverse"}),
        ("story", {"step": "170", "task": "copy"}, {"step": "170", "task": "copy"}),
        ("story", {"scene": "3", "step": "0"}, {"scene": "3", "step": "0"}),
    ],
    ids=str,
)
def test_a_former_model_is_a_task_at_the_end_of_its_learning_and_random_weights_are_step_0(page, said, means):
    assert translated(page, said) == means
