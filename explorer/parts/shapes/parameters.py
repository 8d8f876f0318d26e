"""Every parameter by formula and by count, and reconciled with the textbook's five formulas."""

import streamlit as st

from explorer import controls, document
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.parameter_check import Line, reconcile, total_by_formula
from transformer_core.model.accounting import forward_flops, parameter_parts


def parameter_tables_part(view: View, sizes: tuple[int, int, int]) -> None:
    """Draws the part for (batch, source length, target length)."""
    cfg = view.cfg
    parts, flops = parameter_parts(cfg), forward_flops(cfg, *sizes)
    total = sum(part.by_count for part in parts)
    document.section(_("1 · Every parameter, by formula and by count"))
    st.dataframe(
        {
            _("part"): [*(part.name for part in parts), _("all")],
            _("formula"): [*(part.formula for part in parts), ""],
            _("in numbers"): [*(part.numbers for part in parts), ""],
            _("by formula"): [f"{n:,}" for n in (*(p.by_formula for p in parts), sum(part.by_formula for part in parts))],
            _("counted"): [f"{n:,}" for n in (*(part.by_count for part in parts), total)],
            _("share"): [f"{part.by_count / total:.1%}" for part in parts] + ["100%"],
            _("operations"): [controls.count_words(flops[part.name]) if part.name in flops else "" for part in parts]
            + [controls.count_words(sum(flops.values()))],
        },
        hide_index=True,
        height=35 * (len(parts) + 1) + 40,
    )
    document.reading(
        _("d = d_model, f = d_ff, N = layers, V = size of the vocabulary. “Counted” adds up the tensors of the model as built.")
    )
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}:\ 4(d^2+d)\\ \mathrm{FFN}:\ 2df+f+d\qquad \mathrm{LayerNorm}:\ 2d\end{gathered}",
        _("Sections 3.2.2, 3.3 and 5.4 of the paper; the heads share d_model, so their number does not matter."),
    )
    _reconciled(view)
    document.try_this(
        _("Choose the preset **paper_base**: the sizes of the paper, here with the small vocabulary of {n} words.").format(
            n=cfg.src_vocab
        ),
        _("Then set the norm to “pre”: that adds the two final norms, and every line agrees with the five formulas."),
        _("Set **shared tables** to “none”: two more tables, and a bias of the output."),
    )
    document.the_code(reconcile)


def _reconciled(view: View) -> None:
    cfg = view.cfg
    document.section(_("2 · Five textbook formulas, and what this model has more or fewer"))
    st.markdown(
        _(
            "Lecture notes sum up the paper's model in five lines that need only **d** and **V**: six layers, d_ff = 4d, "
            "two final norms, and one table that source, target and output share. Here they stand beside the model on screen."
        )
    )
    lines = reconcile(cfg)
    whole = total_by_formula(cfg.d_model, cfg.tgt_vocab)
    built = sum(line.built for line in lines)
    st.dataframe(
        {
            _("line"): [*(line.name for line in lines), _("all")],
            _("formula"): [*(line.formula for line in lines), "168d² + 196d + V·d"],
            _("by formula"): [f"{n:,}" for n in (*(line.by_formula for line in lines), whole)],
            _("this model"): [f"{n:,}" for n in (*(line.built for line in lines), built)],
            _("difference"): [f"{n:+,}" for n in (*(line.difference for line in lines), built - whole)],
            _("in numbers"): [*(line.numbers for line in lines), ""],
        },
        hide_index=True,
        key="five-lines",
    )
    document.reading(_("the model as built and counted, against the formulas with d = {d} and V = {v}.").format(
        d=cfg.d_model, v=cfg.tgt_vocab
    ))  # fmt: skip
    st.markdown(f"**{_('Where the difference comes from')}**")
    steps = [(line.name, step) for line in lines for step in line.terms]
    rest = sum(line.rest for line in lines)
    st.dataframe(
        {
            _("line"): [*(name for name, _step in steps), _("all")],
            _("parameters"): [*(f"{step.amount:+,}" for _name, step in steps), f"{sum(step.amount for _n, step in steps):+,}"],
            _("because"): [*(step.reason for _name, step in steps), ""],
        },
        hide_index=True,
        height=35 * (len(steps) + 1) + 40,
        key="because",
    )
    document.reading(_summary(lines, rest))


def _summary(lines: list[Line], rest: int) -> str:
    if not any(line.terms for line in lines):
        return _("nothing differs: this is the very model that the formulas describe.")
    return _("each row is one way in which this model differs. What they leave unexplained: {rest:,}.").format(rest=rest)
