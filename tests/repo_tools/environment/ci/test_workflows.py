"""Workflows are read as evidence of how a repository is tested, and whatever stands in them, nothing raises."""

import pytest

from repo_tools.environment.ci.additions import with_workflows
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.files import MAX_BYTES
from repo_tools.environment.ci.steps import MOST_COMMANDS
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment, Service, SetupCommand, TestCommand
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout

CI = ".github/workflows/ci.yml"
PYTHON = """\
name: CI
on: [push, pull_request]
env:
  GLOBAL: everywhere
  PIP_NO_INPUT: "1"
  TOKEN: ${{ secrets.TOKEN }}
defaults:
  run:
    shell: bash
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: ruff check .
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        python-version: ["3.9", "3.12", "3.10", "3.14-dev", "pypy-3.10"]
        db: [postgres, mysql]
        include:
          - python-version: "3.13"
            os: ubuntu-latest
    env:
      DATABASE_URL: postgresql://app:app@localhost:${{ job.services.postgres.ports[5432] }}/app
    services:
      postgres:
        image: postgres:16-alpine
        env:
          POSTGRES_PASSWORD: app
          POSTGRES_USER: ${{ env.GLOBAL }}
        ports: ["5433:5432"]
        options: >-
          --health-cmd pg_isready
      cache:
        image: docker.io/library/redis:7
        ports: [6379/tcp]
      search:
        image: elasticsearch:8.1
    steps:
      - uses: actions/checkout@v4
      - name: Set up Python
        uses: actions/setup-python@v5
        with:
          python-version: ${{ matrix.python-version }}
      - run: sudo apt-get update && sudo apt-get install -y --no-install-recommends libpq-dev gettext
      - name: Install
        run: |
          # the usual
          python -m pip install -U pip
          pip install -r requirements/ci.txt \\
            -c constraints.txt
          pip install .[test]
      - name: Windows only
        if: runner.os == 'Windows'
        run: pytest windows
      - name: Test
        env:
          DJANGO_SETTINGS_MODULE: app.settings.test
        run: |
          if [ -n "$X" ]; then
            pytest never
          fi
          pytest tests/unit -x
          TZ=UTC python -m pytest tests/${{ matrix.db }}
          pytest ${{ inputs.what }}
"""


def evidence_of(text: str | bytes, path: str = CI, **others: str) -> tuple[WorkflowEvidence, ...]:
    checkout = FilesCheckout({path: text, "a.py": "", **others})
    return read_workflows(checkout.tree, checkout.read)


def job(steps: str, more: str = "") -> str:
    lines = "\n".join(f"      {line}" for line in steps.splitlines())
    return f"jobs:\n  test:\n    runs-on: ubuntu-latest\n{more}    steps:\n{lines}\n"


def test_steps_that_run_at_once_are_steps() -> None:
    (evidence,) = evidence_of(
        job("- parallel:\n    - run: pytest -n 2\n    - if: runner.os == 'Windows'\n      run: tox\n")
    )
    assert [command.argv for command in evidence.tests] == [("pytest", "-n", "2")]


@pytest.mark.parametrize(("shell", "tests"), [("python", []), ("python3 {0}", []), ("bash -el {0}", ["tox = 1"])])
def test_a_script_of_python_is_no_commands(shell: str, tests: list[str]) -> None:
    found = evidence_of(job(f"- run: tox = 1\n  shell: {shell}\n"))
    assert [" ".join(command.argv) for evidence in found for command in evidence.tests] == tests


@pytest.fixture(scope="module")
def found() -> WorkflowEvidence:
    (evidence,) = evidence_of(PYTHON)
    return evidence


def test_the_job_that_runs_tests_is_named_with_its_line(found: WorkflowEvidence) -> None:
    assert found.source == f"{CI}:15 (job test)"


def test_versions_are_the_final_ones_of_the_matrix_the_newest_first(found: WorkflowEvidence) -> None:
    assert found.versions == {"python": ("3.13", "3.12", "3.10", "3.9")}


def test_switches_of_the_matrix_are_no_versions_but_stand_as_they_were_given() -> None:
    matrix = "    strategy:\n      matrix:\n        openssl: [0, 1]\n"
    (evidence,) = evidence_of(job("- run: pytest\n  env:\n    WITH_OPENSSL: ${{ matrix.openssl }}", matrix))
    assert dict(evidence.variables)["WITH_OPENSSL"] == "0"


