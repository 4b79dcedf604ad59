"""CI's own scripts are evidence like the lines of a workflow; so is `.travis.yml`, where there is no workflow."""

import tracemalloc

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.script_commands import commands_of
from repo_tools.environment.ci.scripts import MOST_SCRIPTS, expanding
from repo_tools.environment.ci.steps import MOST_COMMANDS
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import workflow
from tests.support.files_checkout import FilesCheckout

CI = ".github/workflows/ci.yml"


def evidence_of(files: dict[str, str]) -> WorkflowEvidence:
    checkout = FilesCheckout(files)
    (found,) = read_workflows(checkout.tree, checkout.read)
    return found


def detected(files: dict[str, str]) -> Environment:
    checkout = FilesCheckout(files)
    return detect(checkout.tree, checkout.read)


def variables_of(script: str) -> list[dict[str, str]]:
    return [dict(command.variables) for command in commands_of(script, "", "ci.yml", 1)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("export A=1\npytest", {"A": "1"}),
        ("export A=1 B='x y'\nA=2 pytest", {"A": "2", "B": "x y"}),
        ("A=1\nB=$A-2 pytest", {"B": "1-2"}),
        ("export PYTHONPATH=$PYTHONPATH:src\npytest", {"PYTHONPATH": "src"}),
        ('export PYTHONPATH="$(pwd)/src:${PYTHONPATH}"\npytest "$@"', {"PYTHONPATH": "/workspace/src"}),
        ("export A=$UNKNOWN\npytest", {}),
        ("if x; then\n  export A=1\nfi\npytest", {}),
        ("A='$PWD' pytest", {"A": "$PWD"}),
    ],
)
def test_what_is_exported_holds_for_the_commands_that_follow(script: str, expected: dict[str, str]) -> None:
    assert variables_of(script) == [expected]


def test_a_prefix_that_a_script_leaves_empty_does_not_hide_its_command() -> None:
    script = 'export PREFIX=""\nif [ -d venv ]; then\n  export PREFIX=venv/bin/\nfi\n${PREFIX}coverage run -m pytest'
    (command,) = commands_of(script, "", "scripts/test", 1)
    assert command.is_test
    assert command.argv[0] == "coverage"


@pytest.mark.parametrize("called", ["bash ./scripts/test.sh", "scripts/test.sh", "./scripts/ci", "make test"])
def test_a_script_tells_what_its_tests_find_set(called: str) -> None:
    script = "#!/usr/bin/env bash\nset -e\nexport PYTHONPATH=./docs/src CI=1\npytest --cov=a ${@}\nA=later pytest b\n"
    files = {
        CI: workflow(called),
        "scripts/test.sh": script,
        "scripts/ci": "#!/bin/sh\nbash scripts/test.sh\n",
        "Makefile": "all:\n\tpytest\n\ntest: all\n\t@PYTHONPATH=./docs/src pytest\n",
    }
    assert evidence_of(files).variables == {"PYTHONPATH": "./docs/src"}


def test_what_a_script_installs_is_installed() -> None:
    files = {
        CI: workflow("scripts/install", "scripts/test"),
        "scripts/install": "#!/bin/sh\npip install parameterized\n",
    }
    found = evidence_of(files)
    assert [(command.argv, command.source) for command in found.installs] == [
        (("pip", "install", "parameterized"), "scripts/install:2")
    ]
    environment = detected({**files, "test_a.py": "", "setup.py": ""})
    assert "scripts/install:2: pip install parameterized" in environment.evidence


MAKEFILE = """\
options = -n auto \t# many
warn := DEV=1

all: ci

ci: build _tests

build:
\tpip install odd

_tests: sqlite mysql
\tcoverage report

sqlite: ci
\t@$(warn) DB=sqlite PASSWORD=$$WORD pytest ${options}
mysql:
\tDB=mysql pytest
"""


def test_a_goal_tells_what_the_goals_that_it_needs_install_and_test() -> None:
    found = evidence_of({CI: workflow("make ci"), "Makefile": MAKEFILE.replace("$$WORD", "x")})
    assert [(command.argv, dict(command.variables)) for command in found.tests] == [
        (("pytest", "-n", "auto"), {"DEV": "1", "DB": "sqlite", "PASSWORD": "x"}),
        (("pytest",), {"DB": "mysql"}),
    ]
    assert [command.argv for command in found.installs] == [("pip", "install", "odd")]
    assert found.variables == {"DEV": "1", "DB": "sqlite", "PASSWORD": "x"}


