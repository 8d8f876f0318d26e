"""The model on this page beside GPT-3 and Llama 3: their sizes, with sources, and the plan that they share, block by block."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from explorer.components import model_map
from explorer.exhibits.shared.story_teller import BEGINNINGS, teller
from explorer.i18n import _
from explorer.model_on_screen.settings import ModelSettings
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.story_counts import trained_tokens
from explorer.ui import document
from explorer.ui.navigation import follow
from transformer_core.data.stories import TRAINED


def draw() -> None:
    """Draws both tables, and the model on the map."""
    settings = teller()
    shown = show_model(replace(settings, src=BEGINNINGS[settings.task][0]))
    st.markdown(
        _(
            "ChatGPT, too, writes by saying what comes next. OpenAI has not published how large it is, so here stand GPT-3, an "
            "earlier model of theirs, and Llama 3, an open one."
        )
    )
    st.markdown(_table(_more(shown, settings)))
    document.caption(
        _(
            "GPT-3: Brown et al., 2020, *Language Models are Few-Shot Learners*, table 2.1 and section 2.2; its tokens are "
            "those of GPT-2 (Radford et al., 2019, section 2.2). Llama 3: Llama Team, 2024, *The Llama 3 Herd of Models*, "
            "table 3 and section 3. A token there is a word or a piece of one."
        )
    )
    document.section(_("From going on to answering"))
    st.markdown(
        _(
            "Trained only to go on with texts, a model may answer a question with more questions. Two more trainings helped "
            "(Ouyang et al., 2022, *Training language models to follow instructions with human feedback*): on **answers that "
            "people wrote** to instructions, and then on **which of its answers people preferred**. The model on this page had "
            "neither: it tells stories, and nothing else."
        )
    )
    document.section(_("The same plan, other parts"))
    st.markdown(_("Read the drawing from the bottom up."))
    left, right = st.columns([2, 3], gap="large")
    with left:
        clicked = model_map.show(shown.cfg, len(shown.src), len(shown.tgt))
    with right:
        st.markdown(_table(_same()))
    if clicked:
        follow(clicked)


def _more(shown: ShownModel, settings: ModelSettings) -> dict[str, list[str]]:
    """The numbers of this model, counted, and the published ones of others."""
    cfg = shown.cfg
    return {
        "": [
            _("parameters"),
            _("layers"),
            _("heads in a layer"),
            _("width (d_model)"),
            _("tokens that it knows"),
            _("longest text, in tokens"),
            _("tokens that it was trained on"),
        ],
        _("on this page"): [
            f"{shown.model.parameters:,}",
            f"{cfg.n_layers}",
            f"{cfg.n_heads}",
            f"{cfg.d_model}",
            f"{cfg.tgt_vocab}",
            f"{cfg.longest_tgt}",
            _("{n:,}, each read {times:.1f} times").format(n=trained_tokens(settings.task), times=_times_read(shown, settings)),
        ],
        _("GPT-3 (2020)"): [_("175 billion"), "96", "96", "12,288", "50,257", "2,048", _("300 billion")],
        _("Llama 3 (2024)"): [_("405 billion"), "126", "128", "16,384", "128,000", "131,072", _("15,600 billion")],
    }


def _table(columns: Mapping[str, Sequence[str]]) -> str:
    """Writes a table in Markdown."""
    rows = [[*columns], ["---"] * len(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _times_read(shown: ShownModel, settings: ModelSettings) -> float:
    """Computes how often a story of training was read, on average."""
    return shown.learning.last * settings.plan().recipe.batch_size / TRAINED


def _same() -> dict[str, list[str]]:
    return {
        _("part"): [
            _("token embedding"),
            _("positions"),
            _("masked self-attention"),
            _("feed-forward network"),
            _("residual connections"),
            _("norms"),
            _("linear and softmax"),
            _("next word"),
        ],
        _("on this page"): [
            _("a vector for each word"),
            _("sines and cosines"),
            _("yes: no word sees a later one"),
            _("ReLU"),
            _("present"),
            _("layer norm before each part"),
            _("present"),
            _("likeliest, or by chance"),
        ],
        _("GPT-3 · Llama 3"): [
            _("a vector for each piece of a word"),
            _("learned · rotary"),
            _("yes; every other layer sees nearby words alone · heads share keys and values"),
            _("GELU · SwiGLU"),
            _("present"),
            _("layer norm · RMSNorm, before each part"),
            _("present"),
            _("by chance, with a temperature"),
        ],
    }
