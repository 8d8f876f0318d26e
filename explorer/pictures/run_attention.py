"""The attention of a run on a row of its probe: the picture of one of its steps, and of all that are kept, for a film."""

from dataclasses import dataclass
from typing import Literal

from explorer.figures.attention import attention_heatmap, attention_heatmaps
from explorer.figures.matrix import Matrices
from explorer.i18n import current_language
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.snapshots import Snapshot
from transformer_core.model.stages import AttentionKind, attention_kinds

ROUTE = "run-film"  # the path of `shell.run_film`
MOST = 60  # pictures of a film


@dataclass(frozen=True)
class Watched:
    """The attention that is watched: a row of the probe, a kind, a layer, and each head or the mean of all; row and layer
    count from 0."""

    row: int
    kind: AttentionKind
    layer: int
    heads: Literal["mean", "each"]

    def address(self, run: TrainingRun) -> str:
        """Returns the path, relative to a page, at which a browser gets the pictures of all kept steps of a run."""
        return f"{ROUTE}/{run.id}/{self.row}/{self.kind}/{self.layer}/{self.heads}/{current_language()}"

    def check(self, run: TrainingRun, rows: int) -> None:
        """Raises ValueError for what a run with so many rows does not have."""
        of_run = self.kind in attention_kinds(run.plan.cfg) and self.heads in ("mean", "each")
        if not of_run or self.row not in range(rows) or self.layer not in range(run.plan.cfg.n_layers):
            raise ValueError("this run has no such attention")


def run_attention(plan: TrainingPlan, seen: Snapshot, watched: Watched) -> Matrices:
    """Draws the attention after a step."""
    attention = seen.attention_map(plan, watched.kind, watched.layer, watched.row)
    return attention_heatmap(attention, None) if watched.heads == "mean" else attention_heatmaps(attention)


def film(run: TrainingRun, watched: Watched) -> list[tuple[int, Matrices]]:
    """Draws it after each step that is kept, or where these are many, after some of them: evenly chosen, the first and the last
    among them. Raises ValueError for what the run does not have."""
    snapshots = run.history().snapshots
    watched.check(run, len(snapshots[0].right) if snapshots else 0)
    return [(each.step, run_attention(run.plan, each, watched)) for each in evenly(snapshots, MOST)]


def evenly(snapshots: tuple[Snapshot, ...], most: int) -> list[Snapshot]:
    """Chooses so many at most, evenly, the first and the last among them."""
    count = min(len(snapshots), most)
    return [snapshots[round(i * (len(snapshots) - 1) / max(count - 1, 1))] for i in range(count)]
