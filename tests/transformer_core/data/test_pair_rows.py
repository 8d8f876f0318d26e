"""Pins that pairs are read as people write them: which characters count as the same, which encodings and separators are found,
and what programs put around a table.
"""

import pytest

from transformer_core.data.pair_rows import rows_of, text_of, tidy
from transformer_core.data.pairs import as_lines, of_file, of_text
from transformer_core.data.tasks import PairsTask
from transformer_core.errors import InputError

SIX = (
    ("good morning", "buenos días"),
    ("good night", "buenas noches"),
    ("thank you", "gracias"),
    ("please", "por favor"),
    ("see you soon", "hasta pronto"),
    ("¿what?", "¿qué?"),
)


def lines(separator: str) -> str:
    return "\n".join(map(separator.join, SIX))


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("don’t ‘go’ l´été rock`n", "don't 'go' l'été rock'n"),
        ("“yes” „no‟", '"yes" "no"'),
        ("ＡＢＣ　１２，ｶﾞ ﬁn …", "ABC 12,ガ fin ..."),
        ("a\u00a0b\u2009c\u200bd\u00ade\ufefff\u200eg", "a b cdefg"),
        ("e\u0301", "é"),
        ("x² ½ ① 👩‍👩‍👧 1️⃣ straße 我。", "x² ½ ① 👩‍👩‍👧 1️⃣ straße 我。"),
        ("non\u2011stop – —", "non-stop – —"),
    ],
)
def test_a_character_has_one_form(written: str, usual: str) -> None:
    assert tidy(written) == usual and tidy(usual) == usual


def test_what_is_typed_later_is_tidied_like_the_pairs():
    task = PairsTask(of_text("\n".join(f"I don’t {word} = je ne {word} pas" for word in ("a", "b", "c", "d", "e"))).pairs)
    vocabulary = task.vocabulary
    assert vocabulary.encode("I don’t a") == vocabulary.encode("i don't a") and not vocabulary.unknown_words("I don’t　a")
    assert of_text("don’t go = non\ndon't go = non\n").repeated == 1


def test_a_model_of_pairs_that_were_not_tidied_still_reads_its_own_words():
    task = PairsTask(tuple((f"don’t {word}", "non") for word in "abcde"))  # as a file of an earlier version holds them
    assert not task.vocabulary.unknown_words("don’t a")


@pytest.mark.parametrize(
    "separator",
    [
        "\t",
        ";",
        "|",
        ",",
        "=",
        " = ",
        " => ",
        "=>",
        " -> ",
        " → ",
        " ⇒ ",
        " - ",
        " – ",
        " —\u00a0",
        "\u202f: ",
        "，",
        "；",
        "：",
    ],
)
def test_any_usual_separator_is_found(separator: str):
    table = of_text(lines(separator))
    assert table.pairs == SIX and not table.faults and not table.columns


def test_the_separator_is_what_stands_in_no_sentence():
    texts = ("good morning, sir = buenos días, señor", "one; two = uno; dos", "it is 10:15 - now = son las 10:15 - ya")
    for text in texts:
        assert of_text("\n".join([text] * 2)).pairs == (tuple(text.split(" = ")),)
    assert of_text("2+2=4;four\n1+1=2;two").pairs == (("2+2=4", "four"), ("1+1=2", "two"))


@pytest.mark.parametrize("heading", ["| English | Spanish |\n", "|     |     |\n"])
def test_a_table_of_markdown(heading: str):
    rows = "".join(f"| {source} | {answer} |\n" for source, answer in SIX)
    table = of_text(f"{heading}|:---|---:|\n{rows}")
    assert table.pairs == SIX
    named = ["Row 1: “English”, “Spanish” name the columns and are not learned."]
    assert [str(fault) for fault in table.faults] == (named if "English" in heading else [])


def test_a_quoted_cell_goes_on_in_the_next_line_and_an_open_quote_does_not():
    table = of_text('"good\nmorning",buenos días\nyes,sí\n"see, you","hasta\nla vista"\n"open,abierto\nno,no\n')
    assert table.pairs == (("good morning", "buenos días"), ("yes", "sí"), ("see, you", "hasta la vista"), ("no", "no"))
    assert [str(fault) for fault in table.faults] == ["Row 4: the answer to “open,abierto” is missing."]


