"""What a job runs in an image that it built of the repository, or with the repository mounted, is one of its own
commands."""

from collections.abc import Mapping

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import WORKFLOW as CI
from tests.support.ci_jobs import jobs_running
from tests.support.files_checkout import FilesCheckout

IMAGE = """FROM python:3.11
ENV MODE=test DEBIAN_FRONTEND=noninteractive
WORKDIR /app
COPY requirements.txt .
RUN pip install -r requirements.txt
COPY . .
CMD ["pytest", "-x"]
"""
FILES = {"Dockerfile": IMAGE, "requirements.txt": "six\n", "src/test_a.py": "import six\n", "ci.env": "TOKEN=x\n"}


def jobs_of(*commands: str, files: Mapping[str, str] = FILES) -> tuple[WorkflowEvidence, ...]:
    return jobs_running(*commands, files=files)


@pytest.mark.parametrize(
    ("typed", "argv", "directory"),
    [
        ("docker run --rm app pytest -m 'not slow'", "pytest -m not slow", ""),
        ("docker run app", "pytest -x", ""),
        ("sudo docker run -it --network host --name t app:1.2 pytest /app/src", "pytest src", ""),
        ("docker run -w /app/src app sh -c 'cd /app/src && pytest --cov=/app/src'", "pytest --cov=.", "src"),
        ("docker container run --entrypoint pytest app -x", "pytest -x", ""),
        ("docker run -t -v $PWD:/src -w /src python:3.9 bash -c 'pip install tox; tox -e py'", "tox -e py", ""),
        ("docker run -v ${{ github.workspace }}/src:/s --workdir=/s python:3.9 pytest /s", "pytest .", "src"),
        ("docker run -v$PWD:/src -w/src -itu root -eA=1 app pytest src", "pytest src", ""),
        ("podman run -v $(pwd):/src:ro app pytest /src/src", "pytest src", ""),
    ],
)  # fmt: skip
def test_a_command_in_an_image_is_one_of_the_job_in_the_folder_that_it_holds(
    typed: str, argv: str, directory: str
) -> None:
    (job,) = jobs_of("docker build -t app .", typed)
    (test,) = job.tests
    assert (" ".join(test.argv), test.directory, test.source) == (argv, directory, f"{CI}:6")


def test_it_finds_set_what_its_image_and_its_options_set_and_what_its_image_installs_is_installed() -> None:
    (job,) = jobs_of("docker build . -t me/app:$SHA", "docker run -e A=1 --env-file ci.env me/app:$SHA pytest")
    assert job.variables == {"MODE": "test", "DEBIAN_FRONTEND": "noninteractive", "A": "1", "TOKEN": "x"}
    assert [command.argv for command in job.installs] == [("pip", "install", "-r", "requirements.txt")]


def test_an_image_is_what_it_was_built_by() -> None:
    files = {**FILES, "docker/test.Dockerfile": "FROM python\nENV FROM=other\nCOPY src /s\nWORKDIR /s\n"}
    (job,) = jobs_of("docker buildx build --load -f docker/test.Dockerfile -t t .", "docker run t pytest", files=files)
    assert (job.variables, job.tests[0].directory) == ({"FROM": "other"}, "src")


def test_of_an_image_that_something_else_builds_the_root_s_own_file_tells() -> None:
    (job,) = jobs_of("docker run built-by-an-action pytest")
    assert job.variables["MODE"] == "test"


def test_what_a_started_container_is_told_to_run_has_what_it_was_started_with() -> None:
    (job,) = jobs_of(
        "docker build -t app .", "docker run -d --name web -e A=1 app serve", "docker exec -e B=2 web pytest"
    )
    assert [(test.argv, job.variables["A"], job.variables["B"]) for test in job.tests] == [(("pytest",), "1", "2")]


@pytest.mark.parametrize(
    "typed",
    [
        *("docker run -d app pytest", "docker run", "docker run -v", "docker", "docker exec", "docker run app ls"),
        *("docker build .", "docker build", "docker push app", "docker run hadolint/hadolint hadolint Dockerfile"),
    ],
)
def test_what_tests_nothing_says_nothing(typed: str) -> None:
    assert jobs_of(typed) == ()


def test_an_image_of_others_that_holds_nothing_of_the_repository_tests_nothing_of_it() -> None:
    assert jobs_of("docker run postgres:16 pytest", files={"src/test_a.py": ""}) == ()


def test_a_plan_has_the_servers_and_variables_that_are_beside_it() -> None:
    ci = (
        "jobs:\n  test:\n    services: {db: {image: 'postgres:16'}}\n    steps:\n      - run: docker build -t app .\n"
        "      - run: docker run --network host -e DATABASE_URL=postgres://postgres@localhost/x app\n"
    )
    checkout = FilesCheckout({**FILES, CI: ci, "a.py": ""})
    plan = detect(checkout.tree, checkout.read)
    assert [service.kind for service in plan.services] == ["postgresql"]
    assert plan.test_variables["DATABASE_URL"] == "postgres://postgres@localhost/x"


def test_a_job_that_runs_the_same_without_a_container_comes_before() -> None:
    ci = "jobs:\n  image:\n    steps:\n      - run: docker run app pytest\n  test:\n    steps:\n      - run: pytest\n"
    checkout = FilesCheckout({**FILES, CI: ci})
    first, second = read_workflows(checkout.tree, checkout.read)
    assert ("(job test)" in first.source, "(job image)" in second.source) == (True, True)
