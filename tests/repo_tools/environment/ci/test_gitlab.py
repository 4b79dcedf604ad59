"""What a file of GitLab says of the jobs that run tests, as evidence: nothing of it is run."""

import time

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import jobs_told
from tests.support.files_checkout import FilesCheckout

PATH = ".gitlab-ci.yml"


def jobs_of(text: str, **more: str) -> tuple[WorkflowEvidence, ...]:
    return jobs_told(PATH, text, **more)


def told(job: WorkflowEvidence) -> list[tuple[str, str]]:
    return [(" ".join(command.argv), command.directory) for command in job.tests]


PLAIN = """\
    image: python:3.8-slim
    variables:
      POSTGRES_USER: jubilant
      POSTGRES_PASSWORD: {value: pw, description: of the tests}
      DATABASE_URL: postgresql://$POSTGRES_USER:${POSTGRES_PASSWORD}@db/$POSTGRES_USER
      PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache
      XDG_CACHE_HOME: $CI_PROJECT_DIR/.cache
      YARN_CACHE_FOLDER: .yarn
      CCACHE_BASEDIR: ${CI_PROJECT_DIR}
      PYENV_VERSION: 3.8.1-debug
      COMMIT: $CI_COMMIT_SHA
    services:
      - name: postgres:12
        alias: db
      - redis:6
      - docker:dind
      - mongo:4
    before_script:
      - pip install -r requirements.txt
      - cd web

    stages: [test, deploy]
    tests:
      stage: test
      script:
        - echo begun
        - pytest -x
    site:
      script: [mkdocs build]
    """


def test_a_job_tells_its_language_its_services_its_variables_and_what_it_runs() -> None:
    (job,) = jobs_of(PLAIN)
    assert job.source == f"{PATH}:23 (job tests)"
    assert [command.source for command in job.tests] == [f"{PATH}:27"]
    assert told(job) == [("pytest -x", "web")]
    assert [command.argv for command in job.installs] == [("pip", "install", "-r", "requirements.txt")]
    assert job.versions == {"python": ("3.8",)}
    assert job.variables == {
        "POSTGRES_USER": "jubilant",
        "POSTGRES_PASSWORD": "pw",
        "DATABASE_URL": "postgresql://jubilant:pw@db/jubilant",
    }
    assert [(each.kind, each.version, each.name) for each in job.services] == [
        ("postgresql", "12", "db"), ("redis", "6", "redis"),
    ]  # fmt: skip
    assert job.services[0].variables == {"POSTGRES_USER": "jubilant", "POSTGRES_PASSWORD": "pw"}
    assert job.services[0].source == f"{PATH}:13"
    assert job.unknown_services == ("mongo:4",)


def test_the_plan_of_a_repository_has_what_gitlab_says_and_names_it() -> None:
    package = '{"name": "a", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "5"}}'
    text = "test: {image: 'node:8.16', services: ['mysql:5.7'], script: npm test}\n"
    checkout = FilesCheckout({PATH: text, "package.json": package, "test/a.js": "it('a', () => {})"})
    plan = detect(checkout.tree, checkout.read)
    assert [service.kind for service in plan.services] == ["mysql"]
    assert f"{PATH}:1 (job test): tested with node 8" in plan.evidence


def test_jobs_take_over_what_they_extend_and_refer_to_and_what_is_merged_into_them() -> None:
    text = """\
    .install: &install
      before_script: [pip install more]
      variables: {A: 1, B: 1}
    .base:
      extends: .older
      image: {name: "python:3.7"}
      variables: {B: 2}
      services: [redis]
    .older: {image: "python:3.6", variables: {C: 3}}
    .parts:
      run: [pytest last]
      script: [pytest first, [pytest second]]
    tests:
      extends: [.base]
      <<: *install
      variables: {D: 4}
      before_script: !reference [.install, before_script]
      script:
        - !reference [.parts, script]
        - pytest third
        - !reference [.parts, run]
    default: {image: "python:3.5"}
    """
    (job,) = jobs_of(text)
    assert [words for words, _ in told(job)] == ["pytest first", "pytest second", "pytest third", "pytest last"]
    assert [command.argv for command in job.installs] == [("pip", "install", "more")]
    assert (job.versions, job.variables) == ({"python": ("3.7",)}, {"B": "2", "C": "3", "D": "4"})
    assert [each.kind for each in job.services] == ["redis"]


def test_of_jobs_that_test_alike_and_of_a_matrix_each_has_all_versions() -> None:
    text = """\
    old: {image: "python:3.6", script: [pytest]}
    new:
      image: python:$PYTHON-alpine
      parallel:
        matrix:
          - PYTHON: ["3.7", "3.9", "3.8"]
            DB: sqlite
      script: pytest
    """
    found = jobs_of(text)
    assert {job.versions["python"] for job in found} == {("3.9", "3.8", "3.7", "3.6")}
    assert (found[0].source, found[0].variables) == (f"{PATH}:2 (job new)", {"DB": "sqlite"})


