"""The lines of a program that make the model on screen, and the sentence that it is given."""

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import MISSING, fields

from explorer import resources
from explorer.model_on_screen.forward import Learned, mean_rows
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel
from explorer.programs.template import Code, Ids, listed, written
from transformer_core import SHIPPED_MODELS, TASKS, TransformerConfig, Vocabulary
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import LearningPlan, seconds_of_a_step
from transformer_core.training.trainer import Recipe

_WIDE = 96  # characters of a line within brackets
SIZES = ("src_vocab", "tgt_vocab", "d_model", "n_heads", "d_ff", "n_layers", "norm")  # they are always written
FILE = "model.safetensors"
READ = f'data = Path("{FILE}").read_bytes()'  # from the working folder, where a notebook stands


def model_lines(shown: ShownModel, settings: ModelSettings, wanted: Collection[str]) -> list[str]:
    """Returns the lines that make `task`, `cfg` and `model`, as far as they are `wanted`, with the changed weights and the cuts
    on screen.

    Raises:
        InputError: for a model that no program can make.
    """
    own_task = "task" in wanted and shown.taught is not None and not _is_usual(shown.model)
    if "model" not in wanted and not own_task:
        return _sizes(shown.model, wanted)
    if settings.model is not None:
        lines = _from_file(shown, settings.model)
    elif not isinstance(shown.choice.weights, Learned):
        lines = [*_sizes(shown.model, wanted), f"model = initial(cfg, seed={shown.choice.weights.seed})  # nothing learned yet"]
    elif (SHIPPED_MODELS / f"{shown.choice.weights.id}.safetensors").exists():
        lines = _shipped(shown.choice.weights)
    else:
        lines = _trained(shown.model, shown.choice.weights, settings.plan(), wanted)
    if "original" in wanted:
        lines.append(f"original = {'deepcopy(model)' if shown.choice.edits else 'model'}  # as it was")
    return [*lines, *_edits(shown), *_cuts(shown)]


def sentence_lines(
    shown: ShownModel, sentence: tuple[Ids, Ids, Ids], padding: tuple[int, int], wanted: Collection[str]
) -> list[str]:
    """Returns the lines that make `src`, `tgt` and `labels`, and their tokens, as far as they are `wanted`."""
    words, (src, tgt, labels) = shown.vocabulary, sentence
    lines = [f"vocabulary = {_vocabulary(shown.model)}"] if "vocabulary" in wanted else []
    if "src" in wanted:
        lines.append(f"src = {_ids(words, src)}")
    if "tgt" in wanted:
        begins = tgt[0] == words.start
        rest = _ids(words, tgt[1:]) if begins else _ids(words, tgt)
        lines.append(f"tgt = [vocabulary.start, *{rest}]  # the decoder's input" if begins else f"tgt = {rest}")
    if "labels" in wanted:
        last = "vocabulary.end" if labels[-1] == words.end else f"{labels[-1]}"
        shifted = labels[:-1] == tgt[1:]
        made = f"[*tgt[1:], {last}]" if shifted else _ids(words, labels)
        lines.append(f"labels = {made}  # what is to be written: the same, shifted by one position")
    for name, more in zip(("src", "tgt"), padding, strict=True):
        if more and name in wanted:
            lines.append(f"{name} += {more} * [vocabulary.pad]")
    if padding[1] and "labels" in wanted:
        lines.append(f"labels += {padding[1]} * [vocabulary.pad]")
    tokens = {"src_tokens": "src", "tgt_tokens": "tgt", "next_tokens": "labels"}
    return lines + [f"{name} = vocabulary.decode({ids})" for name, ids in tokens.items() if name in wanted]


def _vocabulary(model: ModelAtStep) -> str:
    return f"numbers({model.cfg.src_vocab})" if model.taught is None else "task.vocabulary"


def _ids(words: Vocabulary, ids: Sequence[int]) -> str:
    """Writes ids as the tokens that they are, where that gives the same ids."""
    if not all(i < len(words) for i in ids):
        return repr(list(ids))
    text = " ".join(tokens := words.decode(ids))
    if text.split() != tokens or words.ids(tokens) != list(ids):
        return repr(list(ids))
    return f"vocabulary.ids({written(text)}.split())"


def _sizes(model: ModelAtStep, wanted: Collection[str]) -> list[str]:
    """Returns the lines of the task and of the configuration, for a model that is made anew."""
    lines = [f"task = TASKS[{written(model.task)}]()"] if "task" in wanted and _is_usual(model) else []
    return lines + (settings_lines("cfg", model.cfg, SIZES) if "cfg" in wanted else [])


