"""Every parameter by formula and by count, and compared with five formulas of textbooks."""

from collections.abc import Sequence

import streamlit as st

from explorer.exhibits.shapes.sizes import sizes_of
from explorer.i18n import N_, _, share_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import parameters as pictures
from explorer.ui import document
from explorer.ui.format import count_words, true_minus
from explorer.ui.widgets import choose_number
from transformer_core import PRESETS, TransformerConfig
from transformer_core.analysis.accounting import parameter_parts
from transformer_core.analysis.parameter_check import Line, reconcile, total_by_formula
from transformer_core.training.cost import count_by_formula, forward_flops

# The core's names of rows, and its reasons why a model differs from the formulas, marked here for translation.
PART_NAMES = (
    N_("token embeddings, shared with the output"),
    N_("token embeddings"),
    N_("source embeddings"),
    N_("target embeddings"),
    N_("target embeddings, shared with the output"),
    N_("positions"),
    N_("source positions"),
    N_("target positions"),
    N_("encoder self-attention"),
    N_("decoder self-attention"),
    N_("cross-attention"),
    N_("encoder feed-forward"),
    N_("decoder feed-forward"),
    N_("norms in the layers"),
    N_("final norms"),
    N_("output projection"),
)
LINE_NAMES = N_("attention"), N_("feed-forward"), N_("norms"), N_("embedding")
REASONS = {
    "attentions": N_("N = {n}, not 6: {built} attention sublayers, not 18"),
    "no_encoder": N_("no encoder"),
    "no_cross_attention": N_("no cross-attention"),
    "no_attention_bias": N_("projections without a bias"),
    "score_weights": N_("weights that compare a query with a key"),
    "feed_forwards": N_("N = {n}, not 6: {built} feed-forward sublayers, not 12"),
    "d_ff": N_("d_ff is {built}, not 4·{d} = {expected}"),
    "norms": N_("N = {n}, not 6: {built} norms in the layers, not 30"),
    "no_final_norms": N_("no final norms after the stacks"),
    "source_embedding": N_("a source embedding of its own"),
    "output_matrix": N_("an output matrix of its own"),
    "output_bias": N_("a bias of the output"),
    "learned_positions": N_("learned positions"),
}


def draw(shown: ShownModel) -> None:
    """Draws the part."""
    own = shown.cfg.tgt_vocab
    help = _("37,000 in the paper. That of this model is {own:,}.").format(own=own)
    vocab = choose_number("vocabulary", _("V, tokens in the vocabulary"), sorted({*pictures.VOCABULARIES, own}), own, help)
    choices = pictures.VocabularyChoices(vocab)
    cfg = pictures.config_of(shown.cfg, choices)
    document.picture(
        pictures.by_part(shown, choices),
        _("each bar is a part of the model; the shares of all {n:,} parameters add up to 100%.").format(
            n=sum(part.by_count for part in parameter_parts(cfg))
        ),
    )
    document.details("parameters", lambda: _details(shown, cfg))


def _details(shown: ShownModel, cfg: TransformerConfig) -> None:
    _every_part(shown, cfg)
    _textbook(cfg)
    document.try_this(
        *_tries(shown.cfg),
    )
    document.the_code(reconcile)


def _tries(cfg: TransformerConfig) -> list[str]:
    if not cfg.has_encoder:
        return [
            _("Switch the norm between “pre” and “post”: by how many parameters does the final norm change the sum?"),
            _("Set **tied embeddings** to “none”: one more matrix, and a bias of the output."),
        ]
    return [
        _(
            "Choose the preset **paper_base** and V = 37,000: the paper's base model. It has {n:.2f} million parameters; the "
            "paper's table 3 says 65 million, of a vocabulary of “about 37000 tokens”."
        ).format(n=count_by_formula(PRESETS["paper_base"]) / 1e6),
        _("Then set the norm to “pre”: this adds the two final norms, and every line agrees with its formula."),
        _("Set **tied embeddings** to “none”: two more matrices, and a bias of the output."),
    ]