def test_files_of_the_repository_that_are_taken_in_count_less_than_its_own() -> None:
    text = """\
    include:
      - local: /ci/jobs.yml
      - https://elsewhere/x.yml
      - {project: a/b, file: c.yml}
      - {local: no.yml}
    tests: {variables: {A: own}}
    """
    other = "include: ci/more.yml\ntests:\n  variables: {A: 1, B: 2}\n  script: [pytest]\n"
    (job,) = jobs_of(text, **{"ci/jobs.yml": other, "ci/more.yml": "default: {image: 'python:3.7'}"})
    assert (told(job), job.variables, job.versions) == (
        [("pytest", "")], {"A": "own", "B": "2"}, {"python": ("3.7",)},
    )  # fmt: skip


@pytest.mark.parametrize("tags", ["[windows]", "[shared-windows, win-1809]", "[saas-macos-medium-m1]"])
def test_a_job_of_another_system_says_nothing(tags: str) -> None:
    assert jobs_of(f"a: {{tags: {tags}, script: pytest}}") == ()


@pytest.mark.parametrize(
    ("said", "is_seldom"),
    [
        ("when: manual", True), ("only: [tags]", True), ("only: {refs: [schedules]}", True),
        ("only: [main, tags]", False), ("when: always", False), ("rules: [{if: $CI_COMMIT_TAG}]", False),
    ],
)  # fmt: skip
def test_jobs_that_no_change_starts_come_last(said: str, is_seldom: bool) -> None:
    found = jobs_of(f"seldom: {{{said}, script: pytest -x}}\nalways: {{script: pytest}}")
    assert [job.seldom for job in found if "seldom" in job.source] == [is_seldom]
    assert ("always" in found[0].source) or not is_seldom


@pytest.mark.parametrize(
    "text",
    [
        "a: 1", "a: {script: }", "a: {script: {}}", "script: pytest", "a: {extends: a, script: pytest}",
        "a: {extends: [b, 3, {}], script: [pytest, [], {}, [a, script], [a, b, c]]}\nb: {extends: a}",
        "include: [{}, 3, {local: }]\nvariables: 3\ndefault: []\nimage: []\nservices: x\na: {script: pytest}",
        "a: {script: pytest, parallel: {matrix: [3, {}, {A: }, {A: []}]}, tags: 3, only: {a: b}, image: {name: []}}",
        f"include: {PATH}\na: {{script: pytest, services: [{{}}, 3, {{alias: x}}], variables: [A]}}",
        "a: &a [*a]\nb: {script: *a}", "a: &a {<<: *a, script: pytest, extends: *a}",
    ],
)  # fmt: skip
def test_what_is_broken_raises_nothing(text: str) -> None:
    assert len(jobs_of(text)) <= 2


@pytest.mark.parametrize(
    "text",
    [
        "a: &a {script: [" + "[.r, script], " * 200 + "pytest]}\n.r: {script: [" + "[a, script], " * 200 + "]}\n",
        "".join(f"j{n}: {{extends: [{', '.join(f'j{m}' for m in range(60))}], script: pytest}}\n" for n in range(60)),
        "".join(f"j{n}: {{extends: j{n + 1}, script: pytest}}\n" for n in range(3_000)),
        f"include: [{f'{PATH}, ' * 60}]\na: {{script: pytest}}",
        "x: &x {" + ", ".join(f"A{n}: $A{n + 1}$A{n + 1}" for n in range(4_000)) + "}\n"
        + "".join(f"j{n}: {{variables: *x, script: pytest}}\n" for n in range(40)),
        "a: {script: pytest, parallel: {matrix: ["
        + ("{" + ", ".join(f"p{n}: [{', '.join('12345678')}]" for n in range(30)) + "}, ") * 40 + "]}}",
        "x: &x\n" + "  - pytest $A && pytest\n" * 4_000 + "".join(f"j{n}: {{script: [*x, *x]}}\n" for n in range(30)),
        "x: &x\n  - - []\n" + "".join(f"y{n}: &y{n} [{f'*y{n - 1}, ' * 9 if n else '*x'}]\n" for n in range(12))
        + "a: {script: *y11}\n",
        f"include: [{f'{PATH}, ' * 30}]\n"
        + "".join(f"j{n}: {{script: pytest, variables: {{A: b}}}}\n" for n in range(4_000)),
    ],
)  # fmt: skip
def test_a_file_that_stands_for_very_much_comes_to_an_end(text: str) -> None:
    begun = time.process_time()
    jobs_of(text)
    assert time.process_time() - begun < 5
