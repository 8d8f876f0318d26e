"""A run as one file to keep, to print or to hand in: a page of HTML that needs nothing else."""

import platform
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from html import escape
from string import Template
from typing import Any

import numpy as np
import torch

from explorer import i18n
from explorer.exhibits.shared import answer_now, pairs_learned, run_timeline, run_verdict, text_learned
from explorer.figures import svg
from explorer.figures.style import BLUE, GREEN
from explorer.i18n import _, share_text
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import STATUS_WORDS, RunHistory, Status
from explorer.learning.snapshots import Snapshot
from explorer.learning.task_titles import task_title
from explorer.ui.format import measure_name, share_words
from explorer.ui.setting_names import setting_name, setting_value
from transformer_core.commands import repeat
from transformer_core.commands.options import MODEL_OPTIONS
from transformer_core.data.tasks import CopyTask, PairsTask, TextTask, has_source
from transformer_core.model.stages import most_telling
from transformer_core.training.checkpoint import CheckpointError

MODEL_FILE = "model.safetensors"  # name of the file of the model that a run began with, as the command writes it

_PAGE = Template("""<!doctype html>
<html lang="$language">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>$title</title>
<style>
  @page { size: A4; margin: 15mm; }
  :root { color-scheme: light; }
  body { max-width: 720px; margin: 24px auto; padding: 0 16px; color: #31333f; background: #fff; font: 15px/1.5 system-ui,
    sans-serif; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h1 { font-size: 26px; } h2 { margin-top: 28px; font-size: 19px; break-after: avoid; }
  svg { display: block; max-width: 100%; height: auto; font-family: system-ui, sans-serif; }
  figure { margin: 16px 0; break-inside: avoid; } figcaption { color: #5b5f6b; font-size: 14px; }
  table { border-collapse: collapse; } th, td { padding: 3px 16px 3px 0; text-align: left; vertical-align: top; }
  tr { border-bottom: 1px solid #e3e5ea; break-inside: avoid; } th { font-weight: 400; color: #5b5f6b; }
  .settings { columns: 2; column-gap: 32px; } .settings div { display: flex; justify-content: space-between; gap: 12px;
    border-bottom: 1px solid #e3e5ea; break-inside: avoid; } .settings span { color: #5b5f6b; }
  pre { padding: 12px; border: 1px solid #e3e5ea; border-radius: 8px; background: #f6f7f9; white-space: pre-wrap;
    overflow-wrap: anywhere; font-size: 13px; break-inside: avoid; }
  pre span { white-space: nowrap; }
  .verdict { font-size: 17px; }
  @media print { body { margin: 0; padding: 0; max-width: none; } }
</style>
$body
</html>
""")


def render(run: TrainingRun, language: str) -> bytes:
    """Returns the file, in a language."""
    with i18n.speaking(language):
        history = run.history()
        title = _("Report of a run: {task}").format(task=task_title(run.plan.task.name))
        body = [f"<h1>{escape(title)}</h1>", *_learned(run, history), *_course(run, history), *_attention(run.plan, history)]
        body += [*_settings(run.plan), *_command(run, history), *_own(run)]
        return _PAGE.substitute(language=i18n.html_tag(language), title=escape(title), body="\n".join(body)).encode()


def _learned(run: TrainingRun, history: RunHistory) -> Iterable[str]:
    verdict = run_verdict.of(run, history)
    words = verdict.words if verdict is not None else i18n.error(history.message) if history.message is not None else ""
    yield f'<p class="verdict">{escape(words or _(STATUS_WORDS[history.status]))}</p>'
    right = history.evaluation
    last = history.loss[np.isfinite(history.loss)]
    rows = {
        _("step"): f"{history.step:,}",
        _("loss"): f"{last[-1]:.6g}" if len(last) else "–",
        measure_name(run.plan.task): "–",
        _("compute (seconds)"): f"{history.seconds:.1f}",
    }
    if right is not None and not has_source(run.plan.task):
        of_texts = _("Of the tokens that count in {n:,} held-out texts.")
        if not run.plan.has_held_out:
            of_texts = _("Of the tokens of the {n:,} lines that it learns from.")
        rows[measure_name(run.plan.task)] = f"{share_text(right.exact_match, 1)} · {of_texts.format(n=right.rows)}"
    elif right is not None and run.plan.has_held_out:
        of_rows = _("Of {n:,} held-out sequences.").format(n=right.rows)
        rows[_("exact match")] = f"{share_words(right.exact_match, right.rows)} · {of_rows}"
    elif right is not None:
        of_rows = _("Of the {n:,} sequences that it learns from.").format(n=right.rows)
        rows[_("exact match")] = f"{share_text(right.exact_match, 1)} · {of_rows}"
    yield _table(rows)


