"""What a CI starts by scripts of a `package.json` is evidence as if it stood in the workflow."""

import json

import pytest

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.detect import detect
from tests.support.ci_jobs import jobs_running
from tests.support.files_checkout import FilesCheckout

CI = ".github/workflows/ci.yml"
COMPOSE = "services: {db: {image: 'postgres:16', ports: ['5432:5432']}}\n"


def jobs_of(scripts: dict[str, str], *runs: str, **files: str) -> tuple[WorkflowEvidence, ...]:
    manifest = json.dumps({"name": "a", "scripts": scripts}, indent=2)
    return jobs_running(*runs, files={"package.json": manifest, **files})


@pytest.mark.parametrize(
    ("scripts", "run"),
    [
        ({"forcover": "cross-env NODE_ENV=test nyc npm test && nyc report", "test": "mocha"}, "npm run forcover"),
        ({"ready": "run-s lint unit", "lint": "eslint .", "unit": "NODE_ENV=test mocha"}, "yarn ready"),
        ({"ready": "npm run -s most", "most": "NODE_ENV=test npm run unit", "unit": "mocha"}, "npm run ready"),
        ({"cover": "NODE_ENV=test nyc mocha"}, "pnpm run cover"),
        ({"precover": "NODE_ENV=test mocha", "cover": "codecov"}, "npm run cover"),
    ],
)
def test_a_job_tests_where_a_script_that_it_runs_does(scripts: dict[str, str], run: str) -> None:
    (job,) = jobs_of(scripts, "npm ci", run)
    assert job.variables == {"NODE_ENV": "test"}


@pytest.mark.parametrize(
    ("scripts", "run"),
    [
        ({"lint": "eslint . && tsc", "test": "mocha"}, "npm run lint"),
        ({"install": "node-gyp rebuild && npm test", "test": "mocha"}, "yarn install"),
        ({"again": "npm run again"}, "npm run again"),
        ({"test": "mocha"}, "npm run nothing"),
        ({"build": "tsc && npm test", "test": "mocha"}, "npm run build"),
    ],
)
def test_no_job_tests_whose_scripts_do_not(scripts: dict[str, str], run: str) -> None:
    assert jobs_of(scripts, run) == ()


def test_what_a_script_of_tests_sets_is_told_by_the_package_and_not_by_the_job() -> None:
    (job,) = jobs_of({"test": "NODE_ENV=test mocha"}, "npm test")
    assert job.variables == {}
    assert [command.argv for command in job.tests] == [("npm", "test")]


@pytest.mark.parametrize(
    ("scripts", "runs"),
    [
        ({"db:up": "docker compose up -d", "test": "mocha"}, ("npm run db:up", "npm test")),
        ({"pretest": "docker-compose up -d", "test": "mocha"}, ("npm test",)),
        ({"test": "docker compose up -d --wait && mocha; docker compose down"}, ("npm test",)),
        ({"test": "mocha"}, ("./ci/start.sh", "npm test")),
        ({"test": "mocha"}, ("make services", "npm test")),
    ],
)
def test_what_scripts_start_before_the_tests_is_beside_them(scripts: dict[str, str], runs: tuple[str, ...]) -> None:
    files = {
        "docker-compose.yml": COMPOSE,
        "ci/start.sh": "#!/bin/sh\nset -e\ndocker compose up -d\ncreatedb app\n",
        "Makefile": "services:\n\tdocker compose up -d\n",
    }
    (job,) = jobs_of(scripts, *runs, **files)
    assert [(service.kind, service.source) for service in job.services] == [("postgresql", "docker-compose.yml:1")]


@pytest.mark.parametrize(
    ("scripts", "runs", "made"),
    [
        ({"db": "createdb app", "test": "mocha"}, ("npm run db", "npm test"), "app"),
        ({"test": "mocha"}, ("./db.sh", "npm test"), "app"),
        ({"test": "createdb app && mocha"}, ("npm test",), None),  # it would be there already
        ({"pretest": "./db.sh", "test": "mocha"}, ("npm test",), None),
        ({"test": "mocha"}, ("./test.sh",), None),
    ],
)
def test_databases_that_the_tests_make_themselves_are_not_made_before(
    scripts: dict[str, str], runs: tuple[str, ...], made: str | None
) -> None:
    files = {"db.sh": "createdb app\n", "test.sh": "createdb app\nnpm test\n"}
    (job,) = jobs_of(scripts, "sudo service postgresql start", *runs, **files)
    (service,) = job.services
    assert service.variables.get("POSTGRES_DB") == made


def test_a_suite_has_the_servers_that_a_script_of_another_name_tests_with() -> None:
    manifest = {
        "scripts": {"cover": "nyc npm test", "test": "mocha"},
        "devDependencies": {"mocha": "*", "nyc": "*"},
    }
    files = {
        ".travis.yml": "language: node_js\nservices: redis\nscript: npm run cover\n",
        "package.json": json.dumps(manifest),
        "test/a.js": "it('works', () => {})\n",
    }
    checkout = FilesCheckout(files)
    assert [service.kind for service in detect(checkout.tree, checkout.read).services] == ["redis"]
