"""Every part of the app by the questions that it answers, with the terms that it explains."""

from typing import NamedTuple

from explorer.i18n import N_


class FrequentQuestion(NamedTuple):
    """A question, and the page and part that answer it.

    Attributes:
        part: "" for a page of one part.
        terms: what it is about, with a comma between two; those that are called as in the glossary bring all that these are
            called.
        folded: whether the answer is under the part's details.
        choices: what is chosen on that page, by its keys in the address.
    """

    page: str
    part: str
    words: str
    terms: str
    folded: bool = False
    choices: tuple[tuple[str, str], ...] = ()


QUESTIONS = (
    FrequentQuestion(
        "look_closer",
        "",
        N_("What does one look bring, and what is written without it?"),
        N_("attention, next word, probability, cut a line, likely words"),
    ),
    FrequentQuestion(
        "look_closer",
        "",
        N_("What does it do with a word that it has never seen?"),
        N_("unknown word, vocabulary"),
        choices=(("src", "the penguin sleeps in the garden"),),
    ),
    FrequentQuestion(
        "be_the_head",
        "",
        N_("What does it write if I say where it looks?"),
        N_("game, play, attention weights by hand, cross-attention, another word"),
    ),
    FrequentQuestion(
        "predict",
        "",
        N_("Can I predict what it will do, and what in a new case?"),
        N_("quiz, test, exercise, predict, guess, question"),
    ),
    FrequentQuestion(
        "one_step",
        "six_stations",
        N_("What happens in one step of learning?"),
        N_("gradient, backpropagation, backward pass, loss, gradient descent, learning rate, clipping, step"),
    ),
    FrequentQuestion(
        "one_step",
        "in_a_batch",
        N_("How much does one sentence count among many?"),
        N_("batch, mean gradient, step, training"),
    ),
    FrequentQuestion(
        "one_step",
        "one_weight",
        N_("How is the gradient of one weight computed?"),
        N_("gradient, backpropagation, softmax, cross-entropy, outer product, autograd, output layer"),
    ),
    FrequentQuestion(
        "next_word",
        "going_on",
        N_("How does ChatGPT choose the next word?"),
        N_("GPT, language model, next token, decoder alone, temperature, story"),
    ),
    FrequentQuestion(
        "next_word",
        "beside_chatgpt",
        N_("What does ChatGPT have that this model has not?"),
        N_("GPT-3, Llama, parameters, layers, tokens, instructions, human feedback, size"),
    ),
    FrequentQuestion(
        "next_word",
        "repeating",
        N_("Why can a model repeat what it never saw?"),
        N_("induction heads, copy, in-context learning, cut a head, plateau and cliff"),
    ),
    FrequentQuestion("story", "", N_("What is attention, in ten short steps?"), N_("attention, translation, learning")),
    FrequentQuestion(
        "story",
        "",
        N_("Is this ChatGPT, and does it understand what it says?"),
        N_("AI, artificial intelligence, GPT, language model, chatbot, understand, think"),
        choices=(("scene", "10"),),
    ),
    FrequentQuestion(
        "decoding",
        "generation",
        N_("Why does it make mistakes?"),
        N_("mistake, wrong, error, fail, probability, next word"),
    ),
    FrequentQuestion(
        "story",
        "",
        N_("What happens in a lesson?"),
        N_("lesson, training, learning, step, how it learns"),
        choices=(("scene", "7"),),
    ),
    FrequentQuestion(
        "positions",
        "words_and_waves",
        N_("How do words and their places become numbers?"),
        N_("token, embedding, positional encoding, d_model"),
        folded=True,
    ),
    FrequentQuestion(
        "positions",
        "two_maps",
        N_("Do a word and its translation lie in the same place?"),
        N_("embedding space, word vectors, map of words, nearest neighbours, cosine similarity, rotation, Procrustes"),
    ),
    FrequentQuestion(
        "positions",
        "waves",
        N_("Which waves tell the model where a word stands?"),
        N_("positional encoding, sine, cosine, wavelength"),
    ),
    FrequentQuestion(
        "positions",
        "counters",
        N_("What do sine waves have to do with counting, and a step with a rotation?"),
        N_("positional encoding, binary, rotation, relative position"),
        folded=True,
    ),
    FrequentQuestion(
        "positions",
        "no_positions",
        N_("Does the model notice the order of words without positions?"),
        N_("permutation, positional encoding, learned positions"),
    ),
    FrequentQuestion(
        "positions",
        "in_attention",
        N_("What are rotary positions, and ALiBi?"),
        N_("rotary, RoPE, RoFormer, ALiBi, relative position, distance, Llama"),
    ),
    FrequentQuestion(
        "positions",
        "trained_length",
        N_("Do positions carry beyond the length of training?"),
        N_("length generalization, extrapolation, longer, rotary, ALiBi, sinusoids, learned positions"),
    ),
    FrequentQuestion(
        "masks",
        "sentence_masks",
        N_("Which word may look at which?"),
        N_("mask, padding mask, causal mask, self-attention, cross-attention"),
    ),
    FrequentQuestion(
        "masks",
        "blocked_rows",
        N_("What happens to a word that may look at nothing?"),
        N_("masked scores, softmax, infinity"),
    ),
    FrequentQuestion("masks", "triangle", N_("How is the causal mask made?"), N_("causal mask, triu, upper triangle")),
    FrequentQuestion(
        "masks",
        "batch_masks",
        N_("How do sentences of different lengths fit in one batch?"),
        N_("batch, padding, shift, labels"),
    ),
    FrequentQuestion(
        "attention",
        "one_head",
        N_("How is one attention weight computed, digit by digit?"),
        N_("query, key, value, dot product, softmax, score, weight"),
    ),
    FrequentQuestion(
        "attention",
        "other_scores",
        N_("Do other ways to score give the same attention?"),
        N_("scoring function, additive attention, dot product, cosine"),
    ),
    FrequentQuestion(
        "attention", "why_scale", N_("Why are scores divided by √d_k?"), N_("variance, softmax, gradient, temperature")
    ),
    FrequentQuestion(
        "heads",
        "words_and_lines",
        N_("Where does each head look, word by word?"),
        N_("head, attention weights, lines, cut"),
    ),
    FrequentQuestion(
        "heads",
        "every_head",
        N_("What do all heads of all layers look like at once?"),
        N_("overview, layer, head, model view, attention weights"),
    ),
    FrequentQuestion(
        "heads",
        "side_by_side",
        N_("What does each head's attention look like as a matrix?"),
        N_("heat map, head, entropy, distance"),
    ),
    FrequentQuestion(
        "heads",
        "split_and_join",
        N_("How is the width split into heads, and joined again?"),
        N_("multi-head attention, d_k, reshape, concatenate, projection"),
    ),
    FrequentQuestion(
        "heads",
        "head_patterns",
        N_("Which patterns do heads follow?"),
        N_("previous word, next word, start, alignment, uniform"),
    ),
    FrequentQuestion(
        "heads",
        "head_cost",
        N_("Does the number of heads change the number of parameters?"),
        N_("heads, parameters, operations, time"),
        folded=True,
    ),
    FrequentQuestion(
        "layers",
        "residual_stream",
        N_("What does each layer add to a word?"),
        N_("residual connection, sublayer, residual stream"),
    ),
    FrequentQuestion(
        "layers",
        "feed_forward",
        N_("What does the feed-forward part do?"),
        N_("feed-forward network, ReLU, GELU, dead units, d_ff"),
    ),
    FrequentQuestion(
        "layers",
        "keys_and_values",
        N_("What does the decoder get from the encoder?"),
        N_("memory, cross-attention, keys, values, encoder output"),
    ),
    FrequentQuestion("layers", "dropout", N_("What does dropout drop, and when?"), N_("dropout, training, evaluation")),
    FrequentQuestion(
        "shapes",
        "stages",
        N_("What shape has every tensor on its way through the model?"),
        N_("shape, tensor, stage, batch, d_model"),
    ),
    FrequentQuestion(
        "shapes",
        "parameters",
        N_("How many parameters has this model, and where are they?"),
        N_("parameters, weights, vocabulary, tied embeddings"),
    ),
    FrequentQuestion(
        "shapes",
        "weights",
        N_("What happens if I change one weight?"),
        N_("weight, edit, matrix, W_Q, by hand, robust"),
    ),
    FrequentQuestion(
        "shapes",
        "initial_weights",
        N_("How are weights drawn before training?"),
        N_("initialisation, Xavier, Glorot, variance"),
    ),
    FrequentQuestion(
        "shapes",
        "printout",
        N_("What do lecture notes print, and does it agree?"),
        N_("shapes, printout, example"),
        folded=True,
    ),
    FrequentQuestion(
        "shapes",
        "cost_and_length",
        N_("What does a longer sentence cost?"),
        N_("complexity, recurrence, convolution, path length, memory"),
    ),
    FrequentQuestion(
        "shapes",
        "against_torch",
        N_("Is this the same model as torch.nn.Transformer?"),
        N_("PyTorch, check, gradients, values"),
    ),
    FrequentQuestion(
        "decoding",
        "teacher_forcing",
        N_("What does the decoder read while it learns, and what in use?"),
        N_("teacher forcing, shift right, cross-entropy, loss, label"),
    ),
    FrequentQuestion(
        "decoding",
        "generation",
        N_("How is an answer written, word by word?"),
        N_("greedy decoding, sampling, temperature, top-k, top-p, next word"),
    ),
    FrequentQuestion(
        "decoding",
        "generation",
        N_("What does a KV cache keep from step to step?"),
        N_("KV cache, keys, values, causal mask, speed"),
        folded=True,
    ),
    FrequentQuestion(
        "decoding",
        "samples",
        N_("What would it write if it rolled dice?"),
        N_("sampling, temperature, top-k, top-p, distribution"),
    ),
    FrequentQuestion(
        "decoding",
        "beam_search",
        N_("Does it help to follow several answers at once?"),
        N_("beam search, beam width, length penalty, tree"),
        folded=True,
    ),
    FrequentQuestion(
        "what_matters",
        "without_a_word",
        N_("Which source word does each word of the answer need?"),
        N_("erasure, word importance, log-probability"),
    ),
    FrequentQuestion(
        "what_matters",
        "swap_and_patch",
        N_("Where does the model keep the word that was swapped?"),
        N_("activation patching, causal tracing"),
    ),
    FrequentQuestion(
        "what_matters",
        "ranking",
        N_("Which heads and parts can the model do without?"),
        N_("ablation, pruning, head importance"),
    ),
    FrequentQuestion(
        "what_matters", "pairs_of_heads", N_("Can one head stand in for another?"), N_("redundancy, interaction, backup head")
    ),
    FrequentQuestion(
        "what_matters", "kinds_of_links", N_("Which kinds of links matter?"), N_("alignment, diagonal, previous word, cut")
    ),
    FrequentQuestion(
        "what_matters",
        "rollout",
        N_("Does attention through all layers tell what matters?"),
        N_("attention rollout, attribution, faithfulness"),
    ),
    FrequentQuestion(
        "what_matters", "logit_lens", N_("What would it say before it has finished?"), N_("logit lens, early exit, layers")
    ),
    FrequentQuestion(
        "what_matters",
        "other_seeds",
        N_("Do heads do the same in a model begun from another seed?"),
        N_("seed, reproducibility, matching"),
    ),
    FrequentQuestion(
        "training",
        "live_run",
        N_("How does attention form while a model learns?"),
        N_("training, copy task, loss, exact match, step, CPU, GPU"),
    ),
    FrequentQuestion(
        "training",
        "schedule",
        N_("How does the learning rate change, and what does label smoothing do?"),
        N_("warm-up, learning rate, Adam, label smoothing"),
    ),
    FrequentQuestion(
        "sentences",
        "",
        N_("Can it learn sentences of my own?"),
        N_("pairs, my own text, poem, translation, code, CSV, held out, generalisation, remembering"),
    ),
    FrequentQuestion(
        "sentences",
        "",
        N_("Has it learned a rule, or the examples by heart?"),
        N_("held-out, generalisation, remembering"),
    ),
    FrequentQuestion(
        "break_it",
        "",
        N_("What is each part for: what happens without it?"),
        N_("ablation, causal mask, residual, positions, scale"),
    ),
    FrequentQuestion(
        "break_it",
        "",
        N_("How does it cheat without the causal mask?"),
        N_("causal mask, later words, ablation"),
        choices=(("experiment", "causal"),),
    ),
    FrequentQuestion(
        "break_it",
        "",
        N_("What happens without warm-up?"),
        N_("warm-up, learning rate, ablation"),
        choices=(("experiment", "warmup"),),
    ),
    FrequentQuestion(
        "break_it",
        "",
        N_("What does label smoothing change?"),
        N_("label smoothing, confidence, ablation"),
        choices=(("experiment", "smoothing"),),
    ),
    FrequentQuestion(
        "hunt",
        "",
        N_("One part of a trained model is broken: which?"),
        N_("game, quiz, puzzle, fault, bug, debugging, broken, sabotage, accuse"),
    ),
    FrequentQuestion(
        "lesson",
        "",
        N_("How do I make a lesson for my class, and send it as one link?"),
        N_("lesson, teaching, embed, frame, link, note, steps"),
    ),
    FrequentQuestion("compare", "run_table", N_("Which of my runs learned sooner?"), N_("runs, curves, comparison")),
    FrequentQuestion("compare", "sweep", N_("Which settings learn best?"), N_("sweep, seeds, hyperparameters, spread")),
    FrequentQuestion(
        "compare",
        "race",
        N_("Does a Transformer learn sooner than an LSTM?"),
        N_("race, LSTM, RNN, recurrent, Bahdanau, Luong, seq2seq, faster, parallel, forget"),
    ),
    FrequentQuestion(
        "norms",
        "pre_and_post",
        N_("Does the norm stand before a part or behind it?"),
        N_("pre-norm, post-norm, residual connection, final norm, warm-up"),
    ),
    FrequentQuestion(
        "norms",
        "two_norms",
        N_("What does layer norm do to a word, and in which two ways is it written?"),
        N_("layer norm, standard deviation, epsilon, unbiased"),
        folded=True,
    ),
    FrequentQuestion(
        "norms",
        "batch_norms",
        N_("Why layer norm, and not batch norm?"),
        N_("layer norm, batch norm, padding, axis"),
        folded=True,
    ),
    FrequentQuestion(
        "norms",
        "residual_depth",
        N_("What keeps a deep stack trainable?"),
        N_("residual connection, pre-norm, post-norm, gradient, depth"),
        folded=True,
    ),
)
