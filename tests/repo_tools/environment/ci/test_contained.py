"""What a job runs in a container of the repository itself is a command of the job's, started where the files lie."""

from collections.abc import Mapping
from time import process_time

import pytest

from repo_tools.environment.ci.contained import MOST_CONTAINED
from repo_tools.environment.ci.dockerfile import read_dockerfile
from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import WORKFLOW as CI
from tests.support.ci_jobs import ci_running, jobs_running
from tests.support.files_checkout import FilesCheckout

COMPOSE = """services:
  web:
    build: {context: ., dockerfile: docker/Dockerfile}
    depends_on: [db]
    volumes: ['.:/app:z']
    env_file: [web.env, ./db.env]
    environment: {PYTHONPATH: '/app/src:/opt', A: '1'}
    command: /start
  db:
    build: {dockerfile: docker/db/Dockerfile}
    env_file: db.env
    depends_on: {cache: {condition: service_started}}
  cache: {image: redis:7}
  search: {image: elasticsearch}
  tests: {build: docker, image: me/tests, links: ['db:database'], command: bash -c "cd src && pytest -x"}
  api: {build: ./src, working_dir: /code}
"""
DOCKERFILE = """ARG VERSION=3.9
FROM python:${VERSION} as python
FROM python AS wheels
# what a comment says \\
ARG BUILD=local
RUN pip wheel \\
  # of them all
  -r ${BUILD}.txt
FROM python as run
COPY docs .
ARG HOME_OF=/app
ENV MODE test
ENV SETTINGS="config.test" WHERE=$HOME_OF
WORKDIR ${HOME_OF}
COPY --chown=me docker/entry /entrypoint
COPY . ${HOME_OF}
ENTRYPOINT ["/entrypoint"]
"""
ENTRY = """#!/bin/bash
set -o errexit
if [ -z "${POSTGRES_USER}" ]; then
    export POSTGRES_USER=nobody
fi
export DATABASE_URL="postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@db:5432/${POSTGRES_DB}"
python << END
import os
END
exec "$@"
"""
COMPOSE_OF = "jobs:\n  test:\n    steps:\n" + "".join(
    f"      - run: docker compose run -e A={{0}} web pytest t{n}\n" for n in range(30)
)
FILES = {
    "docker-compose.yml": COMPOSE,
    "docker/Dockerfile": DOCKERFILE,
    "docker/db/Dockerfile": "FROM docker.io/postgres:14.5-alpine\nCOPY a /b\n",
    "docker/entry": ENTRY,
    "web.env.example": "SECRET=x\n",
    "db.env": "POSTGRES_USER=me #\nPOSTGRES_PASSWORD=pw\nPOSTGRES_DB=app\nURL=\"$POSTGRES_USER@$HERE\"\nRAW='$URL'\n",
    "src/test_a.py": "import a\n",
}


def jobs_of(*commands: str, files: Mapping[str, str] = FILES) -> tuple[WorkflowEvidence, ...]:
    return jobs_running(*commands, files=files)


@pytest.mark.parametrize(
    ("typed", "argv", "directory"),
    [
        ("docker-compose run --rm web pytest -x", "pytest -x", ""),
        ("docker compose -f docker-compose.yml exec -T web pytest", "pytest", ""),
        ("docker compose run -e B=2 -u root --workdir /app/src web python -m pytest", "python -m pytest", "src"),
        ("sudo docker-compose --project-name p run web sh -c 'flake8 && cd src && pytest'", "pytest", "src"),
        ("docker-compose run web pytest /app/src/test_a.py", "pytest src/test_a.py", ""),
        ("docker compose up --exit-code-from tests", "pytest -x", "docker/src"),
        ("docker compose up --build --exit-code-from=tests tests db", "pytest -x", "docker/src"),
        ("docker compose run --rm tests", "pytest -x", "docker/src"),
        ("docker compose run api pytest", "pytest", "src"),
        (
            "docker compose run web sh -c 'cd /app/src && pytest --cov=/app/src /app/docs'",
            "pytest --cov=. ../docs",
            "src",
        ),
    ],
)
def test_a_command_in_a_container_is_one_of_the_job_in_the_folder_that_the_container_holds(
    typed: str, argv: str, directory: str
) -> None:
    (job,) = jobs_of(typed)
    (test,) = job.tests
    assert (" ".join(test.argv), test.directory, test.source) == (argv, directory, f"{CI}:5")


