"""The shape of `.github/agent-fix.yml`. Nothing unknown is accepted and nothing is converted.

From these classes comes the JSON schema that editors read, so every field says for a person what it is.
"""

import json
import re
from collections.abc import Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from agent.redaction import redact
from repo_tools.environment.commands import command_problem, expression_problem, root_relative
from repo_tools.errors import RepoError
from repo_tools.path_rules import MAX_PATTERN_CHARACTERS, pattern_problem
from repo_tools.paths import check_path
from repo_tools.sandbox.service import KINDS, MOST_SERVICES, VERSION
from workers.configuration.contract import Allowed

MOST_COMMANDS = 50
MOST_CHARACTERS = 4_000
_UNFIT = "looks like a secret; every test could read it, so none may be here"
MOST_ENTRIES = 200

ServiceKind = Literal["postgresql", "mysql", "mariadb", "redis", "rabbitmq"]
"""The kinds of `repo_tools.environment.contract.Service`."""

_HOST_NAME = r"^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$"
"""As `repo_tools.sandbox.service` takes it, in words that editors know too (ECMA 262 has no flags inside)."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")
_OF_THE_SANDBOX = ("PATH", "HOME", *_PROXIES, *map(str.upper, _PROXIES))
"""Without its own values of these no command is found, nothing can be written, or nothing comes through the proxy."""


@dataclass(frozen=True)
class Surroundings:
    """What a file is held against when it is read, as pydantic's context: without one, only its shape counts."""

    allowed: Allowed
    folders: Set[str]  # of the repository, root-relative; the root is empty


def _pattern(text: str) -> str:
    if problem := pattern_problem(text):
        raise ValueError(problem)
    return text


def _checked_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("is no name of a variable: letters, digits and `_`")
    return text


def _of_environment(text: str) -> str:
    if _checked_name(text) in _OF_THE_SANDBOX:
        raise ValueError(f"is the sandbox's own: take it out; a command may set it (`{text}=… command`)")
    return text


def _value(text: str) -> str:
    _refuse(expression_problem(text))
    if "\0" in text:
        raise ValueError("holds a NUL character, which no variable can")
    if redact(text) != text:
        raise ValueError(_UNFIT)
    return text


def _without_secrets(variables: dict[str, str]) -> dict[str, str]:
    """Some secrets are known by their names alone."""
    secret = [name for name, value in variables.items() if redact(f"{name}={value}") != f"{name}={value}"]
    _refuse(f"has the variable `{secret[0]}`, which {_UNFIT}" if secret else "")
    return variables


def _command(text: str) -> str:
    _refuse(command_problem(text))
    return text


def _folder(text: str) -> str:
    plain = text.removeprefix("./").rstrip("/")
    try:
        return root_relative(check_path(plain)) if plain not in ("", ".") else ""
    except RepoError as error:
        raise ValueError(f"is no folder of the repository: {str(error).rstrip('.')}") from None


def no_such_folder(folder: str, folders: Set[str]) -> str:
    near = near_folder(folder, folders)
    return "the repository has no such folder" + (f"; did you mean `{near}`?" if near else "")


def near_folder(folder: str, folders: Set[str]) -> str:
    return next(iter(get_close_matches(folder, sorted(folders), n=1)), "")


def _as_command(value: object) -> object:
    return {"run": value} if isinstance(value, str) else value


