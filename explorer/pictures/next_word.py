"""Bars of the words that may come next at a step of decoding."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.decoding import DecodingOptions, GeneratedStep, token_texts
from explorer.model_on_screen.right_answers import truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, Longest, picture
from transformer_core.analysis.answer_distribution import sampled_truth
from transformer_core.model.decoding import Sampling

MOST_STEPS = 24
TEMPERATURES, MOST_K, TOP_P, LAST_SEED = (0.1, 3.0), 50, (0.05, 1.0), 99  # how far the knobs go
_TOP = 10  # words that are shown


@dataclass(frozen=True)
class SamplingChoices:
    """The settings of sampling. A `top_k` of 0 keeps all tokens, and so does a `top_p` of 1."""

    draw_seed: Annotated[int, Ends(0, LAST_SEED)]
    temperature: Annotated[float, Ends(*TEMPERATURES)]
    top_k: Annotated[int, Ends(0, MOST_K)]
    top_p: Annotated[float, Ends(*TOP_P)]


@dataclass(frozen=True)
class StepChoices(SamplingChoices):
    """A step of decoding, from 1.

    Attributes:
        forced: (step, token) of each token that a person chose instead of the model; steps from 0.
        samples: whether words are drawn; decoding is greedy otherwise.
    """

    decode_step: Annotated[int, Ends(1, MOST_STEPS)]
    decode_steps: Annotated[int, Ends(1, MOST_STEPS)]
    forced: Annotated[tuple[tuple[int, int], ...], Longest(MOST_STEPS)]
    samples: bool


@dataclass(frozen=True)
class NextWordChoices(StepChoices):
    """A step; `sampled`: its bars show the probabilities after temperature, top-k and top-p."""

    sampled: bool


def sampling_of(temperature: float, top_k: int, top_p: float) -> Sampling:
    """The settings that the sliders stand for, in hundredths. A `top_k` of 0 keeps all tokens, and so does a `top_p` of 1."""
    return Sampling(round(temperature, 2), top_k or None, round(top_p, 2) if top_p < 1 else None)


def sampling_choices(sampling: Sampling, seed: int) -> SamplingChoices:
    return SamplingChoices(seed, sampling.temperature, sampling.top_k or 0, 1.0 if sampling.top_p is None else sampling.top_p)


def step_choices(options: DecodingOptions, step: int) -> dict[str, Any]:
    """The fields of `StepChoices`. `step`: from 0."""
    return asdict(sampling_choices(options.sampling or Sampling(), options.seed)) | {
        "decode_step": step + 1,
        "decode_steps": options.steps,
        "forced": options.forced,
        "samples": options.sampling is not None,
    }


def sampling_in(shown: ShownModel, choices: SamplingChoices) -> Sampling:
    return sampling_of(choices.temperature, min(choices.top_k, shown.cfg.tgt_vocab), choices.top_p)


@picture("next-word")
def next_word(shown: ShownModel, choices: NextWordChoices) -> Figure:
    """The probabilities of the words that may come next."""
    now, options = step_of(shown, choices)
    truth = truth_of(shown)
    right = truth.next_words(now.given) if truth is not None else None
    return bars_of(shown, now, options, right, sampled=choices.sampled and right is not None)


def step_of(shown: ShownModel, choices: StepChoices) -> tuple[GeneratedStep, DecodingOptions]:
    """The chosen step, and how its answer is generated. Raises ValueError for tokens that the model does not have."""
    if not all(0 <= step < MOST_STEPS and 0 <= token < shown.cfg.tgt_vocab for step, token in choices.forced):
        raise ValueError("the model has no such tokens")
    forced = tuple((step, token) for step, token in choices.forced if step < choices.decode_steps)
    sampling = sampling_in(shown, choices) if choices.samples else None
    options = DecodingOptions(choices.decode_steps, sampling, choices.draw_seed, forced)
    generated = options.generated(shown, shown.choice)
    return generated[min(choices.decode_step, len(generated)) - 1], options


def bars_of(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, right: np.ndarray | None, sampled: bool) -> Figure:
    """Draws the probabilities of the words in `in_question`; `right` are the grammar's. `sampled`: draws both as they are after
    temperature, top-k and top-p."""
    order = in_question(now, right)
    series = {_("probability (%)"): now.probabilities}
    if sampled and right is not None and options.sampling is not None:
        series = {
            _("model, sampled (%)"): now.sampling_probabilities,
            _("grammar, sampled (%)"): sampled_truth(right, options.sampling),
        }
    elif right is not None:
        series = {_("model (%)"): now.probabilities, _("grammar (%)"): right}
    elif options.sampling is not None:
        series |= {_("sampling probability (%)"): now.sampling_probabilities}
    return bars(token_texts(shown, order), {name: 100 * values[order] for name, values in series.items()}, y_title=_("%"))


def in_question(now: GeneratedStep, right: np.ndarray | None) -> list[int]:
    """The ids of the words that are shown, the model's most likely first. The word that is taken is among them, and so are the
    right ones."""
    ranked = np.argsort(-now.probabilities, kind="stable").tolist()
    wanted = [now.token]
    if right is not None:
        wanted += [token for token in np.argsort(-right, kind="stable").tolist() if right[token] > 0]
    chosen = set(list(dict.fromkeys([*wanted, *ranked]))[:_TOP])
    return [token for token in ranked if token in chosen]
