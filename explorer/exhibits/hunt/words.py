"""The words of the hunt about each suspect: its name, the accusation, what speaks against it, and the story of the fault."""

import math
from dataclasses import dataclass

from explorer.i18n import N_, _, share_text
from explorer.model_on_screen.sabotages import EXCHANGED
from explorer.pictures.part_names import PARTS
from explorer.ui.format import true_minus
from transformer_core.analysis.fault_evidence import Evidence
from transformer_core.analysis.sabotage import Kind, Place, Sabotage, Suspect
from transformer_core.model.stages import ENCODER, parse_stage

# In the order of the model, from what it reads to what it writes.
BOXES: dict[str, tuple[Suspect, ...]] = {
    N_("Encoder"): (
        Suspect("words", "encoder"),
        Suspect("positions", "encoder"),
        Suspect("padding", "encoder"),
        Suspect("keys", "encoder"),
        Suspect("norm", "encoder"),
        Suspect("residual", "encoder"),
        Suspect("layer", "encoder"),
    ),
    N_("Decoder"): (
        Suspect("start", "decoder"),
        Suspect("keys", "decoder"),
        Suspect("norm", "decoder"),
        Suspect("residual", "decoder"),
        Suspect("layer", "decoder"),
    ),
    N_("Between them"): (Suspect("keys", "cross"), Suspect("even", "cross")),
}
_NAMES: dict[Kind, str] = {
    "padding": N_("padding mask"),
    "positions": N_("positions"),
    "words": N_("two words"),
    "start": N_("start token"),
    "norm": N_("norm"),
    "residual": N_("residual"),
    "keys": N_("keys, values"),
    "layer": N_("a layer"),
    "even": N_("weights"),
}
_CHARGES: dict[tuple[Kind, Place], str] = {
    ("padding", "encoder"): N_("Padding is not hidden"),
    ("positions", "encoder"): N_("The encoder has no positions"),
    ("words", "encoder"): N_("Two English words are exchanged"),
    ("start", "decoder"): N_("The start token is missing"),
    ("norm", "encoder"): N_("A norm of the encoder is off"),
    ("norm", "decoder"): N_("A norm of the decoder is off"),
    ("residual", "encoder"): N_("A residual connection of the encoder is off"),
    ("residual", "decoder"): N_("A residual connection of the decoder is off"),
    ("keys", "encoder"): N_("Keys and values are exchanged in the encoder"),
    ("keys", "decoder"): N_("Keys and values are exchanged in the decoder’s self-attention"),
    ("keys", "cross"): N_("Keys and values are exchanged in cross-attention"),
    ("layer", "encoder"): N_("A layer of the encoder is skipped, or both"),
    ("layer", "decoder"): N_("A layer of the decoder is skipped"),
    ("even", "cross"): N_("Cross-attention looks at all words alike"),
}
_DOES: dict[Kind, str] = {  # in plain words, for somebody who has never heard of it
    "padding": N_("It hides what short sentences are filled up with."),
    "positions": N_("They tell the model which word stands where."),
    "words": N_("Each word is read as a row of numbers of its own: two rows may be exchanged."),
    "start": N_("It is what the decoder reads before it has written a word."),
    "norm": N_("It brings all lists of numbers to one scale before the next part reads them."),
    "residual": N_("It adds what came into a part to what comes out, so that nothing is lost on the way."),
    "keys": N_("By its key a word is found; its value is what is then taken from it."),
    "layer": N_("One round of looking at other words and of working on what was found."),
    "even": N_("They say how much is taken from each word."),
}
# Numbers that are measured on the held-out rows: see `Evidence.speaks`.
_CLEARS: dict[Kind, str] = {
    "padding": N_("Padding gets {share} of the weight."),
    "positions": N_("Its waves are there: {length:.1f} long, as in the whole model."),
    "start": N_("What the decoder reads first differs from its start token by {share}."),
    "norm": N_("Behind each of its norms vectors are at most {ratio:.1f} times as long as in the whole model."),
    "residual": N_("Behind each of its parts, {share} of what came in is still there."),
    "keys": N_("Its keys differ by {share} from what W_K makes of the same vectors."),
    "layer": N_("Each of its parts adds something: the least is {length:.0f} long."),
    "even": N_("In each layer some head is pointed: it has at most {share} of the spread of even weights."),
}
_CONVICTS: dict[Kind, str] = {
    "padding": N_("In one layer, {share} of the weight lies on padding."),
    "positions": N_("What is added to a word’s vector for its place is {length:.0f} long."),
    "start": N_("What the decoder reads first differs from its start token by {share}."),
    "norm": N_("Behind one of its norms vectors are {ratio:.0f} times as long as in the whole model."),
    "residual": N_("Behind one of its parts, {share} of what came in is left."),
    "keys": N_("Its keys differ by {share} from what W_K makes of the same vectors."),
    "layer": N_("What one of its parts adds is {length:.0f} long."),
    "even": N_("In one layer every head has {share} of the spread of even weights."),
}
_REASONS: dict[Kind, str] = {
    "padding": N_(
        "Short sentences are filled up to the longest of their batch. The mask hides the filling; without it, words average "
        "it in, and the shorter the sentence, the more of it there is."
    ),
    "positions": N_(
        "Attention compares words, wherever they stand. Without positions the same word has the same vector in every place, "
        "and who does what to whom is lost."
    ),
    "words": N_(
        "A word’s vector is a row of a table. With two rows exchanged everything computes as before, on the wrong word: only "
        "sentences with these words suffer."
    ),
    "start": N_(
        "The start token says that nothing is written yet. The decoder began with the end token instead: its first word is a "
        "guess, and the others follow from that."
    ),
    "norm": N_(
        "A norm gives all vectors one scale. Without it a part reads vectors many times as long, and what it adds drowns the "
        "rest of the stream."
    ),
    "residual": N_(
        "A part adds to what came in. With the connection off, its output takes the place of that: the word itself, and all "
        "that was found before, are gone."
    ),
    "keys": N_(
        "Keys are made to be found, values to be taken. Exchanged, queries are compared with values, and it is keys that the "
        "weights bring."
    ),
    "layer": N_("A skipped layer adds nothing, and what follows reads vectors in which its work is missing."),
    "even": N_(
        "With all scores equal the softmax gives each word the same weight: the decoder gets the mean of the sentence, "
        "instead of the word that it is about to translate."
    ),
}