@pytest.mark.parametrize(
    ("matrix", "named", "tags"),
    [
        ("tags: ['', -tags nomsgpack]", "tags", ""),
        ("tags: [-tags nomsgpack, '']", "tags", "-tags nomsgpack"),
        ("go: [1]\n        include: [{go: 1, tags: -race}]", "tags", "-race"),
        ("cfg: [{name: lint}, {name: unit, tags: -race}]", "cfg.tags", "-race"),
    ],
)
def test_an_empty_value_counts_where_a_dimension_begins_with_it(matrix: str, named: str, tags: str) -> None:
    step = f"- run: go test\n  env: {{TAGS: '${{{{ matrix.{named} }}}}'}}"
    (evidence,) = evidence_of(job(step, f"    strategy:\n      matrix:\n        {matrix}\n"))
    assert evidence.variables == {"TAGS": tags}


def test_parts_of_what_a_matrix_lists_stand_for_their_values() -> None:
    matrix = (
        "    strategy:\n      matrix:\n        with:\n          - {name: old, flags: --pre}\n          - {name: new}\n"
    )
    (evidence,) = evidence_of(job("- run: pip install ${{ matrix.with.flags }} mock\n- run: pytest", matrix))
    assert [command.argv for command in evidence.installs] == [("pip", "install", "--pre", "mock")]


@pytest.mark.parametrize(
    ("condition", "pinned"),
    [
        ("matrix.deps == 'lowest'", False),
        ("matrix.deps != 'highest'", False),
        ("${{ matrix.deps == 'lowest' && matrix.os == 'ubuntu-latest' }}", False),
        ("matrix.deps == 'highest'", True),
        ("matrix.deps == 'lowest' || github.event_name == 'push'", True),
        ("matrix.os == 'ubuntu-latest'", True),
        ("matrix.other == 'lowest'", True),
    ],
)
def test_versions_that_only_other_jobs_of_the_matrix_want_are_left_out(condition: str, pinned: bool) -> None:
    matrix = (
        "    strategy:\n      matrix:\n        deps: [highest, lowest]\n        os: [macos-latest, ubuntu-latest]\n"
    )
    steps = (
        f"- run: pip install 'shop==2.9' \n  if: {condition}\n- run: pip install mock\n  if: {condition}\n- run: pytest"
    )
    (evidence,) = evidence_of(job(steps, matrix))
    named = [command.argv[2] for command in evidence.installs]
    assert named == (["shop==2.9", "mock"] if pinned else ["mock"])


@pytest.mark.parametrize(
    ("condition", "pinned"),
    [
        ("matrix.shop", False),
        ("${{ matrix.shop }}", False),
        ("${{ ! matrix.shop }}", True),
        ("matrix.slow", False),
        ("matrix.python", True),
        ("${{ !matrix.python }}", False),
        ("matrix.other", True),
        ("matrix.python < '3.9'", False),
        ("${{ matrix.python >= '3.4' && matrix.python < '3.7' }}", False),
        ("${{ matrix.python >= '3.4' }}", True),
        ("""contains(fromJSON('["2.7", "3.9"]'), matrix.python)""", False),
        ("""${{ contains(fromJson('["3.12", "3.13"]'), matrix.python) }}""", True),
        ("""${{ !contains(fromJson('["3.12", "3.13"]'), matrix.python) }}""", False),
    ],
)
def test_so_are_those_of_jobs_in_which_a_value_is_set_or_is_not(condition: str, pinned: bool) -> None:
    matrix = "    strategy:\n      matrix:\n        python: ['3.12']\n        slow: [false]\n"
    matrix += "        include:\n          - python: '3.x'\n            shop: '2.9'\n"
    steps = f"- run: pip install 'shop~=${{{{ matrix.shop }}}}'\n  if: {condition}\n- run: pytest"
    (evidence,) = evidence_of(job(steps, matrix))
    assert len(evidence.installs) == pinned


@pytest.mark.parametrize(
    "step", ["pip install --force-reinstall shop", "pip install 'shop<2'", "pip install 'shop ~= 2.9'"]
)
def test_what_other_jobs_of_the_matrix_put_in_the_place_of_something_is_left_out(step: str) -> None:
    steps = f"- run: {step}\n  if: matrix.deps == 'lowest'\n- run: pytest"
    (evidence,) = evidence_of(job(steps, "    strategy:\n      matrix:\n        deps: [highest, lowest]\n"))
    assert evidence.installs == ()


