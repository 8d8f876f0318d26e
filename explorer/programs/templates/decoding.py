"""Templates of the pictures of the decoder: in training and in use, step by step, by beam search, and by sampling."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from explorer.figures.style import Figure
from explorer.model_on_screen.decoding import APART, draws_at_once, most_steps
from explorer.model_on_screen.right_answers import truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import beams, decoding, next_word, samples
from explorer.pictures.choices import index
from explorer.programs.on_screen import words_of
from explorer.programs.template import Code, Ids, ProgramTemplate, listed, written
from transformer_core.model.decoding import Sampling
from transformer_core.model.stages import LOGITS, attention_path, penalises

# --- Teacher forcing. ---------------------------------------------------------------------------------------------------


def _taught(shown: ShownModel, choices: decoding.AnswerChoices) -> tuple[Ids, Ids, Ids]:
    """Returns the source, and what the decoder is given and should predict in training."""
    taught = decoding.taught_by(shown, choices)
    return shown.src, tuple(taught.given), tuple(taught.labels)


def _of_answer(shown: ShownModel, choices: decoding.AnswerChoices) -> dict[str, Any]:
    taught = decoding.taught_by(shown, choices)
    steps = most_steps(shown.cfg, min(len(taught.given), decoding.DRAWN))
    wanted = sorted(set(taught.labels))[: decoding.COLUMNS // 2] if shown.cfg.tgt_vocab > decoding.COLUMNS else []
    return {
        "logits": LOGITS,
        "causal": Code(" & np.tri(len(tgt), dtype=bool)" if shown.cfg.causal else " & np.ones((len(tgt), 1), dtype=bool)"),
        "drawn": decoding.DRAWN,
        "steps": steps,
        "wanted": wanted,
        "count": decoding.COLUMNS - len(wanted),
    }


def _words(_shown: ShownModel, _choices: Any, figure: Figure) -> list[str]:
    return words_of(figure)


_PREDICTED = "predicted = stages[$logits].argmax(axis=1)[:$drawn].tolist()  # the likeliest token at each position\n"
_OWN = """
steps = decode_steps(model, torch.tensor([src]), tgt[:1], $steps, end_id=vocabulary.end)
own = list(steps)[-1].tokens[0, 1:].tolist()  # what the model writes: each token is its next input
inputs = [tgt[0], *own[:-1]]
"""
_LANE = """
headings = ["target", "decoder input", "prediction"][-len(values) :]
figure = go.Figure(go.Table(header={"values": headings}, cells={"values": values}))
figure.update_layout(title="position by position, from top to bottom")
figure.show()
"""

# --- Step by step. ------------------------------------------------------------------------------------------------------


def start_of(shown: ShownModel) -> Code:
    """Returns what the answers start with: the start token, or all that a decoder alone reads."""
    return Code("tgt[0]" if shown.cfg.has_encoder else "tgt")


def _sampling(sampling: Sampling | None) -> Code:
    if sampling is None:
        return Code("None")
    turned = {name: value for name, value in asdict(sampling).items() if value != getattr(Sampling(), name)}
    return Code(f"Sampling({', '.join(f'{name}={value!r}' for name, value in turned.items())})")


def _step(shown: ShownModel, choices: next_word.StepChoices) -> dict[str, Any]:
    now, options = next_word.step_of(shown, choices)
    return {
        "steps": options.steps,
        "start": start_of(shown),
        "at": len(now.given) - len(shown.start),
        "forced": dict(options.forced),
        "seed": options.seed,
        "sampling": _sampling(options.sampling),
        "greedy": options.sampling is None,
    }


_DECODED = """
sampling = $sampling  # None: the most probable token (greedy)
luck = torch.Generator().manual_seed($seed)
steps = decode_steps(
    model, torch.tensor([src]), $start, $steps, sampling=sampling, generator=luck, forced=$forced, end_id=vocabulary.end
)
now = list(steps)[$at]
"""


def _grammar(shown: ShownModel, after: str) -> Code:
    """Returns lines that ask the language for the probability of each next word after `after`, an expression of tokens."""
    return Code(
        f"translation = TRANSLATIONS[{written(shown.task)}]  # the language that the model learns\n"
        f"known = translation.next_words(tuple(src_tokens), {after})\n"
        "grammar = word_probabilities(known, everyday_vocabulary(translation))"
    )


def _bars(shown: ShownModel, choices: next_word.NextWordChoices) -> dict[str, Any]:
    now, options = next_word.step_of(shown, choices)
    truth = truth_of(shown)
    right = truth.next_words(now.given) if truth is not None else None
    series = ["probabilities"]
    if right is not None:
        sampled = choices.sampled and options.sampling is not None
        series = ["drawn", "sampled_truth(grammar, sampling)"] if sampled else ["probabilities", "grammar"]
    elif options.sampling is not None:
        series = ["probabilities", "drawn"]
    known = Code("") if right is None else _grammar(shown, "vocabulary.decode(now.tokens[0, 1:-1].tolist())")
    order = next_word.in_question(now, right)
    return _step(shown, choices) | {"order": listed(order), "series": Code(", ".join(series)), "grammar": known}


_SOFTMAX_OF_A_ROW = """\
q, k = (trace[f{stages}][0].numpy() for name in "qk")  # each (head, word, d_k)
scores = q[:, -1:] @ k.swapaxes(1, 2) / np.sqrt(cfg.d_k)  # (head, 1, key): nothing is hidden from the last position
powers = np.exp(scores - scores.max(axis=-1, keepdims=True))  # at most 1: none is too large
values = (powers / powers.sum(axis=-1, keepdims=True))[:, 0]  # (head, key), softmax: each row adds up to 1"""


