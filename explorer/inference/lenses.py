"""What is read of a model before it has finished: of its decoder by the logit lens, of its encoder by the DecoderLens."""

import threading

import torch
from cachetools import LRUCache, cached

from explorer.inference.decoding import most_steps
from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.held_out import ROWS, rows_of, share_right
from explorer.inference.measured import within
from explorer.inference.shown_model import ShownModel
from transformer_core import TASKS
from transformer_core.analysis.decoder_lens import after_layers
from transformer_core.analysis.logit_lens import Reading, logit_lens
from transformer_core.model.decoding import decode_steps
from transformer_core.training.evaluation import exact_match

LONGEST = 24  # tokens of an answer


def readings(shown: ShownModel) -> list[Reading]:
    """What the decoder on screen would say, given the words on screen, after each of its parts."""
    return logit_lens(model_of(shown.choice), shown.forward().values)


def early_answers(shown: ShownModel) -> list[tuple[int, ...]]:
    """The answers to the source on screen that the decoder gives after 0, 1, … layers of the encoder, the last of all of them:
    without start and end token, and up to LONGEST tokens of each."""
    ends = shown.vocabulary.end
    steps = most_steps(shown, LONGEST if ends is not None else min(len(shown.tgt), LONGEST))
    return [_answer(shown.choice, layers, shown.src, shown.tgt[0], steps, ends) for layers in range(shown.cfg.n_layers + 1)]


@cached(LRUCache(512), lock=threading.Lock())
def _answer(choice: ModelChoice, layers: int, src: tuple[int, ...], start: int, steps: int, end: int | None) -> tuple[int, ...]:
    *_, last = decode_steps(after_layers(model_of(choice), layers), torch.tensor([src]), start, steps, end_id=end)
    ids = last.tokens[0, 1:].tolist()
    return tuple(ids[: ids.index(end)] if end in ids else ids)


def early_shares_right(choice: ModelChoice, task: str, seconds: float) -> list[float | None]:
    """The share of ROWS held-out rows of a task that greedy decoding gets right after 0, 1, … layers of the encoder; None where
    there was no time left for it. See `measured.within`."""

    def share(key: tuple[str, ModelChoice, str, int]) -> float:
        layers = key[3]
        if layers == choice.cfg.n_layers:
            return share_right(choice, task)
        return exact_match(after_layers(model_of(choice), layers), TASKS[task](), rows_of(task))

    return within(seconds, [("early", choice, task, layers) for layers in range(choice.cfg.n_layers + 1)], share)


__all__ = ["ROWS", "early_answers", "early_shares_right", "readings"]
