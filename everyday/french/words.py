"""The French words of everyday sentences: their forms, and by what French word an English one is said where."""

from functools import cache
from typing import NamedTuple, TypeVar

from everyday.words import NOUNS as ENGLISH_NOUNS
from everyday.words import VERBS as ENGLISH_VERBS

Value = TypeVar("Value")
Weighted = tuple[tuple[float, Value], ...]


class FrenchNoun(NamedTuple):
    singular: tuple[str, ...]
    plural: tuple[str, ...]
    feminine: bool


class FrenchAdjective(NamedTuple):
    """`forms`: masculine, feminine, both in the plural. `before_vowel`: the masculine before a noun in a vowel, "bel"."""

    name: str
    forms: tuple[tuple[str, ...], ...]
    before_vowel: str
    stands_before: bool


class FrenchVerb(NamedTuple):
    """`present`: je, tu, il, nous, vous, ils. `tail` follows the verb: "faire la cuisine"."""

    infinitive: str
    present: tuple[str, ...]
    imperative: tuple[str, str]
    participle: str
    imperfect: tuple[str, ...]
    with_etre: bool = False
    reflexive: bool = False
    tail: tuple[str, ...] = ()


def starts_with_vowel(word: str) -> bool:
    """Whether "le" before it becomes "l'". The h is mute, except in "haut"."""
    return word[0] in "aeiouyhéêàâôœA" and word[:4] != "haut"


def _rows(table: str) -> list[list[str]]:
    return [row.split() for row in table.replace("\n", "|").split("|") if row.strip()]


def _shares(options: list[tuple[float, Value]]) -> Weighted[Value]:
    """The options with probabilities that sum to 1; those of weight 0 count only where there is no other."""
    total = sum(weight for weight, _ in options)
    if total == 0:
        return tuple((1 / len(options), value) for _, value in options)
    return tuple((weight / total, value) for weight, value in options if weight)


def _plural(word: str) -> str:
    first, *rest = word.split("_")
    if first.endswith("al"):
        first = first[:-2] + "aux"
    elif first.endswith("eau"):
        first += "x"
    elif first[-1] not in "sx":
        first += "s"
    return "_".join([first, *rest])


def _tokens(word: str) -> tuple[str, ...]:
    return tuple(word.split("_"))


# English, then each French word with its gender and its weight; 0 for what is said only where the gender is known. With a full
# stop: where the noun is one's own, is taken (a picture) or is what somebody is (a teacher).
_NOUNS = _rows("""
man homme:m | woman femme:f | boy garçon:m | girl fille:f | child enfant:m enfant:f:0 | baby bébé:m
friend ami:m:.45 amie:f:.3 copain:m:.15 copine:f:.1 | friend.own ami:m:.6 amie:f:.4
teacher professeur:m:.45 prof:m:.2 professeure:f:.2 prof:f:.15
teacher.is professeur:m:.7 prof:m:.3 professeure:f:.5 professeur:f:.25 prof:f:.25
student étudiant:m:.4 étudiante:f:.3 élève:m:.2 élève:f:.1 | student.is étudiant:m:.6 étudiante:f:.4
doctor médecin:m:.6 docteur:m:.4 médecin:f:0 docteure:f:0 | doctor.is médecin:m:.65 docteur:m:.35 médecin:f:.8 docteure:f:.2
mother mère:f:.85 maman:f:.15 | father père:m:.85 papa:m:.15 | mom maman:f:.65 mère:f:.35 | dad papa:m:.65 père:m:.35
mom.called maman:f | dad.called papa:m
brother frère:m | sister sœur:f | son fils:m | daughter fille:f | family famille:f
cat chat:m | dog chien:m | bird oiseau:m | fish poisson:m | horse cheval:m | mouse souris:f | rabbit lapin:m | cow vache:f
apple pomme:f | banana banane:f | egg œuf:m | cake gâteau:m | bread pain:m | rice riz:m | cheese fromage:m | meat viande:f
chocolate chocolat:m | water eau:f | milk lait:m | tea thé:m | coffee café:m
house maison:f | car voiture:f:.75 auto:f:.25 | book livre:m | letter lettre:f | story histoire:f | song chanson:f
music musique:f | movie film:m | table table:f | chair chaise:f | bed lit:m | door porte:f | window fenêtre:f | box boîte:f
bag sac:m | cup tasse:f | key clé:f:.8 clef:f:.2 | flower fleur:f | tree arbre:m | ball balle:f:.5 ballon:m:.5
picture photo:f:.55 image:f:.45 | picture.taken photo:f | phone téléphone:m:.65 portable:m:.35 | computer ordinateur:m
shoe chaussure:f | bike vélo:m:.8 bicyclette:f:.2 | bus bus:m | train train:m | boat bateau:m | money argent:m
garden jardin:m | park parc:m | school école:f | city ville:f | kitchen cuisine:f | room pièce:f:.5 chambre:f:.5
room.own chambre:f | bathroom salle_de_bain:f:.5 salle_de_bains:f:.5 | street rue:f | shop magasin:m:.75 boutique:f:.25
restaurant restaurant:m | station gare:f | hospital hôpital:m | river rivière:f:.7 fleuve:m:.3 | sea mer:f
mountain montagne:f | sun soleil:m | moon lune:f | sky ciel:m | star étoile:f | name nom:m
french français:m | english anglais:m | chinese chinois:m
""")