def test_installs_are_single_commands_with_their_lines(found: WorkflowEvidence) -> None:
    assert [(command.argv, command.source) for command in found.installs] == [
        (("sudo", "apt-get", "install", "-y", "--no-install-recommends", "libpq-dev", "gettext"), f"{CI}:47"),
        (("python", "-m", "pip", "install", "-U", "pip"), f"{CI}:51"),
        (("pip", "install", "-r", "requirements/ci.txt", "-c", "constraints.txt"), f"{CI}:52"),
        (("pip", "install", ".[test]"), f"{CI}:54"),
    ]
    assert found.system_packages == ("libpq-dev", "gettext")


def test_test_commands_are_those_that_can_be_known(found: WorkflowEvidence) -> None:
    assert [(command.argv, command.variables) for command in found.tests if not command.in_part] == [
        (("pytest", "tests/unit", "-x"), ()),
        (("python", "-m", "pytest", "tests/postgres"), (("TZ", "UTC"),)),
    ]


def test_services_come_with_version_port_and_variables(found: WorkflowEvidence) -> None:
    variables = {"POSTGRES_PASSWORD": "app", "POSTGRES_USER": "everywhere"}
    assert found.services == (
        Service("postgresql", "16", 5433, variables, "postgres", f"{CI}:28", required=False),
        Service("redis", "7", None, {}, "cache", f"{CI}:36", required=False),
    )
    assert found.unknown_services == ("elasticsearch:8.1",)


def test_variables_are_those_of_the_tests_without_secrets_and_without_the_machines_own(
    found: WorkflowEvidence,
) -> None:
    assert found.variables == {
        "GLOBAL": "everywhere",
        "DATABASE_URL": "postgresql://app:app@localhost:5433/app",
        "DJANGO_SETTINGS_MODULE": "app.settings.test",
    }


def test_variables_that_choose_the_cis_own_machine_or_interpreter_are_left_out() -> None:
    names = (
        "OS",
        "PYTHON",
        "PYTHON_VERSION",
        "DEFAULT_PYTHON",
        "TOXENV",
        "NOXSESSION",
        "CACHE_KEY",
        "PYTHONHASHSEED",
        "DB_OS",
        "CACHE_URL",
    )
    env = "".join(f"      {name}: '1'\n" for name in names)
    (found,) = evidence_of(f"jobs:\n  test:\n    env:\n{env}    steps: [{{run: pytest}}]\n")
    assert found.variables == {"PYTHONHASHSEED": "1", "DB_OS": "1", "CACHE_URL": "1"}


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("repository: other/project", 0),
        ("{repository: other/project, path: beside}", 1),
        ("repository: ${{ github.repository }}", 1),
    ],
)
def test_a_job_that_tests_another_repository_says_nothing(given: str, count: int) -> None:
    checkout = f"      - uses: actions/checkout@v4\n        with: {given}\n"
    if not given.startswith("{"):
        checkout = checkout.replace("with: ", "with:\n          ")
    assert len(evidence_of(job(f"{checkout}      - run: pytest\n"))) == count


def test_variables_of_a_step_stand_for_their_values_in_its_lines() -> None:
    (evidence,) = evidence_of(job("- run: pytest $ARGS\n  env: {ARGS: '-n 2'}"))
    assert [command.argv for command in evidence.tests] == [("pytest", "-n", "2")]


OTHER_MAKERS = """
    services:
      db:
        image: bitnami/postgresql:15
        env: {POSTGRESQL_USERNAME: me, POSTGRESQL_PASSWORD: x, POSTGRESQL_DATABASE: app}
      queue:
        image: docker.io/bitnami/rabbitmq:3.12
        env: {RABBITMQ_USERNAME: me, RABBITMQ_PASSWORD: x}
"""


def test_variables_of_other_makers_images_are_told_to_the_official_ones() -> None:
    (evidence,) = evidence_of(job("- run: pytest", OTHER_MAKERS))
    assert [(s.kind, s.version, s.variables) for s in evidence.services] == [
        ("postgresql", "15", {"POSTGRES_USER": "me", "POSTGRES_PASSWORD": "x", "POSTGRES_DB": "app"}),
        ("rabbitmq", "3.12", {"RABBITMQ_DEFAULT_USER": "me", "RABBITMQ_DEFAULT_PASS": "x"}),
    ]


