"""`python -m transformer_core train|shapes|params|translate|generate|…`: the model without the app."""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

import torch

from transformer_core.analysis.accounting import activation_bytes, parameter_parts, stage_shapes
from transformer_core.commands import draw, evaluate, generate, parity, prepare, race, sweep, translate
from transformer_core.commands.options import (
    COLUMNS,
    MODEL_OPTIONS,
    PAPERS_RATE,
    SEED,
    SEQUENCES,
    SIZES,
    STEPS,
    SYMBOLS,
    THREADS,
    TOKENS,
    OneLine,
    check_parameters,
    peak,
    share,
    special_ids,
    usual_config,
)
from transformer_core.commands.streams import use_utf8
from transformer_core.data import pairs
from transformer_core.data.pair_rows import MAX_BYTES, text_of
from transformer_core.data.tasks import (
    SYMBOL_TASKS,
    TASKS,
    OwnTask,
    PairsTask,
    RepeatTask,
    Task,
    TextTask,
    facts_of,
    has_source,
    is_tested_on_training,
)
from transformer_core.data.texts import lines_of
from transformer_core.model.config import CHOICES, PRESETS, TransformerConfig
from transformer_core.model.transformer import Transformer
from transformer_core.training import checkpoint
from transformer_core.training.checkpoint import Training
from transformer_core.training.cost import forward_flops, training_bytes
from transformer_core.training.learning_plan import own_plan, recipe_for
from transformer_core.training.trainer import (
    OPTIMISERS,
    PRECISIONS,
    SCHEDULES,
    Recipe,
    Trainer,
    TrainingDiverged,
    check_stacks,
    moment_names,
    resolve_device,
)

_RECIPE = (
    "batch_size", "rate", "warmup", "linear_warmup", "schedule", "optimiser", "betas", "eps", "average", "clip",
    "label_smoothing", "evaluate_on", "seed",
)  # fmt: skip
_SWITCHES = {
    "final-norm": "one more norm at the end of each stack",
    "attention-bias": "biases in the projections of attention",
    "causal": "the mask that keeps the decoder from attending to later tokens",
    "cross-attention": "attention of the decoder to the encoder",
    "cross-position": "positions rotary and alibi also in cross-attention",
    "residual": "each sublayer's input is added to its output",
    "embedding-scale": "embeddings are multiplied by the square root of d_model",
}
_FREE = ("steps", "device", "precision", "evaluate_every")  # fields of a recipe that may be changed when training is resumed


def main(arguments: list[str] | None = None) -> int:
    """Runs one command. The exit code is 0 for success, 1 for failed work, 2 for a request that cannot be met, 130 when it was
    interrupted, 141 when nobody reads on what it prints."""
    use_utf8()
    args = _parser().parse_args(arguments)
    # Models this small are no faster with more threads, and on a busy machine many times slower.
    torch.set_num_threads(getattr(args, "threads", 1))
    try:
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes what is left when it ends
        return 141
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except TrainingDiverged as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def train(args: argparse.Namespace) -> int:
    if args.out:
        checkpoint.check_can_save(args.out)
    if args.half and not args.weights_only:
        raise ValueError("--half rounds the weights, and training cannot be resumed from them; add --weights-only")
    trainer = _resumed(args) if args.resume else _begun(args)
    if args.out:
        checkpoint.check_can_save(args.out, _bytes_of_file(args, trainer))
    steps, goal = trainer.recipe.steps, args.until
    measure = "exact match" if has_source(trainer.task) else "tokens right"  # of those that the row decides
    result = facts_of(trainer.task) | {"seed": trainer.recipe.seed}
    seconds, reached, done = 0.0, False, False
    try:
        while not done:
            report = trainer.step()
            seconds += report.seconds
            result |= {"steps": report.step, "seconds": round(seconds, 3), "loss": report.loss}
            done = report.step == args.stop_at
            if report.evaluation is None:
                continue
            exact_match = report.evaluation.exact_match
            result |= {"exact_match": exact_match, "rows": trainer.evaluated_on}
            reached = goal is not None and exact_match >= goal
            done = done or reached or report.step == steps
            _progress(report.step, steps, f"loss {report.loss:.3f}  {measure} {exact_match:.1%}", end="\n" if done else "")
        result |= asdict(trainer.evaluate_finally())  # that of the last evaluation has decided when to stop
    finally:  # also keeps what was learned before Ctrl-C, or before training diverged
        if args.out and "steps" in result:
            _save(args, trainer, result)
            if not done:
                further = "" if args.weights_only else f"; train --resume {args.out} goes on from there"
                print(f"\n{args.out} has what was learned up to step {result['steps']}{further}", file=sys.stderr)
    saved = f", saved as {args.out}" if args.out else ""
    kind = "rows, from which it has learned" if is_tested_on_training(trainer.task) else "different held-out rows"
    found = f"{measure} {result['exact_match']:.1%} of {result['rows']:,} {kind}"
    words = f"{report.step} steps in {seconds:.2f} s of compute, {found}{saved}"
    print(json.dumps(result | _counted(trainer.task)) if args.json else words)
    return 0 if goal is None or reached else 1


