"""What a file of Azure's pipelines says of the jobs that run tests, as evidence: nothing of it is run."""

import time
from textwrap import dedent

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import jobs_told
from tests.support.files_checkout import FilesCheckout
from tests.support.long import first_of

PATH = "azure-pipelines.yml"


def jobs_of(text: str, **more: str) -> tuple[WorkflowEvidence, ...]:
    return jobs_told(PATH, text, **more)


def of_steps(steps: str, rest: str = "", **more: str) -> WorkflowEvidence:
    indented = "".join(f"  {line}\n" for line in dedent(steps).strip().splitlines())
    (found,) = jobs_of(f"{dedent(rest)}\nsteps:\n{indented}", **more)
    return found


def told(job: WorkflowEvidence) -> list[tuple[str, str]]:
    return [(" ".join(command.argv), command.directory) for command in job.tests]


PLAIN = """\
    trigger: [main]
    variables:
      MODE: quick
      cacheFolder: /tmp/cache
    resources:
      containers:
        - container: pg
          image: postgres:11
          ports: ['5433:5432']
          env: {POSTGRES_USER: jubilant}
    jobs:
      - job: Test
        strategy:
          matrix:
            Python36Linux: {imageName: ubuntu-16.04, python.version: '3.6'}
            Python38Windows: {imageName: vs2017-win2016, python.version: '3.8'}
            Python38Linux: {imageName: ubuntu-16.04, python.version: '3.8'}
        pool: {vmImage: $(imageName)}
        services: {db: pg, cache: redis}
        steps:
          - task: UsePythonVersion@0
            inputs: {versionSpec: $(python.version)}
          - script: |
              pip install -r requirements.txt
              python$(python.version) -m pytest -x
            workingDirectory: $(Build.SourcesDirectory)/web
            env: {D: $(MODE), KEY: $(secret)}
          - task: PublishTestResults@2
    """


def test_a_job_tells_its_language_its_services_its_variables_and_what_it_runs() -> None:
    (job,) = jobs_of(PLAIN)
    assert job.source == f"{PATH}:12 (job Test)"
    assert [command.source for command in job.tests] == [f"{PATH}:25"]
    assert told(job) == [("python3.8 -m pytest -x", "web")]
    assert [command.argv for command in job.installs] == [("pip", "install", "-r", "requirements.txt")]
    assert job.versions == {"python": ("3.8", "3.6")}
    assert job.variables == {"MODE": "quick", "D": "quick"}
    assert [(each.kind, each.version, each.port, each.name) for each in job.services] == [
        ("postgresql", "11", 5433, "db"), ("redis", "", None, "cache"),
    ]  # fmt: skip
    assert job.services[0].variables == {"POSTGRES_USER": "jubilant"}


def test_the_plan_of_a_repository_has_what_azure_says_and_names_it() -> None:
    package = '{"name": "a", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "5"}}'
    text = "steps:\n- task: NodeTool@0\n  inputs: {versionSpec: 8.x}\n- script: npm test\n"
    checkout = FilesCheckout({PATH: text, "package.json": package, "test/a.js": "it('a', () => {})"})
    assert f"{PATH}:1: tested with node 8" in detect(checkout.tree, checkout.read).evidence


@pytest.mark.parametrize(
    ("step", "command", "directory"),
    [
        ("script: pytest", "pytest", ""),
        ("bash: cd web && pytest", "pytest", "web"),
        ("bash: cd $BUILD_SOURCESDIRECTORY/web && pytest", "pytest", "web"),
        ("bash: pytest\n  workingDirectory: web", "pytest", "web"),
        ("task: CmdLine@2\n  inputs: {script: pytest, workingDirectory: web}", "pytest", "web"),
        ("task: Bash@3\n  inputs: {targetType: inline, script: pytest}", "pytest", ""),
        ("task: PythonScript@0\n  inputs: {scriptPath: runtests.py, arguments: -v}", "python runtests.py -v", ""),
        ("task: Npm@1\n  inputs: {command: test, workingDir: web}", "npm test", "web"),
        ("task: Npm@1\n  inputs: {command: custom, customCommand: run test:unit}", "npm run test:unit", ""),
        ("task: Maven@3\n  inputs: {goals: test, options: -B}", "mvn test -B", ""),
        ("task: Gradle@2\n  inputs: {tasks: check}", "./gradlew check", ""),
        ("task: Go@0\n  inputs: {command: test, arguments: ./...}", "go test ./...", ""),
    ],
)
def test_a_step_runs_a_script_or_a_task_that_stands_for_one(step: str, command: str, directory: str) -> None:
    job = of_steps(f"- {step}", **{"runtests.py": ""})
    assert told(job) == [(command, directory)]