@pytest.mark.parametrize(
    ("image", "kind", "version"),
    [
        ("mysql/mysql-server:8.0", "mysql", "8.0"),
        ("percona:8", "mysql", "8"),
        ("percona/percona-server:8.4", "mysql", "8.4"),
        ("timescale/timescaledb-ha:pg16", "postgresql", "16"),
    ],
)
def test_other_makers_servers_are_known_by_name_where_no_port_is_said(image: str, kind: str, version: str) -> None:
    (evidence,) = evidence_of(job("- run: pytest", f"    services: {{db: {{image: '{image}'}}}}\n"))
    assert [(s.kind, s.version) for s in evidence.services] == [(kind, version)]


IN_A_CONTAINER = """
    container: {container}
    services:
      db:
        image: postgres:16
        ports: ["5433:5432"]
    env:
      PORT: ${{{{ job.services.db.ports[5432] }}}}
"""


@pytest.mark.parametrize(
    ("container", "port", "told"),
    [("node:20", None, "5432"), ("{image: '${{ matrix.x }}'}", None, "5432"), ("''", 5433, "5433")],
)
def test_a_job_in_a_container_reaches_its_services_at_their_own_ports(
    container: str, port: int | None, told: str
) -> None:
    (evidence,) = evidence_of(job("- run: pytest", IN_A_CONTAINER.format(container=container)))
    assert [(s.name, s.port) for s in evidence.services] == [("db", port)]
    assert evidence.variables == {"PORT": told}


SAID_BESIDE = """
    services:
      db:
        image: postgres:16
        options: >-
          --health-cmd pg_isready -e POSTGRES_DB=app --env 'POSTGRES_USER=me' -e PASSED_ON
      cache: {image: "redis:7", command: redis-server --requirepass secret}
"""


def test_services_are_told_what_options_and_commands_of_their_containers_say() -> None:
    (evidence,) = evidence_of(job("- run: pytest", SAID_BESIDE))
    assert [s.variables for s in evidence.services] == [
        {"POSTGRES_DB": "app", "POSTGRES_USER": "me"},
        {"REDIS_PASSWORD": "secret"},
    ]


MATRIX_OF_PORTS = """
    strategy:
      matrix:
        port: [5433]
        inside: [5432]
        db: [postgres]
    services:
      sql:
        image: ${{ matrix.db == 'postgres' && 'postgres:16' || 'mysql:8' }}
        ports: ["${{ matrix.port }}:${{ matrix.inside }}"]
      cache:
        image: redis:${{ inputs.redis || '7' }}
        ports: ["${{ matrix.port }}:6379"]
      queue:
        image: ${{ matrix.db != 'postgres' && 'rabbitmq:3' || '' }}
    env:
      SQL: localhost:${{ job.services.sql.ports[matrix.inside] }}
      CACHE: ${{ job.services.cache.ports['6379'] }}
      ELSE: ${{ matrix.none || 'a' }}${{ github.run_id || 'b' }}
"""


def test_services_and_their_ports_may_be_said_by_the_matrix_and_by_choices() -> None:
    (evidence,) = evidence_of(job("- run: pytest", MATRIX_OF_PORTS))
    assert [(s.kind, s.version, s.port) for s in evidence.services] == [
        ("postgresql", "16", 5433),
        ("redis", "7", 5433),
    ]
    assert evidence.unknown_services == ()
    assert evidence.variables == {"SQL": "localhost:5433", "CACHE": "5433"}


MATRIX_OF_DATABASES = """
    strategy:
      matrix:
        include:
          - {image: 'mysql:8.0', port: 3306}
          - {image: 'postgres:15', port: 5432}
    services:
      db:
        image: ${{ matrix.image }}
        ports: ["${{ matrix.port }}:${{ matrix.port }}"]
    env:
      PORT: ${{ matrix.port }}
"""


def test_a_port_that_the_matrix_says_is_that_of_the_image_beside_it() -> None:
    (evidence,) = evidence_of(job("- run: pytest", MATRIX_OF_DATABASES))
    assert [(s.kind, s.port) for s in evidence.services] == [("mysql", 3306)]
    assert evidence.variables == {"PORT": "3306"}


