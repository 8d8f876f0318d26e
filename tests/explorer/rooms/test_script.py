"""Pins the script of a room: both languages hold what the model does, and a wrong script is refused by line and field."""

import re

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


REPEATING = """
[[step]]
kind = "vote"
title = "Repeat"
minutes = 4
answer = "steps"
task = "repeat"
question = "How many steps?"
choices = [{ text = "few", means = "100" }, { text = "many", means = "*" }]
[[step.phase]]
name = "new"
layers = 1
question = "With one layer?"
choices = [{ text = "before", means = "before" }, { text = "after", means = "after" }]
"""

NEW = """
[[step.phase]]
name = "new"
sentence = "my sister has a small dog"
word = "ma"
question = "And here?"
choices = [{ text = "my", means = "my" }, { text = "nowhere", means = "*" }]
"""


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_script_leads_from_joining_to_what_is_kept_in_50_to_55_minutes_and_has_a_cut_of_30(language):
    steps = [step for step in shipped(language) if not step.extra]
    assert steps[0].kind == "join" and steps[-1].kind == "keep" and {step.kind for step in steps} == {*KINDS} - {"quiz"}
    assert 50 <= sum(step.minutes for step in steps) <= 55 and sum(step.short for step in steps) == 30
    assert {step.answer for step in steps if step.kind == "vote"} == {"looks", "cut", "steps", "peek", "pronoun"}
    for step in steps:
        assert all(step.of(name).say for name in step.phases), step.title
        assert sum(step.minutes_of(name) for name in step.phases) == pytest.approx(step.minutes), step.title
        assert step.kind != "vote" or (step.new is not None and step.because), "a reason, and a new case after each reveal"


def test_both_languages_have_the_same_steps_and_phones_in_the_other_one_read_them():
    english, chinese = shipped("en"), shipped("zh_CN")
    assert [(step.kind, step.answer, step.collects, step.phases, step.minutes, step.short, step.extra) for step in english] == [
        (step.kind, step.answer, step.collects, step.phases, step.minutes, step.short, step.extra) for step in chinese
    ]
    for steps, other in ((english, "zh_CN"), (chinese, "en")):
        for step in steps:
            texts = step.translated[other]
            assert texts["title"] and (step.kind != "vote" or (texts["question"] and texts["new_question"]))
            for name in ("before", "during", "after"):
                assert bool(step.of(name).show) == bool(texts.get(f"show_{name}")), (step.title, name)
            for name, given in (
                ("choices", step.choices),
                ("because", step.because),
                ("new_choices", step.new and step.new.choices),
            ):
                assert name not in texts or len(texts[name]) == len(given), (step.title, name)


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_what_the_model_does_is_among_the_choices_and_no_text_is_left_unfilled(language):
    for step in shipped(language):
        for case in (step.asked, step.new):
            if case is None or not outcomes.is_known_at_once(case):
                continue
            assert outcomes.problems(case, language) == []
            found = outcomes.at_once(case, language)
            assert all(words and "{" not in words for words in found.words(language))
            named = set(re.findall(r"[{](\w+)[}]", step.of("shown" if case == step.asked else "decided").say))
            assert named <= found.values.keys(), step.title


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_picture_of_an_open_vote_holds_nothing_that_decides_it(language):
    cases = {case.answer: case for step in shipped(language) for case in (step.asked, step.new) if case is not None}
    drawn = outcomes.before(cases["looks"], language)
    assert drawn["weights"] is None and drawn["glosses"] is None and drawn["words"][-1] == cases["looks"].word
    drawn = outcomes.before(cases["cut"], language)
    assert "cut" not in drawn and "before" not in drawn and drawn["scissors"]
    for answer in ("pronoun", "new pronoun"):
        drawn = outcomes.before(cases[answer], language)
        assert "after" not in drawn and "cut" not in drawn and "hidden" not in drawn


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@pytest.mark.parametrize(("answer", "found"), [("pronoun", "stays"), ("new pronoun", "changes")])
def test_an_answer_about_it_stays_without_one_look_and_changes_without_the_word_that_decides(language, answer, found):
    cases = {case.answer: case for step in shipped(language) for case in (step.asked, step.new) if case is not None}
    outcome = outcomes.at_once(cases[answer], language)
    assert outcome.found == found
    assert (outcome.values["before"] == outcome.values["after"]) is (found == "stays")


def test_of_steps_the_first_choice_with_room_is_meant():
    case = next(step.asked for step in shipped("en") if step.answer == "steps")
    assert [choice.means for choice in case.choices] == ["60", "120", "240", "*"]
    assert [outcomes.choice_of(case, found) for found in ("1", "60", "61", "240", "241", str(10**9))] == [0, 0, 1, 2, 3, 3]