def _is_usual(model: ModelAtStep) -> bool:
    """Returns whether the model's task is one that has a name, of its usual sizes."""
    return model.task in TASKS and model.taught == TASKS[model.task]()


def settings_lines(name: str, settings: TransformerConfig | Recipe, always: Collection[str] = ()) -> list[str]:
    """Returns the lines that make a configuration or a recipe: of what is as usual, only what is `always` written."""
    given = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if field.name in always or field.default is MISSING or value != field.default:
            given[field.name] = value
    text = ", ".join(f"{each}={written(value)}" for each, value in given.items())
    lines = textwrap.wrap(text, _WIDE, break_long_words=False, break_on_hyphens=False)
    return [f"{name} = {type(settings).__name__}(", *(f"    {line}" for line in lines), ")"]


def _shipped(weights: Learned) -> list[str]:
    """Returns the lines that open a model which comes with the package."""
    return [
        "# A model that comes with the package, after each kept step of its learning.",
        f'course = learned.from_bytes((SHIPPED_MODELS / "{weights.id}.safetensors").read_bytes())',
        f"task, cfg, model = course.task, course.cfg, course.model({weights.step})",
    ]


def _trained(model: ModelAtStep, weights: Learned, plan: LearningPlan, wanted: Collection[str]) -> list[str]:
    """Returns the lines that train a model to the step on screen. Raises InputError for one that learned otherwise."""
    if weights.id != plan.key:
        raise InputError("This model has learned in another way than models learn here; it cannot be written as code.")
    last = model.learning.last if "course" in wanted else weights.step
    seconds = last * seconds_of_a_step(plan)
    lines = [
        *_sizes(model, {"cfg", *wanted}),
        f"plan = plan_for({written(model.task)}, cfg, seed={plan.recipe.seed})  # how it learns: all follows from these",
        "torch.set_num_threads(1)  # with more, sums are rounded otherwise, and another model is learned",
    ]
    if "course" in wanted:
        return [
            *lines,
            f"learning = Learning(plan, keep={listed(model.learning.steps[1:])})  # the steps whose weights are kept",
            f"for _ in range({last}):  # about {max(seconds, 1):.0f} seconds",
            "    learning.step()",
            "course = learning.learned()",
            f"model = course.model({weights.step})",
        ]
    return [
        *lines,
        "trainer = Trainer(Transformer(cfg, torch.Generator().manual_seed(plan.recipe.seed)), plan.task, plan.recipe)",
        f"for _ in range({last}):  # about {max(seconds, 1):.0f} seconds",
        "    trainer.take()",
        "model = with_parameters(cfg, parameters_of(trainer.averaged()))  # kept with 16 bits a number, as on screen",
    ]


def _from_file(shown: ShownModel, model_id: str) -> list[str]:
    """Returns the lines that open the visitor's own model, which is in no package."""
    model = resources.model_store().get(model_id)
    assert model is not None, "it is on screen"
    lines = ["# The model's own file: the one that was opened, or saved on Training by Download the model.", READ]
    if model.learned is not None:
        step = shown.choice.weights.step if isinstance(shown.choice.weights, Learned) else 0
        lines += ["course = learned.from_bytes(data)", f"task, cfg, model = course.task, course.cfg, course.model({step})"]
        return lines
    return [
        *lines,
        "saved = checkpoint.from_bytes(data)",
        "model = averaged(saved.model, saved.training.state) if saved.training else saved.model  # its weights, averaged",
        "cfg = model.cfg",
        *(["task = task_of(saved.facts, cfg.src_vocab)"] if shown.taught is not None else []),
    ]


def _edits(shown: ShownModel) -> list[str]:
    if not shown.choice.edits:
        return []
    lines = [f"    {edit.code} = {edit.value!r}" for edit in shown.choice.edits]
    return ["with torch.no_grad():  # weights changed by hand", *lines]


def _cuts(shown: ShownModel) -> list[str]:
    cuts = shown.choice.cuts
    if not cuts:
        return []
    made = listed([Code(f"parse({written(str(each))})") for each in cuts.made])
    lines = ["# What is cut: its weights become 0, or its output is replaced.", f"cuts = {made}"]
    if cuts.task is None:
        return [*lines, f"model = cut_out(model, cuts, {written(cuts.instead)})"]
    rows = len(mean_rows(cuts.task, shown.cfg).src)
    return [
        *lines,
        f"rows = task.batch({rows}, torch.Generator().manual_seed(0), held_out=True)  # of which the mean is taken",
        f"model = cut_out(model, cuts, {written(cuts.instead)}, mean_outputs(model, rows))",
    ]
