"""The model of the paper, part by part, and every tensor of a forward pass by name.

Read it from the whole to its parts: transformer, layers, attention, scores, feed_forward, norms, masks, embedding; then
decoding, which generates with it. config has all sizes and options. stages and trace name the tensors and record them. kernels
and cache compute the same faster, beam_search decodes in another way, intervened changes tensors on the way.
"""