def test_it_finds_set_what_its_image_its_files_and_its_entry_set_with_paths_of_the_repository() -> None:
    (job,) = jobs_of("docker-compose run --rm web ./manage.py migrate", "docker-compose run -e A=2 web pytest")
    assert job.variables == {
        **{"MODE": "test", "SETTINGS": "config.test", "WHERE": "/workspace", "SECRET": "x", "A": "2"},
        **{"POSTGRES_USER": "me", "POSTGRES_PASSWORD": "pw", "POSTGRES_DB": "app"},
        **{"URL": "me@$HERE", "RAW": "$URL"},
        **{"DATABASE_URL": "postgres://me:pw@db:5432/app", "PYTHONPATH": "/workspace/src"},
    }


def test_each_variable_that_a_command_sets_counts_and_none_that_it_only_passes_on() -> None:
    (job,) = jobs_of("docker compose run -e A=1=2 --env B=3 -e C --env=D=4 api pytest")
    assert job.variables == {"A": "1=2", "B": "3", "D": "4"}


def test_what_an_image_says_of_itself_and_of_places_that_are_not_of_the_repository_is_not_set() -> None:
    image = (
        "FROM node\nENV NODE_ENV=production VIRTUAL_ENV=/opt/venv BROWSERS=/ms,/app A=/app/a PATH=/app/bin:$PATH\n"
        "ENV USER=me URL=redis://cache/0\nCOPY . /app\n"
    )
    said = "{STATIC: /srv/static, PATH: /bin, DB: 'sqlite:////app/x.db'}"
    compose = f"services: {{web: {{build: ., environment: {said}}}}}\n"
    (job,) = jobs_of("docker compose run web npm test", files={"Dockerfile": image, "docker-compose.yml": compose})
    assert dict(job.tests[0].variables) == {
        **{"A": "/workspace/a", "URL": "redis://cache/0", "STATIC": "/srv/static", "DB": "sqlite:////workspace/x.db"},
    }


def test_the_lists_that_pip_is_told_of_in_its_image_are_installed() -> None:
    image = (
        'FROM python\nARG LIST=requirements.txt\nCOPY lists/base* needs/ci.txt ./\nCOPY ["other.txt", "/tmp/o.txt"]\n'
        "RUN pip install uwsgi && python -m pip install --no-cache -r ci.txt -r /tmp/o.txt -r nowhere.txt\n"
        'WORKDIR /app\nCOPY . .\nRUN ["pip"]\nRUN apt-get update; \\\n  pip wheel --requirement $LIST -r ../base.txt\n'
    )
    lists = dict.fromkeys(("needs/ci.txt", "other.txt", "lists/base.txt", "requirements_dev.txt"), "six\n")
    compose = "services: {web: {build: {args: [LIST=requirements_dev.txt]}}}\n"
    (job,) = jobs_of(
        "docker compose run web pytest", files={**lists, "Dockerfile": image, "docker-compose.yml": compose}
    )
    assert [command.argv[-1] for command in job.installs] == [
        *("needs/ci.txt", "other.txt", "requirements_dev.txt", "lists/base.txt"),
    ]
    assert {(*command.argv[:-1], command.source) for command in job.installs} == {("pip", "install", "-r", f"{CI}:5")}


