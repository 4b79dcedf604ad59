"""Repositories that no other detector knows, and whose CI says how they are tested."""

import pytest

from tests.support.trees import planned

WORKFLOW = """
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get install -y libfoo-dev
      - run: pip install -r requirements.txt
        working-directory: checks
      - run: |
          cmake -B build
          ctest --test-dir build
"""


def test_the_test_job_says_how_it_is_set_up_and_tested() -> None:
    environment = planned({".github/workflows/ci.yml": WORKFLOW, "main.c": "", "CMakeLists.txt": ""})
    assert [(c.runner, c.argv) for c in environment.tests] == [("ctest", ("ctest", "--test-dir", "build"))]
    installs = [(c.argv, c.directory, c.required) for c in environment.setup]
    assert (("pip", "install", "-r", "requirements.txt"), "checks", False) in installs
    assert not any("apt-get" in argv for argv, _, _ in installs)
    assert environment.evidence[0].startswith(".github/workflows/ci.yml")
    assert ".github/workflows/ci.yml" in environment.manifests


def test_what_is_known_by_its_own_files_is_never_taken_from_the_workflow() -> None:
    files = {".github/workflows/ci.yml": WORKFLOW, "test_a.py": "", "a.py": ""}
    assert planned(files).tests[0].runner == "pytest"


@pytest.mark.parametrize("makefile", ["test:\n\t./run\n"])
def test_a_makefile_comes_after_the_workflow(makefile: str) -> None:
    files = {".github/workflows/ci.yml": WORKFLOW, "Makefile": makefile, "main.c": ""}
    assert planned(files).tests[0].argv[0] == "ctest"
    assert planned({"Makefile": makefile, "main.c": ""}).tests[0].argv == ("make", "test")


@pytest.mark.parametrize("told", ["ctest $X --test-dir", "$HOME/bin/ctest --test-dir", "ctest --log=$HOME --test-dir"])
def test_a_command_with_words_that_only_a_run_or_the_ci_s_machine_knows_is_not_run(told: str) -> None:
    files = {".github/workflows/ci.yml": WORKFLOW.replace("ctest --test-dir", told), "main.c": ""}
    assert planned({**files, "Makefile": "test:\n\t./run\n"}).detector.startswith("make/")


def test_sudo_stands_before_packages_of_the_system_and_before_others() -> None:
    text = WORKFLOW.replace("pip install -r", "sudo pip install -r")
    environment = planned({".github/workflows/ci.yml": text, "main.c": "", "CMakeLists.txt": ""})
    assert ("sudo", "pip", "install", "-r", "requirements.txt") in [command.argv for command in environment.setup]
    assert not any("apt-get" in command.argv for command in environment.setup)


def test_travis_builds_before_it_tests_too() -> None:
    travis = "language: c\nscript:\n - make CC=$CC STRICT=y\n - make test\n"
    environment = planned({".travis.yml": travis, "Makefile": "example: example.c\ntest:\n\t./example\n"})
    assert ("make",) in [command.argv for command in environment.setup]
    assert environment.tests[0].argv == ("sh", "-c", "make && make test")