def _save(args: argparse.Namespace, trainer: Trainer, result: dict[str, Any]) -> None:
    if args.weights_only:
        checkpoint.save(args.out, trainer.averaged(), result, half=args.half)
    else:
        checkpoint.save(args.out, trainer.model, result, Training(trainer.task, trainer.recipe, trainer.state()))


def _counted(task: Task) -> dict[str, int]:
    """Counts the pairs or the lines, to be printed in place of all of them."""
    if isinstance(task, PairsTask):
        return {"pairs": len(task.pairs), "trained_on": task.trained_on}
    return {"lines": len(task.lines), "trained_on": task.trained_on} if isinstance(task, TextTask) else {}


def _bytes_of_file(args: argparse.Namespace, trainer: Trainer) -> int:
    """About how large the saved file will be."""
    parameters = sum(parameter.numel() for parameter in trainer.model.parameters())
    if args.weights_only:
        return (2 if args.half else 4) * parameters
    return 4 * parameters * (1 + len(moment_names(trainer.recipe)))


def _begun(args: argparse.Namespace) -> Trainer:
    """A new training, from random weights."""
    given = _given(args, (*_RECIPE, *_FREE))
    task: Task
    if args.pairs or args.text:
        own = _own_task(args)
        plan = own_plan(own, seed=0)
        task, cfg, usual = own, replace(plan.cfg, **_given(args, MODEL_OPTIONS)), plan.recipe
        check_stacks(cfg, task)
    else:
        task = _task(args)
        cfg = _config(args, task)
        check_stacks(cfg, task)
        usual = recipe_for(task.name, cfg, seed=0)
    recipe = replace(usual, **given)
    check_parameters(cfg)
    _check_memory(cfg, task, recipe)
    return Trainer(Transformer(cfg, torch.Generator().manual_seed(recipe.seed)), task, recipe)


def _task(args: argparse.Namespace) -> Task:
    """The task by its name, with the number of symbols and the length that were given."""
    name, sizes = args.task or "copy", _given(args, ("symbols", "length"))
    if sizes and name not in (*SYMBOL_TASKS, RepeatTask.name):
        raise ValueError(f"the task {name} has its own words; leave --{next(iter(sizes))} out")
    if "symbols" in sizes:
        sizes["vocab"] = sizes.pop("symbols") + special_ids(name)
    return TASKS[name](**sizes)


def _own_task(args: argparse.Namespace) -> OwnTask:
    """Reads the pairs or the lines of a file; those that cannot be used are named and left out."""
    option = "pairs" if args.pairs else "text"
    for name in _given(args, ("task", "preset", "symbols", "length", *(("text",) if args.pairs else ("columns",)))):
        raise ValueError(f"--{option} says what to learn, and how large the model is; leave --{name} out")
    with Path(args.pairs or args.text).open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if args.text:
        read = lines_of(text_of(data), args.split)
        for fault in read.faults:
            print(f"left out: {fault}", file=sys.stderr)
        return TextTask(read.lines, args.split)
    columns = args.columns and (args.columns[0] - 1, args.columns[1] - 1)
    table = pairs.of_file(data, args.split, columns)
    if table.columns:
        print("columns {} and {} of {}".format(*(i + 1 for i in table.taken), len(table.columns)), file=sys.stderr)
    for fault in table.faults:
        print(f"left out: {fault}", file=sys.stderr)
    return PairsTask(table.pairs, args.split)


