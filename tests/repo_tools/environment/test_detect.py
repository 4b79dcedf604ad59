"""Whatever a repository holds and an issue names: there is a plan, or the sentence that no tests were found."""

import random
from collections.abc import Mapping

import pytest

from repo_tools.environment.contract import NoTestsError
from repo_tools.environment.detect import detect
from tests.repo_tools.environment import test_native as native
from tests.repo_tools.environment import test_projects as projects
from tests.repo_tools.environment.ci import test_compose as compose
from tests.repo_tools.environment.ci import test_docker_run as docker_run
from tests.repo_tools.environment.ci import test_preparations as preparations
from tests.repo_tools.environment.javascript import suites
from tests.repo_tools.environment.javascript import test_vows_runs as vows
from tests.repo_tools.environment.python import test_beside as beside
from tests.repo_tools.environment.python import test_django_tests as django
from tests.repo_tools.environment.python import test_stestr as stestr
from tests.repo_tools.environment.python import test_workspace as workspace
from tests.repo_tools.environment.python import test_workspace_above as workspace_above
from tests.support.long import first_of
from tests.support.trees import reader_of, tree_of

PARTS: tuple[Mapping[str, str], ...] = (
    native.CMAKE, native.MESON, native.MAKE, native.PROGRAMS_OF_TESTS, native.AUTOMAKE, projects.TWO_PROJECTS,
    projects.SHOWN, projects.OF_THE_CI, projects.TOOLS, projects.WORKSPACE, projects.BACKEND, projects.LIB,
    projects.OF_TESTS, compose.FILES, docker_run.FILES, preparations.RUBY, suites.FILES,
    vows.FILES, beside.FILES, django.SUITE, django.OF_SETUP, stestr.SUITE, workspace.FILES,
    workspace_above.FILES,
    {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "#[test]\nfn a() {}\n"},
    {"go.mod": "module a\n", "a.go": "package a\n", "a_test.go": "package a\n"},
    {"pom.xml": "<project/>", "src/test/java/ATest.java": "class ATest { @Test void a() {} }"},
    {"build.gradle": "plugins { id 'java' }", "src/test/java/ATest.java": "class ATest { @Test void a() {} }"},
    {"README.md": "", "docs/index.md": "", "LICENSE": ""},
)  # fmt: skip
FOLDERS = ("", "", "a/", "packages/b/", "test/", "docs/c/", "d e/")
REPOSITORIES = 60
"""Of each seed: some two seconds."""


def some_repository(chance: random.Random) -> dict[str, str]:
    """Up to four repositories within each other, of which a file is missing now and then, or ends too early."""
    found: dict[str, str] = {}
    for part in chance.sample(PARTS, chance.randint(1, 4)):
        folder = chance.choice(FOLDERS)
        for path in (path for path in part if chance.random() < 0.85):
            end = chance.randint(0, len(part[path])) if chance.random() < 0.1 else None
            found[folder + path] = part[path][:end]
    return found or {"README.md": ""}


def some_issue(chance: random.Random, paths: list[str]) -> str:
    one, other = chance.choice(paths), chance.choice(paths)
    said = ("", f"{one} is wrong", f"{one}, {other} and `nowhere/x.py`", f'  File "/home/me/{one}", line 3, in run')
    return chance.choice(said)


@pytest.mark.parametrize("seed", first_of([*range(20)]))
def test_of_any_tree_and_any_issue_comes_a_plan_or_the_sentence_that_there_are_no_tests(seed: int) -> None:
    chance = random.Random(seed)
    plans, without = 0, []
    for _ in range(REPOSITORIES):
        files = some_repository(chance)
        paths = sorted(files)
        issue, likely = some_issue(chance, paths), chance.sample(paths, min(3, len(paths)))
        inside = chance.choice(("", chance.choice(paths).rpartition("/")[0], "nowhere"))
        asked = chance.choice((None, lambda likely=likely: likely, list))
        try:
            plan = detect(tree_of(files), reader_of(files), issue=issue, inside=inside, likely=asked)
        except NoTestsError as error:
            without.append(str(error))
            continue
        assert plan.tests, (files, issue)
        plans += 1
    assert plans
    assert without
    assert all(sentence.startswith("No tests were found ") for sentence in without)