def _noun(text: str) -> tuple[float, FrenchNoun]:
    word, gender, *weight = text.split(":")
    return float(weight[0]) if weight else 1.0, FrenchNoun(_tokens(word), _tokens(_plural(word)), gender == "f")


def _by_gender() -> dict[tuple[str, bool | None], Weighted[FrenchNoun]]:
    found: dict[tuple[str, bool | None], Weighted[FrenchNoun]] = {}
    for english, *texts in _NOUNS:
        options = [_noun(text) for text in texts]
        found[english, None] = _shares(options)
        for feminine in (False, True):
            found[english, feminine] = _shares([option for option in options if option[1].feminine is feminine] or options)
    return found


# English noun -> its French nouns; (…, True): the feminine ones, where it has any.
NOUNS = _by_gender()


def only_gender(english: str) -> bool | None:
    """Whether the noun is feminine; None for friends and teachers, who can be both."""
    masculine, feminine = (NOUNS[english, gender][0][1].feminine for gender in (False, True))
    return feminine if masculine == feminine else None


# What can be called "gros" as well as "grand", and what can be "neuf".
_BULKY = frozenset(
    """cat dog bird fish rabbit cow mouse apple banana egg cake cheese bread car book box bag ball tree flower boat computer cup
    star""".split()
)
_MADE = frozenset("house car book table chair bed door window box bag cup ball phone computer shoe bike bus train boat".split())

# Masculine, feminine (= for one form of all), and the masculine before a vowel.
_ADJECTIVES = {
    masculine: (masculine, *rest)
    for masculine, *rest in _rows("""
grand grande | gros grosse | petit petite | bon bonne | bien = | mal = | mauvais mauvaise | méchant méchante
vieux vieille vieil | âgé âgée | nouveau nouvelle nouvel | neuf neuve | jeune jeune | beau belle bel | joli jolie
long longue | haut haute | rouge rouge | bleu bleue | vert verte | blanc blanche | noir noire | jaune jaune | content contente
heureux heureuse | joyeux joyeuse | triste triste | fatigué fatiguée | chaud chaude | froid froide | intelligent intelligente
malin maligne | fort forte | solide solide | drôle drôle | amusant amusante | propre propre | sale sale | gentil gentille
sympa sympa | agréable agréable | en_colère = | fâché fâchée | malade malade | occupé occupée | pris prise | rapide rapide
lent lente | intéressant intéressante | cher chère | affamé affamée | assoiffé assoiffée | ouvert ouverte | fermé fermée
""")
}