@pytest.mark.parametrize(("first", "folder", "variables"), [("", "", {}), (".ONESHELL:\n", "docs", {"A": "1"})])
def test_each_line_of_a_goal_has_a_shell_of_its_own(first: str, folder: str, variables: dict[str, str]) -> None:
    makefile = f"{first}ci:\n\tcd docs && \\\n\t  export A=1\n\tpytest -x\n"
    (test,) = evidence_of({CI: workflow("make ci"), "Makefile": makefile}).tests
    assert (test.argv, test.directory, dict(test.variables)) == (("pytest", "-x"), folder, variables)


def test_what_a_goal_leaves_to_the_shell_stays_unknown() -> None:
    found = evidence_of({CI: workflow("make sqlite"), "Makefile": MAKEFILE})
    assert found.variables == {"DEV": "1", "DB": "sqlite"}
    assert [command.in_part for command in found.tests] == [True, False]


@pytest.mark.parametrize(
    "files",
    [
        {"scripts/test": "import pytest\npytest"},
        {"scripts/test": "#!/bin/sh\n" + "pytest\n" * 9999},
        {},
    ],
)
def test_a_script_that_is_none_or_is_large_says_nothing(files: dict[str, str]) -> None:
    found = evidence_of({CI: workflow("scripts/test"), **files})
    assert not found.variables
    assert [command.argv for command in found.tests] == [("scripts/test",)]


def test_a_makefile_whose_variables_hold_themselves_takes_little_memory() -> None:
    itself = "$(A)"
    makefile = f"A = {itself * 250}\nci:\n\tpytest\n\techo {itself * 2_000}\n"
    tracemalloc.start()
    found = evidence_of({CI: workflow("make ci"), "Makefile": makefile})
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [command.argv for command in found.tests] == [("pytest",)]
    assert peak_bytes < 100_000_000


def test_a_script_that_calls_itself_comes_to_an_end() -> None:
    found = evidence_of({CI: workflow("scripts/test"), "scripts/test": "#!/bin/sh\nA=1 scripts/test\nscripts/test\n"})
    assert found.variables == {"A": "1"}


TRAVIS = """\
language: python
env:
  global:
    - MODE=quick TOKEN=$SECRET
    - secure: "xyz"
python:
    - "3.6"
install:
    - travis_retry pip install -r requirements-ci.txt
    - pip install codecov freezegun
script:
    - bash scripts/test.sh
"""


def test_travis_is_read_where_there_is_no_workflow() -> None:
    files = {".travis.yml": TRAVIS, "scripts/test.sh": "PYTHONPATH=src pytest\n"}
    found = evidence_of(files)
    assert found.source == ".travis.yml:11"
    assert found.variables == {"MODE": "quick", "PYTHONPATH": "src"}
    environment = detected({**files, "test_a.py": "", "setup.py": "", "requirements-ci.txt": ""})
    assert environment.test_variables["PYTHONPATH"] == "src"
    assert any(line.endswith("pip install freezegun") for line in environment.evidence)
    assert not any("codecov" in line for line in environment.evidence)
    assert evidence_of({**files, CI: workflow("pytest")}).variables == {}


@pytest.mark.parametrize(
    ("listed", "wanted"),
    [
        (["1.8", "1.11", "1.9"], "1.11"),
        (["'Django>=1.8,<1.9'", "'Django>=1.10,<1.11'", "master"], "Django>=1.10,<1.11"),
        (["==1.8.*", "==2.2.*", "==3.0a1"], "==2.2.*"),
        (["~=2.2.1", "~=3.0"], "~=3.0"),
        (["master", "1.8", "https://example.org/django/tarball/main", "1.9"], "1.9"),
        (["latest", "1.8", "1.9"], "latest"),
        (["1.8 TESTS=unit", "1.9 TESTS=unit", "1.11 TESTS=lint"], "1.9"),
        (["1.8 DRF=3.1", "1.9 DRF=3.2"], "1.9"),
        (["py27-django18", "py36-django111"], "py27-django18"),
        (["0", "1"], "0"),
        (["1.8", "1.8"], "1.8"),
    ],
)
@pytest.mark.parametrize("form", ["env:\n%s", "matrix:\n  include:\n%s"])
def test_of_jobs_with_several_versions_the_newest_counts(listed: list[str], wanted: str, form: str) -> None:
    entries = (f"- X=1 DJANGO={each}" if form == "env:\n%s" else f"  - env: X=1 DJANGO={each}" for each in listed)
    text = form % "\n".join(entries)
    checkout = FilesCheckout({".travis.yml": f'language: python\n{text}\ninstall: use "$DJANGO"\nscript: pytest\n'})
    assert read_workflows(checkout.tree, checkout.read)[0].prepared[0].argv == ("use", wanted)