def _row(shown: ShownModel, choices: decoding.RowChoices) -> dict[str, Any]:
    layer = index(choices.layer, shown.cfg.n_layers)
    path = attention_path("cross" if shown.cfg.cross_attention else "decoder", layer)
    by_formula = shown.cfg.score == "scaled_dot" and not penalises(shown.cfg, path.part) and not shown.choice.cuts
    lines = (
        _SOFTMAX_OF_A_ROW.format(stages=written(path.stage("{name}")))
        if by_formula
        else f"values = trace[{written(path.stage('weights'))}][0, :, -1].numpy()  # (head, key)"
    )
    return _step(shown, choices) | {"row": Code(lines)}


# --- Beam search, and sampled answers. ----------------------------------------------------------------------------------


def _beams(shown: ShownModel, choices: beams.BeamChoices) -> dict[str, Any]:
    width, penalty = choices.beam_width, round(choices.beam_penalty, 2)
    steps = most_steps(shown.cfg, choices.beam_steps, shown.start)
    dropped = min(width, beams.DROPPED)
    return {"start": start_of(shown), "steps": steps, "width": width, "penalty": penalty, "dropped": dropped}


def _scores(shown: ShownModel, choices: beams.BeamChoices, _figure: Figure) -> list[np.ndarray]:
    """Reads the scores of the search that is drawn: the figure has them as words."""
    search, _tried = beams.search_of(shown, choices)
    return [level.score for level in search.levels]


def _samples(shown: ShownModel, choices: next_word.SamplingChoices) -> dict[str, Any]:
    now, how = samples.draw_more(shown, choices, lambda: math.inf), samples.drawing_of(shown, choices)
    answers = list(samples.listed(now))
    series = ["100 * shares"]
    grammar: Sequence[str] = ()
    if now.right is not None:
        grammar = (
            f"translation = TRANSLATIONS[{written(shown.task)}]  # the language that the model learns",
            "known = translation.answers(tuple(src_tokens))  # its right answers, with their probabilities",
            "known = {(*vocabulary.ids(answer), vocabulary.end): share for answer, share in known.items()}",
            "grammar = np.array([known.get(answer, np.nan) for answer in answers])",
        )
        series.append("100 * grammar")
    if shown.cfg.causal:
        series.append(f"100 * np.exp(answer_log_probabilities(model, src, {start_of(shown)}, answers, sampling))")
    return {
        "start": start_of(shown),
        "several": draws_at_once(shown.cfg, how, samples.DRAWN),
        "n": samples.DRAWN,
        "seed": how.seed,
        "steps": how.steps,
        "sampling": _sampling(how.sampling),
        "answers": listed(answers),
        "grammar": Code("\n".join(grammar)),
        "series": Code(", ".join(series)),
        "apart": APART,
    }


def _tally(_shown: ShownModel, _choices: Any, figure: Figure) -> list[np.ndarray]:
    """Reads the shares and the probabilities, each in the order of the answers; NaN where there is none."""
    bars = [trace for trace in figure["data"] if trace["type"] == "bar"]
    marks = [trace for trace in figure["data"] if trace["type"] != "bar"]
    n = sum(len(trace["x"]) for trace in bars)
    columns = [np.full(n, np.nan, np.float32) for _each in ("drawn", *marks)]
    for row, trace in [(0, bar) for bar in bars] + list(enumerate(marks, 1)):
        columns[row][np.rint(np.asarray(trace["y"]) - 0.1).astype(int)] = trace["x"]  # bars and marks are a little below a row
    return columns


