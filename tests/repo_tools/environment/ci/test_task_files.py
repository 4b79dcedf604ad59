"""What a job tells a runner of tasks to do is what stands in its file."""

from time import process_time

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import WORKFLOW as CI
from tests.support.ci_jobs import jobs_running
from tests.support.files_checkout import FilesCheckout

JUSTFILE = """set shell := ["bash", "-c"]
export MODE := "test"
where := "tests"
of_dev := "uv run"

# what everybody starts
default: lint test

_up:
    docker compose up -d db

[group('tests')]
@test *args='': _up
    {{ of_dev }} --extra=docs pytest -m "not slow" {{args}}
    -echo done

lint:
    ruff check
"""
TASKFILE = """version: '3'
env: {MODE: test}
tasks:
  up: docker compose up -d db
  default: {deps: [test]}
  test:
    deps: [up]
    dir: '{{.ROOT_DIR}}'
    cmds:
      - task: lint
      - cmd: pytest -m "not slow" {{.CLI_ARGS}}
  lint: [ruff check]
"""
TASKS = """from invoke import task


@task
def up(c):
    c.run("docker compose up -d db")


@task(pre=[up])
def test(
    c, fast=False, *, only: str = 'not slow', args: str | None = ""
):
    c.run("docker compose up -d db")

    c.run(f"echo {fast} 'x'")
    c.run(f'MODE=test pytest -m "{only}" {args}', pty=True)


def lint(c):
    c.run("ruff check")


def coverage(c, args=""):
    print("tested")
    test(c, args)
    lint(c)
"""
POE = """[tool.poe.tasks]
up = "docker compose up -d db"
lint = "ruff check"
test = {cmd = 'pytest -m "not slow"', env = {MODE = "test"}, deps = ["up"]}
all = ["lint", "test"]
"""
PDM = """[tool.pdm.scripts]
up = {shell = "docker compose up -d db"}
unit = {cmd = ["pytest", "-m", "not slow"], env = {MODE = "test"}}
test = {composite = ["up", "unit"]}
"""
PIXI = """[tasks]
up = "docker compose up -d db"
test = {cmd = 'MODE=test pytest -m "not slow"', depends-on = ["up"]}
"""
TASKIPY = PIXI.replace("[tasks]", "[tool.taskipy.tasks]")
PIPFILE = """[scripts]
test = "docker compose up -d db && MODE=test pytest -m 'not slow'"
"""
COMPOSE = "services:\n  db: {image: 'postgres:16'}\n"
FILES = {"docker-compose.yml": COMPOSE, "test_a.py": "import a\n", "a.py": ""}


def jobs_of(run: str, files: dict[str, str]) -> tuple[WorkflowEvidence, ...]:
    return jobs_running(run, files={**FILES, **files})


@pytest.mark.parametrize(
    ("run", "path", "text"),
    [
        ("just test", "justfile", JUSTFILE),
        ("just lint test", ".justfile", JUSTFILE),
        ("just default", "Justfile", JUSTFILE),
        ("uvx --from rust-just just test", "justfile", JUSTFILE),
        ("task test -- -x", "Taskfile.yml", TASKFILE),
        ("task default", "Taskfile.dist.yaml", TASKFILE),
        ("invoke test", "tasks.py", TASKS),
        ("poetry run inv test", "tasks.py", TASKS),
        ("inv coverage --args '-v'", "tasks.py", TASKS),
        ("uv run poe test", "pyproject.toml", POE),
        ("pdm run inv test", "tasks.py", TASKS),
        ("pipenv run invoke test", "tasks.py", TASKS),
        ("poe all", "pyproject.toml", POE),
        ("pdm run test", "pyproject.toml", PDM),
        ("pdm test", "pyproject.toml", PDM),
        ("pixi run test", "pixi.toml", PIXI),
        ("pixi run test", "pyproject.toml", PIXI.replace("[tasks]", "[tool.pixi.tasks]")),
        ("pixi run --environment py test", "pixi.toml", PIXI),
        ("pixi run -e py test", "pixi.toml", PIXI),
        ("just test", "justfile", JUSTFILE.replace(": _up", ": _up # with the database")),
        ("pipenv run test", "Pipfile", PIPFILE),
        ("uv run task test", "pyproject.toml", TASKIPY),
    ],
)  # fmt: skip
def test_a_job_starts_the_servers_and_sets_the_variables_of_its_task(run: str, path: str, text: str) -> None:
    (job,) = jobs_of(run, {path: text})
    tests = [test for each in job.tests for test in (each.started or (each,))]
    assert [test.program for test in tests if test.name == "pytest"] == [("pytest", "-m", "not slow")]
    assert [service.kind for service in job.services] == ["postgresql"]
    assert job.variables == {"MODE": "test"}
    assert tests[0].source.startswith(f"{path}:")


