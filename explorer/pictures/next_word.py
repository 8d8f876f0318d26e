"""The words that may come next at a step of decoding, as bars: for the page, and while one of its knobs is moved."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.decoding import DecodingOptions, GeneratedStep, token_texts
from explorer.inference.shown_model import ShownModel
from explorer.inference.truth import truth_of
from explorer.pictures.choices import number, whole
from transformer_core.analysis.answer_distribution import sampled_truth
from transformer_core.model.decoding import Sampling

MOST_STEPS = 24
TEMPERATURES, MOST_K, TOP_P, LAST_SEED = (0.1, 3.0), 50, (0.05, 1.0), 99  # how far the knobs go
_TOP = 10  # words that are shown


def sampling_of(temperature: float, top_k: int, top_p: float) -> Sampling:
    """As the knobs say it, which stand at hundredths: 0 is all tokens, and so is a probability of 1."""
    return Sampling(round(temperature, 2), top_k or None, round(top_p, 2) if top_p < 1 else None)


def choices_of(options: DecodingOptions, step: int, sampled: bool) -> dict[str, Any]:
    """What the page has chosen, by the names of its knobs. `step`: from 0; `sampled`: the bars after temperature and top-k."""
    return choices_of_sampling(options.sampling or Sampling(), options.seed) | {
        "decode_step": step + 1, "decode_steps": options.steps,
        "forced": [list(pair) for pair in options.forced], "samples": options.sampling is not None, "sampled": sampled,
    }  # fmt: skip


def choices_of_sampling(sampling: Sampling, seed: int) -> dict[str, Any]:
    """How a word is drawn."""
    return {
        "draw_seed": seed, "temperature": sampling.temperature, "top_k": sampling.top_k or 0,
        "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
    }  # fmt: skip


def sampling_in(shown: ShownModel, choices: Mapping[str, Any]) -> tuple[Sampling, int]:
    """The same as it is drawn by, and the seed. Raises ValueError for choices that there are not."""
    temperature, top_p = number(choices, "temperature", *TEMPERATURES), number(choices, "top_p", *TOP_P)
    top_k, seed = whole(choices, "top_k", 0, MOST_K), whole(choices, "draw_seed", 0, LAST_SEED)
    return sampling_of(temperature, min(top_k, shown.cfg.tgt_vocab), top_p), seed


def of_choices(shown: ShownModel, choices: Mapping[str, Any]) -> Figure:
    """The bars of these choices. Raises ValueError for choices that there are not."""
    now, options = step_of(shown, choices)
    truth = truth_of(shown)
    right = truth.next_words(now.given) if truth is not None else None
    return figure(shown, now, options, right, sampled=choices.get("sampled") is True and right is not None)


def step_of(shown: ShownModel, choices: Mapping[str, Any]) -> tuple[GeneratedStep, DecodingOptions]:
    """The step of these choices, and how its answer is generated. Raises ValueError for choices that there are not."""
    sampling, seed = sampling_in(shown, choices)
    step, steps = (whole(choices, name, 1, MOST_STEPS) for name in ("decode_step", "decode_steps"))
    forced = _forced(choices.get("forced"), steps, shown.cfg.tgt_vocab)
    options = DecodingOptions(steps, sampling if choices.get("samples") is True else None, seed, forced)
    generated = options.generated(shown, shown.choice)
    return generated[min(step, len(generated)) - 1], options


def _forced(pairs: object, steps: int, vocab: int) -> tuple[tuple[int, int], ...]:
    def fits(pair: object) -> bool:
        is_pair = isinstance(pair, list) and len(pair) == 2 and all(type(each) is int for each in pair)
        return is_pair and 0 <= pair[0] < MOST_STEPS and 0 <= pair[1] < vocab  # type: ignore[index]

    if not isinstance(pairs, list) or not all(map(fits, pairs)):
        raise ValueError("these are no forced tokens")
    return tuple((step, token) for step, token in pairs if step < steps)


def figure(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, right: np.ndarray | None, sampled: bool) -> Figure:
    """The probabilities of the words in question; `right` are the grammar's. `sampled`: both after temperature and top-k."""
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