@dataclass(frozen=True)
class Way:
    """A page that teaches what was broken: its name, the words of the link, and what is chosen there."""

    page: str
    words: str
    choices: tuple[tuple[str, str], ...] = ()


WAYS: dict[Kind, Way] = {
    "padding": Way("masks", N_("Masks of a padded batch"), (("part", "batch_masks"),)),
    "positions": Way("positions", N_("The model without positions"), (("part", "no_positions"),)),
    "words": Way("positions", N_("How a word becomes a vector"), (("part", "words_and_waves"),)),
    "start": Way("decoding", N_("How an answer begins"), (("part", "generation"),)),
    "norm": Way("norms", N_("What a norm does"), (("part", "two_norms"),)),
    "residual": Way("layers", N_("The residual stream"), (("part", "residual_stream"),)),
    "keys": Way("attention", N_("Queries, keys and values, step by step"), (("part", "one_head"),)),
    "layer": Way("layers", N_("What each part of a layer adds"), (("part", "residual_stream"),)),
    "even": Way("heads", N_("Where each head looks"), (("part", "words_and_lines"),)),
}


def name_of(suspect: Suspect) -> str:
    return _(_NAMES[suspect.kind])


def what_it_does(suspect: Suspect) -> str:
    """Returns what the part is for, in plain words."""
    return _(_DOES[suspect.kind])


def charge(suspect: Suspect) -> str:
    """Returns what somebody says who accuses it."""
    return _(_CHARGES[suspect.kind, suspect.place])


def clears(suspect: Suspect, found: Evidence, without: tuple[int, int, int]) -> str:
    """Returns the measured number that speaks against an accusation.

    Args:
        without: of the sentences without the two words that may be exchanged, how many are right, how many were in the whole
            model, and how many there are.
    """
    if suspect.kind == "words":
        right, sound, n = without
        words = _(
            "Of {n} sentences without “{one}” or “{other}”, {right} are right, and {sound} in the whole model: two exchanged "
            "words would leave these alone."
        )
        one, other = EXCHANGED
        return words.format(one=one, other=other, right=right, n=n, sound=sound)
    number = found.speaks[suspect]
    return _(_CLEARS[suspect.kind]).format(share=share_text(number), length=number, ratio=number)


def convicts(suspect: Suspect, found: Evidence, without: tuple[int, int, int], right: int) -> str:
    """Returns the measured number that gives the fault away.

    Args:
        without: as in `clears`; right: how many are right of all sentences.
    """
    if suspect.kind == "words":
        alone, _sound, n = without
        words = _("With “{one}” or “{other}”, {with_them} sentences are right; without, {alone} of {n}.")
        one, other = EXCHANGED
        return words.format(one=one, other=other, with_them=right - alone, alone=alone, n=n)
    number = found.speaks[suspect]
    return _(_CONVICTS[suspect.kind]).format(share=share_text(number), length=number, ratio=number)


def where_first(found: Evidence) -> str:
    """Names the first stage that differs, and by how much."""
    name, differs = found.first
    if math.isinf(differs):
        return _("All numbers are the same up to {stage}: there, other places are masked.").format(stage=stage_words(name))
    words = _("All numbers are the same up to {stage}: that differs by {share}.")
    return words.format(stage=stage_words(name), share=share_text(differs))


def stage_words(name: str) -> str:
    """Names a stage by where it stands, and by its own name."""
    stage = parse_stage(name)
    if stage.path is None:
        place = _("the encoder’s embedding") if stage.stack == ENCODER else _("the decoder’s embedding")
        return joined(place, stage.name) if stage.part else stage.name
    return joined(part_words(name), stage.name)


def part_words(name: str) -> str:
    """Names the part of a layer that a stage belongs to."""
    path = parse_stage(name).path
    assert path is not None
    layer = _("encoder layer {n}") if path.stack == ENCODER else _("decoder layer {n}")
    return joined(layer.format(n=path.layer + 1), _(PARTS[path.part]))


def joined(*places: str) -> str:
    """Names a place within another, the larger first."""
    return _(", ").join(places)


def sabotage_words(sabotage: Sabotage) -> str:
    """Says which part is broken, to somebody who poses a puzzle."""
    path = sabotage.path
    if path is None:
        both = sabotage.suspect.kind == "layer"
        return _("Both layers of the encoder are skipped") if both else charge(sabotage.suspect)
    place = _("layer {layer}").format(layer=path.layer + 1)
    fault = charge(sabotage.suspect)
    if sabotage.suspect.kind != "layer":
        place = joined(place, _(PARTS[path.part]))
    elif path.stack == ENCODER:
        fault = _("A layer of the encoder is skipped")
    return _("{fault} ({place})").format(fault=fault, place=place)


def reason(kind: Kind) -> str:
    """Explains why the fault does harm."""
    return true_minus(_(_REASONS[kind]))