# English adjective, what it is said of (all of these; - for anything), French adjectives: the first row that fits counts. "<"
# stands before the noun. Said of: kinds of nouns, English nouns, m, f, and of the tags of `_tags`.
_SENSES = [
    (english, frozenset(() if conditions == "-" else conditions.split("+")), adjectives)
    for english, conditions, *adjectives in _rows("""
big person grand< | big bulky grand<:.6 gros<:.4 | big it grand:.7 gros:.3 | big - grand<
small - petit<
good man+attribute bien:.5 bon:.5 | good woman+attribute bien | good job bon< | good person+attribute bon<
good living+attribute bon<:.6 gentil<:.4 | good person+f gentil | good living bon<:.5 gentil:.5
good they bon:.6 gentil:.4 | good ce bon:.5 bien:.5
good alone bon:.7 bien:.3 | good - bon<
bad job mauvais< | bad living+attribute mauvais<:.4 méchant<:.3 méchant:.3 | bad living méchant | bad they mauvais:.5 méchant:.5
bad ce mauvais:.7 mal:.3 | bad - mauvais<
old kin+attribute vieux< | old person vieux<:.65 âgé:.35 | old they vieux:.8 âgé:.2 | old - vieux<
new made+attribute nouveau<:.7 neuf:.3 | new made nouveau:.4 neuf:.6 | new they nouveau:.6 neuf:.4 | new ce nouveau:.7 neuf:.3
new it nouveau:.5 neuf:.5 | new - nouveau<
young - jeune<
beautiful person+m beau< | beautiful they+m beau | beautiful sky beau< | beautiful sea beau< | beautiful - beau<:.65 joli<:.35
long - long<
tall mountain haut< | tall living grand< | tall they grand< | tall - grand<:.6 haut:.4
red - rouge | blue - bleu | green - vert | white - blanc | black - noir | yellow - jaune
happy attribute heureux:.75 joyeux:.25 | happy - content:.5 heureux:.5
sad - triste | tired - fatigué
hot living+attribute qui_a_chaud | hot - chaud | cold living+attribute qui_a_froid | cold - froid
clever - intelligent:.7 malin:.3
strong thing solide | strong - fort
funny - drôle:.6 amusant:.4
clean - propre | dirty - sale
nice man+attribute gentil:.6 sympa:.4 | nice woman+attribute gentil:.6 sympa:.4
nice person+attribute gentil<:.5 gentil:.2 sympa:.3 | nice person gentil:.6 sympa:.4
nice living+attribute gentil<:.6 gentil:.4 | nice living gentil | nice it gentil
nice food bon< | nice drink bon< | nice they gentil:.6 sympa:.4 | nice ce sympa:.4 bien:.3 agréable:.3
nice alone gentil:.6 sympa:.4 | nice attribute beau<:.45 joli<:.45 agréable:.1 | nice - beau:.35 joli:.35 agréable:.3
angry attribute en_colère | angry - en_colère:.6 fâché:.4
sick - malade | busy person occupé:.75 pris:.25 | busy they occupé:.8 pris:.2 | busy - occupé
fast - rapide | slow - lent | interesting - intéressant | expensive - cher
hungry - affamé | thirsty - assoiffé | open - ouvert | closed - fermé
""")
]


def _adjective(text: str) -> tuple[float, FrenchAdjective]:
    word, _, weight = text.partition(":")
    name = word.rstrip("<")
    if name.startswith("qui_a_"):  # "a cold man" is one who is cold: "un homme qui a froid"
        forms = (name, name, *[name.replace("_a_", "_ont_")] * 2)
        before_vowel = name
    else:
        masculine, feminine, *rest = _ADJECTIVES[name]
        forms = (name,) * 4 if feminine == "=" else (masculine, feminine, _plural(masculine), _plural(feminine))
        before_vowel = rest[0] if rest else name
    adjective = FrenchAdjective(name, tuple(map(_tokens, forms)), before_vowel, word.endswith("<"))
    return float(weight or 1), adjective


def is_living(head: str) -> bool:
    """Whether somebody is meant who can be cold or hungry; a fish is food."""
    noun = ENGLISH_NOUNS.get(head)
    return head == "person" if noun is None else noun.alive and "food" not in noun.kinds


