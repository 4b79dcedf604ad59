"""Of the jobs of a repository's CI, the one that is meant when its tests are spoken of comes first."""

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from tests.support.ci_jobs import WORKFLOW, jobs_in


def evidence_of(text: str, path: str = WORKFLOW) -> tuple[WorkflowEvidence, ...]:
    return jobs_in({path: text})


def test_the_likeliest_test_job_comes_first() -> None:
    text = (
        "jobs:\n  docs:\n    steps: [{run: pytest docs}]\n  other:\n    steps: [{run: pytest}]\n"
        "  unit-tests:\n    steps: [{run: pytest unit}]\n"
    )
    assert [e.source.rpartition(" ")[2] for e in evidence_of(text, ".github/workflows/x.yaml")] == [
        "unit-tests)",
        "other)",
        "docs)",
    ]


@pytest.mark.parametrize(("unlikely", "likely"), [("docs", "docker-test"), ("older-test", "shareholder-test")])
def test_a_job_of_docker_is_none_of_documents(unlikely: str, likely: str) -> None:
    text = f"jobs:\n  {unlikely}:\n    steps: [{{run: pytest a}}]\n  {likely}:\n    steps: [{{run: pytest b}}]\n"
    assert [command.argv[1] for evidence in evidence_of(text) for command in evidence.tests] == ["b", "a"]


def test_of_two_jobs_that_are_as_likely_the_one_whose_tests_are_known_comes_first() -> None:
    text = "jobs:\n  test-a:\n    steps: [{run: 'pytest $X'}]\n  test-b:\n    services: {x: {image: redis}}\n"
    first, second = evidence_of(text + "    steps: [{run: pytest}]\n")
    assert (first.source.rpartition(" ")[2], second.source.rpartition(" ")[2]) == ("test-b)", "test-a)")


@pytest.mark.parametrize(
    "text", ["{run: pytest b}], continue-on-error: true", "{run: pytest b, continue-on-error: true}]"]
)
def test_of_two_jobs_that_are_as_likely_the_one_whose_tests_may_not_fail_comes_first(text: str) -> None:
    jobs = f"jobs:\n  main-test: {{steps: [{{run: pip install a}}, {text}}}\n  test: {{steps: [{{run: pytest a}}]}}\n"
    assert [evidence.tests[0].argv[1] for evidence in evidence_of(jobs)] == ["a", "b"]


def test_another_projects_suite_is_not_the_likeliest_one() -> None:
    text = "jobs:\n  test:\n    steps: [{run: pytest a}]\n"
    others = ("3rd-party-tests", "emscripten", "downstream-tests", "riscv64-qemu-test", "stress-test", "tests")
    names = (*others, "oldest-tests", "daily-tests", "test-outdated-versions", "test-upstream", "test-remote-data")
    more = ("system-test", "backward-compat-test", "tests-older-python", "test-unstable-features", "long_running-tests")
    found = jobs_in({f".github/workflows/{name}.yml": text for name in (*names, *more)})
    first, *_ = found
    assert first.source.startswith(".github/workflows/tests.yml")


@pytest.mark.parametrize("name", ["free-threading_tests", "freethreaded", "test-nogil", "no-gil-tests"])
def test_what_an_interpreter_without_its_lock_can_run_is_not_the_whole_suite(name: str) -> None:
    text = f"jobs:\n  {name}:\n    steps: [{{run: pytest -m 'not slow'}}]\n"
    first, _ = evidence_of(text + "  tests:\n    steps: [{run: 'pytest $X'}]\n")
    assert first.source.endswith("(job tests)")


@pytest.mark.parametrize(
    "part",
    [
        "pytest tests/test_one.py",
        "python -m pytest -v tests/test_one.py::test_it",
        "pytest -m slow tests",
        "tox -e py -- -k data",
    ],
)
def test_of_two_jobs_that_are_as_likely_the_one_that_runs_the_whole_suite_comes_first(part: str) -> None:
    text = f"jobs:\n  test-a:\n    steps: [{{run: '{part}'}}]\n  test-b:\n    strategy: {{matrix: {{x: [1]}}}}\n"
    first, second = evidence_of(text + '    steps: [{run: pytest -m "not slow" $X}]\n')
    assert (first.source.rpartition(" ")[2], second.source.rpartition(" ")[2]) == ("test-b)", "test-a)")


def test_of_two_workflows_that_are_as_likely_the_one_with_the_shorter_name_comes_first() -> None:
    job = "jobs:\n  it:\n    steps: [{run: pytest}]\n"
    found = jobs_in({f".github/workflows/{name}.yml": job for name in ("regtest", "tests", "unittesting")})
    assert [e.source.split("/")[2].partition(".")[0] for e in found] == ["tests", "regtest", "unittesting"]


