"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), written to be read and to be looked inside."""

from pathlib import Path

from transformer_core.data.tasks import TASKS, CopyTask, RepeatTask, ReverseTask, SentenceTask, SortTask, Task
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.attention import MultiHeadAttention, attention
from transformer_core.model.config import PRESETS, TransformerConfig
from transformer_core.model.decoding import greedy_decode
from transformer_core.model.embedding import sinusoidal_encoding
from transformer_core.model.masks import causal_mask, padding_mask
from transformer_core.model.trace import Stage, Trace
from transformer_core.model.transformer import Transformer
from transformer_core.training import checkpoint
from transformer_core.training.trainer import Recipe, StepReport, Trainer, TrainingDiverged, TrainingState

SHIPPED_MODELS = Path(__file__).parent / "shipped"  # the folder of the learned models that come with the package

__all__ = [
    "PRESETS",
    "SHIPPED_MODELS",
    "TASKS",
    "CopyTask",
    "MultiHeadAttention",
    "Recipe",
    "RepeatTask",
    "ReverseTask",
    "SentenceTask",
    "SortTask",
    "Stage",
    "StepReport",
    "Task",
    "Trace",
    "Trainer",
    "TrainingDiverged",
    "TrainingState",
    "Transformer",
    "TransformerConfig",
    "Vocabulary",
    "attention",
    "causal_mask",
    "checkpoint",
    "greedy_decode",
    "padding_mask",
    "sinusoidal_encoding",
]
