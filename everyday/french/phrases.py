"""French phrases joined by "et" or after a preposition, names, and places."""

from collections.abc import Sequence
from dataclasses import replace

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.nouns import NAMES, noun_phrase
from everyday.french.pronouns import Said, agreement, pronoun_gender, stressed
from everyday.sentence import Name, NounPhrase, Phrase, Place
from everyday.words import NOUNS

IN_TOWN = {"paris": ("à", "Paris"), "london": ("à", "Londres"), "france": ("en", "France"), "china": ("en", "Chine")}


def phrases(
    parts: Sequence[Phrase],
    role: str,
    choose: Choose,
    article: str = "des",
    preposition: str | None = None,
    union: str = "et",
) -> Said:
    """Says phrases joined by "et", the preposition before each.

    Args:
        article: the article where English has none, and for "some" and "a": les (cats in general), des (some
            cats), de (no cats), - (nothing).
    """
    said: list[Said] = []
    whole = _with_shared(parts)
    for i, phrase in enumerate(whole):
        own = phrase.owner if isinstance(phrase, NounPhrase) else None
        if own and isinstance(phrase, NounPhrase) and i + 1 < len(whole) and parts[i + 1] != whole[i + 1]:
            phrase = replace(phrase, owner=None, determiner="the")  # "le frère et la sœur d'Anna"
        each = noun_or_pronoun(phrase, f"{role}{i}", choose, article, preposition)
        if own and phrase != parts[i]:
            each = each._replace(
                words=[Word(text, it.replace(f"{role}{i}.owner", f"{role}0.owner")) for text, it in each.words]
            )
        said.append(each)
    if len(said) == 1:
        return said[0]
    words = list(said[0].words)
    for i, each in enumerate(said[1:], 1):
        words += [Word(union, f"{role}{i}.and"), *each.words]
    persons = {each.person for each in said}
    person = 3 if persons & {0, 3} else 4 if persons & {1, 4} else 5
    heads = {each.head for each in said}
    head = heads.pop() if len(heads) == 1 else "person" if "person" in heads else "thing"
    feminine = all(agreement(each, choose)[0] for each in said)
    return Said(words, person, feminine, True, head)


def _with_shared(parts: Sequence[Phrase]) -> list[Phrase]:
    """Returns the phrases, each with the determiner, number and owner that it shares with the one before."""
    whole: list[Phrase] = []
    for phrase in parts:
        if isinstance(phrase, NounPhrase) and phrase.shared and whole and isinstance(whole[-1], NounPhrase):
            last = whole[-1]
            phrase = replace(phrase, determiner=last.determiner, number=last.number, owner=last.owner, shared=False)
        whole.append(phrase)
    return whole


def noun_or_pronoun(
    phrase: Phrase,
    role: str,
    choose: Choose,
    article: str = "des",
    preposition: str | None = None,
    feminine: bool | None = None,
) -> Said:
    """Says a phrase by itself or after a preposition: pronouns are stressed. The preposition has the determiner's role."""
    if isinstance(phrase, NounPhrase):
        return noun_phrase(phrase, role, choose, article, preposition, f"{role}.det", feminine)
    before = [Word(preposition, f"{role}.det")] if preposition else []
    if isinstance(phrase, Name):
        return _name(phrase.word, role, before, choose)
    word = phrase.word
    text = stressed(word, role, choose)
    person = {"i": 0, "you": 4 if text == "vous" else 1, "we": 3, "they": 5}.get(word, 2)
    gender = None if word in ("i", "you", "we") else pronoun_gender(word, role, choose)
    return Said([*before, Word(text, f"{role}.noun")], person, gender, word in ("we", "they"), "person", word)


def _name(name: str, role: str, before: list[Word], choose: Choose) -> Said:
    here = f"{role}.noun"
    if name in NAMES:
        text, feminine = NAMES[name]
        return Said([*before, Word(text, here)], 2, feminine, False, "person")
    if name in ("france", "china"):
        return Said([*before, Word("la", f"{role}.det"), Word(IN_TOWN[name][1], here)], 2, True, False, "city")
    feminine = role == "s0" and choose("gender town", [(0.6, False), (0.4, True)])  # "Paris est beau", or "belle"
    return Said([*before, Word(IN_TOWN[name][1], here)], 2, feminine, False, "city")


_ON_IS_IN = frozenset({"street", "bus", "train"})  # "dans la rue"
_INDOORS = frozenset({"garden", "kitchen", "room", "bathroom", "house", "box", "bag", "cup", "car", "tree", "bed"})
_AT_OR_IN = frozenset({"restaurant", "hospital", "park", "station", "school", "shop"})


