"""SQL on the data of a work tree, inside its box: SQLite files, and CSV files as tables."""

import json
import secrets
import signal
from importlib.resources import files

from repo_tools.interpreter.contract import READING_SECONDS, SQLITE_VARIABLES, QueryRefusedError, QueryResult
from repo_tools.interpreter.session import PYTHON
from repo_tools.sandbox.contract import WORKSPACE, Sandbox
from repo_tools.sandbox.source import as_one_program

MAX_CELL_CHARACTERS = 500
MAX_CHARACTERS = 200_000
"""Of all rows, more than anybody is shown of an answer."""
_KILLED = 128 + signal.SIGKILL
_MAX_OUTPUT_BYTES = 4_000_000
_MARGIN_SECONDS = 30.0
_MODULES = ("separated", "tables_program")


def _program() -> str:
    modules = {
        f"{__package__}.{name}": files(__package__).joinpath(f"{name}.py").read_text("utf-8") for name in _MODULES
    }
    return as_one_program(modules, f"{__package__}.tables_program")


_PROGRAM = _program()


class BoxTables:
    """Reads `folder` (below the work tree) of `box`. What was made of CSV files is kept in the box from query to
    query, under a name that nobody else knows."""

    def __init__(self, box: Sandbox, folder: str, python: str = PYTHON) -> None:
        self._box = box
        self._folder = f"{WORKSPACE}/{folder}"
        self._python = python
        self._store = f"/tmp/{secrets.token_hex(16)}.sqlite"  # noqa: S108 - inside of the box

    def query(
        self, query: str, *, max_rows: int, timeout_seconds: float, reading_seconds: float = READING_SECONDS
    ) -> QueryResult:
        """The first `max_rows` rows. QueryRefusedError, with what is wrong and which tables there are."""
        question = {
            "folder": self._folder, "store": self._store, "query": query,
            "max_rows": max_rows, "max_characters": MAX_CELL_CHARACTERS, "max_total_characters": MAX_CHARACTERS,
            "seconds": timeout_seconds, "reading_seconds": reading_seconds,
        }  # fmt: skip
        result = self._box.exec(
            [self._python, "-I", "-S", "-c", _PROGRAM],
            timeout_seconds=reading_seconds + timeout_seconds + _MARGIN_SECONDS,
            cwd="/",
            environment=SQLITE_VARIABLES,
            stdin=json.dumps(question).encode("ascii"),
            max_output_bytes=_MAX_OUTPUT_BYTES,
        )
        if result.timed_out:
            raise QueryRefusedError(f"the query did not end within {timeout_seconds:.0f} seconds, and was killed")
        try:
            return _read(result.output)
        except (ValueError, TypeError, KeyError, RecursionError):
            if result.exit_code == _KILLED:
                raise QueryRefusedError(
                    "the query wanted more memory than a sandbox has: ask for less at once"
                ) from None
            told = result.output[-1_000:].decode("utf-8", "replace").strip()
            raise QueryRefusedError(f"the data could not be read (exit code {result.exit_code}): {told}") from None


def _read(output: bytes) -> QueryResult:
    """QueryRefusedError as the program in the box says, other errors where it is no answer of that program."""
    answer = json.loads(output)
    if "problem" in answer:
        known = "\n".join(("Tables:", *map(str, answer["tables"] or ["none"])))
        raise QueryRefusedError(f"{answer['problem']}\n{known}" if answer["tables"] is not None else answer["problem"])
    rows = tuple(tuple(str(cell) for cell in row) for row in answer["rows"])
    doubts = tuple(map(str, answer["doubts"]))
    return QueryResult(tuple(map(str, answer["columns"])), rows, bool(answer["more"]), doubts)
