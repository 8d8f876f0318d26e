"""French noun phrases: the noun with its article, its adjectives and its owner."""

from everyday.choice import Choose, pick, right_too
from everyday.english import Word
from everyday.french.pronouns import Said, register
from everyday.french.words import (
    NOUNS,
    RANK,
    FrenchAdjective,
    FrenchNoun,
    adjectives,
    starts_with_vowel,
)
from everyday.sentence import Name, NounPhrase

NAMES = {"anna": ("Anna", True), "mary": ("Marie", True), "tom": ("Tom", False), "paul": ("Paul", False)}
NUMBERS = {"two": "deux", "three": "trois", "four": "quatre", "five": "cinq", "ten": "dix"}
# Before a masculine noun, a feminine one, several; and before a vowel. "your" goes by tu or vous.
_OWN = {"my": "m", "tu": "t", "his": "s", "her": "s"}
_OUR = {"our": ("notre", "nos"), "vous": ("votre", "vos"), "their": ("leur", "leurs")}
_THIS = frozenset({"this", "that", "these", "those"})


def french_noun(phrase: NounPhrase, choose: Choose, feminine: bool | None = None, use: str = "") -> FrenchNoun:
    name = phrase.noun.english
    own = bool(phrase.whose or phrase.owner)
    if (name == "friend" and own and not phrase.plural) or (name == "room" and own):
        use = ".own"
    elif is_called(phrase):
        use = ".called"
    key = name + use if (name + use, None) in NOUNS else name
    return pick(choose, key if feminine is None else f"{key} {feminine}", NOUNS[key, feminine])


def is_called(phrase: NounPhrase) -> bool:
    """True for "mom" and "dad" without an article, which are names."""
    bare = not (phrase.plural or phrase.determiner or phrase.owner or phrase.number or phrase.adjectives)
    return bare and phrase.noun.english in ("mom", "dad")


def noun_phrase(
    phrase: NounPhrase,
    role: str,
    choose: Choose,
    article: str = "des",
    preposition: str | None = None,
    preposition_role: str = "",
    feminine: bool | None = None,
    use: str = "",
) -> Said:
    noun = french_noun(phrase, choose, feminine, use)
    plural, she = phrase.plural, noun.feminine
    bare = not (phrase.determiner or phrase.number or phrase.owner)
    if bare and phrase.noun.english == "fish" and use in ("dish", "food"):  # "I eat fish": du poisson
        plural = use == "food" and choose(f"{role} several", right_too(False, True))  # "I like fish": les poissons, too
    behind, preposed = _behind(phrase, noun, plural, role, choose)
    determiner = _determiner(phrase, plural, she, behind[0].text, preposed, article, role, choose)
    if preposition:
        determiner = _after(preposition, determiner, behind[0].text)
    words = [Word(text, f"{role}.det") for text in determiner]
    if preposition:
        words[0] = Word(words[0].text, preposition_role)
    words += behind
    distant = phrase.determiner in ("that", "those") and behind[-1].role == f"{role}.noun"
    if distant and choose(f"{role} là", [(0.75, False), (0.25, True)]):
        words.append(Word("-là", f"{role}.det"))
    if phrase.owner:
        words += _owner(phrase.owner, role, choose)
    return Said(words, 5 if plural else 2, she, plural, phrase.noun.english)


def _owner(owner: Name | NounPhrase, role: str, choose: Choose) -> list[Word]:
    if isinstance(owner, Name):
        return [Word("de", f"{role}.owner.s"), Word(NAMES[owner.word][0], f"{role}.owner.noun")]
    return noun_phrase(owner, f"{role}.owner", choose, "des", "de", f"{role}.owner.s").words


def _behind(phrase: NounPhrase, noun: FrenchNoun, plural: bool, role: str, choose: Choose) -> tuple[list[Word], bool]:
    """Returns what follows the determiner: number, adjectives and noun; and whether an adjective comes first."""
    words = [Word(text, f"{role}.noun") for text in (noun.plural if plural else noun.singular)]
    if phrase.of:
        content = NOUNS[phrase.of.english, None][0][1].singular
        words += [Word("de", f"{role}.of"), *(Word(text, f"{role}.of.noun") for text in content)]
    preposed = False
    if phrase.adjectives:
        words, preposed = _with_adjectives(phrase, noun, plural, words, role, choose)
    if phrase.number in NUMBERS:
        words.insert(0, Word(NUMBERS[phrase.number], f"{role}.number"))
    elif phrase.number and (phrase.determiner or phrase.owner):  # "my one cat"
        words.insert(0, Word("seule" if noun.feminine else "seul", f"{role}.number"))
    return words, preposed