@pytest.mark.parametrize(
    ("entry", "typed", "argv"),
    [
        ('ENTRYPOINT ["python3", "manage.py"]', "docker compose run web test -v 2", "python3 manage.py test -v 2"),
        ('ENTRYPOINT ["tini", "--"]', "docker compose run web pytest", "pytest"),
        ("ENTRYPOINT /none.sh", "docker compose run web pytest", "pytest"),
        ("", 'docker compose run --entrypoint "/bin/sh -c" web "coverage run -m pytest"', "coverage run -m pytest"),
        ('ENTRYPOINT ["python3"]', "docker compose run --entrypoint pytest web -x", "pytest -x"),
    ],
)
def test_what_stands_before_every_command_in_it_is_a_part_of_each_if_it_does_something(
    entry: str, typed: str, argv: str
) -> None:
    files = {"docker-compose.yml": "services: {web: {build: .}}\n", "Dockerfile": f"FROM python\n{entry}\n"}
    (job,) = jobs_of(typed, files=files)
    assert " ".join(job.tests[0].argv) == argv


def test_what_its_service_needs_is_beside_it_once_and_nothing_else() -> None:
    (job,) = jobs_of("docker-compose run --rm web ./manage.py migrate", "docker-compose run web pytest")
    assert [(s.kind, s.version, s.name) for s in job.services] == [
        ("postgresql", "14.5", "db"),
        ("redis", "7", "cache"),
    ]
    assert job.services[0].richer == "db of docker-compose.yml"
    assert job.unknown_services == ()


def test_what_a_started_service_needs_is_started_too() -> None:
    (job,) = jobs_of("docker compose up -d web", "docker compose exec web pytest")
    assert [service.kind for service in job.services] == ["postgresql", "redis"]
    (job,) = jobs_of("docker compose run web pytest --no-deps")
    assert [service.kind for service in job.services] == ["postgresql", "redis"]


@pytest.mark.parametrize("typed", ["docker compose run --no-deps web pytest", "docker compose run api pytest"])
def test_a_service_that_needs_none_starts_none(typed: str) -> None:
    (job,) = jobs_of(typed)
    assert (job.services, job.unknown_services) == ((), ())


@pytest.mark.parametrize(
    "typed",
    [
        *("docker compose", "docker compose run", "docker compose run --rm", "docker compose run nobody pytest"),
        *("docker compose run web", "docker compose up -d", "docker compose -f none.yml run web pytest"),
        *("docker compose build web pytest", "docker compose run web ?", "docker compose run -e"),
    ],
)
def test_what_runs_no_tests_says_nothing(typed: str) -> None:
    assert jobs_of(typed) == ()


@pytest.mark.parametrize("script", ["make test", "sh ci/all.sh", "make up tested"])
def test_what_a_script_starts_in_containers_is_there_for_it(script: str) -> None:
    run = "docker-compose run web pytest"
    make = f"test:\n\t{run}\nup:\n\tdocker-compose up -d db cache\ntested:\n\tpytest\n"
    (job,) = jobs_of(script, files={**FILES, "Makefile": make, "ci/all.sh": f"{run}\n"})
    assert [service.kind for service in job.services] == ["postgresql", "redis"]


def test_a_plan_has_its_services_variables_and_folder() -> None:
    ci = "jobs:\n  test:\n    steps:\n      - run: docker compose run -w /app/src web pytest -m 'not slow'\n"
    checkout = FilesCheckout({**FILES, CI: ci, "requirements.txt": "six\n", "a.py": ""})
    plan = detect(checkout.tree, checkout.read)
    assert [service.kind for service in plan.services] == ["postgresql", "redis"]
    assert plan.test_variables["DATABASE_URL"] == "postgres://me:pw@db:5432/app"


