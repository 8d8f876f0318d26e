"""The model of the paper, part by part, and every tensor of a forward pass by name.

Read masks, attention, layers, embedding, transformer, decoding, in this order; config has the sizes and options, trace and
stages the names of the tensors. The other modules are variants, fast paths and accounts of the same model.
"""