def _every_part(shown: ShownModel, cfg: TransformerConfig) -> None:
    parts, flops = parameter_parts(cfg), forward_flops(cfg, *sizes_of(shown))
    total = sum(part.by_count for part in parts)
    st.dataframe(
        {
            _("part"): [*(_(part.name) for part in parts), _("all")],
            _("formula"): [*(part.formula for part in parts), ""],
            _("in numbers"): [*(part.numbers for part in parts), ""],
            _("by formula"): _thousands([*(part.by_formula for part in parts), sum(part.by_formula for part in parts)]),
            _("counted"): _thousands([*(part.by_count for part in parts), total]),
            _("share"): [*(share_text(part.by_count / total, 1) for part in parts), "100%"],
            _("operations"): [
                *(count_words(flops[part.name]) if part.name in flops else "" for part in parts),
                count_words(sum(flops.values())),
            ],
        },
        hide_index=True,
        height=35 * (len(parts) + 1) + 40,
    )
    document.caption(
        _("d = d_model, f = d_ff, N = layers, V = size of the vocabulary. “Counted” adds up the tensors of the model as built.")
    )
    document.formula(
        r"\begin{gathered}\mathrm{MultiHead}:\ 4(d^2+d)\\ \mathrm{FFN}:\ 2df+f+d\qquad \mathrm{LayerNorm}:\ 2d\end{gathered}",
        _(
            "Sections 3.2.2 and 3.3 of the paper; layer norm is that of Ba et al. (2016), as section 3.1 says. The heads share "
            "d_model; but this model's score has parameters besides, whose number depends on that of the heads."
        )
        if cfg.has_score_weights
        else _(
            "Sections 3.2.2 and 3.3 of the paper; layer norm is that of Ba et al. (2016), as section 3.1 says. The heads share "
            "d_model, so their number does not matter."
        ),
    )


def _textbook(cfg: TransformerConfig) -> None:
    document.section(_("Five textbook formulas, and where this model differs"))
    st.markdown(
        _(
            "Lecture notes sum up the paper's model in five lines that need only **d** and **V**: six layers, d_ff = 4d, two "
            "final norms, and one matrix as source embedding, target embedding and output. Here they stand beside the model on "
            "screen."
        )
    )
    lines = reconcile(cfg)
    whole = total_by_formula(cfg.d_model, cfg.tgt_vocab)
    built = sum(line.built for line in lines)
    st.dataframe(
        {
            _("line"): [*(_(line.name) for line in lines), _("all")],
            _("formula"): [*(line.formula for line in lines), "168d² + 196d + V·d"],
            _("by formula"): _thousands([*(line.by_formula for line in lines), whole]),
            _("this model"): _thousands([*(line.built for line in lines), built]),
            _("difference"): [true_minus(f"{n:+,}") for n in (*(line.difference for line in lines), built - whole)],
            _("in numbers"): [*(line.numbers for line in lines), ""],
        },
        hide_index=True,
        key="five-lines",
    )
    document.caption(
        _("the model as built and counted, beside the formulas with d = {d} and V = {v}.").format(
            d=cfg.d_model, v=cfg.tgt_vocab
        )
    )
    st.markdown(f"**{_('Where the difference comes from')}**")
    terms = [(line.name, term) for line in lines for term in line.terms]
    st.dataframe(
        {
            _("line"): [*(_(name) for name, _term in terms), _("all")],
            _("parameters"): [
                true_minus(f"{n:+,}") for n in (*(term.amount for _name, term in terms), sum(t.amount for _n, t in terms))
            ],
            _("because"): [*(_(REASONS[term.reason]).format(**term.values) for _name, term in terms), ""],
        },
        hide_index=True,
        height=35 * (len(terms) + 1) + 40,
        key="because",
    )
    document.caption(_summary(lines))


def _thousands(numbers: Sequence[int]) -> list[str]:
    return [f"{n:,}" for n in numbers]


def _summary(lines: Sequence[Line]) -> str:
    if not any(line.terms for line in lines):
        return _("there is no difference: this is the model that the formulas describe.")
    return _("each row is one way in which this model differs. Left unexplained: {rest:,}.").format(
        rest=sum(line.rest for line in lines)
    )
