"""A tool: name, arguments as the model is told of them, and the function behind it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.budget import Budget
from agent.errors import ToolFailed
from agent.model import ToolSpec
from agent.workspace import Workspace
from repo_tools.interpreter.contract import Tables
from repo_tools.interpreter.notebook import Notebook
from repo_tools.repo_map.symbols import CodeIndex
from repo_tools.test_report import TestReport

INVALID_JSON = "invalid_json"
"""The one key of a call's arguments whose text was no JSON object; its value is that text."""


class Arguments(BaseModel):
    """What a tool takes. Nothing unknown is accepted and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


A = TypeVar("A", bound=Arguments)


def _untold(_: TestReport) -> None:
    pass


@dataclass(frozen=True)
class Desk:
    """What tools work with. `finish` has the work judged: a report for the model, or the ending of the run; `tested`
    is told of each test run. `notebook`, `tables` and `index` are there where code may be run, data asked and
    names looked up."""

    workspace: Workspace
    budget: Budget
    finish: Callable[[str], str]
    tested: Callable[[TestReport], None] = _untold
    notebook: Notebook | None = None
    tables: Tables | None = None
    index: CodeIndex | None = None


@dataclass(frozen=True)
class Tool(Generic[A]):
    """`run` answers in words for the model; ToolFailed and the errors of the workspace become error results.
    `changes_files` says that a checkpoint is due after it."""

    name: str
    description: str
    arguments: type[A]
    run: Callable[[A, Desk], str]
    changes_files: bool = False

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, _without_titles(self.arguments.model_json_schema(by_alias=True)))

    def __call__(self, arguments: Any, desk: Desk) -> str:
        """Check `arguments` (whatever JSON the model sent), then run."""
        return self.run(self._parse(arguments), desk)

    def _parse(self, arguments: Any) -> A:
        if isinstance(arguments, Mapping) and set(arguments) == {INVALID_JSON}:
            raise ToolFailed(f"The arguments of {self.name} were not valid JSON. Send the call again.")
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            told = f"Wrong arguments for {self.name}: {_in_words(error)}"
            raise ToolFailed(f"{told}. It takes {', '.join(self._names)}.") from None

    @property
    def _names(self) -> list[str]:
        return [known.alias or name for name, known in self.arguments.model_fields.items()]


def _in_words(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, p['loc'])) or 'arguments'}: {p['msg']}" for p in problems[:5])


def _without_titles(schema: Any) -> Any:
    """pydantic titles every field; they would only cost tokens."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    return [_without_titles(item) for item in schema] if isinstance(schema, list) else schema
