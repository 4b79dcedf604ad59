"""Variables of a workflow that builds read: what is compiled or installed without them is not what the tests use."""

import re
from collections.abc import Mapping
from dataclasses import replace

from repo_tools.environment.contract import Environment

_OF_BUILDS = re.compile(
    r"RUST(?:DOC)?FLAGS|CARGO_(?:BUILD|PROFILE|UNSTABLE)_\w+|GOFLAGS|GO111MODULE|GOEXPERIMENT|CGO_\w+"
    r"|BUNDLE_(?:GEMFILE|WITH|WITHOUT)|MAVEN_ARGS"
)
_DENIED = re.compile(r"(?:^|\s)(?:-D\s?|--deny[ =])warnings(?=\s|$)")
"""A compiler that is not the one of CI has other warnings."""


def for_builds(variables: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(those for set-up and tests, the others)."""
    lenient = {name: _DENIED.sub("", v).strip() if name.startswith("RUST") else v for name, v in variables.items()}
    known = {name: value for name, value in lenient.items() if value or not variables[name]}
    builds = {name: value for name, value in known.items() if _OF_BUILDS.fullmatch(name)}
    return builds, {name: value for name, value in known.items() if name not in builds}


def with_variables(environment: Environment, variables: Mapping[str, str]) -> Environment:
    """What `environment` has itself stays."""
    builds, others = for_builds(variables)
    return replace(
        environment,
        variables={**builds, **environment.variables},
        test_variables={**others, **environment.test_variables},
    )
