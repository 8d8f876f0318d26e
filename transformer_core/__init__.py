"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), written to be read and to be looked into."""

from pathlib import Path

from transformer_core.attention import MultiHeadAttention, attention
from transformer_core.config import PRESETS, TransformerConfig
from transformer_core.decoding import greedy_decode, greedy_steps
from transformer_core.embedding import sinusoidal_encoding
from transformer_core.masks import causal_mask, padding_mask
from transformer_core.tasks import TASKS, CopyTask, ReverseTask, SentenceTask, SortTask, Task
from transformer_core.trace import NO_TRACE, Stage, Trace
from transformer_core.training import Recipe, StepReport, Trainer, TrainingDiverged, TrainingState, train_steps
from transformer_core.transformer import Transformer
from transformer_core.vocabulary import Vocabulary

# Small trained models that come with the package; models/README.md says how each was made.
SHIPPED = [
    Path(__file__).parent / "models" / f"{name}.safetensors"
    for name in ("translate-fr", "translate-zh", "pronoun-en", "pronoun-zh", "copy")
]

__all__ = [
    "NO_TRACE",
    "PRESETS",
    "SHIPPED",
    "TASKS",
    "CopyTask",
    "MultiHeadAttention",
    "Recipe",
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
    "greedy_decode",
    "greedy_steps",
    "padding_mask",
    "sinusoidal_encoding",
    "train_steps",
]