def place_words(place: Place, choose: Choose, person: Said | None = None) -> list[Word]:
    """Says where somebody or something is or goes. `person`: the one who may be at home, "chez" themselves."""
    where = place.where
    here = "p.prep" if place.preposition else "p.noun"
    if isinstance(where, str) and place.preposition == "from":
        return [Word("de", here), Word(IN_TOWN[where][1], "p.noun")]
    if isinstance(where, str):
        return _named_place(where, here, choose, person)
    preposition, noun = place.preposition or "in", where.noun.english
    if preposition in ("at", "to") and "person" in where.noun.kinds:
        return noun_phrase(where, "p", choose, "les", "chez", here).words
    if preposition in ("at", "to", "in") and noun == "house" and not where.adjectives and not where.plural:
        chez = _chez_owner(where, here, choose)
        if chez and choose("chez", [(0.4, False), (0.6, True)] if preposition != "in" else [(0.7, False), (0.3, True)]):
            return chez
    if preposition == "in" and _highlands(where) and choose("montagne", [(0.5, True), (0.5, False)]):
        return [Word("à", here), Word("la", "p.det"), Word("montagne", "p.noun")]
    french = _preposition(preposition, where, choose)
    if french == "en":
        return [Word("en", here), Word("ville", "p.noun")]
    return noun_phrase(where, "p", choose, "les" if not where.plural else "des", french, here).words


def _highlands(where: NounPhrase) -> bool:
    """True for "in the mountains"."""
    return where == NounPhrase(NOUNS["mountain"], True, "the")


def _chez_owner(where: NounPhrase, role: str, choose: Choose) -> list[Word] | None:
    if isinstance(where.owner, Name):
        return [Word("chez", role), Word(NAMES[where.owner.word][0], "p.owner.noun")]
    if where.owner:
        return noun_phrase(where.owner, "p.owner", choose, "des", "chez", role).words
    if where.whose:
        return [Word("chez", role), Word(stressed(where.whose, "p", choose), "p.det")]
    return None


def _preposition(preposition: str, where: NounPhrase, choose: Choose) -> str:
    noun, determiner = where.noun.english, where.determiner
    plain = determiner == "the" and not (where.plural or where.number or where.adjectives)
    if preposition == "under":
        return "sous"
    if preposition == "on":
        return "dans" if noun in _ON_IS_IN else "sur"
    if preposition == "in":
        if determiner is None and noun == "bed":
            return "à"
        if plain and noun == "city":
            return choose("en ville", [(0.5, "dans"), (0.5, "en")])
        return choose("à", [(0.6, "dans"), (0.4, "à")]) if plain and noun in _AT_OR_IN else "dans"
    if plain and noun == "city":
        return choose("en ville", [(0.6, "en"), (0.4, "dans")])
    if noun == "city" or (determiner in ("a", None, "some", "many", "a lot of") and not where.owner):
        return "dans"
    if noun in ("house", "garden") and plain:
        return "à" if noun == "house" else choose("à", [(0.6, "dans"), (0.4, "à")])
    if noun in _INDOORS:
        return "dans"
    return "à"


def _named_place(where: str, role: str, choose: Choose, person: Said | None) -> list[Word]:
    match where:
        case "home":
            return home(role, choose, person)
        case "school":
            return [Word("à", role), Word("la", "p.det"), Word("école", "p.noun")]
        case "paris" | "london" | "france" | "china":
            preposition, name = IN_TOWN[where]
            return [Word(preposition, role), Word(name, "p.noun")]
        case "work":
            return [Word("au", role), Word("travail", "p.noun")]
        case "here":
            return [Word("ici", "p.noun")]
    return [Word("là-bas", "p.noun")]


def home(role: str, choose: Choose, person: Said | None) -> list[Word]:
    if person and person.head == "person" and person.word != "who" and choose("chez", [(0.55, False), (0.45, True)]):
        return [Word("chez", role), Word(_self(person, choose), "p.noun")]
    return [Word("à", role), Word("la", "p.det"), Word("maison", "p.noun")]


def _self(person: Said, choose: Choose) -> str:
    if person.word == "on":
        return "nous"
    if person.person in (2, 5):
        feminine = agreement(person, choose)[0]
        return ("elles" if feminine else "eux") if person.person == 5 else "elle" if feminine else "lui"
    return ("moi", "toi", "", "nous", "vous")[person.person]