def _tags(head: str, feminine: bool, attribute: bool) -> frozenset[str]:
    """`head`: an English noun, person, thing, they, it, ce, or alone (an adjective by itself)."""
    noun = ENGLISH_NOUNS.get(head)
    tags = {head, "f" if feminine else "m"} | (noun.kinds if noun else set())
    for tag, holds in (
        ("attribute", attribute),
        ("living", is_living(head)),
        ("bulky", head in _BULKY),
        ("made", head in _MADE),
    ):
        if holds:
            tags.add(tag)
    return frozenset(tags)


@cache
def adjectives(english: str, head: str, feminine: bool, attribute: bool) -> Weighted[FrenchAdjective]:
    """The French adjectives for an English one before a noun (`attribute`) or after "to be"."""
    tags = _tags(head, feminine, attribute)
    for adjective, conditions, texts in _SENSES:
        if adjective == english and conditions <= tags:
            return _shares([_adjective(text) for text in texts])
    raise KeyError(english)


# The order of adjectives before a noun: "une belle petite maison".
_ORDER = ("beau joli bon mauvais gentil méchant", "nouveau", "grand gros long haut", "vieux jeune", "petit")
RANK = {word: rank for rank, words in enumerate(_ORDER) for word in words.split()}
STATES = {"hungry": "faim", "thirsty": "soif", "hot": "chaud", "cold": "froid"}  # with avoir
WEATHER = {"hot": "chaud", "cold": "froid", "nice": "beau"}  # "it is …": il fait …

# Infinitive, present, participle.
_IRREGULAR = _rows("""
être suis es est sommes êtes sont été | avoir ai as a avons avez ont eu | aller vais vas va allons allez vont allé
venir viens viens vient venons venez viennent venu | voir vois vois voit voyons voyez voient vu
vouloir veux veux veut voulons voulez veulent voulu | pouvoir peux peux peut pouvons pouvez peuvent pu
devoir dois dois doit devons devez doivent dû
connaître connais connais connaît connaissons connaissez connaissent connu | savoir sais sais sait savons savez savent su
boire bois bois boit buvons buvez boivent bu | acheter achète achètes achète achetons achetez achètent acheté
manger mange manges mange mangeons mangez mangent mangé | nager nage nages nage nageons nagez nagent nagé
lire lis lis lit lisons lisez lisent lu | écrire écris écris écrit écrivons écrivez écrivent écrit
prendre prends prends prend prenons prenez prennent pris
apprendre apprends apprends apprend apprenons apprenez apprennent appris
comprendre comprends comprends comprend comprenons comprenez comprennent compris
ouvrir ouvre ouvres ouvre ouvrons ouvrez ouvrent ouvert
conduire conduis conduis conduit conduisons conduisez conduisent conduit
dormir dors dors dort dormons dormez dorment dormi | courir cours cours court courons courez courent couru
rire ris ris rit rions riez rient ri | vivre vis vis vit vivons vivez vivent vécu
faire fais fais fait faisons faites font fait
partir pars pars part partons partez partent parti | promener promène promènes promène promenons promenez promènent promené
appeler appelle appelles appelle appelons appelez appellent appelé
""")
_REGULAR = """aimer adorer trouver fermer regarder écouter aider parler cuisiner préparer marcher danser chanter travailler
jouer pleurer habiter rentrer arriver rigoler""".split()
_IMPERATIVES = {"être": ("sois", "soyez"), "avoir": ("aie", "ayez"), "savoir": ("sache", "sachez"), "aller": ("va", "allez")}
_WITH_ETRE = frozenset({"aller", "venir", "rentrer", "partir"})


def _verb(infinitive: str, *forms: str) -> FrenchVerb:
    *present, participle = forms
    second = present[1]
    imperative = _IMPERATIVES.get(infinitive, (second[:-1] if second.endswith("es") else second, present[4]))
    stem = "ét" if infinitive == "être" else present[3].removesuffix("ons")
    imperfect = tuple(stem + ending for ending in "ais ais ait ions iez aient".split())
    return FrenchVerb(infinitive, tuple(present), imperative, participle, imperfect, infinitive in _WITH_ETRE)


def _regular(infinitive: str) -> list[str]:
    stem = infinitive.removesuffix("er")
    return [infinitive, *(stem + ending for ending in "e es e ons ez ent é".split())]