MATRIX_OF_ENTRIES = """
    runs-on: ${{ matrix.os || 'ubuntu-latest' }}
    strategy:
      matrix:
        container:
          - {tag: new}
          - {tag: old, flags: --dev}
        include:
          - {python: '3.13'}
          - {python: '3.13', os: windows-latest}
          - {python: '3.12', tox: oldest}
    env:
      FLAGS: ${{ matrix.container.flags || '--plain' }}
      ENVIRONMENT: ${{ matrix.tox || '' || 'all' }}
      TAG: ${{ matrix.container.tag || 'none' }}
"""


def test_what_some_jobs_of_a_matrix_set_is_not_taken_for_all_where_there_is_a_default() -> None:
    (evidence,) = evidence_of(job("- run: pytest", MATRIX_OF_ENTRIES).replace("    runs-on: ubuntu-latest\n", ""))
    assert evidence.versions["python"] == ("3.13", "3.12")
    assert evidence.variables == {"FLAGS": "--plain", "ENVIRONMENT": "all", "TAG": "new"}


def test_what_only_added_jobs_set_is_not_what_the_jobs_of_the_matrix_have() -> None:
    matrix = (
        "    strategy:\n      matrix:\n        python: ['3.13']\n        include: [{python: '3.13', os: windows-11}]\n"
    )
    text = job("- run: pytest", matrix).replace("ubuntu-latest", "${{ matrix.os || 'ubuntu-latest' }}")
    (evidence,) = evidence_of(text)
    assert evidence.versions["python"] == ("3.13",)


def test_a_step_that_runs_the_same_tests_again_says_nothing_of_how_they_are_run() -> None:
    steps = "- run: pytest\n- run: pytest\n  env: {PURE: '1'}\n- run: pytest slow\n  env: {SLOW: '1'}"
    (evidence,) = evidence_of(job(steps))
    assert evidence.variables == {"SLOW": "1"}


def test_a_variable_that_only_names_the_interpreter_of_a_job_is_not_set() -> None:
    matrix = "    strategy: {matrix: {under: ['3.14', '3.11', own]}}\n"
    steps = (
        "- uses: actions/setup-python@v5\n  with: {python-version: '${{ matrix.under }}'}\n"
        "- run: pytest\n  env: {SHOP_TEST_ENVIRONMENT: '${{ matrix.under }}', SHOP_SLOW: '3'}"
    )
    (evidence,) = evidence_of(job(steps, matrix))
    assert evidence.variables == {"SHOP_SLOW": "3"}


def test_a_chain_of_choices_of_any_length_does_not_raise() -> None:
    chain = "    env:\n      LONG: ${{ matrix.none " + "||''" * 980 + " }}\n"
    (evidence,) = evidence_of(job("- run: pytest", chain))
    assert not evidence.variables


@pytest.mark.parametrize(
    ("steps", "language", "versions"),
    [
        ("- uses: actions/setup-node@v4\n  with: {node-version: 20}\n- run: npm test", "node", ("20",)),
        ("- uses: actions/setup-node@v4\n  with: {node-version: 'lts/*'}\n- run: npm test", "node", ("lts/*",)),
        ("- uses: actions/setup-node@v4\n  with: {node-version: canary}\n- run: npm test", "node", ()),
        ("- uses: actions/setup-go@v5\n  with: {go-version: 1.22.x}\n- run: go test ./...", "go", ("1.22.x",)),
        ("- uses: ruby/setup-ruby@v1\n  with: {ruby-version: '3.3'}\n- run: bundle exec rspec", "ruby", ("3.3",)),
        ("- uses: actions/setup-java@v4\n  with: {java-version: 21}\n- run: mvn -B verify", "java", ("21",)),
        ("- uses: dtolnay/rust-toolchain@v1\n  with: {toolchain: stable}\n- run: cargo test", "rust", ()),
        (
            "- uses: actions/setup-python@v5\n  with:\n    python-version: |\n      3.9\n      3.11\n- run: tox -e py",
            "python",
            ("3.11", "3.9"),
        ),
    ],
)
def test_each_language_is_known_by_its_action(steps: str, language: str, versions: tuple[str, ...]) -> None:
    (evidence,) = evidence_of(job(steps))
    assert evidence.versions.get(language, ()) == versions
    assert evidence.languages == {language}


def test_the_image_of_a_job_says_its_language() -> None:
    (evidence,) = evidence_of(job("- run: make test", "    container: {image: 'python:3.11-slim'}\n"))
    assert evidence.versions == {"python": ("3.11",)}


