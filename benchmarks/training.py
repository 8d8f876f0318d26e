"""The speed of our training steps beside a textbook loop around `torch.nn.Transformer`, and the time to learn copying.

    python -m benchmarks.training [--quick] [--device cuda]

The two loops take the same sizes, data, masks, positions, dropout, loss, clipping and Adam, on one thread. They run in turns, a
few steps each, in one process, and the median turn of each is compared. Seconds are those that the processor spent on this
process, so that other work on the machine hardly counts. A ratio above 1 says that ours is faster. Absolute times hold for the
machine that is printed with them, ratios for longer.

On CUDA, seconds are those of the clock until the device has done its work. Ours then stands there three times: as it trains by
default, with all in float32, and so without a recording, kernel by kernel.
"""

import argparse
import itertools
import math
import platform
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks import harness
from explorer.learning.snapshots import Keyframe, snapshot
from transformer_core import (
    PRESETS,
    CopyTask,
    Recipe,
    SentenceTask,
    Task,
    Trainer,
    Transformer,
    TransformerConfig,
    sinusoidal_encoding,
)
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import LearningPlan, recipe_for
from transformer_core.training.trainer import resolve_precision

FOREVER = 10**9
Loops = dict[str, Iterator[object]]  # by the names of columns, ours first


class Textbook(nn.Module):
    """`nn.Transformer` between embeddings and a linear layer, as in its tutorials."""

    def __init__(self, cfg: TransformerConfig):
        super().__init__()
        self.cfg = cfg
        self.tgt_table = nn.Embedding(cfg.tgt_vocab, cfg.d_model, padding_idx=cfg.pad_id)
        tied = cfg.tie_embeddings == "all"
        self.src_table = self.tgt_table if tied else nn.Embedding(cfg.src_vocab, cfg.d_model, padding_idx=cfg.pad_id)
        self.output = nn.Linear(cfg.d_model, cfg.tgt_vocab, bias=cfg.has_output_bias)
        if cfg.tie_embeddings != "none":
            self.output.weight = self.tgt_table.weight
        layer = {"dim_feedforward": cfg.d_ff, "dropout": cfg.dropout, "norm_first": cfg.norm == "pre", "batch_first": True}
        encoder_layer = nn.TransformerEncoderLayer(cfg.d_model, cfg.n_heads, **layer)
        decoder_layer = nn.TransformerDecoderLayer(cfg.d_model, cfg.n_heads, **layer)

        def norm() -> nn.Module | None:
            return nn.LayerNorm(cfg.d_model) if cfg.has_final_norm else None

        self.layers = nn.Transformer(
            cfg.d_model,
            cfg.n_heads,
            custom_encoder=nn.TransformerEncoder(encoder_layer, cfg.n_layers, norm(), enable_nested_tensor=False),
            custom_decoder=nn.TransformerDecoder(decoder_layer, cfg.n_layers, norm()),
            batch_first=True,
        )
        self.dropout = nn.Dropout(cfg.dropout)
        self.register_buffer("positions", sinusoidal_encoding(cfg.max_len, cfg.d_model))

    def embed(self, table: nn.Module, ids: Tensor) -> Tensor:
        return self.dropout(table(ids) * math.sqrt(self.cfg.d_model) + self.positions[: ids.size(1)])

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        hidden = src == self.cfg.pad_id
        x = self.layers(
            self.embed(self.src_table, src),
            self.embed(self.tgt_table, tgt),
            tgt_mask=torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).triu(1),
            src_key_padding_mask=hidden,
            tgt_key_padding_mask=tgt == self.cfg.pad_id,
            memory_key_padding_mask=hidden,
        )
        return self.output(x)


