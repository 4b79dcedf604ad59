"""What `agent-fix solve` is asked on the command line, checked before anything is spent."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from repo_tools.paths import PathRefusedError, check_path
from workers.given import DATA, given_tests

MAX_GIVEN_BYTES = 256 << 20
"""They stand in the memory of two boxes, and in the first one's git repository once more."""
MAX_TASK_CHARACTERS = 100_000
_HOT = bytes.fromhex("d9d505f920a163d7")  # https://www.sqlite.org/fileformat2.html, section 3
_TEST_NAME = re.compile(r"[A-Za-z_]\w*\.py")


@dataclass(frozen=True)
class SolveRequest:
    """What was asked for on the command line. `files`: path in the workspace -> file here."""

    task: str
    files: dict[str, Path]

    @property
    def title(self) -> str:
        return self.task.strip().partition("\n")[0][:200]


def solve_request(task: str, tests: Iterable[Path], data: Iterable[Path]) -> SolveRequest:
    """ValueError says what is wrong with it."""
    tests, data = tuple(tests), tuple(data)
    _check_task(task)
    for file in (*tests, *data):
        if problem := _unwritten(file):
            raise ValueError(f"{file}: {problem}")
    files = _placed(tests, data)
    if tests and not given_tests(files):
        names = ", ".join(file.name for file in tests)
        raise ValueError(f"{names}: holds no tests, only Python files but conftest.py do: data of a question is --data")
    if sum(file.stat().st_size for file in files.values()) > MAX_GIVEN_BYTES:
        raise ValueError(f"the files hold more than {MAX_GIVEN_BYTES >> 20} MiB: give a part, or a sample, of the data")
    return SolveRequest(task, files)


def _check_task(task: str) -> None:
    if not task.strip():
        raise ValueError("the task is empty: say what is to be done")
    if len(task) > MAX_TASK_CHARACTERS:
        raise ValueError(f"the task is longer than {MAX_TASK_CHARACTERS:,} characters: put a part into a file (--data)")


def _placed(tests: Iterable[Path], data: Iterable[Path]) -> dict[str, Path]:
    """Path in the workspace -> file."""
    files: dict[str, Path] = {}
    for path, file in (*((file.name, file) for file in tests), *((f"{DATA}{file.name}", file) for file in data)):
        if problem := _unfit(file, path):
            raise ValueError(f"{file}: {problem}")
        if path in files:
            raise ValueError(f"two files are named {file.name}: they stand in one folder, rename a copy of one")
        files[path] = file
    return files


def _unwritten(file: Path) -> str:
    """Why a database is not whole without what lies beside it; empty where it is."""
    log, journal = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-journal"))
    if log.exists() and log.stat().st_size:  # https://www.sqlite.org/walformat.html
        return (
            f"{log.name} beside it holds rows that are not in it yet; end what has it open, or write them into it"
            f" (`sqlite3 {file.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`)"
        )
    if journal.is_file() and _begins_hot(journal):
        return (
            f"{journal.name} beside it is of a write that has not come to its end; wait for it, or, where what wrote is"
            f" gone, have it undone (`sqlite3 {file.name} .tables`)"
        )
    return ""


def _begins_hot(journal: Path) -> bool:
    with journal.open("rb") as file:
        return file.read(len(_HOT)) == _HOT


def _unfit(file: Path, path: str) -> str:
    """Why it cannot stand at `path` of a workspace; empty where it can."""
    if not file.is_file():
        return "is no file but a pipe or a device: write what comes out of it into one first"
    if f"{path}/" == DATA:
        return "stands where the folder of the data does: give it another name"
    if not path.startswith(DATA) and file.suffix == ".py" and not _TEST_NAME.fullmatch(file.name):
        return "tests are Python files whose names are plain words"
    try:
        check_path(path)
        path.encode()
    except PathRefusedError as error:
        return f"{error} Give it another name."
    except UnicodeEncodeError:
        return "its name is no text in UTF-8: give it another one"
    return ""
