"""What a visitor chooses describes a model, within the ends of the controls and the memory of the server."""

from dataclasses import replace

import pytest

from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.settings import (
    FIRST_TASK,
    RANGES,
    SIZES,
    ModelSettings,
    choices,
    head_counts,
    of_task,
    size_of,
    vocabulary_of,
    widths,
)
from transformer_core import PRESETS, TASKS
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import default_config


def test_a_configuration_says_what_the_settings_say_and_back():
    settings = ModelSettings(
        d_model=48, n_heads=6, n_layers=3, d_ff=80, norm="post", dropout=0.25, final_norm="off", layer_norm="unbiased_std",
        attention_bias=False, tie_embeddings="all", position="learned", embedding_scale=False, score="additive", residual=False,
        causal=False, cross_attention=False, activation="gelu", norm_eps=1e-3, max_len=99, tgt_max_len=80,
    )  # fmt: skip
    cfg = settings.config(11)
    assert (cfg.src_vocab, cfg.tgt_vocab, cfg.final_norm) == (11, 11, False)
    assert {name: size_of(cfg, name) for name in SIZES} == {name: getattr(settings, name) for name in SIZES}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_set(preset):
    sizes = {name: size_of(PRESETS[preset], name) for name in SIZES}
    for name, value in sizes.items():
        if name in RANGES:
            low, high, _step = RANGES[name]
            assert low <= value <= high, name
        else:
            assert value in choices(name), name
    cfg = ModelSettings(**sizes).config(PRESETS[preset].src_vocab)
    assert {name: size_of(cfg, name) for name in SIZES} == sizes


def test_the_defaults_are_those_of_the_first_task_and_a_task_s_sizes_are_those_with_which_it_is_learned():
    assert ModelSettings() == of_task(FIRST_TASK) == of_task("everyday-fr")
    for task in TASK_TITLES:
        cfg = default_config(task)
        assert of_task(task).config(len(vocabulary_of(task))) == cfg
        plan = of_task(task).plan()
        assert (plan.cfg, plan.task.name, plan.recipe.seed) == (cfg, task, 0)


def test_widths_and_heads_that_are_offered_go_together():
    for heads in range(1, 17):
        settings = ModelSettings(d_model=heads * 16, n_heads=heads)
        offered = widths(settings)
        assert all(width % heads == 0 and 8 <= width <= 512 for width in offered)
        assert len(offered) > 5 and settings.d_model in offered
    assert widths(ModelSettings()) == [8, 16, 24, 32, 48, 64, 88, 96, 128, 192, 256, 384, 512]
    assert head_counts(ModelSettings()) == [1, 2, 4, 8, 11]
    assert head_counts(ModelSettings(d_model=64)) == [1, 2, 4, 8, 16]
    assert head_counts(ModelSettings(n_heads=3)) == [1, 2, 3, 4, 8, 11], "what is on screen, impossible or not"


def test_what_would_not_fit_or_cannot_be_is_refused_with_the_numbers():
    widest = ModelSettings(d_model=512, n_heads=8, n_layers=6, d_ff=2048)
    assert widest.config(500).d_model == 512
    with pytest.raises(InputError, match="100,000,000"):
        widest.config(200_000)
    with pytest.raises(InputError, match="3 positions") as refused:
        ModelSettings(tgt_max_len=3).plan()
    assert replace(ModelSettings(), tgt_max_len=refused.value.nearest["tgt_max_len"][0]).plan()
    assert all(max(TASKS[task]().longest) <= RANGES["max_len"][0] for task in TASK_TITLES)
    with pytest.raises(InputError) as refused:
        replace(widest, n_heads=7).config(500)
    assert 8 in refused.value.nearest["n_heads"]
