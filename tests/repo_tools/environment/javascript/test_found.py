"""What a stretch of scripts comes to, as values: what of it builds, and what goes elsewhere."""

from repo_tools.environment.javascript.elsewhere import by_itself
from repo_tools.environment.javascript.found import Found, Step


def _steps(*texts: str) -> tuple[Step, ...]:
    return tuple(map(Step, texts))


def test_a_build_is_made_once_but_for_each_folder() -> None:
    assert Found(steps=_steps("tsc", "cp a b", "tsc")).builds == ("tsc", "cp a b")
    assert Found(steps=_steps("tsc", "cd a", "tsc")).builds == ("tsc", "cd a", "tsc")
    assert Found(steps=(Step("tsc"), Step("node test/a.js", is_spare=True))).builds == ("tsc",)


def test_packages_that_are_installed_again_stay_unless_others_are_put_in_their_place() -> None:
    removal = "rm -rf node_modules/a"
    assert Found(steps=_steps(removal, "tsc"), reinstalled=frozenset((removal,))).builds == ("tsc",)
    steps = _steps(removal, "cp -r a node_modules/a")
    assert Found(steps=steps, reinstalled=frozenset((removal,))).builds == (removal, "cp -r a node_modules/a")


def test_a_script_removes_packages_if_all_that_it_comes_to_does() -> None:
    assert Step("npm run clean", ("rimraf node_modules",)).removes_packages
    assert not Step("npm run clean", ("rimraf node_modules", "tsc")).removes_packages


def test_what_goes_elsewhere_builds_and_tests_there_in_shells_of_its_own() -> None:
    steps = (Step("cd a"), Step("make"), Step("npm test", is_spare=True))
    builds, tests = by_itself(steps)
    assert builds == Step("(cd a && make)", ("cd a", "make"))
    assert tests == Step("(cd a && npm test)", ("npm test",), is_spare=True)
    assert by_itself(_steps("cd a")) == ()
    assert by_itself(_steps("make")) == _steps("make")