def _resumed(args: argparse.Namespace) -> Trainer:
    """The training that a file was saved in. Options that are given as well have to agree with it."""
    for name in _given(args, ("pairs", "text")):
        raise ValueError(f"{args.resume} holds what it learns from; leave --{name} out")
    loaded = checkpoint.load(args.resume)
    if loaded.training is None:
        raise ValueError(
            f"{args.resume} holds a model without its state of training; save one without --weights-only to resume it"
        )
    training, task = loaded.training, loaded.training.task
    held = {**asdict(loaded.model.cfg), **asdict(training.recipe), "task": task.name, "preset": "sizes of its own"}
    held |= {"symbols": task.vocab - special_ids(task.name), "length": getattr(task, "length", "none")}
    for name, value in _given(args, ("task", "preset", "symbols", "length", *MODEL_OPTIONS, *_RECIPE)).items():
        if held[name] != value:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} {value} does not fit {args.resume}, which has {held[name]}; leave --{option} out")
    recipe = replace(training.recipe, **_given(args, _FREE))
    if training.state.step >= recipe.steps:
        raise ValueError(f"{args.resume} has taken all its {training.state.step} steps; raise --steps to resume it")
    trainer = Trainer(loaded.model, training.task, recipe)
    trainer.restore(training.state)
    return trainer


def shapes(args: argparse.Namespace) -> int:
    for stage in stage_shapes(_config(args), args.batch, args.src_len, args.tgt_len):
        print(f"{stage.name:40} {' '.join(stage.axes):24} {stage.shape}")
    return 0


def params(args: argparse.Namespace) -> int:
    cfg = _config(args)
    parts = parameter_parts(cfg)
    for part in parts:
        print(f"{part.name:42} {part.formula:18} {part.numbers:32} {part.by_formula:>12,} {part.by_count:>12,}")
    print(f"{'all':94} {sum(p.by_formula for p in parts):>12,} {sum(p.by_count for p in parts):>12,}")
    sizes = (args.batch, args.src_len, args.tgt_len)
    flops, memory = sum(forward_flops(cfg, *sizes).values()), activation_bytes(cfg, *sizes)
    print(f"one forward pass of {sizes}: {flops:,} FLOPs, {memory:,} bytes of activations")
    return 0


def _check_memory(cfg: TransformerConfig, task: Task, recipe: Recipe) -> None:
    """Raises ValueError for a training on the CPU that takes more memory than the machine has."""
    if resolve_device(recipe.device).type != "cpu" or not hasattr(os, "sysconf"):
        return
    needed, there = (
        training_bytes(cfg, recipe.batch_size, *task.longest),
        os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
    )
    if needed > there:
        raise ValueError(
            f"this training takes about {needed >> 20:,} MB of memory, and this machine has {there >> 20:,} MB; "
            "lower the batch size or the sizes of the model"
        )


def _config(args: argparse.Namespace, task: Task | None = None) -> TransformerConfig:
    """The preset, or the usual sizes of a task for a decoder alone, with the options that were given; of a task, with its
    vocabulary on both sides."""
    given = _given(args, MODEL_OPTIONS)
    if task is None:
        return replace(PRESETS[args.preset or "tiny"], **given)
    usual = usual_config(task)
    of_task = {"src_vocab": task.vocab, "tgt_vocab": task.vocab, "stacks": usual.stacks}
    return replace(PRESETS[args.preset] if args.preset else usual, **(of_task | given))


