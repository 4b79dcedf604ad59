"""A file of CircleCI from before 2018 tells what its machine has, and what is run there."""

from textwrap import dedent

from repo_tools.environment.ci.workflows import read_workflows
from tests.support.files_checkout import FilesCheckout

OLD = """\
machine:
  python: {version: 3.5.2}
  services: [postgresql, docker, redis]
  environment:
    A: 1
    WHERE: $HOME/x
dependencies:
  override:
    - pip install -r requirements.txt
database:
  override:
    - createdb app
test:
  pre:
    - cp settings.example settings.py
  override:
    - pytest -x:
        environment: {B: 2}
        timeout: 600
    - pytest:
        pwd: web
    - cd web && pytest -y
"""


def test_its_phases_are_the_steps_of_one_job() -> None:
    checkout = FilesCheckout({"circle.yml": OLD, "web/a.py": ""})
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert job.source == "circle.yml:13"
    assert [(command.argv, command.directory) for command in job.tests] == [
        (("pytest", "-x"), ""), (("pytest",), "web"), (("pytest", "-y"), "web"),
    ]  # fmt: skip
    assert [command.source for command in job.tests] == ["circle.yml:17", "circle.yml:20", "circle.yml:22"]
    assert job.versions == {"python": ("3.5.2",)}
    assert job.variables == {"A": "1", "B": "2"}
    assert [(each.kind, each.source, each.variables) for each in job.services] == [
        ("postgresql", "circle.yml:3", {"POSTGRES_DB": "app"}), ("redis", "circle.yml:3", {}),
    ]  # fmt: skip
    assert [command.argv[0] for command in job.prepared] == ["pip", "createdb", "cp", "pytest"]


def test_the_newer_file_counts_where_there_are_both() -> None:
    newer = dedent("""\
    jobs: {a: {steps: [{run: pytest}]}}
    """)
    checkout = FilesCheckout({"circle.yml": OLD, ".circleci/config.yml": newer})
    (job,) = read_workflows(checkout.tree, checkout.read)
    assert job.source == ".circleci/config.yml:1 (job a)"


def test_what_is_broken_raises_nothing() -> None:
    for text in ("test: 3", "machine: [a]\ntest: {override: x}", "test: {override: [{}, [], 3, {a: b}]}", "a: &a [*a]"):
        checkout = FilesCheckout({"circle.yml": text})
        assert read_workflows(checkout.tree, checkout.read) == ()
