"""What is published of the file is what is read: the schema, the example, the lists."""

import json
import re
from typing import get_args

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from pydantic import ValidationError
from typer.testing import CliRunner

from agent.budget import BudgetLimits
from app.cli.commands import application
from repo_tools.yaml_text import parse_yaml
from scripts.configuration_schema import PLACE
from tests.support.files_checkout import FilesCheckout
from workers.configuration.contract import PATH, Allowed, Configuration
from workers.configuration.read import read_configuration
from workers.configuration.schema import BudgetsPart, ConfigurationFile, ServiceKind, json_schema, schema_text

DOCUMENT = (PLACE.parent / "configuration-file.md").read_text(encoding="utf-8")
ALLOWED = Allowed(
    BudgetLimits(), "docker", "m", frozenset({"claude-haiku-5-5"}), frozenset({"registry.example.org/sandbox-node:22"})
)


def example() -> Configuration:
    found = re.search(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found
    return read_configuration(FilesCheckout({PATH: found[1], "web/package.json": "{}", "src/a.py": ""}), ALLOWED)


def test_the_published_schema_is_the_one_that_is_read() -> None:
    assert PLACE.read_text(encoding="utf-8") == schema_text(), "run `python -m scripts.configuration_schema`"


def test_the_command_prints_it() -> None:
    done = CliRunner().invoke(application, ["schema"], prog_name="agent-fix")
    assert json.loads(done.stdout) == json_schema()


def test_the_schema_takes_no_unknown_key_and_no_null_anywhere() -> None:
    whole = json_schema()
    assert all(part["additionalProperties"] is False for part in (whole, *whole["$defs"].values()))
    assert "null" not in schema_text()


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("setup: [make, {run: npm ci, directory: web/app}]", True), ("tests: ['']", False), ("tests: [' ']", False),
        ("tests: ['a ${{ x }}']", False), ("tests: [{run: a, directory: ../b}]", False),
        ("tests: [{run: a, directory: /b}]", False), ("tests: [{run: a, directory: b..c}]", True),
        ("environment: {A_1: '$HOME'}", True), ("environment: {PATH: x}", False),
        ("environment: {http_proxy: x}", False),
        ("environment: {1A: x}", False), ("environment: {A: '${{ x }}'}", False), ("environment: {A: 1}", False),
        ("services: [{kind: mysql, variables: {MYSQL_DATABASE: x}}]", True),
        ("services: [{kind: mysql, variables: {MYSQL-DATABASE: x}}]", False), ("services: ['redis:7']", False),
        ("scope: [src/**, '\\#a']", True), ("scope: ['!a']", False), ("scope: ['']", False),
        ("protected: [./a]", False),
        ("budgets: {turns: 1}", True), ("budgets: {turns: 0}", False), ("budgets: {turns: 1.5}", False),
    ],
)  # fmt: skip
def test_editors_and_runs_say_the_same_of_a_file(text: str, sound: bool) -> None:
    root = parse_yaml(text).root
    assert root
    assert Draft202012Validator(json_schema()).is_valid(root.data()) is sound
    try:
        ConfigurationFile.model_validate(root.data())
    except ValidationError:
        assert not sound
    else:
        assert sound


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(json_schema())


def test_the_schema_lets_commands_and_services_be_text() -> None:
    properties = json_schema()["properties"]
    for key, kind in (("setup", "CommandPart"), ("tests", "CommandPart"), ("services", "ServicePart")):
        short, long = properties[key]["items"]["anyOf"]
        assert short["type"] == "string"
        assert long == {"$ref": f"#/$defs/{kind}"}


def test_every_key_is_described_for_editors_and_explained_in_the_documentation() -> None:
    described = json_schema()["properties"]
    explained = set(re.findall(r"\*\*(\w+)\*\*", DOCUMENT.partition("## The keys")[2]))
    for key in ConfigurationFile.model_fields:
        assert described[key]["description"], key
        assert key in explained, key


def test_the_example_of_the_documentation_is_read_and_uses_every_key() -> None:
    found = example()
    assert found.image
    assert found.model == "claude-haiku-5-5"
    assert found.declared.setup
    assert found.declared.tests
    assert [service.kind for service in found.declared.services] == ["redis", "postgresql"]
    assert found.rules.scope
    assert found.rules.protected
    assert set(found.limits) == set(BudgetsPart.model_fields)
    assert found.declared.variables


def test_the_limits_are_those_that_a_run_has() -> None:
    assert set(BudgetsPart.model_fields) == set(vars(BudgetLimits()))


def test_the_documentation_lists_every_kind_of_service() -> None:
    assert ", ".join(get_args(ServiceKind)) in DOCUMENT


def test_the_hint_for_editors_is_in_the_example() -> None:
    assert f"# yaml-language-server: $schema={PLACE.name}\n" in DOCUMENT