@pytest.mark.parametrize("part", ["yarn test:ui", "npm run test-browser", "yarn workspace @x/a test", "pnpm -F a test"])
def test_a_job_of_one_member_or_of_what_a_script_is_called_after_is_not_the_one_of_all(part: str) -> None:
    whole = "services: {redis: {image: redis}}, steps: [{run: yarn test}, {run: 'yarn test:ui'}]"
    first, _ = evidence_of(f"jobs: {{test-a: {{steps: [{{run: '{part}'}}]}}, build: {{{whole}}}}}\n")
    assert first.source.endswith("build)")


def test_the_words_of_a_workflows_name_may_be_told_by_capitals() -> None:
    text = "jobs: {test: {steps: [{run: yarn test}]}}\n"
    names = ("domTests", "prTest", "browserTest")
    first, *_ = jobs_in({f".github/workflows/{name}.yml": text for name in names})
    assert first.source.startswith(".github/workflows/prTest.yml")


def test_a_job_that_runs_files_of_the_suite_beside_the_rest_runs_it_whole() -> None:
    both = "steps: [{run: pytest tests/test_alone.py}, {run: pytest}]"
    first, _ = evidence_of(f"jobs:\n  test-a:\n    {both}\n  test-b:\n    steps: [{{run: pytest}}]\n")
    assert first.source.endswith("test-a)")


def test_a_workflow_that_no_change_starts_comes_after_one_that_is_started_by_each() -> None:
    jobs = "jobs:\n  test:\n    steps: [{run: pytest}]\n"
    by_clock = "on: {schedule: [{cron: 0 0 * * *}], workflow_dispatch: }\n"
    started = {"a-tests": by_clock, "b-tests": "on: workflow_call\n", "c-tests": "on: schedule\n"}
    started |= {"d-tests": "on:\n- push\n- schedule\n", "e-tests": ""}
    found = jobs_in({f".github/workflows/{name}.yml": on + jobs for name, on in started.items()})
    order = [each.source.split("/")[2][0] for each in found]
    assert order == ["b", "d", "e", "a", "c"]


@pytest.mark.parametrize(
    ("special", "plain"),
    [
        *(("ci-alternative-runtime", "ci"), ("test-browser", "test"), ("encryption-tests", "test")),
        *(("dev-package-test", "dev-test"), ("build-and-scan", "build-and-test"), ("browser-tests", "run-tests")),
    ],
)
def test_of_two_workflows_that_are_as_likely_the_one_of_the_plainer_name_comes_first(special: str, plain: str) -> None:
    text = "jobs:\n  test:\n    steps: [{run: npm test}]\n"
    found = jobs_in({f".github/workflows/{name}.yml": text for name in (special, plain)})
    first, _ = found
    assert first.source == f".github/workflows/{plain}.yml:2 (job test)"


def test_of_two_jobs_that_are_as_likely_the_one_of_python_2_alone_comes_last() -> None:
    old = "    container: {image: 'python:2.7'}\n    steps: [{run: tox}]\n"
    new = "    strategy: {matrix: {python-version: ['2.7', '3.8']}}\n    steps: [{run: tox}]\n"
    first, _ = evidence_of(f"jobs:\n  test-a:\n{old}  test-b:\n{new}")
    assert first.source.endswith("(job test-b)")
    built_by_it, plain = (text.replace("tox", "npm test") for text in (old, new))
    first, _ = evidence_of(f"jobs:\n  test:\n{built_by_it}  test-with-redis:\n{plain}")
    assert first.source.endswith("(job test)")


def test_of_two_jobs_that_are_as_likely_the_one_of_the_plainer_name_comes_first() -> None:
    text = "jobs:\n  verify-files:\n    steps: [{run: npm test}]\n  unit:\n    steps: [{run: npm test}]\n"
    assert [each.source.rpartition(" ")[2] for each in evidence_of(text)] == ["unit)", "verify-files)"]


def test_of_two_jobs_the_one_that_needs_no_services_comes_first() -> None:
    step = "    steps: [{run: tox, env: {BACKEND: '${{ matrix.backend }}'}}]\n"
    text = (
        f"jobs:\n  mysql:\n    services: {{db: {{image: mysql}}}}\n{step}"
        f"  sqlite:\n    strategy: {{matrix: {{backend: [sqlite, other, zodb]}}}}\n{step}"
    )
    first, second = evidence_of(text)
    assert first.services == ()
    assert first.variables == {"BACKEND": "sqlite"}  # of values that are no versions, the one that is given first
    assert second.services != ()
