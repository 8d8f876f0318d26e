"""The attention with which a model writes each word of its answer."""

from dataclasses import replace

import torch

from explorer.inference.decoding import token_texts
from explorer.inference.shown_model import ShownModel
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.data.vocabulary import end_of
from transformer_core.model.decoding import sayable
from transformer_core.model.stages import LOGITS, AttentionKind


def writes_by_itself(shown: ShownModel) -> bool:
    """True if the model writes the words itself. Else they are its most probable next words after a decoder's input that is
    typed, random or right, or that shows later words too.
    """
    return shown.in_words and not shown.typed and shown.cfg.causal


def on_its_own(shown: ShownModel) -> ShownModel:
    """Returns the model with its own answer as the decoder's input, at this step and with these cuts."""
    return replace(shown, tgt=shown.answer) if writes_by_itself(shown) else shown


def word_by_word(shown: ShownModel) -> AttentionMap:
    """Returns the last layer's attention to the source; without cross-attention, to the words written so far. Each query is
    labelled by the word written there; the end of an answer is left out.
    """
    own = on_its_own(shown)
    kind: AttentionKind = "cross" if own.cfg.cross_attention else "decoder"
    drawn = own.attention(kind, own.cfg.n_layers - 1).map
    said = _said(own)
    n, words = len(said), tuple(token_texts(own, said))
    return replace(drawn, weights=drawn.weights[:, :n], allowed=drawn.allowed[:n], query_tokens=words, next_tokens=())


def _said(own: ShownModel) -> list[int]:
    """Returns the written tokens, one for each query but the last one of an answer."""
    if writes_by_itself(own):
        return [*own.tgt[1:]] or [end_of(own.vocabulary)]
    logits = sayable(torch.tensor(own.forward()[LOGITS]), own.cfg.pad_id)  # (tgt, tgt_vocab)
    likeliest = logits.argmax(dim=-1).tolist()
    return likeliest[:-1] if len(likeliest) > 1 and likeliest[-1] == own.vocabulary.end else likeliest
