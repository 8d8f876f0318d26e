"""Commands in Chinese: 打开门, 请不要跑, 高兴一点."""

from everyday.chinese.actions import Doing, with_somebody
from everyday.chinese.persons import at, identified, speaker_of
from everyday.chinese.verbs import VERBS
from everyday.chinese.words import TIMES
from everyday.choice import Choose, pick
from everyday.english import Word
from everyday.sentence import Action, Being, Clause, Identity, Pronoun, Quality

_DO_NOT = ((0.6, "不要"), (0.4, "别"))
_BE = {"good": "乖", "happy": "高兴", "nice": "友好", "strong": "坚强", "sad": "难过", "angry": "生气"}  # as commands
_HELP_ME = ((0.5, "帮帮"), (0.5, "帮助"))


class Command:
    """Says one clause that has no subject."""

    def __init__(self, said: Clause, choose: Choose):
        self.clause, self.choose, self.speaker = said, choose, speaker_of(said, choose)

    def said(self) -> list[Word]:
        said, predicate = self.clause, self.clause.predicate
        please = [Word("请", "please")] if said.please else []
        time = [Word(TIMES[said.time], "time")] if said.time else []
        no = [Word(self.choose("do not", _DO_NOT), "not")] if said.negated else []
        if isinstance(predicate, Quality):
            return [*please, *time, *no, *self.quality(predicate)]
        if isinstance(predicate, Identity):
            return [*please, *time, *no, Word("做", "be"), *identified(predicate.what, "o0", self.speaker)]
        if isinstance(predicate, Being):
            company = with_somebody(said.company, self.speaker, False) if said.company else []
            return [*please, *time, *no, *company, Word("待", "be"), *at(said, self.speaker)]
        return [*please, *time, *no, *self.action(predicate)]

    def quality(self, quality: Quality) -> list[Word]:
        words: list[Word] = []
        for i, adjective in enumerate(quality.adjectives):
            said = _BE.get(adjective.english) or self.speaker.of(adjective, "child")[-1]
            words.append(Word(said, f"q{i}"))
            words += [] if self.clause.negated else [Word("一点", "be")]
        return words

    def action(self, action: Action) -> list[Word]:
        said, verb = self.clause, action.verb.english
        bare = not (action.objects or said.place or said.company)
        if bare and (verb, "commanded") in VERBS:
            if verb == "help" and (said.please or said.negated):
                return [Word("帮忙", "verb")]
            return [Word(text, "verb") for text in pick(self.choose, "commanded", VERBS[verb, "commanded"])]
        if verb == "see" and action.objects == (Pronoun("you"),) and not said.negated:
            return [Word("再见", "verb")]
        words = Doing(self.speaker, said, None, True, False).said()
        if action.objects == (Pronoun("i"),) and verb == "help" and not said.negated:
            help_me = self.choose("help me", _HELP_ME)
            return [word._replace(text=help_me) if word.role == "verb" else word for word in words]
        added = action.objects or said.time or said.please or said.negated or said.company
        soft = not added and (said.place is None or said.place.where == "home") and verb not in ("look", "listen")
        return [*words, Word("吧", "verb")] if soft and self.speaker.chance("do", 0.4) else words


TOKENS = {word for table in (_DO_NOT, _HELP_ME) for _, word in table} | {*_BE.values(), *"请 做 待 一点 帮忙 再见 吧".split()}