@pytest.mark.parametrize(
    ("jobs", "wanted"),
    [
        ("env:\n- DJANGO=1.8\n- DJANGO=1.9\n- DJANGO=2.0\nmatrix:\n  allow_failures:\n  - env: DJANGO=2.0\n", "1.9"),
        ("env:\n- DJANGO=2.0\n- DJANGO=1.9\njobs:\n  allow_failures:\n  - env: DJANGO=2.0\n", "1.9"),
        ("env:\n- DJANGO=1.8\n- DJANGO=2.0\nmatrix:\n  allow_failures:\n  - python: 2.6\n    env: DJANGO=2.0\n", "2.0"),
        ("env:\n- DJANGO=1.8\n- DJANGO=2.0\nmatrix:\n  allow_failures:\n  - python: nightly\n", "2.0"),
    ],
)
def test_a_job_that_may_fail_is_not_the_one_that_counts(jobs: str, wanted: str) -> None:
    checkout = FilesCheckout({".travis.yml": f'language: python\n{jobs}install: use "$DJANGO"\nscript: pytest\n'})
    assert read_workflows(checkout.tree, checkout.read)[0].prepared[0].argv == ("use", wanted)


@pytest.mark.parametrize("typed", ["django$DJANGO six", "django${DJANGO} six", '"django$DJANGO" six', "$WHOLE"])
def test_what_a_variable_of_travis_brings_is_no_redirection(typed: str) -> None:
    jobs = "env:\n- DJANGO='>=2.2,<3.0' WHOLE='django>=2.2,<3.0 six'\n- DJANGO='<2' WHOLE=none\n"
    (command,) = evidence_of({".travis.yml": f"{jobs}install: pip install {typed}\nscript: pytest\n"}).installs
    assert command.argv == ("pip", "install", "django>=2.2,<3.0", "six")


@pytest.mark.parametrize(
    ("before", "directory"),
    [
        ("cd tests", "tests"),
        ("mkdir build && cd build", ""),
        ("cd tests && cd ..", ""),
        ("cd tests && cd -", ""),
        ("cd ~", ""),
        ("(cd tests", ""),
        ("(cd tests; make)", ""),
        ("'[ -n \"$QUICK\" ] && cd tests'", ""),
        ("cd tests\n- cd $OLDPWD", ""),
        ("cd tests\n- cd $(git rev-parse --show-toplevel)", ""),
    ],
)
def test_a_phase_of_travis_begins_in_the_folder_of_the_repository_that_the_one_before_surely_ends_in(
    before: str, directory: str
) -> None:
    travis = f"install: true\nbefore_script:\n- {before}\nscript: python run_tests.py\n"
    (command,) = evidence_of({".travis.yml": travis, "tests/run_tests.py": "", "tests/a/b.py": ""}).tests
    assert command.directory == directory


@pytest.mark.parametrize("text", ["", "{", "script: 1", "script: [ruff]", "- a", "env: {global: [1, {}]}\nscript: 'x'"])
def test_a_travis_file_that_says_nothing_is_passed_over(text: str) -> None:
    checkout = FilesCheckout({".travis.yml": text})
    assert read_workflows(checkout.tree, checkout.read) == ()


def test_of_very_many_scripts_the_first_are_read() -> None:
    files = {f"ci/{n}.sh": "echo 1\n" for n in range(3 * MOST_SCRIPTS)}
    calls = [f"sh {path}" for path in files]
    jobs = {f".github/workflows/{n}.yml": workflow("pytest", *calls[n : n + 50]) for n in range(0, len(calls), 50)}
    checkout = FilesCheckout({**jobs, **files})
    asked: list[str] = []
    read_workflows(checkout.tree, lambda path: asked.append(path) or checkout.read(path))  # type: ignore[func-returns-value]
    assert sum(path.endswith(".sh") for path in asked) == MOST_SCRIPTS


def test_a_script_that_starts_itself_is_as_many_commands_as_a_job_has_at_most() -> None:
    checkout = FilesCheckout({"ci/a.sh": "pytest a\nsh ci/a.sh\n" * 80})
    (command,) = commands_of("sh ci/a.sh", "", CI, 1)
    assert len(expanding(checkout.tree, checkout.read)(command)) == MOST_COMMANDS