def _as_service(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


_NO_EXPRESSION: dict[str, Any] = {"not": {"pattern": r"\$\{\{"}}
_NAMES: dict[str, Any] = {"propertyNames": {"pattern": f"^{_NAME.pattern}$"}}
_OTHER_NAMES: dict[str, Any] = {"not": {"enum": [*_OF_THE_SANDBOX]}}
_RELATIVE: dict[str, Any] = {"not": {"pattern": r"^/|(^|/)\.\.(/|$)"}}
_A_PATTERN: dict[str, Any] = {"minLength": 1, "maxLength": MAX_PATTERN_CHARACTERS, "not": {"pattern": r"^(!|#|~|\./)"}}
"""What validators say below, in words that editors know."""

Text = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS)]
CommandText = Annotated[Text, Field(json_schema_extra={"pattern": r"\S", **_NO_EXPRESSION})]
Pattern = Annotated[str, AfterValidator(_pattern), Field(json_schema_extra=_A_PATTERN)]
Value = Annotated[str, Field(max_length=MOST_CHARACTERS, json_schema_extra=_NO_EXPRESSION), AfterValidator(_value)]
Variables = Annotated[
    dict[Annotated[str, AfterValidator(_checked_name)], Value],
    Field(max_length=MOST_ENTRIES, json_schema_extra=_NAMES),
    AfterValidator(_without_secrets),
]
Environment = Annotated[
    dict[Annotated[str, AfterValidator(_of_environment)], Value],
    Field(max_length=MOST_ENTRIES, json_schema_extra={"propertyNames": {**_NAMES["propertyNames"], **_OTHER_NAMES}}),
    AfterValidator(_without_secrets),
]
Count = Annotated[int, Field(ge=1)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CommandPart(Part):
    """A command; text alone is the same as `run`."""

    run: Annotated[CommandText, AfterValidator(_command)] = Field(
        description="the command, as you would type it; a shell runs it only where it needs one"
    )
    directory: Annotated[str, AfterValidator(_folder)] = Field(
        "", max_length=MOST_CHARACTERS, description="folder to run it in, from the root", json_schema_extra=_RELATIVE
    )

    @field_validator("directory")
    @classmethod
    def _is_there(cls, directory: str, info: ValidationInfo[Surroundings | None]) -> str:
        if info.context and directory not in info.context.folders:
            raise ValueError(f"is `{directory}`, but {no_such_folder(directory, info.context.folders)}")
        return directory


class ServicePart(Part):
    """A server beside the tests; text alone is the same as `kind`."""

    kind: ServiceKind
    version: Annotated[str, Field(pattern=f"^{VERSION.pattern}$")] | None = Field(
        None, description='in quotes, for instance "16"; any, where nothing is said'
    )
    port: Annotated[int, Field(ge=1024, le=65535)] | None = Field(None, description="where the tests look for it")
    name: Annotated[str, Field(pattern=_HOST_NAME)] | None = Field(
        None, description="the host name that tests know it by, besides localhost"
    )
    variables: Variables = Field({}, description="as its image takes them, for instance POSTGRES_DB")

    @model_validator(mode="after")
    def _known_variables(self) -> "ServicePart":
        prefixes = KINDS[self.kind].prefixes
        for name in self.variables:
            if not name.startswith(prefixes):
                begun = " or ".join(f"`{prefix}`" for prefix in prefixes)
                raise ValueError(f"has the variable `{name}`, but {self.kind} takes those that begin with {begun}")
        return self


class BudgetsPart(Part):
    """Limits of one run. They can only be tighter than the operator's."""

    turns: Count | None = Field(None, description="model calls")
    tokens: Count | None = Field(None, description="tokens of all kinds")
    usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(None, description="US dollars")
    seconds: Count | None = Field(None, description="wall seconds")
    test_runs: Count | None = Field(None, description="test runs that the model asks for")

    @field_validator("*")
    @classmethod
    def _tighter(cls, asked: float | None, info: ValidationInfo[Surroundings | None]) -> float | None:
        if info.context and asked is not None and info.field_name:
            _refuse(info.context.allowed.budget_problem(info.field_name, asked))
        return asked


Command = Annotated[CommandPart, BeforeValidator(_as_command, json_schema_input_type=CommandText | CommandPart)]
Service = Annotated[ServicePart, BeforeValidator(_as_service, json_schema_input_type=ServiceKind | ServicePart)]
Commands = Annotated[list[Command], Field(min_length=1, max_length=MOST_COMMANDS)]


class ConfigurationFile(Part):
    """`.github/agent-fix.yml` on the default branch. What is left out is detected, or as the operator has it."""

    image: Text | None = Field(None, description="image of the sandbox, one of those that the operator allows")
    setup: Commands | None = Field(None, description="commands that install the project, in place of the detected ones")
    tests: Commands | None = Field(None, description="commands that run the tests, in place of the detected ones")
    services: Annotated[list[Service], Field(max_length=MOST_SERVICES)] = Field(
        [], description="servers that the tests need; one of the same name or kind replaces a detected one"
    )
    environment: Environment = Field({}, description="variables for set-up and tests; never a secret")
    scope: Annotated[list[Pattern], Field(min_length=1, max_length=MOST_ENTRIES)] | None = Field(
        None, description="patterns as in .gitignore: only these paths may be changed"
    )
    protected: Annotated[list[Pattern], Field(max_length=MOST_ENTRIES)] = Field(
        [], description="patterns as in .gitignore: these paths are never changed"
    )
    budgets: BudgetsPart = Field(default_factory=BudgetsPart, description="tighter limits for one run")
    model: Text | None = Field(None, description="one of the models that the operator allows")

    @field_validator("model")
    @classmethod
    def _allowed_model(cls, name: str | None, info: ValidationInfo[Surroundings | None]) -> str | None:
        if info.context and name is not None:
            _refuse(info.context.allowed.model_problem(name))
        return name

    @field_validator("image")
    @classmethod
    def _allowed_image(cls, name: str | None, info: ValidationInfo[Surroundings | None]) -> str | None:
        if info.context and name is not None:
            _refuse(info.context.allowed.image_problem(name))
        return name


def _refuse(problem: str | None) -> None:
    if problem:
        raise ValueError(problem)


def json_schema() -> dict[str, Any]:
    """For editors (https://json-schema.org/draft/2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-fix",
        **_without_nothing(ConfigurationFile.model_json_schema()),
    }


def schema_text() -> str:
    """`json_schema` as it is published."""
    return json.dumps(json_schema(), indent=2) + "\n"


def _without_nothing(schema: Any) -> Any:
    """pydantic lets optional fields be null and titles them; in the file they are left out."""
    if isinstance(schema, list):
        return [_without_nothing(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {k: _without_nothing(v) for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
    if kept.get("default", ...) is None:
        del kept["default"]
    options = [option for option in kept.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1:
        return {**{k: v for k, v in kept.items() if k != "anyOf"}, **options[0]}
    return {**kept, "anyOf": options} if options else kept
