"""`python -m transformer_core train|shapes|params`: the model without the app."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import torch

from transformer_core import checkpoint
from transformer_core.accounting import activation_bytes, forward_flops, parameter_parts, stage_shapes
from transformer_core.config import PRESETS, TransformerConfig
from transformer_core.tasks import TASKS
from transformer_core.training import Recipe, TrainingDiverged, train_steps
from transformer_core.transformer import Transformer

_SIZES = ("d_model", "n_heads", "d_ff", "n_layers", "dropout", "norm", "position")


def main(arguments: list[str] | None = None) -> int:
    """Returns 0 when all went well, 1 when the work failed, 2 for a request that cannot be met."""
    args = _parser().parse_args(arguments)
    try:
        return int(args.run(args))
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
    if args.threads:
        torch.set_num_threads(args.threads)
    if args.out and not Path(args.out).absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {Path(args.out).absolute().parent} to save the model in")
    task = TASKS[args.task]()
    cfg = replace(_config(args), src_vocab=task.vocab, tgt_vocab=task.vocab)
    recipe = Recipe(
        steps=args.steps, batch_size=args.batch_size, rate=args.rate, warmup=args.warmup, seed=args.seed,
        label_smoothing=args.label_smoothing, device=args.device,
    )  # fmt: skip
    model = Transformer(cfg, torch.Generator().manual_seed(args.seed))
    seconds, exact_match, report = 0.0, 0.0, None
    for report in train_steps(model, task, recipe):
        seconds += report.seconds
        if report.look is None:
            continue
        exact_match = report.look.exact_match
        done = report.step == recipe.steps or (args.until is not None and exact_match >= args.until)
        _progress(report.step, recipe.steps, f"loss {report.loss:.3f}  exact {exact_match:.1%}", end="\n" if done else "")
        if done:
            break
    assert report is not None  # steps is at least 1
    result = {"task": args.task, "seed": args.seed, "steps": report.step, "seconds": round(seconds, 3)}
    result |= {"loss": report.loss, "exact_match": exact_match}
    if args.out:
        checkpoint.save(args.out, model, result)
    if args.json:
        print(json.dumps(result))
    else:
        print(
            f"{report.step} steps in {seconds:.2f} s of compute, {exact_match:.1%} exact"
            + (f", saved as {args.out}" if args.out else "")
        )
    return 0 if args.until is None or exact_match >= args.until else 1


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


def _config(args: argparse.Namespace) -> TransformerConfig:
    given = {name: getattr(args, name) for name in _SIZES if getattr(args, name) is not None}
    return replace(PRESETS[args.preset], **given)


def _progress(step: int, steps: int, words: str, end: str) -> None:
    """A bar on standard error: redrawn in place on a terminal, one line now and then in a log."""
    terminal = sys.stderr.isatty()
    if not terminal and not end and step % 100:
        return
    done = 30 * step // steps
    line = f"[{'#' * done}{'.' * (30 - done)}] step {step}/{steps}  {words}"
    print(f"\r{line}  " if terminal else line, end=end if terminal else "\n", file=sys.stderr, flush=True)


def _at_least_1(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {value}")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m transformer_core", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="train|shapes|params")

    model = argparse.ArgumentParser(add_help=False)
    model.add_argument("--preset", choices=PRESETS, default="tiny", help="which model (default: %(default)s)")
    model.add_argument("--d-model", type=int, help="width of a token's vector")
    model.add_argument("--n-heads", type=int, help="attention heads")
    model.add_argument("--d-ff", type=int, help="inner width of the feed-forward part")
    model.add_argument("--n-layers", type=int, help="layers in the encoder, and in the decoder")
    model.add_argument("--dropout", type=float, help="share of values set to zero in training")
    model.add_argument("--norm", choices=("post", "pre"), help="where layer norm stands")
    model.add_argument("--position", choices=("sinusoidal", "learned", "none"), help="how a token's place is told")

    sizes = argparse.ArgumentParser(add_help=False)
    sizes.add_argument("--batch", type=_at_least_1, default=1, help="sequences (default: %(default)s)")
    sizes.add_argument("--src-len", type=_at_least_1, default=10, help="source tokens (default: %(default)s)")
    sizes.add_argument("--tgt-len", type=_at_least_1, default=9, help="target tokens (default: %(default)s)")

    recipe = Recipe()
    command = commands.add_parser("train", parents=[model], help="train a model on a task")
    command.add_argument("--task", choices=TASKS, default="copy", help="what to learn (default: %(default)s)")
    command.add_argument("--steps", type=int, default=recipe.steps, help="stop after this many steps (default: %(default)s)")
    command.add_argument(
        "--until", type=float, metavar="SHARE", help="stop once this share is decoded exactly; exit 1 if it never is"
    )
    command.add_argument("--batch-size", type=int, default=recipe.batch_size, help="sequences per step (default: %(default)s)")
    command.add_argument("--rate", type=float, default=recipe.rate, help="highest learning rate (default: %(default)s)")
    command.add_argument("--warmup", type=int, default=recipe.warmup, help="steps of warm-up (default: %(default)s)")
    command.add_argument("--label-smoothing", type=float, default=recipe.label_smoothing, help="(default: %(default)s)")
    command.add_argument("--seed", type=int, default=recipe.seed, help="of weights, data and dropout (default: %(default)s)")
    command.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="auto", help="(default: %(default)s)")
    command.add_argument(
        "--threads", type=_at_least_1, metavar="N", help="CPU threads that torch may use (default: torch's own choice)"
    )
    command.add_argument("--out", metavar="FILE", help="save the trained model here, as safetensors")
    command.add_argument("--json", action="store_true", help="print the result as one JSON object on the last line")
    command.set_defaults(run=train)

    command = commands.add_parser("shapes", parents=[model, sizes], help="print every stage of a forward pass with its shape")
    command.set_defaults(run=shapes)

    command = commands.add_parser(
        "params", parents=[model, sizes], help="print the parameters of every part, and the cost of a pass"
    )
    command.set_defaults(run=params)
    return parser


if __name__ == "__main__":
    sys.exit(main())
