"""A script that is told what to do does what its first word says, and not all that it could."""

from time import process_time

import pytest

from repo_tools.environment.ci.script_branches import branch_for
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import ci_running
from tests.support.files_checkout import FilesCheckout

ENTRY = """#!/bin/bash
export MODE=all
serve() {
    exec gunicorn app
}
tests() {
  export DATABASE_URL="postgresql://postgres@db/tests"
  if [ $# -eq 0 ]; then
    WHERE=tests/
  else
    WHERE=$@
  fi
  exec pytest $WHERE
}
case "$1" in
  serve|web)
    shift
    serve
    ;;
  manage)
    shift
    exec ./manage.py "$@" ;;
  tests)
    shift
    tests $@
    ;;
  *)
    exec "$@"
    ;;
esac
"""
COMPOSE = """services:
  web: {build: ., depends_on: [db]}
  db: {image: 'postgres:16', environment: {POSTGRES_HOST_AUTH_METHOD: trust}}
"""
FILES = {
    "entry.sh": ENTRY,
    "Dockerfile": 'FROM python:3.11\nWORKDIR /app\nCOPY . /app\nENTRYPOINT ["/app/entry.sh"]\n',
    "docker-compose.yml": COMPOSE,
    "tests/test_a.py": "import os\n\n\ndef test_a():\n    assert os.environ['DATABASE_URL']\n",
}


IN_CASES = 'case "$1" in\ntest*)\n  case "$2" in\n  a) b\n  esac\n  pytest\n;;\nesac'
IN_CONDITIONS = (
    'if [ "$1" = lint ]; then\n  ruff\nelif [[ $1 == "test" ]]; then\n  if x; then y; fi\n  pytest\nelse\n  z\nfi'
)
AROUND = 'f() {\n  x\n}\nA=1\ncase "$1" in\nlint) ruff ;;\ntest)\n  pytest\n;;\nesac\n'
IN_A_LOOP = "A=1\nwhile b; do\n  case $1 in\n  -r) B=2 ;;\n  esac\n  shift\ndone\npytest\nif c; then\n  d\nfi"
OF_FUNCTIONS = """export A=1
function ci:test {
  B=2 pytest "${@}"
}
ci:lint() {
  ruff
}
time "${@:-help}"
"""


@pytest.mark.parametrize(
    ("script", "words", "expected"),
    [
        ('case "$1" in\ntest)\n  pytest "$@"\n;;\nesac', "test -x", "pytest test -x"),
        ('case "${1:-help}" in\n  lint | test ) shift; pytest "$@";;\nesac', "test -x", "pytest -x"),
        ('case $1 in test) pytest "${@:2}" ;; lint) ruff ;; esac', "test -x", "pytest -x"),
        ('what="$1"\ncase "$what" in\n"unit") A=1 pytest ;;\nesac', "unit", 'what="$1" / A=1 pytest'),
        ('case "$2" in\ntest) pytest ;;\nesac', "test", ""),
        ('case "$1" in\n*) exec "$@" ;;\nesac', "test", ""),
        (IN_CASES, "test-all", 'case "$2" in / a) b / esac / pytest'),
        (IN_CONDITIONS, "test", "if x; then y; fi / pytest"),
        (OF_FUNCTIONS, "ci:test -x", "export A=1 / B=2 pytest -x"),
        ('test() {\n  pytest\n}\necho "$@"', "test", ""),
        ('main() {\n  pytest\n}\ntest() {\n  main\n}\n"$1"', "test", "pytest"),
        ("a() {\n  b\n}\nb() {\n  a\n}\n$1", "a", "b"),
        ("pytest", "", ""),
        ('if [ "$1" = cov ]; then\n  pip install x\nfi\npytest', "cov", "pip install x / pytest"),
        ('if [ "$1" = lint ]; then ruff; exit; fi\npytest', "lint", "ruff; exit"),
        ('if [ "$1" = lint ]; then ruff; else pytest; fi', "lint", "ruff"),
        ('if [ "$1" = python ]\nthen\n  wait\nfi\nexec "$@"', "python a", "wait / exec python a"),
        (f"cd a\n{AROUND}exec $@", "test", "cd a / A=1 / pytest / exec test"),
        (f"{AROUND}b() {{\n  c\n}}\nd", "test", "A=1 / pytest / d"),
        ("A=1\nfor a in b; do\n  case $1 in\n  test) pytest ;;\n  esac\ndone", "test", "A=1 / pytest"),
        ('WHAT=$1\nshift\ncase $WHAT in\ntest) pytest "$@" ;;\nesac', "test -x", "WHAT=$1 / pytest -x"),
        (IN_A_LOOP, "-r", "A=1 / B=2 / pytest / if c; then / d / fi"),
        ('if [ $1 = a ] || [ "$1" = b ]; then\n  c; d & e\n  f\nfi', "b", "c; d & e / f"),
        ('test() {\n  psql <<A\n  x\nA\n  pytest; ruff\n}\n"$@"', "test", "psql <<A / x / A / pytest; ruff"),
        ("case $1 in\n test) pytest &&\n  ruff \\\n  -x ;;\nesac", "test", "pytest && / ruff \\ / -x"),
        ("if [ $1 = a ]; then\n  if b; then\n    exit 1\n  fi\nfi\npytest", "a", "if b; then / exit 1 / fi / pytest"),
    ],
)
def test_of_a_script_that_is_told_what_to_do_only_that_counts(script: str, words: str, expected: str) -> None:
    found = branch_for(script, tuple(words.split())).text
    assert " / ".join(map(str.strip, found.splitlines())) == expected


