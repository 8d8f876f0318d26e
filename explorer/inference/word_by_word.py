"""Where a model looks for each word of its answer."""

from dataclasses import replace

from explorer.inference.decoding import token_texts
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.model.stages import LOGITS, AttentionKind


def is_own_answer(shown: ShownModel) -> bool:
    """Whether the queries are what the model writes by itself, rather than what it would say next to a decoder's input of
    another origin: typed, right, or the answer of the end of its learning."""
    course = shown.course
    own = shown.in_words and not shown.typed and course.state in ("learned", "cannot-learn")
    return own and course.step == course.last and not shown.choice.cuts


def word_by_word(shown: ShownModel) -> AttentionMap:
    """The last layer's attention to the source; of a model without cross-attention, to what it has written so far.

    A query is named by the token that the model finds most probable there. Where the last one is
    the end of the answer, it is left out.
    """
    kind: AttentionKind = "cross" if shown.cfg.cross_attention else "decoder"
    drawn = shown.attention(kind, shown.cfg.n_layers - 1).map
    writes = shown.forward()[LOGITS].argmax(axis=-1).tolist()  # (tgt,)
    if shown.in_words and len(writes) > 1 and writes[-1] == shown.vocabulary.end:
        writes = writes[:-1]
    n, words = len(writes), tuple(token_texts(shown, writes))
    return replace(drawn, weights=drawn.weights[:, :n], allowed=drawn.allowed[:n], query_tokens=words, next_tokens=())
