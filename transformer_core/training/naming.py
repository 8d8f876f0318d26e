"""The names of learned models."""

import hashlib
import json
from dataclasses import fields

from transformer_core.data.tasks import Task, task_to_dict
from transformer_core.model.config import TransformerConfig


def learned_key(task: Task, cfg: TransformerConfig, seed: int) -> str:
    """Returns the name of a learned model: equal settings, equal names. 16 hexadecimal digits."""
    config = {field.name: getattr(cfg, field.name) for field in fields(cfg)}  # all plain values: asdict takes ten times as long
    settings = {"task": task_to_dict(task), "config": config, "seed": seed}
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
