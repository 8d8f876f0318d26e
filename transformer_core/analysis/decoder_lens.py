"""The DecoderLens (Langedijk et al., 2023): what the decoder makes of an encoder that has not finished."""

from transformer_core.model.intervened import IntervenedModel
from transformer_core.model.transformer import Transformer


class DecoderLens(IntervenedModel):
    """A model whose decoder is given the encoder's state after some of its layers, as if it were the encoder's output: through
    the encoder's final norm, where there is one. It shares its weights with the whole one, and its cuts.

    Args:
        layers: of the encoder that are computed; 0 gives the decoder the embedding.
    """

    def __init__(self, model: Transformer, layers: int):
        super().__init__(model, {})
        self.has_edits = model.has_edits  # without cuts, decoding may keep keys and values as that of the whole model does
        self.encoder = model.encoder[:layers]


def after_layers(model: Transformer, layers: int) -> Transformer:
    """The model through the DecoderLens; after all of the encoder's layers it is the model itself."""
    return model if layers == len(model.encoder) else DecoderLens(model, layers)
