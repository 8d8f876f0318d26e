"""What people type, and the words that are taken from it."""

import random
import sys

import pytest

from everyday import drawing
from everyday.english import english
from everyday.recogniser import trees
from everyday.tokenizer import WITHOUT_APOSTROPHE, dropped, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I love you!", "i love you"),
        ("  Hello…   Anna ", "hello anna"),
        ("“Where is my book?” she said.", "where is my book she said"),
        ("the cat (a big one) sleeps; good", "the cat a big one sleeps good"),
        # Contractions: straight, curly and other apostrophes; none at all.
        ("I don't like milk.", "i do not like milk"),
        ("He doesn’t eat; she didn‘t, I can't, we cannot", "he does not eat she did not i can not we can not"),
        ("it isnʼt, they aren´t, he wasn`t", "it is not they are not he was not"),
        ("I'm here, you're there, I've a cat, let's go", "i am here you are there i have a cat let us go"),
        ("he's she's it's that's there's where's what's who's", "he is she is it is that is there is where is what is who is"),
        ("dont doesnt didnt isnt arent cant im thats", "do not does not did not is not are not can not i am that is"),
        ("whats your name", "what is your name"),
        ("I won't, you'll, they'd", "i will not you will they would"),
        ("we were well", "we were well"),
        # A possessive, or "is".
        ("Anna's book", "anna 's book"),
        ("my father's two old cars", "my father 's two old cars"),
        ("my brother's friend's very old house", "my brother 's friend 's very old house"),
        ("Anna 's book", "anna 's book"),
        ("the children's zebra", "the children 's zebra"),
        ("Anna's", "anna 's"),
        ("Anna's happy", "anna is happy"),
        ("Tom's very big and strong", "tom is very big and strong"),
        ("my father's in the garden", "my father is in the garden"),
        ("The dog's eating", "the dog is eating"),
        ("my name's Anna", "my name is anna"),
        ("its a cat, its name", "it is a cat its name"),
        ("the dogs' house", "the dogs house"),
        # "not" before the subject, or behind what points.
        ("Don't you like it?", "do not you like it"),
        ("Isn't your brother's friend happy?", "is not your brother 's friend happy"),
        ("Isn't this good?", "is this not good"),
        ("isn't this your book", "is this not your book"),
        ("Isn't this book good?", "is not this book good"),
        ("Aren't there two cats?", "are there not two cats"),
        ("don't", "do not"),
        # Numbers, hyphens, other forms of letters and signs.
        ("1 cat, 2 dogs, 3 4 5 10 birds and 7 cows", "one cat two dogs three four five ten birds and 7 cows"),
        ("3.5 and 1,000", "3.5 and 1,000"),
        ("a very-old T-shirt, ice‑cream", "a very old t-shirt ice-cream"),
        ("Ｉ　ｌｏｖｅ　２　ｃａｔｓ！", "i love two cats"),
        ("I\u00a0love\u2009you", "i love you"),
        ("be\u200bau\u00adti\ufeffful", "beautiful"),
        ("I ❤️ my 🐶 1️⃣", "i my one"),
        ("café naïve ﬁsh", "café naïve fish"),
        ("cafe\u0301", "café"),
        ("我 love 你们", "我 love 你们"),
        ("a\x00b\tc\x1bd\nnew_line", "a b c d new line"),
        ("rock'n'roll o'clock ain't", "rock'n'roll o'clock ain't"),
        ("\ud800 hi", "hi"),
        ("'' - ' ?!", ""),
        ("", ""),
    ],
)
def test_what_is_typed(text: str, words: str) -> None:
    assert tokenize(text) == words.split()
    assert tokenize(" ".join(tokenize(text))) == tokenize(text)  # the words themselves can be typed


def test_words_of_a_drawn_sentence_stay_as_they_are() -> None:
    generator = random.Random(7)
    for _ in range(2000):
        words = [word.text for word in english(drawing.draw(generator))]
        text = " ".join(words).replace(" 's", "'s").capitalize() + "."
        assert tokenize(text) == tokenize(" ".join(words)) == words


@pytest.mark.parametrize(
    "text",
    ["Don't you like Anna's cat?", "What's this?", "I'm not your brother's teacher", "dont eat my apple!", "He's in Paris"],
)
def test_what_is_typed_can_be_read(text: str) -> None:
    assert trees(tokenize(text))


def test_contractions_without_their_apostrophe_are_no_other_word() -> None:
    assert {"dont": "don't", "im": "i'm"}.items() <= WITHOUT_APOSTROPHE.items()
    assert not {"were", "well", "ill", "shed", "wed", "hell", "shell", "id"} & set(WITHOUT_APOSTROPHE)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("I like milk 🍎", ["🍎"]),
        ("I like 👩‍👩‍👧 and milk 🇫🇷!", ["👩‍👩‍👧", "🇫🇷"]),
        ("= I € like % milk + =", ["=", "€", "%", "+"]),
        ("my_cat *likes* #milk", ["_", "*", "#"]),
        ("“Don’t you like Anna's cat?”, he said… (yes) – no; well-known: 1.5", []),
        ("我喜欢猫。你呢？（是）", []),
        ("the\x01 \u202ecat\u202c \ufeff", []),  # nothing that can be seen
        ("", []),
    ],
)
def test_signs_that_are_left_out_are_named_but_for_punctuation(text: str, signs: list[str]) -> None:
    assert dropped(text) == signs


def test_any_text_can_be_typed() -> None:
    """Every character alone, and long texts of awkward ones."""
    generator = random.Random(1)
    characters = [chr(generator.randrange(sys.maxunicode + 1)) for _ in range(20_000)]
    for text in ("".join(characters), "'".join(characters), *characters[:500]):
        assert all(word and not any(map(str.isspace, word)) for word in tokenize(text))
    for long in ("a" * 10_000, "anna's big " * 900, "'" * 10_000, "-a" * 5_000, "do not " + "my cat's " * 1_000):
        assert len(tokenize(long)) <= 10_000
