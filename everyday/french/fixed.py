"""Set phrases in French."""

from everyday.choice import Choose
from everyday.english import Word
from everyday.french.phrases import noun_or_pronoun
from everyday.french.pronouns import register
from everyday.sentence import Fixed, NounPhrase, Phrase

# Two lists: to one whom one calls tu, and vous. (e): of a woman.
_FIXED: dict[str, tuple[list[tuple[float, str]], ...]] = {
    "hello": ([(0.75, "bonjour"), (0.25, "salut")],),
    "hi": ([(0.7, "salut"), (0.3, "bonjour")],),
    "goodbye": ([(1.0, "au revoir")],),
    "thank you": ([(0.85, "merci"), (0.15, "je te remercie")], [(0.85, "merci"), (0.15, "je vous remercie")]),
    "thank you very much": ([(0.8, "merci beaucoup"), (0.2, "un grand merci")],),
    "thanks": ([(1.0, "merci")],),
    "good morning": ([(1.0, "bonjour")],),
    "good evening": ([(1.0, "bonsoir")],),
    "good night": ([(1.0, "bonne nuit")],),
    "happy birthday": ([(0.55, "joyeux anniversaire"), (0.45, "bon anniversaire")],),
    "how are you": (
        [(0.35, "comment vas -tu ?"), (0.2, "tu vas bien ?"), (0.25, "comment ça va ?"), (0.2, "ça va ?")],
        [(0.6, "comment allez -vous ?"), (0.2, "vous allez bien ?"), (0.2, "comment ça va ?")],
    ),
    "what is your name": (
        [(0.35, "comment te appelles -tu ?"), (0.4, "comment tu te appelles ?"), (0.25, "quel est ton nom ?")],
        [(0.5, "comment vous appelez -vous ?"), (0.2, "comment vous vous appelez ?"), (0.3, "quel est votre nom ?")],
    ),
    "how old are you": (
        [(0.5, "quel âge as -tu ?"), (0.5, "tu as quel âge ?")],
        [(0.65, "quel âge avez -vous ?"), (0.35, "vous avez quel âge ?")],
    ),
    "where are you from": (
        [(0.5, "de où viens -tu ?"), (0.25, "tu viens de où ?"), (0.25, "de où es -tu ?")],
        [(0.6, "de où venez -vous ?"), (0.2, "vous venez de où ?"), (0.2, "de où êtes -vous ?")],
    ),
    "what time is it": ([(0.6, "quelle heure est -il ?"), (0.4, "il est quelle heure ?")],),
    "nice to meet you": (
        [(0.7, "enchanté(e)"), (0.3, "ravi(e) de te rencontrer")],
        [(0.7, "enchanté(e)"), (0.3, "ravi(e) de vous rencontrer")],
    ),
    "how are you today": (
        [(0.45, "comment vas -tu aujourd'hui ?"), (0.25, "comment ça va aujourd'hui ?"), (0.3, "ça va aujourd'hui ?")],
        [(0.75, "comment allez -vous aujourd'hui ?"), (0.25, "comment ça va aujourd'hui ?")],
    ),
    "let us go": ([(0.4, "allons -y"), (0.6, "on y va")],),
    "let us go home": ([(0.5, "rentrons à la maison"), (0.5, "on rentre à la maison")],),
    "welcome home": ([(1.0, "bienvenue à la maison")],),
    "yes i do": ([(1.0, "oui")],),
    "no i do not": ([(1.0, "non")],),
    "yes": ([(1.0, "oui")],),
    "no": ([(1.0, "non")],),
    "please": ([(1.0, "s' il te plaît")], [(1.0, "s' il vous plaît")]),
    "sorry": ([(0.5, "désolé(e)"), (0.5, "pardon")],),
    "excuse me": ([(0.7, "excuse -moi"), (0.3, "pardon")], [(0.7, "excusez -moi"), (0.3, "pardon")]),
    "me too": ([(1.0, "moi aussi")],),
    "you too": ([(1.0, "toi aussi")], [(1.0, "vous aussi")]),
    "very good": ([(0.65, "très bien"), (0.35, "très bon(ne)")],),
    "welcome": ([(1.0, "bienvenue")],),
    "i am sorry": ([(0.7, "je suis désolé(e)"), (0.3, "désolé(e)")],),
    "i am fine": ([(0.75, "je vais bien"), (0.25, "ça va bien")],),
    "i need help": ([(1.0, "je ai besoin de aide")],),
}


def fixed(said: Fixed, choose: Choose) -> list[Word]:
    by_register = _FIXED[said.text]
    options = by_register[len(by_register) > 1 and register(choose) == "vous"]
    text = options[0][1] if len(options) == 1 else choose(said.text, options)
    if "(" in text:
        feminine = choose("gender i", [(0.6, False), (0.4, True)])
        before, ending = text.split("(", 1)
        ending, after = ending.split(")", 1)
        text = before + (ending if feminine else "") + after
    words = [Word(word, "fixed") for word in text.split()]
    return [*words, *_vocative(said.to, choose)] if said.to else words


def _vocative(to: Phrase, choose: Choose) -> list[Word]:
    if isinstance(to, NounPhrase) and to.noun.english == "doctor" and not to.determiner:
        return [Word("docteur", "o0.noun")]
    return noun_or_pronoun(to, "o0", choose, "-").words


def fixed_words() -> set[str]:
    texts = " ".join(text for lists in _FIXED.values() for options in lists for _, text in options)
    plain = texts.replace("(e)", " ").replace("(ne)", " ").split()
    feminine = texts.replace("(e)", "e").replace("(ne)", "ne").split()
    return {*plain, *feminine}