TEMPLATES = {
    "lane-training": ProgramTemplate(
        "the decoder in training: the target, its input (the target, shifted right), and what it predicts",
        _PREDICTED + """
ids = [labels[:$drawn], tgt[:$drawn], predicted]
values = [[vocabulary.tokens[i] for i in row] for row in ids]
""",
        _of_answer, _taught, seen=_words, draw=_LANE,
    ),
    "lane-use": ProgramTemplate(
        "the decoder in use: its input, and what it predicts, which is its next input",
        _OWN + "values = [[vocabulary.tokens[i] for i in row] for row in (inputs, own)]", _of_answer, _taught, seen=_words,
        draw=_LANE,
    ),
    "sees-training": ProgramTemplate(
        "which positions each position may attend to in training, where the whole target is the input",
        """
may_attend = (np.array(tgt) != vocabulary.pad)$causal  # (query, key) booleans
values = np.where(may_attend, 1.0, np.nan)[:$drawn, :$drawn]
""",
        _of_answer, _taught,
    ),
    "sees-use": ProgramTemplate(
        "the same in use, where the input is what has been generated so far",
        _OWN + "values = np.where(np.tri(len(inputs), dtype=bool), 1.0, np.nan)  # (step, key)", _of_answer, _taught,
    ),
    "probabilities": ProgramTemplate(
        "the probabilities of the next token at each position, for the likeliest tokens and those of the target",
        """
logits = stages[$logits].astype(np.float64)  # (position, token): one pass over the whole target
powers = np.exp(logits - logits.max(axis=1, keepdims=True))  # at most 1: none is too large
probabilities = powers / powers.sum(axis=1, keepdims=True)  # softmax: each row adds up to 1
tokens = top_tokens(probabilities, $count, $wanted)
values = probabilities[:, tokens]
""",
        _of_answer, _taught,
    ),
    "next-word": ProgramTemplate(
        "the probabilities of the words that may come next, in percent",
        _DECODED + """
probabilities, drawn = now.probabilities[0].numpy(), now.sampling_probabilities[0].numpy()
$grammar
order = $order  # the ids of the words that are shown
values = [100 * each[order] for each in [$series]]
""",
        _bars,
    ),
    "cross-row": ProgramTemplate(
        "the attention of the position that writes the token of a step, head by head",
        _DECODED + """
with torch.inference_mode(), Trace() as trace:
    model(torch.tensor([src]), now.tokens[:, :-1])
$row
""",
        _row,
    ),
    "beam-tree": ProgramTemplate(
        "a beam search: the sum of log-probabilities of each candidate, step by step",
        """
search = beam_search(model, torch.tensor([src]), $start, $steps, $width, end_id=vocabulary.end, penalty=$penalty)
search = pruned(search, $dropped)  # of each step, the best candidates that were dropped
values = [level.score for level in search.levels]
""",
        _beams, seen=_scores,
        draw="""
figure = go.Figure()
for step, level in enumerate(search.levels, 1):
    words = [vocabulary.tokens[i] if i < len(vocabulary) else f"#{i}" for i in level.token]
    colours = ["seagreen" if ended else "steelblue" if kept else "lightgrey" for kept, ended in zip(level.kept, level.ended)]
    figure.add_scatter(
        x=level.score, y=[step] * len(words), text=words, mode="markers+text", marker={"size": 12, "color": colours},
        textposition="top center", showlegend=False,
    )
figure.update_layout(xaxis_title="log-probability, the sum so far (nats)", yaxis={"title": "step", "autorange": "reversed"})
figure.show()
""",
    ),
    "samples": ProgramTemplate(
        "how often each answer was drawn, and how often it should be, in percent",
        """
sampling, counts = $sampling, Counter()
for first in range(0, $n, $several):  # drawn in lots, each with random numbers of its own
    luck = torch.Generator().manual_seed($seed + $apart * first)
    lot = min($several, $n - first)
    rows = draw_answers(model, torch.tensor([src]), $start, $steps, lot, sampling, luck, vocabulary.end).tolist()
    counts.update(through_end(row, vocabulary.end) for row in rows)
answers = $answers  # those that are shown, as ids
shares = np.array([counts[answer] for answer in answers]) / $n
$grammar
values = [$series]
""",
        _samples, seen=_tally,
        draw="""
words = [" ".join(vocabulary.decode(answer)) for answer in answers]
figure = go.Figure(go.Bar(x=values[0], y=words, orientation="h", name="drawn"))
for expected in values[1:]:
    figure.add_scatter(x=expected, y=words, mode="markers", name="expected")
figure.update_layout(xaxis_title="%", yaxis_autorange="reversed")
figure.show()
""",
    ),
}  # fmt: skip
