"""All tools, and the one place where a call of the model becomes a result."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from agent.errors import ToolFailed
from agent.model import ToolCall, ToolSpec
from agent.tools.editing import DELETE_FILE, EDIT_FILE, MOVE_FILE, WRITE_FILE
from agent.tools.ending import FINISH, GIVE_UP
from agent.tools.output import sendable
from agent.tools.reading import LIST_FILES, READ_FILE, SEARCH
from agent.tools.symbols import FIND_SYMBOL, OUTLINE, RELATED_TESTS
from agent.tools.testing import RUN_TESTS
from agent.tools.tool import Desk, Tool
from repo_tools.errors import RepoError

FILE_TOOLS: tuple[Tool[Any], ...] = (
    READ_FILE,
    WRITE_FILE,
    EDIT_FILE,
    DELETE_FILE,
    MOVE_FILE,
    LIST_FILES,
    SEARCH,
)
TOOLS: tuple[Tool[Any], ...] = (*FILE_TOOLS, FIND_SYMBOL, OUTLINE, RELATED_TESTS, RUN_TESTS, FINISH, GIVE_UP)
"""Those of a fix."""


@dataclass(frozen=True)
class Result:
    """What a call came to. `changed_files` says that a checkpoint is due."""

    content: str
    is_error: bool = False
    changed_files: bool = False


@dataclass(frozen=True)
class Toolbox:
    """The tools of one kind of work."""

    tools: tuple[Tool[Any], ...]

    @cached_property
    def by_name(self) -> Mapping[str, Tool[Any]]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self.tools)

    def execute(self, call: ToolCall, desk: Desk) -> Result:
        """Run one call. What the model can answer for becomes an error result; AgentStop and SandboxError propagate."""
        result = self._execute(call, desk)
        return replace(result, content=sendable(result.content) or "(no output)")

    def _execute(self, call: ToolCall, desk: Desk) -> Result:
        tool = self.by_name.get(call.name)
        if tool is None:
            known = ", ".join(self.by_name)
            return Result(f"There is no tool {call.name!r}. The tools are: {known}.", is_error=True)
        try:
            return Result(tool(call.arguments, desk), changed_files=tool.changes_files)
        except (ToolFailed, RepoError) as error:
            return Result(str(error), is_error=True)
        except OSError as error:
            return Result(_in_words(error, call), is_error=True)


_OS_ERRORS: Mapping[type[OSError], str] = {
    FileNotFoundError: "There is no such file",
    IsADirectoryError: "This is a directory",
    FileExistsError: "There is a file already",
    PermissionError: "This path cannot be used",
}


def _in_words(error: OSError, call: ToolCall) -> str:
    """Named by the path that the model gave: the box's own is no concern of its."""
    words = next((words for kind, words in _OS_ERRORS.items() if isinstance(error, kind)), None)
    place = "to" if isinstance(error, FileExistsError) else "from"
    path = call.arguments.get("path") or call.arguments.get(place) or ""
    return f"{words or f'The file system refused ({error.strerror})'}: {path}"
