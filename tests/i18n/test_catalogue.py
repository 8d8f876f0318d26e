"""One command brings the catalogues up to date, and the committed ones are whole."""

import gettext

import pytest

from explorer.i18n.languages import LOCALE
from tools import catalogue

SOURCE = '''
"""_("a docstring")"""
from explorer.i18n import N_, _, n_
TITLE = N_("marked")
def draw(n):
    """Not a message."""
    _("looked up"), i18n._("dotted"), n_("{n} head", "{n} heads", n)
    _("a long"
      " one").format(x=_("within another"))
    raise InputError("{name} is not in {place}", name="name", place=_("last"))
    _("either" if n else "or"), _(variable), _(""), errors.InputError(template), n_(*forms), other("no"), _(f"{n}")
'''
FOUND = [
    "marked",
    "looked up",
    "dotted",
    ("{n} head", "{n} heads"),
    "a long one",
    "within another",
    "{name} is not in {place}",
    "last",
    "either",
    "or",
]


@pytest.fixture
def project(tmp_path):
    """A small project with a page and the folder of one language; runs the command on it."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "explorer/locale/zh_CN/LC_MESSAGES").mkdir(parents=True)

    class Project:
        page = tmp_path / "pages" / "a_page.py"
        po, mo = catalogue.files(tmp_path / "explorer/locale/zh_CN/LC_MESSAGES")

        def run(self, *arguments):
            return catalogue.main(list(arguments), tmp_path, tmp_path / "explorer/locale")

        def translate(self, message, translation):
            before = self.po.read_text(encoding="utf-8")
            after = before.replace(f'msgid "{message}"\nmsgstr ""', f'msgid "{message}"\nmsgstr "{translation}"')
            assert after != before
            self.po.write_text(after, encoding="utf-8")

        def compiled(self):
            with self.mo.open("rb") as file:
                return gettext.GNUTranslations(file)

        def gettext(self, message):
            return self.compiled().gettext(message)

    return Project()


def test_every_kind_of_message_is_found():
    assert list(catalogue.messages(SOURCE)) == FOUND


def test_messages_are_found_in_every_source_with_their_files(tmp_path):
    for i, folder in enumerate(("transformer_core", "pages", "explorer", "tests")):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / "file.py").write_text(f'_("shared"), _("{i}")')
    found = catalogue.extract(tmp_path)
    assert set(found) == {"shared", "0", "1", "2"}
    assert found["shared"] == ["explorer/deep/file.py", "pages/deep/file.py", "transformer_core/deep/file.py"]


def test_a_translation_goes_all_the_way_and_stays(project, capsys):
    project.page.write_text('_("Heads"), _("Masks {n}"), n_("{n} head", "{n} heads", 2)', encoding="utf-8")
    assert project.run("--check") == 1  # there is nothing yet
    assert not project.po.exists()
    assert project.run() == project.run("--check") == 0
    project.translate("Heads", "注意力头")
    assert project.run("--check") == 1  # not compiled
    assert project.run() == project.run("--check") == 0
    assert (project.gettext("Heads"), project.gettext("Masks {n}")) == ("注意力头", "Masks {n}")
    assert [project.compiled().ngettext("{n} head", "{n} heads", n) for n in (1, 4)] == ["{n} head", "{n} heads"]

    project.page.write_text('\n\n_("Masks {n}")\n_("All heads")\n_("Heads")', encoding="utf-8")
    assert project.run("--check") == 1  # other messages
    capsys.readouterr()
    assert project.run() == 0
    assert "zh_CN: 1 of 3 messages translated" in capsys.readouterr().out
    assert project.gettext("Heads") == "注意力头"

    project.page.write_text('_("All the heads")', encoding="utf-8")
    assert project.run() == 0
    assert "no longer in the sources: 'Heads' was '注意力头'" in capsys.readouterr().out
    text = project.po.read_text(encoding="utf-8")
    assert "All the heads" in text and "#~" not in text and '"Heads"' not in text


def test_a_line_further_down_makes_no_difference(project):
    project.page.write_text('_("Heads, 50% of {n}")', encoding="utf-8")
    project.run()
    before = project.po.read_bytes(), project.mo.read_bytes()
    assert b"Heads" in before[0] and b"Date" not in before[0] + before[1] and b"Babel" not in before[0] + before[1]
    project.page.write_text('\n\n\n_("Heads, 50% of {n}")', encoding="utf-8")
    assert project.run("--check") == 0
    project.run()
    assert (project.po.read_bytes(), project.mo.read_bytes()) == before


def test_what_translators_note_is_kept_and_what_they_doubt_is_not_shown(project):
    project.page.write_text('_("Heads")', encoding="utf-8")
    project.run()
    project.translate("Heads", "头")
    text = project.po.read_text(encoding="utf-8")
    project.po.write_text(text.replace("#: pages/a_page.py", "# is it a verb?\n#: pages/a_page.py\n#, fuzzy"), encoding="utf-8")
    project.run()
    assert "# is it a verb?\n#: pages/a_page.py\n#, fuzzy\n" in project.po.read_text(encoding="utf-8")
    assert project.gettext("Heads") == "Heads"


def test_a_translation_with_other_placeholders_and_a_broken_file_are_refused(project, capsys):
    project.page.write_text('_("{n:,} heads")', encoding="utf-8")
    project.run()
    project.translate("{n:,} heads", "{m:,} 个头")
    assert project.run() == project.run("--check") == 1
    assert "'{m:,} 个头'" in capsys.readouterr().out


BROKEN = "<<<<<<< HEAD", 'msgid "Heads', "msgstr Heads", 'msgstr "a "quote" within"', 'msgid "no msgstr"'


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_file_is_left_as_it_is(project, capsys, line):
    project.page.write_text('_("Heads")', encoding="utf-8")
    project.run()
    project.translate("Heads", "头")
    with project.po.open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    broken = project.po.read_bytes()
    capsys.readouterr()
    assert project.run() == project.run("--check") == 1
    assert str(project.po) in capsys.readouterr().out and project.po.read_bytes() == broken


@pytest.mark.parametrize(
    ("message", "translation", "right"),
    [
        ("{n:,} of {all}", "{all} 中的 {n:,}", True),
        ("{n:,} of {all}", "{n:,}", False),
        ("{share:.0%}", "{share}", False),
        ("{share:.0%}", "{share:.0%}，{n}", False),
        ("{value!r}", "{value!r}", True),
        ("{value!r}", "{value}", False),
        ("plain", "简单", True),
        ("plain", "简单 {", False),
        (("one head", "{n} heads"), ("{n} 个头",), True),
        (("one head", "{n} heads"), ("一个头",), False),
        (("{a}: one head", "{a}: {n} heads"), ("{a}: eine", "{a}: {n}"), True),
        (("{a}: one head", "{a}: {n} heads"), ("eine", "{a}: {n}"), False),
    ],
)
def test_placeholders_must_be_kept(message, translation, right):
    made = catalogue.read("zh_CN" if len(translation) != 2 else "de", b"")
    made.add(message, translation)
    assert (catalogue.faults(made) == []) == right


COMMITTED = pytest.mark.parametrize("folder", catalogue.folders(LOCALE), ids=lambda folder: folder.parent.name)


def test_there_is_a_catalogue():
    assert [folder.parent.name for folder in catalogue.folders(LOCALE)] == ["zh_CN"]


@COMMITTED
def test_a_committed_catalogue_is_compiled_whole_and_keeps_every_placeholder(folder):
    po, mo = catalogue.files(folder)
    read = catalogue.read(folder.parent.name, po.read_bytes())
    assert mo.read_bytes() == catalogue.mo_file(read)
    assert catalogue.translated(read)
    assert catalogue.faults(read) == []
    assert not read.obsolete
