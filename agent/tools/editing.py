"""Tools that change files: write_file, edit_file, delete_file, move_file."""

from pydantic import Field

from agent.errors import ToolFailed
from agent.tools.encoding import UTF_8, as_text
from agent.tools.tool import Arguments, Desk, Tool
from repo_tools.counted import counted
from repo_tools.errors import RepoError

EDIT_BYTES = 4_000_000
LINES_NAMED = 10
OTHER_LINE_ENDS = (
    " Its lines ended with CRLF before and do not now, so that every line of it counts as changed: write it again with "
    "\\r\\n, unless that is meant. edit_file keeps line ends."
)


class WriteFile(Arguments):
    path: str = Field(description="root-relative, forward slashes")
    content: str = Field(description="the whole new content; written as UTF-8, exactly as given")
    executable: bool | None = Field(None, description="set or clear the executable bit; without it, the bit stays")


class EditFile(Arguments):
    path: str = Field(description="root-relative, forward slashes")
    old: str = Field(min_length=1, description="text that occurs exactly once in the file, whitespace included")
    new: str = Field(description="what stands there afterwards")


class DeleteFile(Arguments):
    path: str = Field(description="root-relative, forward slashes")


class MoveFile(Arguments):
    source: str = Field(alias="from", description="root-relative path of the file")
    target: str = Field(alias="to", description="root-relative path; nothing may stand there yet")


def write_file(arguments: WriteFile, desk: Desk) -> str:
    content = _encoded(arguments.content)
    present = _present(arguments.path, desk)
    note = OTHER_LINE_ENDS if b"\r\n" not in content and b"\r\n" in present else ""
    if (encoding := as_text(present, is_cut=True)[1]) not in ("", UTF_8):
        note += f" It was {encoding} before and is UTF-8 now: edit_file would have kept that."
    desk.workspace.write(arguments.path, content, executable=arguments.executable)
    return f"Wrote {arguments.path} ({counted(len(content), 'byte')}).{note}"


def _present(path: str, desk: Desk) -> bytes:
    """What stands there now; nothing where that is no file."""
    try:
        return desk.workspace.read(path, max_bytes=EDIT_BYTES)
    except (OSError, RepoError):
        return b""


def edit_file(arguments: EditFile, desk: Desk) -> str:
    content = desk.workspace.read(arguments.path, max_bytes=EDIT_BYTES + 1)
    if len(content) > EDIT_BYTES:
        raise ToolFailed(f"{arguments.path} is larger than {EDIT_BYTES} bytes and cannot be edited.")
    text, encoding = as_text(content)
    if not encoding:
        raise ToolFailed(f"{arguments.path} is not text; edit_file cannot change it.")
    edited, line = _replace_once(arguments.path, text, arguments.old, arguments.new)
    desk.workspace.write(arguments.path, _encoded(edited, encoding))
    return f"Edited {arguments.path} at line {line}."


def delete_file(arguments: DeleteFile, desk: Desk) -> str:
    desk.workspace.delete(arguments.path)
    return f"Deleted {arguments.path}."


def move_file(arguments: MoveFile, desk: Desk) -> str:
    desk.workspace.move(arguments.source, arguments.target)
    return f"Moved {arguments.source} to {arguments.target}."


def _encoded(text: str, encoding: str = UTF_8) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        if not "\ud800" <= text[error.start] <= "\udfff":
            raise ToolFailed(f"The file is {encoding}, which has no {text[error.start]!r}.") from None
        raise ToolFailed("The text holds half of a surrogate pair, which UTF-8 cannot express.") from None


def _replace_once(path: str, text: str, old: str, new: str) -> tuple[str, int]:
    """The edited text and the line (from 1) where it changed. In files with CRLF line ends, `old` and `new` may be
    given with LF: the file's own line ends stay."""
    starts = _occurrences(text, old)
    if "\r\n" in text and (not starts or _all_crlf(text)):
        old, new = _with_crlf(old), _with_crlf(new)
        starts = _occurrences(text, old)
    if len(starts) != 1:
        raise ToolFailed(_why_not(path, text, old, starts))
    if old == new:
        raise ToolFailed("old and new are the same: nothing would change.")
    start = starts[0]
    return text[:start] + new + text[start + len(old) :], _line_of(text, start)


def _occurrences(text: str, old: str) -> list[int]:
    """Every place where `old` begins, overlapping ones too."""
    starts, at = [], text.find(old)
    while at >= 0:
        starts.append(at)
        at = text.find(old, at + 1)
    return starts


def _why_not(path: str, text: str, old: str, starts: list[int]) -> str:
    if starts:
        lines = ", ".join(str(_line_of(text, start)) for start in starts[:LINES_NAMED])
        more = ", …" if len(starts) > LINES_NAMED else ""
        return f"old occurs {len(starts)} times in {path}, at lines {lines}{more}. Give more of the text around yours."
    first = old.strip().split("\n", 1)[0].strip()
    near = [str(n) for n, line in enumerate(text.split("\n"), 1) if first and line.strip() == first]
    hint = f" Its first line stands at lines {', '.join(near[:LINES_NAMED])}, but what follows differs." if near else ""
    return f"old occurs 0 times in {path}.{hint} Read the file and copy the text exactly."


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _all_crlf(text: str) -> bool:
    return text.count("\n") == text.count("\r\n")


def _with_crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


WRITE_FILE = Tool(
    "write_file",
    "Create a file or replace its whole content (UTF-8 text; binary content cannot be written). "
    "For a change to an existing file prefer edit_file.",
    WriteFile,
    write_file,
    changes_files=True,
)
EDIT_FILE = Tool(
    "edit_file",
    "Replace one piece of text in a file. `old` must occur exactly once. Line ends, BOM and final newline stay.",
    EditFile,
    edit_file,
    changes_files=True,
)
DELETE_FILE = Tool("delete_file", "Delete a file.", DeleteFile, delete_file, changes_files=True)
MOVE_FILE = Tool("move_file", "Move or rename a file, binary ones too.", MoveFile, move_file, changes_files=True)