def test_directories_come_from_the_step_from_the_defaults_and_from_cd() -> None:
    steps = "- run: npm ci && npm test\n- run: pytest\n  working-directory: ./api\n- run: cd lib && tox\n"
    steps += "- run: |\n    cd deep\n    pytest"
    (evidence,) = evidence_of(job(steps, "    defaults: {run: {working-directory: web}}\n"))
    assert [(command.argv[0], command.directory) for command in evidence.tests] == [
        ("npm", "web"),
        ("pytest", "api"),
        ("tox", "web/lib"),
        ("pytest", "web/deep"),
    ]


@pytest.mark.parametrize("elsewhere", ["windows-latest", "macos-14", "[macos-latest]"])
def test_jobs_for_other_systems_say_nothing(elsewhere: str) -> None:
    assert evidence_of(job("- run: pytest").replace("ubuntu-latest", elsewhere)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just words",
        "- a list",
        "jobs: 3",
        "jobs: [a, b]",
        "jobs:\n  test: 5\n",
        "jobs:\n  test:\n    uses: ./.github/workflows/other.yml\n",
        "jobs:\n  test:\n    steps: pytest\n",
        "jobs:\n  test:\n    steps: [5, null, {run: 7}, {run: [pytest]}, {run: {a: b}}, {uses: 3, with: 4}]\n",
        'jobs:\n  test:\n    steps: [{run: "pytest \'open"}]\n',
        "jobs:\n  test:\n    steps: [{run: '${{ fromJSON(x) }} pytest'}]\n",
        "jobs:\n  test:\n    runs-on: {group: big}\n    strategy: 5\n    services: 7\n    steps: [{run: ls}]\n",
        "jobs:\n\t- tab\n",
        "jobs: {test: [",
        "a: &a [*a]\njobs: *a\n",
        "jobs: &j\n  test: *j\n",
        "[" * 10_000,
        "\x00\x01",
        b"\xff\xfe\x00",
        "#" * (MAX_BYTES + 1),
    ],
)
def test_what_is_broken_or_says_nothing_is_passed_over(text: str | bytes) -> None:
    assert evidence_of(text) == ()


@pytest.mark.parametrize(
    "more",
    [
        "    strategy: {matrix: '${{ fromJSON(needs.x.outputs.m) }}'}\n",
        "    strategy: {matrix: {python: '${{ x }}', include: 5}}\n",
        "    services: {db: {image: '${{ matrix.db }}', ports: 5, env: 3}, b: 7, c: {image: [a]}}\n",
        "    services: {db: {image: 'postgres:16', ports: [[1], {a: b}, 'x:y', '99999:5432']}}\n",
        "    env: [1, 2]\n",
        "    env: {'1BAD': x, B: [c], C: '${{ secrets.X }}'}\n",
        "    defaults: {run: 5}\n",
        "    defaults: {run: {working-directory: /etc}}\n",
        "    container: [x]\n",
        "    if: 5\n",
    ],
)
def test_odd_parts_of_a_job_do_not_hide_the_rest(more: str) -> None:
    (evidence,) = evidence_of(job("- run: pytest", more))
    assert [command.argv for command in evidence.tests] == [("pytest",)]
    assert evidence.variables == {}
    assert all(service.port is None for service in evidence.services)


def test_anchors_are_followed() -> None:
    text = "x: &steps\n  - run: pytest\njobs:\n  test:\n    steps: *steps\n"
    (evidence,) = evidence_of(text)
    assert evidence.tests[0].source == f"{CI}:2"


def test_very_long_scripts_and_very_many_jobs_are_bounded() -> None:
    (evidence,) = evidence_of(job("- run: |\n" + "    pytest\n" * 5_000))
    assert len(evidence.tests) == MOST_COMMANDS
    assert len(evidence_of("jobs:\n" + "".join(f"  t{n}: {{steps: [{{run: tox}}]}}\n" for n in range(500)))) <= 50
    assert evidence_of(job(f"- run: pytest {'a' * 100_000}")) == ()


def test_links_and_files_in_deeper_folders_are_not_read() -> None:
    checkout = FilesCheckout({CI: PYTHON, ".github/workflows/deep/x.yml": PYTHON}, frozenset({CI}))
    assert read_workflows(checkout.tree, checkout.read) == ()


ENVIRONMENT = Environment(
    "python/2",
    ("pyproject.toml",),
    (SetupCommand(("true",)),),
    (TestCommand("pytest", ("pytest",)),),
    (),
    test_variables={"GLOBAL": "detected"},
)