def test_a_file_that_a_task_names_is_read_as_the_script_that_it_is() -> None:
    job = of_steps("- task: Bash@3\n  inputs: {filePath: ci/all.sh}", **{"ci/all.sh": "pip install more\npytest -x\n"})
    assert told(job) == [("pytest -x", "")]
    assert [command.argv for command in job.installs] == [("pip", "install", "more")]


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("succeeded()", True), ("always()", True), ("failed()", False), ("false", False), ("and(", True),
        ("eq(variables['Agent.OS'], 'Linux')", True), ("eq(variables['Agent.OS'], 'Windows_NT')", False),
        ("and(succeeded(), eq(variables.mode, 'quick'))", True), ("ne(variables['Agent.OS'], 'Windows_NT')", True),
        ("not(eq(variables['Agent.OS'], 'Windows_NT'))", True),
        ("or(eq(variables['Agent.OS'], 'Darwin'), eq(variables['Agent.OS'], 'Linux'))", True),
    ],
)  # fmt: skip
def test_steps_jobs_and_stages_on_a_condition_are_taken_unless_it_is_known_not_to_be_met(
    condition: str, is_met: bool
) -> None:
    text = """\
    variables: {mode: quick}
    stages:
    - stage: a
      %s
      jobs:
      - job: b
        %s
        steps:
        - script: pytest
          %s
    """
    for place in range(3):
        conditions = [f"condition: {condition}" if each == place else "" for each in range(3)]
        assert bool(jobs_of(dedent(text) % tuple(conditions))) is is_met


def test_the_row_that_stands_for_a_matrix_has_the_newest_version_and_what_is_set_for_all() -> None:
    rest = """\
    variables: {vmImage: ubuntu-latest, python.version: '3.8', TOXENV: py}
    strategy:
      matrix:
        Windows: {vmImage: windows-latest}
        Linux: {vmImage: ubuntu-latest}
        Old: {python.version: '3.6'}
        Flags: {python.version: '3.7', flags: -x}
        Docs: {TOXENV: docs}
    pool:
      vmImage: $[ coalesce(variables['vmImage'], 'windows-latest') ]
    """
    job = of_steps(
        "- {task: UsePythonVersion@0, inputs: {versionSpec: $(python.version)}}\n- script: $(flags) tox", rest
    )
    assert job.versions == {"python": ("3.8", "3.7", "3.6")}
    assert (told(job), job.steering, job.variables) == ([("tox", "")], {"TOXENV": "py"}, {})


@pytest.mark.parametrize(
    "pool",
    [
        *("{vmImage: windows-2019}", "{vmImage: macOS-10.15}", "Hosted VS2017", "{name: Win}"),
        *("{name: Own, demands: Agent.OS -equals Windows_NT}", "{name: Own, demands: [npm, agent.os -equals Darwin]}"),
    ],
)
def test_a_job_of_another_system_says_nothing(pool: str) -> None:
    assert jobs_of(f"pool: {pool}\nsteps: [{{script: pytest}}]") == ()


def test_a_screen_that_the_ci_starts_is_not_there() -> None:
    text = "variables: {DISPLAY: ':99.0', MODE: quick}\nsteps:\n- bash: Xvfb :99 & pytest\n- bash: pytest -x\n"
    checkout = FilesCheckout({PATH: text, "test_a.py": "def test():\n    pass\n"})
    plan = detect(checkout.tree, checkout.read)
    assert plan.test_variables["MODE"] == "quick"
    assert "DISPLAY" not in plan.test_variables


def test_a_job_in_a_container_has_its_language_and_sees_its_services_by_their_names() -> None:
    rest = """\
    resources: {containers: [{container: own, image: 'python:3.7-slim'}, {container: pg, image: 'postgres:12'}]}
    container: $[ variables['where'] ]
    variables: [{name: where, value: own}, {group: secrets}]
    services: {database: pg}
    """
    job = of_steps("- script: pytest", rest)
    assert job.versions == {"python": ("3.7",)}
    assert [(each.kind, each.name) for each in job.services] == [("postgresql", "database")]


def test_variables_are_those_of_programs_and_of_the_shell_and_the_ordinary_row_has_none_of_its_own() -> None:
    rest = """\
    variables: {cacheFolder: x, PUT_IN: -x, some.words: two, DB: sqlite, image: ubuntu-20.04}
    strategy:
      matrix:
        plain: {pure: '', python: '3.6'}
        pure: {pure: 'Y', python: '3.8'}
    """
    job = of_steps("- script: pytest $(PUT_IN) $SOME_WORDS\n  env: {PURE: $(pure)}", rest)
    assert (told(job), job.variables) == ([("pytest -x two", "")], {"SOME_WORDS": "two", "DB": "sqlite", "PURE": ""})