def test_blanks_around_quoted_cells_are_no_part_of_them():
    assert of_text('"a, b" , "c"\n"d" ,e\n').pairs == (("a, b", "c"), ("d", "e"))
    assert of_text('"hi" she said = "hola" dijo\nyes = sí').pairs == (('"hi" she said', '"hola" dijo'), ("yes", "sí"))


def test_more_than_two_columns_are_read_by_two_of_them():
    licence = "CC-BY 2.0 (France) Attribution: tatoeba.org #{0} (CM) & #{0} (Witty)"
    rows = "\n".join("\t".join((*pair, licence.format(i))) for i, pair in enumerate(SIX))
    table = of_text(rows)
    assert table.pairs == SIX and not table.faults
    assert table.columns == ("good morning", "buenos días", licence.format(0)) and table.taken == (0, 1)
    turned = of_text(rows, columns=(1, 0))
    assert turned.pairs == tuple((answer, source) for source, answer in SIX) and turned.taken == (1, 0)
    assert of_text(rows, columns=(0, 7)).taken == (0, 1)


def test_columns_of_numbers_are_passed_over_unless_they_are_the_sentences():
    rows = "\n".join(f"{1276 + i}\t{source}\t{4000 + i}\t{answer}" for i, (source, answer) in enumerate(SIX))
    assert of_text(rows).pairs == SIX
    numbers = "\n".join(f"{i};{'einundzwanzig'[:i]};CC-BY" for i in range(3, 9))
    assert of_text(numbers).taken == (0, 1)


def test_what_programs_put_around_a_table():
    anki = "#separator:tab\n#html:true\n#tags column:3\n" + "\n".join(
        f"<b>{source}</b>\t{answer}<br>&nbsp;\t{'spanish' if i % 2 else ''}" for i, (source, answer) in enumerate(SIX)
    )
    chat = "[12/11/2026, 10:15:01] Ann Lee: Messages are encrypted\n" + "\n".join(
        f"[12/11/2026, 10:1{i}:33] Ann Lee: {source} = {answer}" for i, (source, answer) in enumerate(SIX)
    )
    android = "\n".join(f"01.02.26, 10:1{i} - Ann: {source} - {answer}" for i, (source, answer) in enumerate(SIX))
    numbered = "\n".join(f"{i}. {source} – {answer}" for i, (source, answer) in enumerate(SIX, 1))
    bullets = "\n".join(f"- {source}: {answer}" for source, answer in SIX)
    for text in (anki, chat, android, numbered, bullets, "sep=;\n" + lines(";")):
        assert of_text(text).pairs == SIX, text
    (fault,) = of_text(chat).faults
    assert str(fault) == "Row 1: the answer to “Messages are encrypted” is missing."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_any_usual_encoding_is_read(encoding: str):
    assert of_file(lines("\t").encode(encoding)).pairs == SIX


def test_a_chinese_file_of_windows_is_read():
    pairs = (("你好", "hello"), ("谢谢你", "thank you"), ("再见", "goodbye"))
    assert of_file("\n".join(map(",".join, pairs)).encode("gb18030")).pairs == pairs


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", b"\xff\xfea", b"\x81\x8d = \x8f"])
def test_what_is_no_text_is_refused_in_a_sentence(data: bytes):
    with pytest.raises(InputError, match="not a text that can be read"):
        text_of(data)


def test_where_nothing_separates_the_separators_are_named_once():
    table = of_text("good morning buenos días\nthank you gracias\n")
    assert not table.pairs
    assert [str(fault) for fault in table.faults] == [
        "No row has a sentence and its answer: put a tab, =, ;, a comma, | or → between them."
    ]
    assert not of_text("\n \n").faults


@pytest.mark.parametrize("text", ["a = b", "a, b", "a; b", "a\u2192b", "- a", "1. a", "a: b", '"a" b', '"a"', 'a "b', "# a:"])
def test_pairs_written_as_lines_are_read_as_the_same(text: str):
    pairs = ((text, "x y"), ("c d", text), (text, text))
    assert of_text(as_lines(pairs)).pairs == pairs


def test_a_long_line_and_many_lines_end():
    assert rows_of("x" * 10**6).cells == (("x" * 2000,),)
    assert len(rows_of('"a;' * 9 + "\n" + '"b\n' * 50_000).cells) == 50_001