_FORMS = {infinitive: _verb(infinitive, *forms) for infinitive, *forms in [*_IRREGULAR, *map(_regular, _REGULAR)]}


def _phrase(text: str) -> FrenchVerb:
    """ "faire_la_cuisine", "se_promener"."""
    reflexive = text.startswith("se_")
    infinitive, *tail = text.removeprefix("se_").split("_")
    verb = _FORMS[infinitive]
    return verb._replace(with_etre=verb.with_etre or reflexive, reflexive=reflexive, tail=tuple(tail))


def _weighted_verb(text: str) -> tuple[float, FrenchVerb]:
    word, _, weight = text.partition(":")
    return float(weight or 1), _phrase(word)


# English verb -> its French ones. With a full stop: with an object.
VERBS: dict[str, Weighted[FrenchVerb]] = {
    english: _shares([_weighted_verb(text) for text in texts])
    for english, *texts in _rows("""
see voir | like aimer | love adorer:.5 aimer:.5 | have avoir | want vouloir | need avoir_besoin | know savoir | know. connaître
find trouver | eat manger | drink boire | buy acheter | read lire | write écrire | take prendre | open ouvrir | close fermer
watch regarder | look regarder | listen écouter | learn apprendre | help aider | understand comprendre | speak parler
cook cuisiner:.6 faire_la_cuisine:.4 | cook. cuisiner:.5 préparer:.5 | drive conduire | sleep dormir | run courir
walk marcher:.7 se_promener:.3 | sing chanter | dance danser | swim nager | work travailler | play jouer | cry pleurer
laugh rire:.8 rigoler:.2 | live habiter:.6 vivre:.4 | go aller | come venir
do faire
""")
}
ETRE, AVOIR, ALLER, FAIRE = (_FORMS[word] for word in ("être", "avoir", "aller", "faire"))
AIMER, ADORER, VOULOIR, POUVOIR = (_FORMS[word] for word in ("aimer", "adorer", "vouloir", "pouvoir"))
SAVOIR, DEVOIR, PARTIR, ARRIVER = (_FORMS[word] for word in ("savoir", "devoir", "partir", "arriver"))
RENTRER, MARCHER, SE_APPELER = _FORMS["rentrer"], _FORMS["marcher"], _phrase("se_appeler")


def agreed(participle: str, feminine: bool, plural: bool) -> str:
    """The participle in gender and number: "vues"."""
    with_gender = participle + "e" if feminine else participle
    return with_gender + "s" if plural and with_gender[-1] != "s" else with_gender


def said_words() -> set[str]:
    """All words of the tables that a sentence can have."""
    found: set[str] = set()
    for (english, _), nouns in NOUNS.items():
        counted = ENGLISH_NOUNS[english.partition(".")[0]].counted
        for _, noun in nouns:
            found.update(noun.singular, noun.plural if counted else ())
    for _, _, texts in _SENSES:
        for text in texts:
            _, adjective = _adjective(text)
            found.update(*adjective.forms, [adjective.before_vowel] if adjective.stands_before else [])
    for english, options in VERBS.items():
        acting = ENGLISH_VERBS[english.rstrip(".")]
        for _, verb in options:
            found.update((verb.infinitive, *verb.present, *verb.imperative, *verb.tail))
            found.update(verb.imperfect if english == "live" else ())
            found.update(_participles(verb, bool(acting.objects)) if acting.past else ())
    for verb in (RENTRER, PARTIR):
        found.update((verb.infinitive, *verb.present, *verb.imperative, *_participles(verb, False)))
    for verb in (ETRE, ARRIVER, SE_APPELER, POUVOIR, SAVOIR, DEVOIR):
        found.update(verb.present)
    return found | {*ETRE.imperfect, *AVOIR.imperfect, *ETRE.imperative}


def _participles(verb: FrenchVerb, with_object: bool) -> set[str]:
    """The participle, agreeing where it can: with the subject of être, with an object before avoir."""
    agrees = (False, True) if with_object or verb.with_etre else (False,)
    return {agreed(verb.participle, feminine, plural) for feminine in agrees for plural in agrees}
