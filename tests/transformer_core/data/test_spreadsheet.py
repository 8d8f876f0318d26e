"""Pins that the first sheet of a spreadsheet is read as its cells stand there, and that no file takes more than it may."""

import io
import zipfile

import pytest

from transformer_core.data.pairs import of_file
from transformer_core.errors import InputError

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
STRINGS = f"""<sst {MAIN}><si><t>good </t></si><si><r><t>buenos</t></r><r><t xml:space="preserve"> días</t></r></si>
<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si></sst>"""
SHEET = f"""<worksheet {MAIN}><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
<row r="2"><c r="A2" t="s"><v>2</v></c><c r="C2" t="inlineStr"><is><t>Tokyo</t></is></c></row>
<row r="3"><c r="A3"><v>21</v></c><c r="C3" t="str"><v>twenty, "one"</v></c></row>
<row r="4"><c r="A4" t="inlineStr"><is><t>line&#10;break</t></is></c><c r="C4" t="inlineStr"><is><t>ok</t></is></c></row>
</sheetData></worksheet>"""


def packed(**parts: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr({"strings": "xl/sharedStrings.xml", "sheet": "xl/worksheets/sheet1.xml"}.get(name, name), text)
    return data.getvalue()


def test_the_cells_of_the_first_sheet_are_pairs():
    table = of_file(packed(strings=STRINGS, sheet=SHEET))
    assert table.pairs == (("good", "buenos días"), ("東京", "Tokyo"), ("21", 'twenty, "one"'), ("line break", "ok"))


@pytest.mark.parametrize(
    "data",
    [
        packed(other="x"),
        packed(strings="<sst", sheet=SHEET),
        packed(strings=STRINGS, sheet=SHEET.replace("<v>1</v>", "<v>9</v>")),
        packed(strings=STRINGS, sheet='<!DOCTYPE a [<!ENTITY b "c">]>' + SHEET),
        packed(strings=STRINGS, sheet=SHEET)[:-40],
    ],
    ids=["another archive", "damaged", "a string that is not there", "a document type", "cut off"],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(data: bytes):
    with pytest.raises(InputError, match="Save it as CSV, or copy its columns"):
        of_file(data)


def test_a_sheet_that_unpacks_to_very_much_is_refused():
    with pytest.raises(InputError, match="too large"):
        of_file(packed(strings=STRINGS, sheet=" " * 9 * 2**20))
