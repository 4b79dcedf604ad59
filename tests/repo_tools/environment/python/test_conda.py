"""What conda's files say that tests need: all that is pip's, and of the environment that the CI tests in what is well
known, by the names of an index."""

import pytest

from repo_tools.environment.python.requirements import declared_requirements
from tests.support.ci_jobs import workflow
from tests.support.trees import reader_of, tree_of

LISTED = (
    "dependencies:\n  - python=3.11\n  - numpy >=1.20\n  - pandas=1.5\n  - isort 5.8\n  - lxml==4.2\n  - psycopg2\n"
    "  - dask-core\n  - pytest-xdist <3  # in parallel\n  - conda-forge::scipy\n  - libgdal\n  - git\n  - yaml\n"
    "  - pip:\n    - responses>=0.3\n"
)
OF_PIP = {"responses>=0.3"}
WELL_KNOWN = {"numpy>=1.20", "pandas", "isort", "lxml", "psycopg2-binary", "dask", "pytest-xdist<3", "scipy"}


def declared(files: dict[str, str]) -> set[str]:
    found = declared_requirements(tree_of(files), reader_of(files))
    return {word for source in found for word in source.arguments}


def started_with(step: str) -> str:
    return (
        "jobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy: {matrix: {python: ['3.11', '3.10']}}\n    steps:\n"
        f"      - {step}\n      - run: pytest\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        workflow("conda env create -f ci/env-3.11.yml", "pytest"),
        workflow("mamba env update --quiet -n test --file=./ci/env-3.11.yml", "pytest"),
        workflow("cd ci && conda env create --file env-3.11.yml", "cd .. && pytest"),
        started_with(
            "{uses: conda-incubator/setup-miniconda@v3, with: {environment-file: 'ci/env-${{ matrix.python }}.yml'}}"
        ),
        started_with("{uses: mamba-org/setup-micromamba@v2, with: {environment-file: ci/env-3.11.yml}}"),
    ],
)
def test_the_environment_that_the_ci_tests_in_brings_what_is_well_known(text: str) -> None:
    assert declared({".github/workflows/ci.yml": text, "ci/env-3.11.yml": LISTED}) == OF_PIP | WELL_KNOWN


@pytest.mark.parametrize(
    "text",
    [
        workflow("conda env export -f ci/env-3.11.yml", "pytest"),
        workflow("conda env create -f ../env-3.11.yml", "pytest"),
        workflow("pytest", "conda env create -f ci/env-3.11.yml"),
        started_with("{uses: mamba-org/setup-micromamba@v2}"),
    ],
)
def test_an_environment_that_the_ci_does_not_test_in_brings_nothing(text: str) -> None:
    assert declared({".github/workflows/ci.yml": text, "ci/env-3.11.yml": LISTED}) == set()


def test_what_tox_has_conda_install_for_tests_is_taken_where_it_is_well_known() -> None:
    deps = "conda_deps =\n    'requests >= 2'\n    lxml=4.2\n    libgdal\n    py27: mock\ndeps =\n    responses\n"
    assert declared({"tox.ini": f"[testenv]\n{deps}"}) == {"requests>=2", "lxml", "responses"}


def test_an_environment_that_no_ci_makes_brings_what_is_of_pip_alone() -> None:
    assert declared({"environment.yml": LISTED}) == OF_PIP


@pytest.mark.parametrize("text", ["dependencies: 3\n", "- a\n", "dependencies: [[1], {pip: 2}, null]\n", "a: b: c\n"])
def test_files_that_are_none_of_condas_say_nothing(text: str) -> None:
    made = workflow("conda env create -f ci/env.yml", "pytest")
    assert declared({".github/workflows/ci.yml": made, "ci/env.yml": text}) == set()