def test_an_environment_gets_services_and_variables_of_the_job_that_runs_its_tests(found: WorkflowEvidence) -> None:
    environment = with_workflows(ENVIRONMENT, (found,))
    assert environment.services == found.services
    assert environment.test_variables == {**found.variables, "GLOBAL": "detected"}
    assert environment.evidence == (
        "pyproject.toml",
        f"{CI}:15 (job test): tested with python 3.9, 3.10, 3.12, 3.13",
        f"{CI}:15 (job test): libpq-dev, gettext with apt",
        f"{CI}:15 (job test): runs without its service elasticsearch:8.1, of no kind known here",
        f"{CI}:28: service postgresql 16",
        f"{CI}:36: service redis 7",
        f"{CI}:15 (job test): variables DATABASE_URL, DJANGO_SETTINGS_MODULE",
    )


def test_detection_asks_the_workflows() -> None:
    checkout = FilesCheckout({CI: PYTHON, "a.py": "", "test_a.py": ""})
    environment = detect(checkout.tree, checkout.read)
    assert [service.kind for service in environment.services] == ["postgresql", "redis"]
    assert environment.test_variables["DJANGO_SETTINGS_MODULE"] == "app.settings.test"


def test_a_job_of_another_language_says_nothing_about_an_environment() -> None:
    steps = "- run: npm test"
    services = "    services: {db: {image: 'mysql:8'}}\n"
    assert with_workflows(ENVIRONMENT, evidence_of(job(steps, services))) == ENVIRONMENT


def test_the_job_in_the_environments_folder_is_preferred() -> None:
    text = (
        "jobs:\n  test-a:\n    env: {WHICH: a}\n    steps: [{run: pytest, working-directory: a}]\n"
        "  test-b:\n    env: {WHICH: b}\n    steps: [{run: pytest, working-directory: b}]\n"
    )
    environment = Environment("python/2", (), (), (TestCommand("pytest", ("pytest",), "b"),), ())
    assert with_workflows(environment, evidence_of(text)).test_variables == {"WHICH": "b"}


def test_a_service_that_is_known_already_or_cannot_stand_beside_it_is_left_out() -> None:
    known = Service("redis", "6")
    services = (
        "    services: {r: {image: 'redis:7'}, p: {image: 'postgres', ports: ['6379:5432']}, m: {image: mysql}}\n"
    )
    environment = Environment("python/2", (), (), (TestCommand("pytest", ("pytest",)),), (), services=(known,))
    kinds = [s.kind for s in with_workflows(environment, evidence_of(job("- run: pytest", services))).services]
    assert kinds == ["redis", "mysql"]


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("github.event_name == 'push' || github.event_name == 'workflow_dispatch'", True),
        ("github.event_name == 'schedule' || github.event_name == 'workflow_dispatch'", False),
        ("${{ !(github.actor == 'x' && startsWith(github.event.head_commit.message, 'release (')) }}", True),
        ("(github.actor == 'x' && startsWith(github.event.head_commit.message, 'release '))", False),
        ("startsWith(matrix.os, 'windows') == false", True),
        ("runner.os != 'Windows' && github.ref == 'refs/heads/main'", True),
        ("runner.os == 'Windows' && !cancelled()", False),
        ("failure()", False),
    ],
)
def test_a_step_is_done_unless_all_its_conditions_are_for_elsewhere(condition: str, is_met: bool) -> None:
    found = evidence_of(job(f"- run: pytest\n- run: tox\n  if: {condition}"))
    assert [command.argv[0] for command in found[0].tests] == ["pytest", *["tox"] * is_met]


ACTION = "runs:\n  using: composite\n  steps:\n"


def test_an_action_of_the_repositorys_own_stands_for_its_steps() -> None:
    setup = f"{ACTION}    - uses: actions/setup-node@v4\n      with: {{node-version: 22}}\n    - run: pnpm install\n"
    checks = f"{ACTION}    - uses: ./.github/actions/setup\n    - run: pnpm build\n    - run: pnpm test\n"
    actions = {".github/actions/setup/action.yaml": setup, ".github/actions/checks/action.yml": checks}
    (found,) = evidence_of(job("- uses: ./.github/actions/checks"), **actions)
    assert [command.argv for command in found.tests] == [("pnpm", "test")]
    assert found.tests[0].source == ".github/actions/checks/action.yml:6"
    assert [command.built_script for command in found.scripts] == ["build"]
    assert [command.argv for command in found.installs] == [("pnpm", "install")]
    assert found.versions == {"node": ("22",)}


