"""Tools that look: read_file, list_files, search."""

import re

import pathspec
from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.encoding import UTF_8, as_text
from agent.tools.output import shorten, shown_path
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.counted import counted
from repo_tools.path_rules import is_costly

READ_BYTES = 4_000_000
LINES_AT_ONCE = 800
LINE_CHARACTERS = 1_000
FILES_AT_ONCE = 400
MATCHES_AT_ONCE = 100
MATCH_CHARACTERS = 300
_LINE_BREAK = re.compile(r"\n|(?<!\\)(?:\\\\)*\\[nr]")
"""As it stands in a pattern, or escaped; not a backslash that is escaped itself."""
_LINE_BY_LINE = " Each line is matched alone, without its end: search for one line of it."


class ReadFile(Arguments):
    path: str = Field(description="root-relative, forward slashes")
    start_line: int | None = Field(None, ge=1, description="first line, counted from 1")
    end_line: int | None = Field(None, ge=1, description="last line, included")


class ListFiles(Arguments):
    path: str | None = Field(None, description="folder to list; the whole repository without it")
    glob: str | None = Field(None, description="gitignore-style pattern, for instance **/test_*.py")


class Search(Arguments):
    pattern: str = Field(min_length=1, description="regular expression, matched line by line")
    path: str | None = Field(None, description="folder or file to search in")


def read_file(arguments: ReadFile, desk: Desk) -> str:
    content = desk.workspace.read(arguments.path, max_bytes=READ_BYTES + 1)
    cut, content = len(content) > READ_BYTES, content[:READ_BYTES]
    text, encoding = as_text(content, cut)
    if not encoding:
        size = f"{'over ' if cut else ''}{counted(len(content), 'byte')}"
        return f"{arguments.path} is not text ({size}): it can be moved and deleted, not shown or edited."
    notes = [f"\n[the file is longer than {READ_BYTES} bytes; the rest cannot be read]"] if cut else []
    notes += [] if encoding == UTF_8 else [f"\n[not UTF-8: shown as {encoding}; edit_file keeps its bytes]"]
    return "".join([_numbered(arguments, _lines(text.removeprefix("\ufeff"))), *notes])


def list_files(arguments: ListFiles, desk: Desk) -> str:
    prefix = _as_folder(arguments.path)
    paths = [path for path in desk.workspace.paths() if f"{path}/".startswith(prefix)]
    if arguments.glob is not None:
        paths = _matching(arguments.glob, prefix, paths)
    if not paths:
        return "No files match."
    left_out = len(paths) - FILES_AT_ONCE
    note = f"\n[{left_out} more; narrow it with path or glob]" if left_out > 0 else ""
    return "\n".join(map(shown_path, paths[:FILES_AT_ONCE])) + note


def search(arguments: Search, desk: Desk) -> str:
    path = arguments.path if _as_folder(arguments.path) else None
    try:
        found = desk.workspace.search(arguments.pattern, path, max_matches=MATCHES_AT_ONCE)
    except ValueError as error:
        raise ToolFailed(str(error)) from None
    if not found:
        return "No line matches." + (_LINE_BY_LINE if _LINE_BREAK.search(arguments.pattern) else "")
    lines = [f"{shown_path(m.path)}:{m.line_number}: {shorten(m.line, MATCH_CHARACTERS)}" for m in found]
    more = f"\n[only the first {MATCHES_AT_ONCE} matches]" if len(found) >= MATCHES_AT_ONCE else ""
    return "\n".join(lines) + more


def _lines(text: str) -> list[str]:
    """Only LF and CRLF end a line, as for search and for git; a form feed does not."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _numbered(arguments: ReadFile, lines: list[str]) -> str:
    first = arguments.start_line or 1
    last = min(arguments.end_line or len(lines), len(lines), first + LINES_AT_ONCE - 1)
    if not lines:
        return f"{arguments.path} is empty."
    if first > len(lines):
        raise ToolFailed(f"{arguments.path} has {counted(len(lines), 'line')}; line {first} is beyond its end.")
    if last < first:
        raise ToolFailed("end_line comes before start_line.")
    shown = [f"{n:>6}\t{shorten(lines[n - 1], LINE_CHARACTERS)}" for n in range(first, last + 1)]
    rest = f"\n[lines {first} to {last} of {len(lines)}]" if last - first + 1 < len(lines) else ""
    return "\n".join(shown) + rest


def _as_folder(path: str | None) -> str:
    cleaned = (path or "").strip("/").removeprefix("./")
    return "" if cleaned in ("", ".") else f"{cleaned}/"


def _matching(glob: str, prefix: str, paths: list[str]) -> list[str]:
    if is_costly(glob):
        raise ToolFailed("This glob has too many stars to be matched in time: use fewer.")
    try:
        wanted = pathspec.PathSpec.from_lines("gitignore", [glob])
    except (ValueError, re.error) as error:
        raise ToolFailed(f"Bad glob: {error}") from None
    return [path for path in paths if wanted.match_file(path.removeprefix(prefix)) or wanted.match_file(path)]


READ_FILE = Tool(
    "read_file",
    "Read a text file. Lines are shown with their numbers and a tab in front; these are not part of the file. "
    f"At most {LINES_AT_ONCE} lines at once: give start_line and end_line for more.",
    ReadFile,
    read_file,
)
LIST_FILES = Tool("list_files", "List the files of the repository, or of one folder.", ListFiles, list_files)
SEARCH = Tool(
    "search",
    "Find lines by regular expression. Answers path:line: text.",
    Search,
    search,
)
