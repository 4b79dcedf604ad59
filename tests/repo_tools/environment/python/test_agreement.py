import pytest

from repo_tools.environment.python.agreement import agreeing
from repo_tools.environment.python.requirements import RequirementSource
from tests.repo_tools.environment.python.test_detector import TESTS, detected, installed


def test_of_two_places_that_contradict_each_other_the_first_is_believed() -> None:
    pyproject = "[project]\nname = 'x'\n[build-system]\n[dependency-groups]\ntests = ['black==26.5.1', 'six']\n"
    tox = "[testenv]\ndeps =\n    black==25.9.0\n    mako\n"
    environment = detected({"pyproject.toml": pyproject, "tox.ini": tox, **TESTS})
    assert installed(environment) == [["--editable", "."], ["black==26.5.1", "six"], ["mako"], ["pytest"]]


def test_a_source_of_nothing_but_contradictions_is_left_out() -> None:
    pyproject = "[project]\nname = 'x'\ndependencies = ['django>=5']\n[build-system]\n"
    environment = detected({"pyproject.toml": pyproject, "tox.ini": "[testenv]\ndeps = Django==4.2\n", **TESTS})
    assert installed(environment) == [["--editable", "."], ["pytest"]]


@pytest.mark.parametrize(
    "later",
    [
        ("black>=25",),
        ("black==26.*",),
        ("black[d]",),
        ("black==25.9.0; python_version < '3.10'",),
        ("--editable", "./black"),
        ("-r", "more.txt"),
    ],
)
def test_what_can_be_had_together_stays(later: tuple[str, ...]) -> None:
    first, second = RequirementSource("a", ("black==26.5.1",)), RequirementSource("b", later)
    assert agreeing((first, second), {"more.txt": ("black==25.9.0",)}, ()) == (first, second)


def test_a_list_of_requirements_rules_out_what_later_places_ask_for() -> None:
    first, second = RequirementSource("a", ("-r", "a.txt")), RequirementSource("b", ("mock", "Six==1.10"))
    (_, left) = agreeing((first, second), {"a.txt": ("six==1.12",)}, ())
    assert left.arguments == ("mock",)


def test_a_version_that_a_place_names_stands_for_the_bounds_that_an_earlier_one_gave() -> None:
    first, second = RequirementSource("a", ("django==4.2",)), RequirementSource("b", ("mock", "django==3.2"))
    (_, left) = agreeing((first, second), {}, ("Django>=3",))
    assert left.arguments == ("mock",)


@pytest.mark.parametrize("word", [f"six=={'9' * 5000}", f"six; {'(' * 900}"], ids=["digits", "depth"])
def test_a_requirement_beyond_all_measure_is_not_judged(word: str) -> None:
    sources = (RequirementSource("a", ("six==1",)), RequirementSource("b", (word,)))
    assert agreeing(sources, {}, ()) == sources


def test_of_lists_that_differ_in_a_number_the_one_of_the_newest_is_installed() -> None:
    names = [f"requirements/test-django{number}.txt" for number in ("", "18", "110", "20")]
    names += [f"requirements/test-py3{minor}.txt" for minor in (6, 7)]
    environment = detected({**dict.fromkeys(names, "six\n"), **TESTS})
    kept = [names[0], *names[3:]]
    assert installed(environment) == [*(["-r", name] for name in kept), ["pytest"]]


def test_a_list_with_a_version_that_is_none_by_todays_rules_is_installed_by_its_words() -> None:
    environment = detected({"requirements/test.txt": "case>=1.3.1\npytz>dev\nsix>=1.*\n", **TESTS})
    assert installed(environment) == [["case>=1.3.1", "pytz", "six>=1"], ["pytest"]]