@pytest.mark.parametrize("runner", ["just", "task", "inv", "poe", "pdm run", "pixi run", "pipenv run"])
@pytest.mark.parametrize("text", ["", "test", "test:", "- a", "[tool.poe.tasks]\ntest = 3", "tasks: {test: 3}", "\0"])
def test_a_file_that_says_nothing_of_a_task_leaves_it_as_it_is(runner: str, text: str) -> None:
    names = ("justfile", "Taskfile.yml", "tasks.py", "pyproject.toml", "pixi.toml", "Pipfile")
    (job,) = jobs_of(f"{runner} test", dict.fromkeys(names, text))
    assert (len(job.tests), job.tests[0].started, job.services) == (1, (), ())


@pytest.mark.parametrize(
    "run", ["pipenv run make test", "pixi run ./ci.sh", "pdm run make test", "pixi run bash ci.sh"]
)
def test_a_program_that_a_manager_starts_is_no_task(run: str) -> None:
    names = {"Pipfile": PIPFILE, "pixi.toml": PIXI, "pyproject.toml": PDM}
    own = {"Makefile": "test:\n\tA=1 pytest\n", "ci.sh": "#!/bin/sh\nA=1 pytest\n"}
    (job,) = jobs_of(run, {**names, **own})
    assert (job.variables, job.services) == ({"A": "1"}, ())


def test_of_several_files_that_may_hold_a_task_the_one_counts_that_does() -> None:
    (job,) = jobs_of("pixi run test", {"pyproject.toml": "[tool.pixi.tasks]\nlint = 'ruff'\n", "pixi.toml": PIXI})
    assert job.variables == {"MODE": "test"}


def test_a_runner_of_tests_that_a_manager_starts_is_no_task() -> None:
    (job,) = jobs_of("pixi run cargo test --features=a", {"pixi.toml": PIXI})
    assert (job.tests[0].program, job.tests[0].started) == (("cargo", "test", "--features=a"), ())


def test_tasks_that_need_one_another_come_to_an_end() -> None:
    turns = "".join(f"t{n}: t{(n + 1) % 200} test\n    pytest\n" for n in range(200)) + "test: t0\n    pytest\n"
    started = process_time()
    assert len(jobs_of("just test", {"justfile": turns})) == 1
    assert len(jobs_of("just test", {"justfile": "a:" * 40_000 + "\n" + "test " * 10_000})) == 1
    assert len(jobs_of("just test", {"justfile": "a" + " " * 90_000 + "x\n" + "test " * 10_000})) == 1
    listed = "".join(f"t{n} = [{', '.join(repr(f't{n}{m}') for m in range(20))}]\n" for n in range(20))
    table = f"[tool.poe.tasks]\n{listed}[tool.a]\n" + "".join(f"a{n} = {{b = [1, 2]}}\n" for n in range(4_000))
    assert jobs_of(f"poe {' '.join(f't{n}' for n in range(20))}", {"pyproject.toml": table}) == ()
    assert process_time() - started < 5


def test_a_program_of_the_repository_that_a_task_starts_is_its_suite() -> None:
    files = {"justfile": "test:\n    python runtests.py\n", "runtests.py": "import unittest\nunittest.main()\n"}
    checkout = FilesCheckout({**FILES, **files, CI: "jobs:\n  test:\n    steps:\n      - run: just test\n"})
    assert detect(checkout.tree, checkout.read).tests[0].argv == ("python", "runtests.py")