def test_it_is_known_where_a_branch_begins() -> None:
    assert branch_for(ENTRY, ("manage", "test")).line == ENTRY.splitlines().index('    exec ./manage.py "$@" ;;') + 1


@pytest.mark.parametrize("run", ["docker compose run --name tests web tests tests/", "docker-compose run web tests"])
def test_what_the_entry_of_an_image_does_for_a_word_is_what_runs_in_the_container(run: str) -> None:
    checkout = FilesCheckout({**FILES, **ci_running(run)})
    plan = detect(checkout.tree, checkout.read)
    assert [service.kind for service in plan.services] == ["postgresql"]
    assert plan.test_variables["DATABASE_URL"] == "postgresql://postgres@db/tests"


@pytest.mark.parametrize("run", ["docker compose exec web tests", "docker compose run --entrypoint env web tests"])
def test_a_container_that_is_not_started_by_its_entry_does_not_do_that(run: str) -> None:
    checkout = FilesCheckout({**FILES, **ci_running(run)})
    assert read_workflows(checkout.tree, checkout.read) == ()


@pytest.mark.parametrize("run", ["./run.sh unit", "bash run.sh unit"])
def test_a_script_of_a_job_does_what_it_is_told(run: str) -> None:
    script = '#!/bin/bash\ncase "$1" in\nlint)\n  pip install ruff\n;;\nunit)\n  export A=1\n  pytest\n;;\nesac\n'
    checkout = FilesCheckout({"run.sh": script, "test_a.py": "import a\n", **ci_running(run)})
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert [(test.argv, test.source) for test in job.tests] == [(("pytest",), "run.sh:7")]
    assert (job.variables, job.installs) == ({"A": "1"}, ())


@pytest.mark.parametrize("end", ['exec "$@"', 'exec su -c "$*"'])
def test_an_entry_that_only_gets_ready_for_a_word_starts_what_it_is_told(end: str) -> None:
    entry = f'#!/bin/sh\nif [ "$1" = python ]; then\n  ./wait.sh\nfi\n{end}\n'
    files = {**FILES, "entry.sh": entry, **ci_running("docker compose run web python manage.py test")}
    (job,) = read_workflows(FilesCheckout(files).tree, FilesCheckout(files).read)
    assert [test.argv[-3:] for test in job.tests] == [("python", "manage.py", "test")]


def test_what_a_script_does_for_all_words_counts_for_each() -> None:
    script = '#!/bin/sh\npip install six\ncase "$1" in\nunit)\n  pytest\n;;\nesac\n'
    checkout = FilesCheckout({"run.sh": script, "test_a.py": "import a\n", **ci_running("./run.sh unit")})
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert [command.argv for command in job.installs] == [("pip", "install", "six")]


def test_words_that_a_script_passes_on_all_the_time_are_not_too_many() -> None:
    script = 'case "$1" in\ntest)\n' + "f\n" * 500 + ";;\nesac\nf() {\n" + "$@ " * 300 + "\n}\n"
    assert len(branch_for(script, ("test", "x" * 4_000)).text) < 20_000_000


def test_a_script_that_nobody_would_write_takes_no_time() -> None:
    functions = "".join(f"f{n}() {{\n" + "f1\n" * 2 + "}\n" for n in range(150))
    started = process_time()
    for script in (
        'case "$1" in\n' * 10_000,
        f"{functions}$1",
        "a|" * 25_000,
        ";;" * 25_000,
        f'if [ "$1" = {"a" * 900}\n' * 50,
    ):
        branch_for(script, ("f9",))
    assert process_time() - started < 5


def test_the_files_that_tell_of_containers_may_be_named_by_a_variable_of_the_job() -> None:
    step = "docker compose run web tests"
    job = f"jobs:\n  test:\n    env: {{COMPOSE_FILE: ci/compose.yml}}\n    steps:\n      - run: {step}\n"
    files = {name: text for name, text in FILES.items() if name != "docker-compose.yml"}
    compose = COMPOSE.replace("build: .", "build: ..")
    checkout = FilesCheckout({**files, "ci/compose.yml": compose, ".github/workflows/ci.yml": job})
    (found,) = read_workflows(checkout.tree, checkout.read)
    assert [service.kind for service in found.services] == ["postgresql"]
    assert found.variables["DATABASE_URL"] == "postgresql://postgres@db/tests"


def test_an_entry_is_found_where_only_what_an_image_comes_from_says_where_it_starts() -> None:
    image = 'FROM me/base\nCOPY . ./\nENTRYPOINT ["/app/bin/entry.sh"]\n'
    files = {**FILES, "Dockerfile": image, "bin/entry.sh": ENTRY, **ci_running("docker compose run web tests")}
    (found,) = read_workflows(FilesCheckout(files).tree, FilesCheckout(files).read)
    assert found.variables["DATABASE_URL"] == "postgresql://postgres@db/tests"
