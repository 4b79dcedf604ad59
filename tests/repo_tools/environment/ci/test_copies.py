"""What a job copies from a template before its tests is there for them."""

import pytest

from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import detect
from tests.support.files_checkout import FilesCheckout

FILES = {
    "test_a.py": "import a\n",
    "app/settings.ini.in": "",
    ".env.example": "",
    "config/ci/db.yml": "",
    "config/a": "",
}


def detected(*steps: str, travis: bool = False) -> Environment:
    if travis:
        ci = {".travis.yml": f"before_script: [{', '.join(steps[:-1])}]\nscript: {steps[-1]}\n"}
    else:
        runs = "".join(f"      - run: {step}\n" for step in steps)
        ci = {".github/workflows/ci.yml": f"jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{runs}"}
    checkout = FilesCheckout(FILES | ci)
    return detect(checkout.tree, checkout.read)


def copied(environment: Environment) -> list[str]:
    return [" ".join(command.argv[1:]) for command in environment.setup if command.argv[0] == "cp"]


@pytest.mark.parametrize("travis", [False, True])
@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("cp .env.example .env", ".env.example .env"),
        ("cp -n ./.env.example .env", ".env.example .env"),
        ("cd app && cp settings.ini.in settings.ini", "app/settings.ini.in app/settings.ini"),
        ("cp config/ci/db.yml config", "config/ci/db.yml config/db.yml"),
        ("cp config/ci/db.yml .", "config/ci/db.yml db.yml"),
    ],
)
def test_what_is_copied_before_the_tests_is_made_by_set_up(step: str, expected: str, *, travis: bool) -> None:
    environment = detected(step, "pytest", travis=travis)
    assert copied(environment) == [expected]
    assert expected.partition(" ")[0] in environment.manifests
    assert environment.evidence[-1].endswith(f": cp {expected}")
    assert not environment.setup[-1].required


@pytest.mark.parametrize(
    "steps",
    [
        ("cp nowhere .env", "pytest"),
        ("cp .env.example config/a", "pytest"),
        ("cp .env.example /etc/app.env", "pytest"),
        ("cp .env.example ../app.env", "pytest"),
        ("cp .env.example $HOME/.env", "pytest"),
        ("cp -r config other", "pytest"),
        ("cp .env.example config/a .env", "pytest"),
        ("pytest", "cp .env.example .env"),
    ],
)
def test_no_file_of_the_repository_is_replaced_and_nothing_else_is_copied(steps: tuple[str, ...]) -> None:
    assert copied(detected(*steps)) == []