def test_the_median_is_that_of_all_models_also_of_those_that_never_got_there():
    assert outcomes._steps([30, 10, 20])[0] == "20" and outcomes._steps([30, 10, 20])[2]["median"] == 20
    found, ((template, values),), _values = outcomes._steps([10, None, None])
    assert found == str(10**9) and "1 got there" in template.format(**values)
    assert "None of 2" in outcomes._steps([None, None])[1][0][0].format(n=2)


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
        ('title = "Look"', 'title = "Look"\nphase = 3', "line 10: phase must be tables"),
        ('title = "Join"', 'title = "Join"\nextra = 1', "line 5: extra must be true or false"),
        ('title = "Look"', 'title = "Look"\nbecause = [1]', "line 10: because must be a text"),
        (
            'title = "Look"',
            'title = "Look"\ncollects = "money"',
            "line 10: collects must be one of sentences, lines, pairs, looks",
        ),
    ],
)
def test_a_wrong_script_is_refused_by_line_and_field(before, after, said):
    assert len(read(GOOD)) == 2
    assert before in GOOD
    with pytest.raises(ScriptError) as refused:
        read(GOOD.replace(before, after, 1))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "new"', 'name = "during"', "name must be one of ask, talk, shown, new, decided"),
        ('question = "And here?"', "", "name is new, which needs a question"),
        ('name = "new"', "", "name is missing"),
        ('word = "ma"', 'ward = "ma"', "ward is no field of a phase"),
    ],
)
def test_a_wrong_phase_is_refused(before, after, said):
    assert read(GOOD + NEW)[1].phases == ("ask", "talk", "shown", "new", "decided") and before in NEW
    assert read(GOOD)[1].phases == ("ask", "talk", "shown")
    with pytest.raises(ScriptError) as refused:
        read(GOOD + NEW.replace(before, after, 1))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace("[[step]]", "[[ step ]]"),
        GOOD.replace("[[step]]", "[[step]]  # a note"),
        GOOD.replace("\n", "\r\n"),
        'step = [{ kind = "join", title = "Join", minutes = 2 }, { kind = "keep", title = "Look", minutes = 1 }]',
    ],
)
def test_any_valid_toml_is_read(text):
    assert [step.title for step in read(text)] == ["Join", "Look"]


def test_a_fault_in_a_file_that_is_written_otherwise_names_the_step():
    with pytest.raises(ScriptError, match=r"step 2 \(Look\): kind must be one of"):
        read('step = [{ kind = "join", title = "Join", minutes = 2 }, { kind = "x", title = "Look", minutes = 1 }]')
    for text in ("a = " + "[" * 5000, "step = 1", "step = [1]", "[[step]]\n[step.x]\ny = 1", "\0"):
        with pytest.raises(ScriptError):
            read(text)


def test_a_teacher_s_own_script_leads_a_room_and_a_wrong_one_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    monkeypatch.setattr(limits, "ROOM_SCRIPT", str(file))
    with pytest.raises(ScriptError, match=r"mine\.toml"):
        script_of("en")
    file.write_text("\ufeff" + GOOD, encoding="utf-8")
    assert [step.title for step in script_of("zh_CN")] == ["Join", "Look"]
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ScriptError):
        script_of("en")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("cat sleeps", "dinosaur sleeps", "dinosaur"),
        ('word = "lit"', 'word = "chien"', "“chien” is not in “le chat noir dort sur le lit”"),
        ('means = "bed"', 'means = "on"', "What happens is “bed”, and no choice means it."),
    ],
)
def test_a_script_is_checked_before_the_class(before, after, said):
    (good,) = (step.asked for step in read(GOOD) if step.asked is not None)
    assert outcomes.problems(good, "en") == [] and before in GOOD
    (wrong,) = (step.asked for step in read(GOOD.replace(before, after)) if step.asked is not None)
    (problem,) = outcomes.problems(wrong, "en")
    assert said in str(problem)


def test_of_a_setting_that_differs_each_value_has_its_median_and_its_range():
    case = read(VARIED)[0].asked

    def spread(needed):
        found, said, _values = outcomes._spread(case, needed)
        return found, [template.format(**values) for template, values in said]

    found, words = spread([200, 100, 300, 110, 260, 120])
    assert found == "4" and outcomes.choice_of(case, found) == 1
    assert words[:2] == [
        "n_heads 1: median 260 steps, from 200 to 300 (3 models).",
        "n_heads 4: median 110 steps, from 100 to 120 (3 models).",
    ]
    assert "with these 3 seeds" in words[2]
    found, words = spread([200, 100, 300, 210, 260, 120])
    assert found == "" and outcomes.choice_of(case, "") == 2 and "do not tell" in words[2]
    found, words = spread([None, 100, 300, 110, 90, 120])
    assert "2 of 3 models got there, from 90 to 300 steps" in words[0] and found == ""
    found, words = spread([None, 100, None, 110, None, 120])
    assert "none of 3 models got there" in words[0] and found == "4"
    assert spread([None] * 6)[0] == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('task = "repeat"', 'task = "dance"', "line 7: task must be one of letters, repeat"),
        ('answer = "steps"', 'answer = "peek"', "line 7: task needs an answer that is steps"),
        ("layers = 1", "layers = 9", "layers must be a whole number from 1 to 4"),
        ("layers = 1", "layers = true", "layers must be a whole number from 1 to 4"),
    ],
)
def test_what_models_learn_and_the_layers_of_one_more_are_read_or_refused(before, after, said):
    (step,) = read(REPEATING)
    assert (step.asked.task, step.asked.layers, step.new.task, step.new.layers) == ("repeat", 0, "repeat", 1)
    assert next(step.asked for step in shipped("en") if step.answer == "steps").task == "letters" and before in REPEATING
    with pytest.raises(ScriptError) as refused:
        read(REPEATING.replace(before, after, 1))
    assert said in str(refused.value)


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