@pytest.mark.parametrize("action", [ACTION + "    - uses: ./own\n" * 50, "runs: {using: node20}", "- [", "x" * 50_001])
def test_an_action_that_cannot_be_read_or_never_ends_says_nothing(action: str) -> None:
    (found,) = evidence_of(
        job("- uses: ./own\n- uses: ./none\n- uses: ./../../out\n- run: pytest"), **{"own/action.yml": action}
    )
    assert [command.argv for command in found.tests] == [("pytest",)]


def test_of_the_commands_of_all_steps_together_the_first_count() -> None:
    (found,) = evidence_of(job(f"- run: {'pytest a;' * 40}\n" * 3))
    assert len(found.tests) == MOST_COMMANDS


def test_a_detection_reads_a_workflow_once_and_the_next_one_again() -> None:
    checkout = FilesCheckout({CI: PYTHON, "tests/test_a.py": "", "tox.ini": "[testenv]\ncommands = pytest\n"})
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return checkout.read(path)

    detect(checkout.tree, read)
    assert asked.count(CI) == 1
    detect(checkout.tree, read)
    assert asked.count(CI) == 2


def test_another_tree_is_read_anew_whatever_reads_it() -> None:
    checkout = FilesCheckout({CI: PYTHON})
    read = checkout.read
    assert read_workflows(checkout.tree, read)
    assert read_workflows({}, read) == ()


def test_a_token_that_a_workflow_writes_out_is_one_that_tests_need_and_one_of_the_cis_own_is_not() -> None:
    own = "CODECOV_TOKEN: a1, GH_TOKEN: b2, NODE_AUTH_TOKEN: c3, SONARCLOUD_TOKEN: d4, API_TOKEN: '${{ secrets.API }}'"
    said = f"{{BOT_TOKEN: bar, REDDIT_SECRET: ham, GH_HOST: example.org, PYPI_URL: /simple, {own}}}"
    ci = f"jobs:\n  test:\n    env: {said}\n    steps:\n      - run: pytest\n"
    checkout = FilesCheckout({".github/workflows/ci.yml": ci})
    (job,) = read_workflows(checkout.tree, checkout.read)
    others = {"GH_HOST": "example.org", "PYPI_URL": "/simple"}
    assert job.variables == {"BOT_TOKEN": "bar", "REDDIT_SECRET": "ham", **others}


def test_where_an_image_has_its_python_and_its_proxies_is_nothing_for_a_box() -> None:
    image = (
        "FROM me/base\nENV MODE=test PYENV_VERSION=3.6 VIRTUAL_ENV=.v HTTP_PROXY=http://p:1 no_proxy=a PYTHONHOME=x\n"
    )
    ci = "jobs:\n  test:\n    steps:\n      - run: docker run app pytest\n"
    checkout = FilesCheckout({"Dockerfile": image, ".github/workflows/ci.yml": ci})
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert job.variables == {"MODE": "test"}


def test_variables_that_name_a_place_in_the_home_of_the_ci_s_machine_are_left_out() -> None:
    named = "DATA=$HOME/data ROOT=$HOME FOUND=lib:$HOME/lib NEAR=a~/b"
    (evidence,) = evidence_of(job(f"- run: |\n    export {named} MODE=fast\n    pytest\n"))
    assert evidence.variables == {"NEAR": "a~/b", "MODE": "fast"}


BY_RANK = {
    CI: "jobs:\n  all:\n    steps:\n    - run: pytest\n",
    ".travis.yml": "language: python\nscript: pytest\n",
    ".circleci/config.yml": "jobs: {a: {steps: [{run: pytest}]}}",
}


@pytest.mark.parametrize("first", BY_RANK)
def test_of_several_ci_systems_the_first_that_tests_counts(first: str) -> None:
    there = dict(list(BY_RANK.items())[list(BY_RANK).index(first) :])
    says_nothing = {".github/workflows/docs.yml": BY_RANK[CI], ".travis.yml": "language: python\n"}
    checkout = FilesCheckout({**says_nothing, **there})
    assert read_workflows(checkout.tree, checkout.read)[0].source.startswith(first)