def _with_adjectives(
    phrase: NounPhrase, noun: FrenchNoun, plural: bool, words: list[Word], role: str, choose: Choose
) -> tuple[list[Word], bool]:
    """Returns the noun with its adjectives around it, and whether there is one before it."""
    form = 2 * plural + noun.feminine
    before: list[tuple[FrenchAdjective, list[Word]]] = []
    behind: list[list[Word]] = []
    clauses: list[Word] = []
    for i, adjective in enumerate(phrase.adjectives):
        options = adjectives(adjective.english, phrase.noun.english, noun.feminine, True)
        french = pick(choose, f"{role}.a{i}", options)
        said = [Word(text, f"{role}.a{i}") for text in french.forms[form]]
        if phrase.very and not i:
            said = with_degree(said, "très", f"{role}.very")
        if french.stands_before:
            before.append((french, said))
        elif french.name.startswith("qui"):
            clauses += said
        else:
            behind.append(said)
    union = Word("et", f"{role}.and")
    in_order = len(before) == 2 and (phrase.joined or phrase.very)
    if not in_order:
        before.sort(key=lambda pair: RANK[pair[0].name])
    if before and form == 0 and starts_with_vowel(words[0].text):
        last, said = before[-1]
        said[-1] = Word(last.before_vowel, said[-1].role)
    front = [*before[0][1], union, *before[1][1]] if in_order else [word for _, said in before for word in said]
    if len(behind) == 2:
        if form and all("colour" in adjective.kinds for adjective in phrase.adjectives):
            behind = _two_colours(phrase, behind, role, choose)
        behind.insert(1, [union])
    return [*front, *words, *(word for said in behind for word in said), *clauses], bool(front)


def _two_colours(phrase: NounPhrase, agreeing: list[list[Word]], role: str, choose: Choose) -> list[list[Word]]:
    """Says "des vaches noires et blanches"; or without agreement, if both colours are on each: "des vaches noir et blanc"."""
    if choose(f"{role} colours", [(0.6, True), (0.4, False)]):
        return agreeing
    names = (adjectives(adjective.english, phrase.noun.english, False, True)[0][1].name for adjective in phrase.adjectives)
    return [[Word(name, f"{role}.a{i}")] for i, name in enumerate(names)]


def with_degree(words: list[Word], degree: str, role: str) -> list[Word]:
    """Puts "très" before an adjective; in "qui a chaud" before its last word."""
    if degree:
        words.insert(len(words) - 1 if words[0].text == "qui" else 0, Word(degree, role))
    return words


def _determiner(
    phrase: NounPhrase, plural: bool, feminine: bool, first: str, preposed: bool, article: str, role: str, choose: Choose
) -> list[str]:
    determiner = phrase.determiner
    definite = "les" if plural else "la" if feminine else "le"
    if phrase.owner or determiner == "the":
        return [definite]
    if determiner == "no":
        return ["pas", "de"]
    if determiner in ("some", "many", "a lot of"):
        return _quantity(determiner, plural, feminine, first, preposed, article, role, choose)
    if determiner == "a" or (determiner is None and phrase.number == "one"):
        return ["de"] if article == "de" and determiner else ["une" if feminine else "un"]
    if determiner in _THIS:
        return ["ces" if plural else "cette" if feminine else "cet" if starts_with_vowel(first) else "ce"]
    if determiner:
        return [_possessive(determiner, plural, feminine, first, choose)]
    if phrase.number or is_called(phrase):
        return []
    kinds = phrase.noun.kinds
    if article == "les" or ("language" in kinds and article != "-") or ("sky" in kinds and not plural):
        return [definite]
    if article == "-":
        return []
    if article == "de":
        return ["de"]
    if not plural and phrase.noun.counted and phrase.noun.english != "fish":
        return ["une" if feminine else "un"]
    return _partitive(plural, feminine, first, preposed, role, choose)


def _partitive(plural: bool, feminine: bool, first: str, preposed: bool, role: str, choose: Choose) -> list[str]:
    if plural:
        return [choose(f"{role} de", [(0.7, "de"), (0.3, "des")])] if preposed else ["des"]
    if starts_with_vowel(first) or feminine:
        return ["de", "la" if feminine else "le"]
    return ["du"]


def _possessive(determiner: str, plural: bool, feminine: bool, first: str, choose: Choose) -> str:
    owner = register(choose) if determiner == "your" else determiner
    if owner in _OUR:
        return _OUR[owner][plural]
    return _OWN[owner] + ("es" if plural else "a" if feminine and not starts_with_vowel(first) else "on")


def _quantity(
    determiner: str, plural: bool, feminine: bool, first: str, preposed: bool, article: str, role: str, choose: Choose
) -> list[str]:
    if determiner != "some":
        if determiner == "many" and article in ("les", "des"):
            many = "nombreuses" if feminine else "nombreux"
            return choose(f"{role} many", [(0.8, ["beaucoup", "de"]), (0.2, ["de", many])])
        if determiner == "a lot of" and article in ("les", "des"):
            return choose(f"{role} many", [(0.75, ["beaucoup", "de"]), (0.25, ["plein", "de"])])
        return ["beaucoup", "de"]
    if article == "de":
        return ["de"]
    if plural:
        certain = "certaines" if feminine else "certains"
        if article == "les":
            return choose(f"{role} some", [(0.5, [certain]), (0.5, ["quelques"])])
        if article == "-" or choose(f"{role} some", [(0.5, False), (0.5, True)]):
            return ["quelques"]
        return _partitive(plural, feminine, first, preposed, role, choose)
    if choose(f"{role} some", [(0.75, False), (0.25, True)]):
        return ["un", "peu", "de"]
    return [] if article == "-" else _partitive(plural, feminine, first, preposed, role, choose)


def _after(preposition: str, determiner: list[str], first: str) -> list[str]:
    """Contracts the preposition with the determiner: "du", "aux"."""
    if preposition in ("à", "de") and determiner:
        short = preposition == "à"
        if determiner == ["les"]:
            return ["aux" if short else "des"]
        if determiner == ["le"] and not starts_with_vowel(first):
            return ["au" if short else "du"]
        if preposition == "de" and determiner[0] in ("de", "des", "du"):
            return ["de"]
    return [preposition, *determiner]