@pytest.mark.parametrize(
    "files",
    [
        {"docker-compose.yml": "services: {web: {command: docker compose run web, build: .}}\n"},
        {"docker-compose.yml": "services: {web: [pytest]}\n"},
        {"docker-compose.yml": "services: {web: {build: {context: [a]}, volumes: 3, env_file: {a: b}, command: {}}}\n"},
        {"docker-compose.yml": "services: {web: {build: ., depends_on: [web, db]}, db: {depends_on: web}}\n"},
        {"docker-compose.yml": "services: {web: {build: ../..}}\n", "Dockerfile": "FROM\nENV\nCOPY\nENTRYPOINT [1\n"},
    ],
)
def test_a_file_that_nobody_would_write_ends_nothing(files: dict[str, str]) -> None:
    for command in ("docker compose run web", "docker compose run web pytest"):
        assert len(jobs_of(command, files=files)) <= 1


def test_of_what_an_image_copies_so_much_counts() -> None:
    assert len(read_dockerfile("FROM x\n" + 200 * "COPY a b /x\n", {}).copied) == 100


def test_an_image_that_copies_and_installs_very_much_takes_no_time() -> None:
    image = "FROM x\n" + 10 * f"COPY {'a ' * 1900} /x\n" + 60 * f"RUN pip install {'-r b ' * 180}\n"
    files = {"Dockerfile": image, "docker-compose.yml": "services: {web: {build: .}}\n"}
    started = process_time()
    assert jobs_of(*(f"docker compose run web pytest t{n}" for n in range(20)), files=files)
    assert process_time() - started < 10


def test_of_very_many_commands_in_containers_the_first_are_read() -> None:
    asked: list[str] = []
    files = {f".github/workflows/{n}.yml": COMPOSE_OF.format(n) for n in range(20)}
    checkout = FilesCheckout({**FILES, **files})
    found = read_workflows(checkout.tree, lambda path: asked.append(path) or checkout.read(path))  # type: ignore[func-returns-value]
    assert len(found) < len(files)
    assert asked.count("docker/Dockerfile") <= MOST_CONTAINED + len(files)


def test_a_job_that_runs_the_same_without_a_container_comes_before() -> None:
    own = "    services: {a: {image: 'mysql:8'}, b: {image: 'postgres:16'}}\n    steps:\n      - run: pytest\n"
    ci = f"jobs:\n  docker:\n    steps:\n      - run: docker compose run web pytest\n  test:\n{own}"
    checkout = FilesCheckout({**FILES, CI: ci})
    first, second = read_workflows(checkout.tree, checkout.read)
    assert ("(job test)" in first.source, "(job docker)" in second.source) == (True, True)


OF_AN_ENTRY = {
    "bin/entry.sh": '#!/bin/bash\nexport MODE=all\nexec "$@"\n',
    "docker-compose.yml": "services: {web: {build: ., depends_on: [db]}, db: {image: 'postgres:16'}}\n",
    "tests/test_a.py": "",
}


def test_an_entry_is_found_where_only_what_an_image_comes_from_says_where_it_starts() -> None:
    image = 'FROM me/base\nCOPY . ./\nENTRYPOINT ["/app/bin/entry.sh"]\n'
    files = {**OF_AN_ENTRY, "Dockerfile": image, **ci_running("docker compose run web pytest")}
    (found,) = read_workflows(FilesCheckout(files).tree, FilesCheckout(files).read)
    assert found.variables["MODE"] == "all"


def test_the_files_that_tell_of_containers_may_be_named_by_a_variable_of_the_job() -> None:
    step = "docker compose run web pytest"
    job = f"jobs:\n  test:\n    env: {{COMPOSE_FILE: ci/compose.yml}}\n    steps:\n      - run: {step}\n"
    compose = OF_AN_ENTRY["docker-compose.yml"].replace("build: .", "build: ..")
    files = {
        "tests/test_a.py": "",
        "ci/compose.yml": compose,
        "Dockerfile": "FROM x\n",
        ".github/workflows/ci.yml": job,
    }
    (found,) = read_workflows(FilesCheckout(files).tree, FilesCheckout(files).read)
    assert [service.kind for service in found.services] == ["postgresql"]
