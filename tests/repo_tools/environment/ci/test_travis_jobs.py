"""A file of Travis whose scripts stand in its jobs tells of each of them."""

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout

SHARED = "language: python\nservices: [mysql, redis-server]\nenv: {global: [A=1, B=1]}\ninstall: pip install shared\n"
LINTER = "  - {name: Linter, before_script: pip install -q flake8, script: flake8}\n"
TESTS = (
    "  - name: Django Test\n    env: B=2\n    install: pip install -r requirements/ci.txt\n    script:\n    - pytest\n"
)


def jobs_of(text: str) -> tuple[WorkflowEvidence, ...]:
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n", "requirements/ci.txt": ""})
    return read_workflows(checkout.tree, checkout.read)


@pytest.mark.parametrize("key", ["jobs", "matrix"])
def test_a_job_with_a_script_of_its_own_says_how_it_tests_and_what_is_said_for_all_holds_for_it_too(key: str) -> None:
    (job,) = jobs_of(f"{SHARED}{key}:\n  include:\n{LINTER}{TESTS}")
    assert job.source == ".travis.yml:11 (job Django Test)"
    assert [command.argv for command in job.tests] == [("pytest",)]
    assert [command.argv for command in job.installs] == [("pip", "install", "-r", "requirements/ci.txt")]
    assert {service.kind for service in job.services} == {"mysql", "redis"}
    assert (job.variables["A"], job.variables["B"]) == ("1", "2")


def test_what_a_job_leaves_out_is_said_for_all() -> None:
    (job,) = jobs_of(f"{SHARED}jobs:\n  include:\n  - script: pytest\n")
    assert [command.argv for command in job.installs] == [("pip", "install", "shared")]
    assert (job.source, job.variables["B"]) == (".travis.yml:7", "1")


def test_a_script_for_all_comes_before_those_of_jobs() -> None:
    (job,) = jobs_of(f"{SHARED}script: pytest tests\njobs:\n  include:\n{LINTER}{TESTS}")
    assert [command.argv for command in job.tests] == [("pytest", "tests")]


def test_a_job_of_python_2_and_one_that_is_called_for_something_else_come_last() -> None:
    old = "  - {python: 2.7, script: pytest, install: pip install old}\n"
    other = "  - {stage: integration, script: pytest, install: pip install more}\n"
    found = jobs_of(f"language: python\njobs:\n  include:\n{old}{other}  - {{python: 3.6, script: pytest -x}}\n")
    assert [job.tests[0].argv[1:] for job in found] == [("-x",), (), ()]
    assert found[-1].source == ".travis.yml:5 (job integration)"


def test_jobs_of_two_languages_are_each_its_own_language_s() -> None:
    text = (
        "jobs:\n  include:\n  - {language: node_js, services: mysql, script: npm test}\n"
        "  - {language: python, services: redis-server, script: pytest}\n"
    )
    checkout = FilesCheckout({".travis.yml": text, "a.py": "", "test_a.py": "import a\n"})
    assert [service.kind for service in detect(checkout.tree, checkout.read).services] == ["redis"]


def test_a_file_that_starts_another_one_for_each_of_very_many_jobs_comes_to_an_end() -> None:
    jobs = "".join(f"  - script: pytest -k t{number}\n" for number in range(2_000))
    assert len(jobs_of(f"language: python\njobs:\n  include:\n{jobs}")) == 20


@pytest.mark.parametrize(
    ("name", "first"), [("deploy", ".travis.yml"), ("docs", ".travis.yml"), ("ci", ".github"), ("all", ".github")]
)
def test_a_workflow_that_tests_before_it_publishes_does_not_stand_for_it(name: str, first: str) -> None:
    workflow = "jobs:\n  all:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pytest\n"
    checkout = FilesCheckout(
        {".travis.yml": "language: python\nscript: pytest\n", f".github/workflows/{name}.yml": workflow}
    )
    assert read_workflows(checkout.tree, checkout.read)[0].source.startswith(first)
