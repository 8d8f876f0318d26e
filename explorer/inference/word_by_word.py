"""Where a model looks for each word of its answer."""

from dataclasses import replace

import torch

from explorer.inference.decoding import token_texts
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.data.vocabulary import end_of
from transformer_core.model.decoding import sayable
from transformer_core.model.stages import LOGITS, AttentionKind


def writes_by_itself(shown: ShownModel) -> bool:
    """Whether the words are those that the model writes by itself; else they are what it finds most probable next to a
    decoder's input that is typed, random, or the right answer, or where it sees what comes later."""
    return shown.in_words and not shown.typed and shown.cfg.causal


def on_its_own(shown: ShownModel) -> ShownModel:
    """The same, whose decoder is given what the model writes by itself: at this step of its learning, and with these cuts."""
    return replace(shown, tgt=shown.answer) if writes_by_itself(shown) else shown


def word_by_word(shown: ShownModel) -> AttentionMap:
    """The last layer's attention to the source; of a model without cross-attention, to what it has written so far. A query is
    named by the word that is written there; the end of an answer is left out."""
    own = on_its_own(shown)
    kind: AttentionKind = "cross" if own.cfg.cross_attention else "decoder"
    drawn = own.attention(kind, own.cfg.n_layers - 1).map
    said = _said(own)
    n, words = len(said), tuple(token_texts(own, said))
    return replace(drawn, weights=drawn.weights[:, :n], allowed=drawn.allowed[:n], query_tokens=words, next_tokens=())


def _said(own: ShownModel) -> list[int]:
    """The tokens that are written, one for each query but the last one of an answer."""
    if writes_by_itself(own):
        return [*own.tgt[1:]] or [end_of(own.vocabulary)]
    logits = sayable(torch.tensor(own.forward()[LOGITS]), own.cfg.pad_id)  # (tgt, tgt_vocab)
    likeliest = logits.argmax(dim=-1).tolist()
    return likeliest[:-1] if len(likeliest) > 1 and likeliest[-1] == own.vocabulary.end else likeliest