@pytest.mark.parametrize(
    "name", ["tsan", "test_asan", "sanitizers", "miri", "loom", "valgrind", "minimum_dependencies"]
)
def test_a_job_under_a_sanitizer_or_the_like_is_not_the_one_that_tests(name: str) -> None:
    jobs = jobs_of(f"jobs: [{{job: {name}, steps: [script: pytest]}}, {{job: linux, steps: [script: pytest -x]}}]")
    assert [job.source for job in jobs] == [f"{PATH}:1 (job linux)", f"{PATH}:1 (job {name})"]


@pytest.mark.parametrize(
    "path", [".azure-pipelines.yml", ".azure-pipelines/test.yml", "ci/azure/main.yml", ".ci/azure-pipelines.yml"]
)
def test_files_of_other_names_count_where_there_is_none_of_the_usual_one(path: str) -> None:
    other = "trigger: [main]\nsteps: [{script: pytest}]"
    files = {path: other, ".azure-pipelines/steps.yml": "steps: [{script: pytest of-a-template}]"}
    checkout = FilesCheckout(files)
    assert [told(job) for job in read_workflows(checkout.tree, checkout.read)] == [[("pytest", "")]]
    assert jobs_of("steps: [{script: pytest -x}]", **files)[0].source.startswith(PATH) or path == ".azure-pipelines.yml"


def test_a_pipeline_that_no_change_starts_comes_last() -> None:
    assert [job.seldom for job in jobs_of("trigger: none\npr: none\nsteps: [{script: pytest}]")] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "jobs: 1", "jobs: [a]", "jobs: [{job: }]", "steps: x", "steps: [[], {}, 3, {script: }, {task: 3, inputs: x}]",
        "stages: [{jobs: x}, [], {jobs: [{steps: [{script: pytest}], pool: [], services: 3, container: []}]}]",
        "variables: [3, {name: }, {value: 3}]\nstrategy: {matrix: {a: 3, b: }}\nsteps: [{script: pytest}]",
        "steps: [{template: }, {template: {}}, {template: no.yml, parameters: 3}]", "a: &a [*a]\njobs: *a\nsteps: *a",
        f"steps: [{{template: {PATH}}}, {{script: pytest}}]", f"extends: {{template: {PATH}}}",
        "steps:\n- ${{ each x in y }}: 3\n- ${{ if }}: 3\n- script: pytest ${{ eq( }} $[ ]\n",
        "resources: {containers: {a: b}}\nschedules: x\ntrigger: []\nsteps: [{script: pytest, condition: {a: b}}]",
    ],
)  # fmt: skip
def test_what_is_broken_raises_nothing(text: str) -> None:
    assert len(jobs_of(text)) <= 1


@pytest.mark.parametrize(
    "text",
    first_of([
        "variables: {a: $(b)$(b)$(b), b: $(c)$(c)$(c), c: $(a)$(a)$(a)}\nsteps:\n" + "- script: pytest $(a)\n" * 90,
        "x: &x {script: pytest, env: {" + ", ".join(f"A{n}: $(B)" for n in range(4_000)) + "}}\njobs:\n"
        + "".join(f"- job: j{n}\n  steps: [{'*x, ' * 40}]\n" for n in range(90)),
        "x: &x\n" + "".join(f"  r{n}: {{v: '{n}', w: $(v)}}\n" for n in range(3_000)) + "jobs:\n"
        + "- {strategy: {matrix: *x}, steps: [{script: pytest $(v)}]}\n" * 60,
        "x: &x {script: '" + "pytest $(a) && " * 4_000 + "'}\nvariables: {a: b}\njobs:\n"
        + "- {steps: [*x, *x, *x]}\n" * 40,
        "steps:\n- script: pytest\n  condition: " + "eq(" * 30_000 + "\n",
        "variables: {e: '', b: " + "x" * 190 + "}\npool: {demands: ["
        + f"'{'$(b)' * 100}', '{'$(e)' * 100}', " * 20 + "windows]}\njobs:\n" + "- {steps: []}\n" * 5_000,
        "condition: " + "eq('a', " * 8_000 + "eq('b', 'windows_nt')\njobs:\n" + "- {steps: [{script: a}]}\n" * 5_000,
    ], always=3),
)  # fmt: skip
def test_a_file_that_stands_for_very_much_comes_to_an_end(text: str) -> None:
    begun = time.process_time()
    jobs_of(text)
    assert time.process_time() - begun < 5
