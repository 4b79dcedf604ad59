"""Variables that the tests of a job find set, and which of them are of the CI's machine alone. Pure."""

import re
from collections.abc import Iterable, Mapping
from posixpath import basename

from repo_tools.environment.ci.script_commands import IN_HOME
from repo_tools.environment.ci.steps import Step

_STEERS_THE_CI = re.compile(
    r"CI|CC_TEST_REPORTER_ID|COVERAGE|PATH|HOME|COLUMNS|TERM|PYTEST_ADDOPTS|NO_COLOR|LD_.*"
    r"|OS|PYTHON|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|SSL_CERT_(?:FILE|DIR)|DOCKER_BUILDKIT|(?:DEFAULT_)?PYTHON_?(?:VERSION)?|TOXENV|NOXSESSION"
    r"|(?:GH|NODE_AUTH|CODACY|CODECLIMATE|CODSPEED|SONAR\w*|SNYK|PYPI|TWINE)_(?:\w+_)?(?:TOKEN|SECRET)"
    r"|PYENV_.*|VIRTUAL_ENV|PYTHONHOME|(?i:(?:https?|ftp|all|no)_proxy)"
    r"|(?:GITHUB|RUNNER|ACTIONS|PIP|UV|TOX|NOX|COMPOSE|CODECOV|COVERALLS|COVERAGE|FORCE|CARGO|S?CCACHE|HATCH|POETRY|NPM)_.*"
    r"|CACHE_(?!(?:URL|URI|HOST|PORT)$).*"  # where a server is
)
_OF_ONE_STEP = frozenset(("BUNDLE_GEMFILE",))
_READ_IT = frozenset(("bundle", "cucumber", "rails", "rake", "rspec", "ruby"))


def set_for_tests(steps: Iterable[Step]) -> dict[str, str]:
    """By the steps that run them; one that only runs again what an earlier one ran runs it in another mode. Which list
    of packages a later one of Ruby has is not the others'."""
    found: dict[str, str] = {}
    known: set[tuple[str, ...]] = set()
    for step in steps:
        if step.tests - known:
            own = _OF_ONE_STEP if any(not _READ_IT.isdisjoint(map(basename, words)) for words in known) else frozenset()
            found |= {name: value for name, value in step.variables.items() if name not in own}
            known |= step.tests
    return found


def for_tests(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say nothing about the machine that the CI runs on, nor name a place in its home."""
    own = {name: value for name, value in variables.items() if not _STEERS_THE_CI.fullmatch(name)}
    return {name: value for name, value in own.items() if not IN_HOME.search(value)}


def steering_among(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that say what is tested: tox's environments, and pytest's options."""
    return {name: variables[name] for name in ("TOXENV", "PYTEST_ADDOPTS") if name in variables}
