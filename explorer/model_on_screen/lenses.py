"""Readings of intermediate layers: of the decoder by the logit lens, of the encoder by the DecoderLens."""

from collections.abc import Hashable

import torch

from explorer.model_on_screen.decoding import most_steps
from explorer.model_on_screen.forward import ModelChoice, model_of
from explorer.model_on_screen.held_out import shares
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.analysis.decoder_lens import after_layers
from transformer_core.analysis.logit_lens import Reading, logit_lens
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import decode_steps
from transformer_core.model.transformer import Transformer

LONGEST = 24  # tokens of an answer


def readings(shown: ShownModel) -> list[Reading]:
    """Reads the decoder's prediction after each of its parts, for the sequences on screen."""
    return logit_lens(model_of(shown.choice), shown.forward().values)


def early_answers(shown: ShownModel) -> list[tuple[int, ...]]:
    """Decodes the source on screen after 0, 1, … layers of the encoder, the last after all of them.

    Returns answers without start and end token, of up to LONGEST tokens each.
    """
    ends = shown.vocabulary.end
    steps = most_steps(shown.cfg, LONGEST if ends is not None else min(len(shown.tgt), LONGEST))
    return _answers(shown.choice, shown.src, shown.tgt[0], steps, ends)


@shared_cache(2**20)
def _answers(choice: ModelChoice, src: tuple[int, ...], start: int, steps: int, end: int | None) -> list[tuple[int, ...]]:
    """Decodes all of them in one batch: the decoder is the same."""
    model, source = model_of(choice), torch.tensor([src])
    with torch.no_grad():
        memory = torch.cat([after_layers(model, layers).encode(source) for layers in range(len(model.encoder) + 1)])
    *_, last = decode_steps(model, source.expand(len(memory), -1), start, steps, end_id=end, memory=memory)
    return [before_end(ids, end) for ids in last.tokens[:, 1:].tolist()]


def early_shares_right(choice: ModelChoice, task: Task, seconds: float) -> list[float | None]:
    """Measures the share of held-out rows that greedy decoding gets right after 0, 1, … layers of the encoder; None where
    the time ran out. See `incremental.measure`.
    """
    early: dict[tuple[Hashable, ...], int] = {("early", choice, task, layers): layers for layers in range(choice.cfg.n_layers)}
    whole: tuple[Hashable, ...] = ("right", choice, task)  # the key of `held_out.shares_right`

    def model(key: tuple[Hashable, ...]) -> Transformer:
        return model_of(choice) if key == whole else after_layers(model_of(choice), early[key])

    return shares([*early, whole], model, choice.cfg, task, seconds)


__all__ = ["early_answers", "early_shares_right", "readings"]