def textbook_steps(cfg: TransformerConfig, task: CopyTask, recipe: Recipe, fused: bool) -> Iterator[None]:
    """Runs the loop of the tutorials; `fused` is the one option of Adam that makes it faster, and is off by default."""
    device = torch.device(recipe.device)
    model = Textbook(cfg).train().to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, betas=recipe.betas, eps=recipe.eps, fused=fused or None)
    data = torch.Generator().manual_seed(recipe.seed + 1)
    while True:
        batch = task.batch(recipe.batch_size, data).to(device)
        optimiser.zero_grad()
        logits = model(batch.src, batch.tgt)
        loss = F.cross_entropy(
            logits.flatten(0, 1), batch.labels.flatten(), ignore_index=task.pad_id, label_smoothing=recipe.label_smoothing
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimiser.step()
        loss.item()
        yield


class KernelByKernel(Trainer):
    """A trainer without recorded CUDA graphs."""

    def _can_record(self) -> bool:
        return False


def our_steps(
    cfg: TransformerConfig, task: CopyTask, recipe: Recipe, trainer: Callable[..., Trainer] = Trainer
) -> Iterator[object]:
    return iter(trainer(Transformer(cfg), task, recipe).step, None)


def loops_on(cfg: TransformerConfig, task: CopyTask, recipe: Recipe) -> Loops:
    ours: Loops = {"ours": our_steps(cfg, task, recipe)}
    if recipe.device == "cuda":
        float32 = replace(recipe, precision="float32")
        ours["float32"] = our_steps(cfg, task, float32)
        ours["by kernel"] = our_steps(cfg, task, float32, KernelByKernel)
    return ours | {
        "textbook": textbook_steps(cfg, task, recipe, fused=False),
        "fused": textbook_steps(cfg, task, recipe, fused=True),
    }


def heading(device: str) -> None:
    names = list(loops_on(PRESETS["tiny"], CopyTask(), Recipe(device=device)))
    unit = "steps per second" if device == "cuda" else "steps per processor second"
    print(f"{'training':58}{unit:^{10 * len(names)}}{'ours is faster by':^{10 * len(names) - 10}}")
    print(f"{'':58}{''.join(f'{name:>10}' for name in names + names[1:])}")


def compare(name: str, cfg: TransformerConfig, task: CopyTask, batch_size: int, device: str, turn: float, turns: int) -> None:
    """Prints one row; `turn`: about how many seconds each loop runs at a time."""
    recipe = Recipe(batch_size=batch_size, rate=1e-4, steps=FOREVER, evaluate_every=FOREVER, device=device)
    loops = loops_on(cfg, task, recipe)
    for loop in loops.values():
        run(loop, 2, device)
    steps = max(1, round(turn / run(loops["ours"], 2, device)))
    seconds: dict[str, list[float]] = {kind: [] for kind in loops}
    for _, kind in itertools.product(range(turns), loops):
        seconds[kind].append(run(loops[kind], steps, device))
    median = {kind: statistics.median(values) for kind, values in seconds.items()}
    speeds = "".join(f"{1 / median[kind]:>10.2f}" for kind in loops)
    ratios = "".join(f"{median[kind] / median['ours']:>10.2f}" for kind in list(loops)[1:])
    narrow = resolve_precision(recipe.precision, torch.device(device), cfg.d_model) is torch.bfloat16
    print(f"{name + ', bfloat16' * narrow:58}{speeds}{ratios}", flush=True)


def clock(device: str) -> float:
    """Returns the processor seconds of this process; for a device, the time on the clock when its work is done."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def run(loop: Iterator[object], steps: int, device: str = "cpu") -> float:
    """Returns the seconds per step."""
    start = clock(device)
    for _ in range(steps):
        next(loop)
    return (clock(device) - start) / steps


def time_to_copy(seed: int, goal: float) -> tuple[int, float, float, float]:
    """Returns steps, seconds in them, processor seconds with all evaluations, and share of exact copies of other rows."""
    start, seconds, right = time.process_time(), 0.0, 0.0
    recipe = recipe_for("copy", PRESETS["tiny"], seed)
    trainer = Trainer(Transformer(PRESETS["tiny"], torch.Generator().manual_seed(seed)), CopyTask(), recipe)
    while right < goal and trainer.steps_taken < recipe.steps:
        report = trainer.step()
        seconds += report.seconds
        right = report.evaluation.exact_match if report.evaluation is not None else 0.0
    spent = time.process_time() - start
    return trainer.steps_taken, seconds, spent, trainer.evaluate_finally().exact_match


def snapshot_cost(cfg: TransformerConfig, task: Task, turns: int) -> tuple[float, float]:
    """Returns the processor seconds of a step, and of a snapshot with its keyframe: the means from the first step on."""
    learning = Learning(LearningPlan(cfg, task, Recipe(steps=FOREVER, evaluate_every=FOREVER)), keep=[])
    steps = iter(learning.trainer.step, None)
    snapshots = iter(lambda: (snapshot(learning.trainer, None), Keyframe.of(learning)), None)
    run(steps, 2)
    pairs = [(run(steps, Recipe.evaluate_every), run(snapshots, 1)) for _ in range(turns)]
    step, shot = (statistics.mean(seconds) for seconds in zip(*pairs, strict=True))
    return step, shot


def processor() -> str:
    """Returns the model name of the CPU, if the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def graphics_card() -> str:
    """Returns the name of the CUDA device and the version of its driver."""
    driver = "unknown"
    if smi := shutil.which("nvidia-smi"):
        asked = [smi, "--query-gpu=driver_version", "--format=csv,noheader"]
        driver = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return f"{torch.cuda.get_device_name()}, driver {driver}, CUDA {torch.version.cuda}, "


def row(name: str, steps: float, seconds: float, processor_seconds: float, exact: float) -> None:
    print(f"{name:26} {steps:>8.0f} {seconds:>18.2f} {processor_seconds:>22.2f} {exact:>8.1%}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter turns, and two seeds")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where (default: cpu); on cuda, steps alone")
    args = parser.parse_args()
    if args.device == "cuda" and not torch.cuda.is_available():
        parser.error(f"this machine has no CUDA device that torch {torch.__version__} can use")
    torch.set_num_threads(1)
    card = graphics_card() if args.device == "cuda" else ""
    print(f"{harness.machine()}\n{card}{processor()}, 1 thread, Python {platform.python_version()}\n")
    compare_steps(args.device, args.quick)
    if args.device == "cpu":
        measure_snapshots(args.quick)
        measure_learning(args.quick)


def compare_steps(device: str, quick: bool) -> None:
    turn, turns = (0.1, 5) if quick else (0.4, 15)
    tiny, task = PRESETS["tiny"], CopyTask()
    middle = TransformerConfig(64, 64, d_model=256, n_heads=8, d_ff=1024, n_layers=3, dropout=0.0)
    base = replace(PRESETS["paper_base"], src_vocab=1000, tgt_vocab=1000)
    heading(device)
    compare("tiny, batch 32", tiny, task, 32, device, turn, turns)
    compare("tiny, batch 64", tiny, task, 64, device, turn, turns)
    compare("tiny with dropout 0.1, batch 32", replace(tiny, dropout=0.1), task, 32, device, turn, turns)
    compare("256/8/1024/3, length 24, batch 16", middle, CopyTask(64, 24), 16, device, turn, turns)
    compare("the same with dropout 0.1", replace(middle, dropout=0.1), CopyTask(64, 24), 16, device, turn, turns)
    few = 3 if quick else 9
    compare("paper_base, vocabulary 1000, length 24, batch 4", base, CopyTask(1000, 24), 4, device, turn, few)
    if device == "cuda":
        compare("the same, batch 64", base, CopyTask(1000, 24), 64, device, turn, few)


def measure_snapshots(quick: bool) -> None:
    every = Recipe.evaluate_every
    print(f"\n{f'a snapshot every {every} steps':46}{'step, ms':>10}{'snapshot':>10}{'cost':>10}")
    for preset, kept in (("tiny", CopyTask()), ("tiny", SentenceTask("pronoun-en")), ("small", SentenceTask("pronoun-en"))):
        cfg = replace(PRESETS[preset], src_vocab=kept.vocab, tgt_vocab=kept.vocab)
        step, shot = snapshot_cost(cfg, kept, 10 if quick else 40)
        print(
            f"{f'{preset}, {kept.name}':46}{1000 * step:>10.2f}{1000 * shot:>10.2f}{shot / (every * step):>10.1%}", flush=True
        )


def measure_learning(quick: bool) -> None:
    goal = 0.99
    title = f"tiny to {goal:.0%} exact copies"
    print(f"\n{title:26} {'steps':>8} {'seconds in steps':>18} {'processor, looks too':>22} {'exact':>8}")
    found = []
    for seed in range(2 if quick else 5):
        found.append(time_to_copy(seed, goal))
        row(f"  seed {seed}", *found[-1])
    steps, seconds, processor_seconds, exact = zip(*found, strict=True)
    row("  median", *(statistics.median(column) for column in (steps, seconds, processor_seconds, exact)))
    row("  worst", max(steps), max(seconds), max(processor_seconds), min(exact))


if __name__ == "__main__":
    main()
