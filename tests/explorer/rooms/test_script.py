"""Pins the script of a room: both languages hold what the model does, and a wrong script is refused by line and field."""

import pytest

from explorer import i18n, limits
from explorer.rooms import outcomes
from explorer.rooms.script import KINDS, ScriptError, read, script_of, shipped

GOOD = """
[[step]]
kind = "join"
title = "Join"
minutes = 2

[[step]]
kind = "vote"
title = "Look"
minutes = 4
answer = "looks"
sentence = "the black cat sleeps on the bed"
word = "lit"
question = "Where?"
choices = [
  { text = "cat", means = "cat" },
  { text = "bed", means = "bed" },
]
"""

VARIED = """
[[step]]
kind = "vote"
title = "Heads"
minutes = 4
answer = "steps"
vary = "n_heads"
values = [1, 4]
question = "Which learns sooner?"
choices = [
  { text = "one head", means = "1" },
  { text = "four", means = "4" },
  { text = "these models do not tell", means = "*" },
]
"""


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_script_leads_from_joining_to_what_is_kept_within_three_quarters_of_an_hour(language):
    steps = shipped(language)
    assert steps[0].kind == "join" and steps[-1].kind == "keep" and {step.kind for step in steps} == {*KINDS}
    assert sum(step.minutes for step in steps) <= 45 and all(step.say for step in steps)
    assert {step.answer for step in steps if step.kind == "vote"} == {"looks", "cut", "steps", "peek", "pronoun"}


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_what_the_model_does_is_among_the_choices_and_no_choice_for_all_else(language):
    asked = {step.answer: step for step in shipped(language) if step.kind == "vote"}
    with i18n.speaking(language):
        found = {
            "looks": outcomes.looks(asked["looks"], language), "cut": outcomes.cut(asked["cut"], language),
            "pronoun": outcomes.pronoun(),
        }  # fmt: skip
    for name, outcome in found.items():
        at = outcomes.choice_of(asked[name], outcome.found)
        assert at is not None and asked[name].choices[at].means == outcome.found, (name, outcome)
        assert outcome.words and "{" not in outcome.words
    assert {choice.means for choice in asked["peek"].choices} == {"better", "worse", "same"}


def test_of_steps_the_first_choice_with_room_is_meant():
    step = next(each for each in shipped("en") if each.answer == "steps")
    bounds = [choice.means for choice in step.choices]
    assert bounds == ["60", "120", "240", "*"]
    assert [outcomes.choice_of(step, found) for found in ("1", "60", "61", "240", "241", str(10**9))] == [0, 0, 1, 2, 3, 3]


def test_the_median_is_that_of_all_models_also_of_those_that_never_got_there():
    assert outcomes.steps([30, 10, 20]).found == "20" and "20" in outcomes.steps([30, 10, 20]).words
    assert outcomes.steps([10, None, None]).found == str(10**9) and "1 got there" in outcomes.steps([10, None, None]).words
    assert "None of 2" in outcomes.steps([None, None]).words


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("minutes = 2", 'minutes = "two"', "line 5: minutes must be a number"),
        ('kind = "join"', 'kind = "dance"', "line 3: kind must be one of join, watch, vote, keep"),
        ('title = "Look"', 'titel = "Look"', "line 9: titel is no field"),
        ('word = "lit"\n', "", "line 11: answer is looks, which needs a sentence and a word"),
        ('question = "Where?"\n', "", "line 8: kind is vote, which needs a question"),
        ('{ text = "cat", means = "cat" },', '{ text = "cat" },', "line 15: choices must each be"),
        ('[[step]]\nkind = "join"', '[[stop]]\nkind = "join"', "tables [[step]]"),
        ("minutes = 4", "minutes = ", "(at line 10"),
    ],
)
def test_a_wrong_script_is_refused_by_line_and_field(before, after, said):
    assert len(read(GOOD)) == 2
    assert before in GOOD
    with pytest.raises(ScriptError) as refused:
        read(GOOD.replace(before, after, 1))
    assert said in str(refused.value)


def test_a_teacher_s_own_script_leads_a_room_and_a_wrong_one_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    monkeypatch.setattr(limits, "ROOM_SCRIPT", str(file))
    with pytest.raises(ScriptError, match=r"mine\.toml"):
        script_of("en")
    file.write_text(GOOD, encoding="utf-8")
    assert [step.title for step in script_of("zh_CN")] == ["Join", "Look"]


def test_of_a_setting_that_differs_each_value_has_its_median_and_its_range():
    step = read(VARIED)[0]
    clear = outcomes.spread(step, [200, 100, 300, 110, 260, 120])
    assert clear.found == "4" and outcomes.choice_of(step, clear.found) == 1
    assert clear.words.splitlines()[:2] == [
        "n_heads 1: median 260 steps, from 200 to 300 (3 models).",
        "n_heads 4: median 110 steps, from 100 to 120 (3 models).",
    ]
    assert "with these 3 seeds" in clear.words
    overlapping = outcomes.spread(step, [200, 100, 300, 210, 260, 120])
    assert overlapping.found == "" and outcomes.choice_of(step, "") == 2 and "do not tell" in overlapping.words
    one_never = outcomes.spread(step, [None, 100, 300, 110, 90, 120])
    assert "2 of 3 models got there, from 90 to 300 steps" in one_never.words and one_never.found == ""
    never = outcomes.spread(step, [None, 100, None, 110, None, 120])
    assert "none of 3 models got there" in never.words and never.found == "4"
    assert outcomes.spread(step, [None] * 6).found == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("values = [1, 4]", "values = [1, 3]", "line 8: values cannot all be trained: d_model"),
        ("values = [1, 4]", "values = [4, 4]", "line 8: values must be a list of 2 to 4 whole numbers"),
        ("values = [1, 4]", "values = [1, true]", "line 8: values must be a list"),
        ("values = [1, 4]\n", "", "line 7: vary needs values"),
        ('vary = "n_heads"\n', "", "line 7: values are those of a setting"),
        ('"n_heads"', '"colour"', "line 7: vary must be one of d_model, n_heads, n_layers, d_ff"),
        ('answer = "steps"', 'answer = "peek"', "line 7: vary needs values, and an answer that is steps"),
        ('means = "1"', 'means = "2"', "line 10: choices must each mean one of 1, 4 or *, not '2'"),
        ('vary = "n_heads"\nvalues = [1, 4]\n', "", "mean a number of steps"),
    ],
)
def test_a_setting_that_cannot_differ_so_is_refused_by_line_and_field(before, after, said):
    assert read(VARIED)[0].values == (1, 4) and before in VARIED
    with pytest.raises(ScriptError) as refused:
        read(VARIED.replace(before, after, 1).replace('means = "4"', 'means = "soon"' if "number" in said else 'means = "4"'))
    assert said in str(refused.value)