def _table(rows: Mapping[str, str]) -> str:
    lines = (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
    return f"<table>{''.join(lines)}</table>"


def _course(run: TrainingRun, history: RunHistory) -> Iterable[str]:
    """Draws the curves, and gives all numbers that they are of."""
    plan, evaluations = run.plan, history.evaluations
    right = _("right answers") if has_source(plan.task) else measure_name(plan.task)
    yield f"<h2>{escape(_('How it was learned'))}</h2>"
    yield _figure(
        svg.curve(
            evaluations[:, 0],
            evaluations[:, 1],
            x_title=_("step"),
            alt=right,
            colour=GREEN,
            percent=True,
            level=(plan.target, _("target {target:.0%}").format(target=plan.target)),
        ),
        right,
    )
    yield _figure(
        svg.curve(
            history.steps,
            history.loss,
            x_title=_("step"),
            alt=_("loss"),
            colour=BLUE,
            level=(plan.guessing_loss, _("guessing")),
        ),
        _("loss (nats per token)"),
    )
    yield f"<p>{_file('run.csv', _csv(history))}</p>"


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _csv(history: RunHistory) -> str:
    """Returns all numbers of a run, a row for each step, to their last digit."""
    right = {int(step): repr(share) for step, share in history.evaluations.tolist()}
    lines = ["step,loss,learning_rate,gradient_norm,exact_match"]
    numbers = zip(history.steps.tolist(), history.loss, history.learning_rate, history.gradient_norm, strict=True)
    lines += [f"{step},{loss},{float(rate)!r},{norm},{right.get(step, '')}" for step, loss, rate, norm in numbers]
    return "\n".join(lines) + "\n"


def _file(name: str, text: str) -> str:
    """Returns a link that saves a file, which lies in the page itself."""
    return f'<a download="{name}" href="data:text/plain;base64,{b64encode(text.encode()).decode()}">{name}</a>'


def _attention(plan: TrainingPlan, history: RunHistory) -> Iterable[str]:
    """Draws the attention to one sentence at the first, the middle and the last step that is kept."""
    snapshots = history.snapshots
    if not snapshots:
        return
    kind = most_telling(plan.cfg)
    source, _answer = answer_now.words(plan, snapshots[0], 0)
    yield f"<h2>{escape(_('Attention'))}</h2>"
    yield f"<p>{escape(answer_now.asked_title(plan))}: <b>{escape(' '.join(source))}</b></p>"
    for seen in {each.step: each for each in (snapshots[0], snapshots[len(snapshots) // 2], snapshots[-1])}.values():
        attention = seen.attention_map(plan, kind, -1, 0)
        words = run_timeline.how_to_read(attention, seen.step, is_mean=True)
        drawn = svg.heatmap(attention.mean(), attention.allowed, attention.query_labels, attention.key_labels, alt=words)
        yield _figure(drawn, f"{_answered(plan, seen)} · {words}")


def _answered(plan: TrainingPlan, seen: Snapshot) -> str:
    _source, answer = answer_now.words(plan, seen, 0)
    verdict = answer_now.verdict_of(seen, 0)
    writes, written = _("writes"), " ".join(answer) or "…"
    return f"{writes}: {written} {verdict}"


def _settings(plan: TrainingPlan) -> Iterable[str]:
    values: dict[str, Any] = {"task": task_title(plan.task.name)}
    if isinstance(plan.task, CopyTask):
        values |= {"symbols": plan.task.vocab - 1, "length": plan.task.length}
    values |= {name: getattr(plan.cfg, name) for name in MODEL_OPTIONS} | asdict(plan.recipe) | {"target": plan.target}
    rows = [
        f"<div><span>{escape(setting_name(name, plan.cfg.has_encoder))}</span> {escape(setting_value(name, each))}</div>"
        for name, each in values.items()
    ]
    yield f'<h2>{escape(_("Settings"))}</h2><div class="settings">{"".join(rows)}</div>'


def _command(run: TrainingRun, history: RunHistory) -> Iterable[str]:
    yield f"<h2>{escape(_('The command that repeats it'))}</h2>"
    words = (f"<span>{escape(shlex.quote(word))}</span>" for word in command(run, history))  # a line is broken between them
    yield f"<pre>{' '.join(words)}</pre>"
    same = _("On a processor of the same kind, with the same versions, it gives the same numbers to the last bit.")
    yield f"<p>{escape(same)}</p>"
    if run.plan.resume_from is not None:
        begun = _("It goes on from the model file with which the run began: save that as {file}.")
        yield f"<p>{escape(begun.format(file=MODEL_FILE))}</p>"
    yield _table(
        {
            _("seed"): str(run.plan.recipe.seed),
            "Python": platform.python_version(),
            "PyTorch": torch.__version__,
            _("processor"): f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}",
        }
    )


def command(run: TrainingRun, history: RunHistory) -> list[str]:
    """Returns the words of the command that repeats a run up to its newest step."""
    plan = run.plan
    by_itself = history.status in (Status.DONE, Status.FAILED)
    until = plan.target if by_itself and plan.beyond is not None and plan.target <= 1 else None
    stop_at = None if by_itself else history.step
    if plan.resume_from is None:
        return repeat.repeating(plan.cfg, plan.task, plan.recipe, until, stop_at)
    begun = [*repeat.train(), "--resume", MODEL_FILE, "--steps", str(plan.recipe.steps)]
    return [*begun, *repeat.ending(until, stop_at, plan.recipe.device)]


def _own(run: TrainingRun) -> Iterable[str]:
    """The visitor's pairs or text: the file that the command reads, and what the model says of each row."""
    task = run.plan.task
    if isinstance(task, PairsTask):
        title, file, learned = _("The pairs"), _file(repeat.PAIRS_FILE, repeat.pairs_file(task.pairs)), pairs_learned.columns
        sources, answers = zip(*task.pairs, strict=True)
        rows_alone = {_("sentence"): [*sources], _("your answer"): [*answers]}
    elif isinstance(task, TextTask):
        title, file, learned = _("The text"), _file(repeat.TEXT_FILE, "\n".join(task.lines)), text_learned.columns
        rows_alone = {_("line"): [*task.lines]}
    else:
        return
    yield f"<h2>{escape(title)}</h2>"
    if run.plan.resume_from is None:
        words = _("The command reads them from this file: save it in the folder in which you start the command.")
        yield f"<p>{escape(words)} {file}</p>"
    try:
        columns = learned(run)
    except CheckpointError:  # a run that failed may have weights that are NaN
        columns = rows_alone
    head = "".join(f"<th>{escape(title)}</th>" for title in columns)
    rows = zip(*columns.values(), strict=True)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    yield f"<table><tr>{head}</tr>{body}</table>"
