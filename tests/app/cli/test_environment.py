"""`agent-fix environment`: a repository up to where a model would begin, for a person and for a program."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli.environment import told_report
from repo_tools.sandbox.bwrap_program import find_bwrap
from repo_tools.test_report import TestCase, TestOutcome, TestReport
from tests.support.command_line import CommandLine
from tests.support.engine import require_docker
from tests.support.repositories import make_repository

Command = Callable[..., subprocess.CompletedProcess[str]]

SUITE = {"Makefile": "test:\n\tsh check.sh\n", "check.sh": "test -f greeting.txt\n", "greeting.txt": "hello\n"}


@pytest.fixture
def environment(agent_fix: CommandLine, tmp_path: Path) -> Command:
    def run(files: Mapping[str, str], *options: str, **settings: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "repository"
        repository = folder if folder.exists() else make_repository(folder, files)
        own = {"AGENT_FIX_SANDBOX": "bubblewrap", "AGENT_FIX_DATA_DIR": str(tmp_path / "data"), **settings}
        return agent_fix("environment", repository, *options, **own)

    return run


@pytest.mark.bubblewrap
def test_a_suite_that_gives_results_is_a_baseline(environment: Command) -> None:
    done = environment(SUITE)
    assert done.returncode == 0, done.stderr
    assert "found Makefile: target test" in done.stdout
    assert "baseline 1 passed" in done.stdout
    assert "only the exit code" in done.stdout


@pytest.mark.long(
    short="tests/repo_tools/environment/test_kept_environments.py::test_an_environment_that_is_found_still_knows_how_it_was_made"
)
@pytest.mark.bubblewrap
def test_an_environment_that_lost_its_files_is_made_anew(environment: Command, tmp_path: Path) -> None:
    check = "mkdir -p /env/venv/bin; printf '#!/bin/sh' > /env/venv/bin/check; chmod +x /env/venv/bin/check\n"
    files = {"prepare.sh": check, ".github/agent-fix.yml": "setup: [sh prepare.sh]\ntests: [check]\n"}
    assert environment(files).returncode == 0
    (kept,) = (tmp_path / "data" / "bubblewrap" / "layers").glob("*/environment")
    shutil.rmtree(kept / "venv")
    again = environment(files)
    assert again.returncode == 0, again.stdout
    assert "it is made anew" in again.stderr
    assert "found again" in environment(files).stdout


@pytest.mark.bubblewrap
def test_a_disk_that_is_full_at_the_start_is_told_in_one_line(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    full = [str(find_bwrap().executable), "--dev-bind", "/", "/", "--size", "8192", "--tmpfs", str(data)]
    command = [*full, sys.executable, "-m", "app.cli", "environment", str(make_repository(tmp_path / "x", SUITE))]
    settings = {"AGENT_FIX_SANDBOX": "bubblewrap", "AGENT_FIX_DATA_DIR": str(data)}
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "agent-fix: a disk is full (that of the data folder, or of temporary files): make room\n"


@pytest.mark.bubblewrap
def test_what_fails_before_any_work_is_named_and_is_a_baseline_all_the_same(environment: Command) -> None:
    done = environment({**SUITE, "check.sh": "false\n"})
    assert done.returncode == 0, done.stderr
    assert "1 fails before any work:\n  .::make test" in done.stdout


@pytest.mark.bubblewrap
def test_of_a_red_suite_that_names_no_test_the_output_is_shown(environment: Command) -> None:
    told = environment(SUITE | {"check.sh": "echo 3 of 40 checks failed; exit 1\n"}).stdout
    assert told.index("1 fails before any work") < told.index("3 of 40 checks failed")


@pytest.mark.bubblewrap
def test_a_suite_without_a_result_is_none_and_its_output_is_shown(environment: Command) -> None:
    done = environment({**SUITE, ".github/agent-fix.yml": "tests:\n  - nosuchprogram --all\n"}, "--json")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert "cannot be run" in told["baseline"]["problem"]
    assert "Name the command that runs the tests" in told["remedy"]


@pytest.mark.long(short="test_a_suite_that_gives_results_is_a_baseline")
@pytest.mark.bubblewrap
def test_a_suite_without_a_result_is_left_out_where_another_has_one(environment: Command) -> None:
    scripts = {"test": "run-s test:*", "test:a": "node --test a.test.js", "test:b": "mocha"}
    test = "require('node:test')('adds', () => {});"
    files = {"package.json": json.dumps({"name": "x", "scripts": scripts}), "a.test.js": test}
    done = environment(files, "--json")
    assert done.returncode == 0, done.stderr
    baseline = json.loads(done.stdout)["baseline"]
    assert baseline["counts"]["passed"] == 1
    (note,) = baseline["notes"]
    assert note.startswith("Left out, because there is no result of it here: mocha (mocha: The test runner died")
    assert f"\n{note}\n" in environment(files).stdout


@pytest.mark.bubblewrap
def test_every_suite_that_the_repository_names_has_to_give_a_result(environment: Command) -> None:
    done = environment({**SUITE, ".github/agent-fix.yml": "tests:\n  - nosuchprogram --all\n  - make test\n"}, "--json")
    assert done.returncode == 3
    assert "cannot be run" in json.loads(done.stdout)["baseline"]["problem"]


@pytest.mark.bubblewrap
def test_a_language_that_the_sandbox_lacks_is_planned_all_the_same_and_the_remedy_is_named(
    environment: Command,
) -> None:
    files = {"Cargo.toml": '[package]\nname = "a"\nrust-version = "99.0"\n', "src/lib.rs": "#[test]\nfn a() {}\n"}
    done = environment(files, "--json")
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert told["tests"] == [{"runner": "cargo", "command": ["cargo", "test"], "directory": ".", "variables": {}}]
    assert told["baseline"] is None
    assert "Wanted: cargo >=99.0 (Cargo.toml rust-version); the image has" in told["problem"]
    assert "`image: NAME` in .github/agent-fix.yml" in told["problem"]
    assert "tests cargo test\n" in environment(files).stdout


def test_a_plan_needs_no_sandbox_and_no_key(environment: Command) -> None:
    done = environment(SUITE, "--plan", "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["tests"] == [{"runner": "exit_code", "command": ["make", "test"], "directory": ".", "variables": {}}]
    assert plan["baseline"] is None


def test_a_plan_says_what_set_up_would_do(environment: Command) -> None:
    said = environment({"setup.py": "", "a.py": "", "test_a.py": ""}, "--plan").stdout
    assert "\nset-up uv venv --seed /env/venv\n" in said
    assert "--editable ." in said
    assert said.endswith("\ntests pytest\n")


def test_a_plan_names_what_of_the_tests_is_left_out(environment: Command) -> None:
    scripts = {"test": "node --test a.test.js && karma start"}
    files = {"package.json": json.dumps({"name": "x", "scripts": scripts}), "a.test.js": ""}
    told = "package.json scripts.test (`karma start`), which needs a browser"
    assert json.loads(environment(files, "--plan", "--json").stdout)["left_out"] == [told]
    assert f"\nleft out {told}\n" in environment(files, "--plan").stdout


def test_a_repository_without_tests_is_told_what_was_looked_for(environment: Command) -> None:
    done = environment({"README.md": "nothing\n"})
    assert done.returncode == 3
    assert "Looked for: Python test files" in done.stdout
    assert "Name the command that runs the tests in `.github/agent-fix.yml`" in done.stdout


@pytest.mark.bubblewrap
def test_a_set_up_that_fails_says_what_to_write_for_a_person_and_for_a_program(environment: Command) -> None:
    files = {**SUITE, ".github/agent-fix.yml": "setup:\n  - nosuchprogram --all\n"}
    assert "say in `.github/agent-fix.yml` how it is installed" in environment(files).stdout
    told = json.loads(environment(files, "--json").stdout)
    assert told["problem"].startswith("Set-up failed")
    assert "`setup:`" in told["remedy"]


@pytest.mark.bubblewrap
def test_a_server_that_does_not_come_up_is_told_for_a_program(environment: Command, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # a service's user is another
    for program in ("redis-server", "valkey-server"):
        (tmp_path / program).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    files = {**SUITE, ".github/agent-fix.yml": "services: [redis]\n"}
    done = environment(files, "--json", AGENT_FIX_SERVICE_PROGRAMS=str(tmp_path))
    told = json.loads(done.stdout)
    assert (done.returncode, told["baseline"]) == (3, None)
    assert told["problem"].startswith("The service Redis (port 6379) ended.")
    assert "the operator gives it to the sandbox" in told["remedy"]


@pytest.mark.bubblewrap
def test_a_suite_without_a_result_says_what_to_write(environment: Command) -> None:
    done = environment({**SUITE, ".github/agent-fix.yml": "tests:\n  - nosuchprogram --all\n"})
    assert "Name the command that runs the tests in `.github/agent-fix.yml`" in done.stdout


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ({}, "Name the command that runs the tests"),
        ({"timed_out": True}, "that ends in that time in `.github/agent-fix.yml` on the default branch"),
        ({"timed_out": True}, "and run it again."),
        ({"service_ended": True}, "Where the service is missing, the operator gives it to the sandbox"),
    ],
)
def test_the_remedy_is_for_what_is_wrong_with_the_suite(wrong: dict[str, Any], remedy: str) -> None:
    report = replace(TestReport("pytest", (), 1, 600.0, "", problem="It said nothing."), **wrong)
    assert remedy in told_report(report)


def test_a_part_that_stands_for_the_whole_suite_is_told() -> None:
    report = TestReport("pytest", (TestCase("a", "a.py", TestOutcome.PASSED),), 0, 1.0, "", part=(24, 60))
    told = ["baseline 1 passed in 1.0 s", "only 24 of 60 test files: the whole suite takes too long"]
    assert told_report(report).splitlines() == told
    assert told_report(replace(report, part=None)).splitlines() == told[:1]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("# a/b [a/b.test]\nb/b_test.go:6:5: undefined: G\nFAIL\ta/b [build failed]", "b/b_test.go:6:5: undefined: G"),
        (
            "An error occurred while loading ./a_spec.rb.\n\nLoadError:\n  cannot load such file -- x",
            "cannot load such file -- x",
        ),
        (
            "ImportError while importing a.py\nTraceback:\nE   ModuleNotFoundError: No module named 'x'\n",
            "ModuleNotFoundError: No module named 'x'",
        ),
        ("no database", "no database"),
    ],
)
def test_why_a_whole_file_is_red_stands_beside_it(message: str, told: str) -> None:
    cases = (
        TestCase("b", "b", TestOutcome.ERROR, message=message),
        TestCase("c::a", "c", TestOutcome.FAILED, message=message),
    )
    lines = told_report(TestReport("go test", cases, 1, 1.0, "")).splitlines()
    assert lines[2:4] == [f"  b: {told}", "  c::a"]


def test_a_server_that_a_suite_cannot_do_without_is_told() -> None:
    output = "ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
    wrong = TestReport("pytest", (), 3, 1.0, output, problem="It said nothing.")
    assert "It asks for a server at localhost:6379, and none is there: name it in" in told_report(wrong)
    assert "It asks for a server" not in told_report(replace(wrong, output="refused: localhost:6379"))


def test_what_most_red_tests_end_with_is_told_once() -> None:
    lacking = "E   ModuleNotFoundError: No module named 'flask'\ntests/test_a.py:1: ModuleNotFoundError"
    messages = (lacking, lacking, "AssertionError: 1 != 2", "")
    cases = tuple(TestCase(f"t{i}", "t", TestOutcome.ERROR, 0.0, text) for i, text in enumerate(messages))
    line = "2 of them end with ModuleNotFoundError: No module named 'flask'"
    passed = TestCase("passed", "t", TestOutcome.PASSED)
    assert line in told_report(TestReport("pytest", (passed, *cases[:3]), 1, 1.0, "")).splitlines()
    assert "of them end with" not in told_report(TestReport("pytest", (passed, *cases), 1, 1.0, ""))


def test_a_misspelt_configuration_is_told_before_anything_is_made(environment: Command) -> None:
    done = environment({**SUITE, ".github/agent-fix.yml": "test: [make test]\n"})
    assert (done.returncode, done.stdout.strip()) == (
        2,
        "`.github/agent-fix.yml` cannot be used. line 1: unknown key `test`; did you mean `tests`?",
    )


def test_a_configuration_that_is_not_committed_is_told_also_where_the_commits_own_is_wrong(
    environment: Command, tmp_path: Path
) -> None:
    environment({**SUITE, ".github/agent-fix.yml": "test: [make test]\n"})
    (tmp_path / "repository" / ".github" / "agent-fix.yml").write_text("tests: [make test]\n")
    done = environment({}, "--plan")
    assert done.returncode == 2
    assert "differs from the file here: commit it, or give a --base that has it" in done.stderr


def test_a_pattern_that_matches_no_path_is_told(environment: Command) -> None:
    done = environment({**SUITE, ".github/agent-fix.yml": "protected: [Makefil, Makefile]\n"}, "--plan")
    assert "found .github/agent-fix.yml: no path of the repository matches `Makefil`\n" in done.stdout
    assert "`Makefile`" not in done.stdout


def test_what_a_repository_says_does_not_rule_the_terminal(environment: Command) -> None:
    title = "\\e]0;title\\a\\u202e"
    for file in (f'tests: ["make {title} test"]\n', f'model: "a{title}b"\n'):
        done = environment({**SUITE, ".github/agent-fix.yml": file}, "--plan")
        assert done.returncode in (0, 2)
        assert not {*"\x1b\x07\u202e"}.intersection(done.stdout + done.stderr)
        assert "make" in done.stdout or "`model`" in done.stdout


def test_an_issue_that_is_not_there_is_a_matter_of_usage(environment: Command) -> None:
    assert environment(SUITE, "--issue", "nowhere.md").returncode == 2


IMAGE = {**SUITE, ".github/agent-fix.yml": "image: example/box:1\n"}


def test_a_plan_takes_an_image_that_some_sandbox_would_have(environment: Command) -> None:
    done = environment(IMAGE, "--plan", AGENT_FIX_SANDBOX="auto", AGENT_FIX_ALLOWED_IMAGES="example/box:1")
    assert done.returncode == 0, done.stdout


@pytest.mark.docker
def test_the_repositorys_image_is_what_the_tests_run_in(environment: Command) -> None:
    require_docker()
    done = environment(IMAGE, AGENT_FIX_SANDBOX="docker", AGENT_FIX_ALLOWED_IMAGES="example/box:1")
    assert done.returncode != 0
    assert "example/box:1" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "baseline" not in done.stdout


def test_a_prepared_environment_lasts_a_week_at_most(environment: Command) -> None:
    done = environment(SUITE, "--plan", AGENT_FIX_LAYER_CACHE_DAYS="8")
    assert done.returncode == 2
    assert "AGENT_FIX_LAYER_CACHE_DAYS" in done.stderr


def test_a_host_that_is_none_is_told_at_the_start(environment: Command) -> None:
    done = environment(SUITE, "--plan", AGENT_FIX_ALLOWED_HOSTS="https://pypi.org,pypi.org")
    assert done.returncode == 2
    assert "AGENT_FIX_ALLOWED_HOSTS" in done.stderr
    assert "https://pypi.org: write host names" in done.stderr
