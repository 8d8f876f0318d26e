"""What is read of a model before it has finished: of its decoder by the logit lens, of its encoder by the DecoderLens."""

from collections.abc import Hashable

import torch

from explorer.inference.decoding import most_steps
from explorer.inference.forward import ModelChoice, model_of
from explorer.inference.held_out import shares
from explorer.inference.shared_cache import shared_cache
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.decoder_lens import after_layers
from transformer_core.analysis.logit_lens import Reading, logit_lens
from transformer_core.data.tasks import Task
from transformer_core.data.vocabulary import before_end
from transformer_core.model.decoding import decode_steps
from transformer_core.model.transformer import Transformer

LONGEST = 24  # tokens of an answer


def readings(shown: ShownModel) -> list[Reading]:
    """What the decoder on screen would say, given the words on screen, after each of its parts."""
    return logit_lens(model_of(shown.choice), shown.forward().values)


def early_answers(shown: ShownModel) -> list[tuple[int, ...]]:
    """The answers to the source on screen that the decoder gives after 0, 1, … layers of the encoder, the last of all of them:
    without start and end token, and up to LONGEST tokens of each."""
    ends = shown.vocabulary.end
    steps = most_steps(shown, LONGEST if ends is not None else min(len(shown.tgt), LONGEST))
    return _answers(shown.choice, shown.src, shown.tgt[0], steps, ends)


@shared_cache(2**20)
def _answers(choice: ModelChoice, src: tuple[int, ...], start: int, steps: int, end: int | None) -> list[tuple[int, ...]]:
    """All at once: the decoder is the same."""
    model, source = model_of(choice), torch.tensor([src])
    with torch.no_grad():
        memory = torch.cat([after_layers(model, layers).encode(source) for layers in range(len(model.encoder) + 1)])
    *_, last = decode_steps(model, source.expand(len(memory), -1), start, steps, end_id=end, memory=memory)
    return [before_end(ids, end) for ids in last.tokens[:, 1:].tolist()]


def early_shares_right(choice: ModelChoice, task: Task, seconds: float) -> list[float | None]:
    """The share of the held-out rows of a task that greedy decoding gets right after 0, 1, … layers of the encoder; None where
    there was no time left for it. See `measured.within`."""
    early: dict[tuple[Hashable, ...], int] = {("early", choice, task, layers): layers for layers in range(choice.cfg.n_layers)}
    whole: tuple[Hashable, ...] = ("right", choice, task)  # what others measure as well

    def model(key: tuple[Hashable, ...]) -> Transformer:
        return model_of(choice) if key == whole else after_layers(model_of(choice), early[key])

    return shares([*early, whole], model, choice.cfg, task, seconds)


__all__ = ["early_answers", "early_shares_right", "readings"]
