"""Teacher forcing: the decoder is given the target, shifted right, and the loss compares its predictions with the labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from transformer_core.errors import InputError


@dataclass(frozen=True)
class TeacherForced:
    """The predictions of one teacher-forced pass, and the loss that follows.

    Shape: log_probabilities (nats), probabilities (tgt, vocab); label_log_probabilities (tgt,)

    Attributes:
        loss: the mean of -log p of the labels, by hand, in nats per token.
        cross_entropy: torch's, given the logits. It contains the log-softmax.
        of_log_probabilities: torch's, given log-probabilities: the same, for another log-softmax changes nothing.
        of_probabilities: torch's, given probabilities: a common error, and another number.
    """

    log_probabilities: np.ndarray
    probabilities: np.ndarray
    label_log_probabilities: np.ndarray
    loss: float
    cross_entropy: float
    of_log_probabilities: float
    of_probabilities: float


def teacher_forced(logits: np.ndarray, labels: Sequence[int]) -> TeacherForced:
    """From logits to the loss (section 3.4: linear, then softmax). The decoder's input was the start token, then the labels,
    shifted right.

    Shape: logits (tgt, vocab), labels (tgt,)

    Raises:
        InputError: when the two do not fit.
    """
    if len(labels) != len(logits):
        raise InputError(
            "there must be one label per position: {positions}, not {labels}", labels=len(labels), positions=len(logits)
        )
    for label in labels:
        if not 0 <= label < (vocab := logits.shape[1]):
            raise InputError(
                "the label {token} is not among the {vocab} tokens of the vocabulary, 0 to {last}",
                token=label,
                vocab=vocab,
                last=vocab - 1,
            )
    z = logits.astype(np.float64)
    z = z - z.max(axis=-1, keepdims=True)  # (tgt, vocab); changes no result, but keeps exp from overflowing
    logs = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    own = logs[np.arange(len(labels)), list(labels)]
    right = torch.tensor(list(labels))

    def torchs(values: np.ndarray) -> float:
        return float(F.cross_entropy(torch.tensor(values), right))

    probabilities = np.exp(logs)
    return TeacherForced(
        logs, probabilities, own, float(-own.mean()), torchs(logits.astype(np.float64)), torchs(logs), torchs(probabilities)
    )


def top_tokens(probabilities: np.ndarray, count: int, always: Sequence[int] = ()) -> np.ndarray:
    """The `count` tokens with the highest probability at any position, and those in `always`, in the order of their ids.

    Shape: (tgt, vocab) -> (up to count + len(always),)
    """
    best = np.argsort(-probabilities.max(axis=0), kind="stable")[:count]
    return np.union1d(best, np.asarray(always, dtype=np.int64)).astype(np.int64)