def _given(args: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The options among these that were given."""
    given = {name: value for name in names if (value := getattr(args, name)) is not None}
    if given.get("rate") == PAPERS_RATE:
        given["rate"] = None
    return given | ({"betas": tuple(given["betas"])} if "betas" in given else {})


def _progress(step: int, steps: int, words: str, end: str) -> None:
    """A progress bar on standard error: redrawn in place on a terminal, an occasional line in a log."""
    terminal = sys.stderr.isatty()
    if not terminal and not end and step % 100:
        return
    done = 30 * step // steps
    line = f"[{'#' * done}{'.' * (30 - done)}] step {step}/{steps}  {words}"
    print(f"\r{line}  " if terminal else line, end=end if terminal else "\n", file=sys.stderr, flush=True)


def _parser() -> OneLine:
    parser = OneLine(prog="python -m transformer_core", description=__doc__)
    commands = parser.add_subparsers(
        required=True, metavar="train|shapes|params|translate|generate|evaluate|prepare|sweep|race|draw|parity"
    )

    model = OneLine(add_help=False)
    model.add_argument("--preset", choices=PRESETS, help="sizes and options of the model (default: tiny)")
    model.add_argument("--d-model", type=SIZES["d_model"], help="width of a token's vector")
    model.add_argument("--n-heads", type=SIZES["n_heads"], help="attention heads")
    model.add_argument("--d-ff", type=SIZES["d_ff"], help="inner width of the feed-forward network")
    model.add_argument("--n-layers", type=SIZES["n_layers"], help="layers in the encoder, and in the decoder")
    model.add_argument("--dropout", type=float, help="share of values set to zero in training")
    model.add_argument("--norm", choices=CHOICES["norm"], help="layer norm after (post) or before (pre) each sublayer")
    model.add_argument("--position", choices=CHOICES["position"], help="how the model knows positions")
    model.add_argument(
        "--tie-embeddings",
        choices=CHOICES["tie_embeddings"],
        help="share one matrix: target embedding and output projection (output), the source embedding as well (all)",
    )
    model.add_argument("--stacks", choices=CHOICES["stacks"], help="encoder and decoder (both), or the decoder alone (decoder)")
    model.add_argument("--score", choices=CHOICES["score"], help="how a query is compared with a key")
    model.add_argument("--activation", choices=CHOICES["activation"], help="the non-linearity of the feed-forward network")
    model.add_argument("--layer-norm", choices=CHOICES["layer_norm"], help="which formula layer norm has")
    model.add_argument("--norm-eps", type=float, help="keeps layer norm from dividing by 0")
    model.add_argument("--max-len", type=TOKENS, help="longest source, in tokens")
    model.add_argument("--tgt-max-len", type=TOKENS, help="longest target, in tokens")
    for name, words in _SWITCHES.items():
        model.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, help=words)

    sizes = OneLine(add_help=False)
    sizes.add_argument("--batch", type=SEQUENCES, default=1, help="sequences (default: %(default)s)")
    sizes.add_argument("--src-len", type=TOKENS, default=10, help="source tokens (default: %(default)s)")
    sizes.add_argument("--tgt-len", type=TOKENS, default=9, help="target tokens (default: %(default)s)")

    recipe = Recipe()
    command = commands.add_parser(
        "train",
        parents=[model],
        help="train a model on a task",
        description="It learns as the app's own models of the task and these sizes do, where no option says otherwise.",
    )
    command.add_argument("--task", choices=TASKS, help="what to learn (default: copy)")
    command.add_argument(
        "--pairs", metavar="FILE", help="learn the pairs of this text file instead: a sentence and its answer in each row"
    )
    command.add_argument("--text", metavar="FILE", help="learn the next word of every line of this text file (a decoder alone)")
    command.add_argument(
        "--columns",
        nargs=2,
        type=COLUMNS,
        metavar=("SENTENCE", "ANSWER"),
        help="which columns of --pairs hold them, counted from 1 (default: the first two of words)",
    )
    command.add_argument(
        "--split",
        choices=get_args(pairs.Split),
        default="words",
        help="what a token of --pairs or --text is (default: %(default)s)",
    )
    command.add_argument("--symbols", type=SYMBOLS, help="different symbols of a task of numbers or letters")
    command.add_argument("--length", type=SYMBOLS, help="symbols of a row of such a task")
    command.add_argument("--steps", type=STEPS, help="stop after this many steps")
    command.add_argument(
        "--stop-at", type=STEPS, metavar="STEP", help="stop after this step already, as if the training went on to --steps"
    )
    command.add_argument(
        "--until",
        type=share,
        metavar="SHARE",
        help="stop at the first evaluation with this exact match (0 to 1); exit with 1 if there is none",
    )
    command.add_argument("--evaluate-every", type=STEPS, help="steps between evaluations")
    command.add_argument("--batch-size", type=SEQUENCES, help="sequences per step")
    command.add_argument(
        "--evaluate-on", type=SEQUENCES, help=f"held-out sequences of an evaluation (default: {recipe.evaluate_on})"
    )
    command.add_argument("--rate", type=peak, help=f"peak learning rate, or {PAPERS_RATE} for the one of section 5.3")
    command.add_argument("--warmup", type=STEPS, help="steps of warm-up")
    command.add_argument(
        "--linear-warmup", action=argparse.BooleanOptionalAction, help="the rate rises during the warm-up (default: it does)"
    )
    command.add_argument("--optimiser", choices=OPTIMISERS, help=f"what takes the steps (default: {recipe.optimiser})")
    first, second = recipe.betas
    command.add_argument("--betas", type=float, nargs=2, metavar=("B1", "B2"), help=f"of Adam (default: {first} {second})")
    command.add_argument("--eps", type=float, help=f"of Adam (default: {recipe.eps})")
    command.add_argument(
        "--schedule",
        choices=SCHEDULES,
        help="learning rate after the warm-up: it falls with 1/sqrt(step) (noam), or stays at its peak and then falls along a "
        "cosine to the last step (cosine)",
    )
    command.add_argument(
        "--average",
        type=float,
        metavar="SHARE",
        help="keep a moving average of the weights, in which the newest have this share; it is what is evaluated, and saved by "
        "--weights-only; 0: no average",
    )
    command.add_argument("--clip", type=float, help=f"norm above which a gradient is scaled down (default: {recipe.clip})")
    command.add_argument(
        "--label-smoothing",
        type=float,
        help=f"share of the target probability spread over all tokens (default: {recipe.label_smoothing})",
    )
    command.add_argument("--seed", type=SEED, help=f"seed of weights, data and dropout (default: {recipe.seed})")
    command.add_argument("--device", choices=("cpu", "cuda", "mps"), help="where to train (default: cpu)")
    command.add_argument(
        "--precision", choices=PRECISIONS, help="precision of matrix products (default: auto, bfloat16 for wide models on CUDA)"
    )
    command.add_argument(
        "--threads", type=THREADS, default=1, metavar="N", help="CPU threads that torch may use (default: %(default)s)"
    )
    command.add_argument("--out", metavar="FILE", help="save the trained model here, as safetensors")
    command.add_argument("--weights-only", action="store_true", help="leave out what is needed only to resume training")
    command.add_argument("--half", action="store_true", help="save the weights as float16; needs --weights-only")
    command.add_argument("--resume", metavar="FILE", help="resume the training saved in this file, exactly where it stopped")
    command.add_argument("--json", action="store_true", help="print the result as one JSON object on the last line")
    command.set_defaults(run=train)

    command = commands.add_parser("shapes", parents=[model, sizes], help="print every stage of a forward pass with its shape")
    command.set_defaults(run=shapes)

    command = commands.add_parser(
        "params", parents=[model, sizes], help="print the parameters of every part, and the cost of a forward pass"
    )
    command.set_defaults(run=params)

    translate.add_to(commands)
    generate.add_to(commands)
    evaluate.add_to(commands)
    parity.add_to(commands)
    prepare.add_to(commands)
    sweep.add_to(commands)
    race.add_to(commands)
    draw.add_to(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
