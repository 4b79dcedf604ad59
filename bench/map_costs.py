"""What a map costs: processor time, wall time and memory of fresh processes, beside the floor and aider.

The floor is one parse and one compiled query of each Python file of the work tree in one process, and nothing else:
no words, no index, no ranking, no other file. Ours reads the commit from git's objects. The floor in two processes,
each with half of the files, says what the machine gains by its second processor at all.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.table import PeerMissingError, Row, alone, compared, missing

ROOT = Path(__file__).parents[1]
ISSUE = "Wrong result\n\nThe order of results is lost when two queries are joined.\n"
CHANGED = 10
MAX_MEGABYTES = 150
FLOOR = """
import os, sys, tree_sitter, tree_sitter_python, pathlib
processes = int(sys.argv[2])
is_child = processes == 2 and os.fork() == 0
language = tree_sitter.Language(tree_sitter_python.language())
parser = tree_sitter.Parser(language)
cursor = tree_sitter.QueryCursor(tree_sitter.Query(language, tree_sitter_python.TAGS_QUERY))
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py"))[is_child::processes]:
    cursor.captures(parser.parse(path.read_bytes()).root_node)
if processes == 2 and not is_child:
    os.wait()
"""
_MEASURED = """
import json, os, resource, subprocess, sys, time
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[1])])
begin = time.monotonic()
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
wall, used = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024]))
"""
_ALL = 1_000


class Usage(NamedTuple):
    """Of a command with its children; `megabytes` is the most that one of them held."""

    seconds: float
    wall_seconds: float
    megabytes: float


class Mapped(NamedTuple):
    """One round."""

    floor: Usage
    floor_in_two: Usage
    cold: Usage
    one_core: Usage
    warm: Usage
    other: Usage
    changed: Usage


def costs(name: str, repository: Path, aider: str | None, rounds: int) -> list[Row]:
    """The rows of one repository (a git directory, or a folder with one)."""
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        one, two, changed = (_clone(repository, folder / place) for place in ("one", "two", "changed"))
        _change(changed)
        issue = folder / "issue.md"
        issue.write_text(ISSUE)
        measured = [_round(folder, number, issue, (one, two, changed)) for number in range(rounds)]
        return [*_rows(name, measured), *_beside_aider(name, one, issue, aider, measured)]


def growth(sizes: Sequence[int]) -> list[Row]:
    """What one file costs in made-up repositories of so many files, each beside the one before."""
    used = {size: _made_up(size) for size in sizes}
    rows = [
        alone(f"{n:,} made-up files: memory", [max(use.megabytes for use in used[n])], MAX_MEGABYTES, "MB")
        for n in sizes
    ]
    for fewer, more in pairwise(sizes):
        for what, index in (("cold", 0), ("warm", 1)):
            small, large = (1000 * used[size][index].seconds / size for size in (fewer, more))
            rows.append(compared(f"{what}, a file of {more:,} beside one of {fewer:,}", [large], [small], 1.1, "ms"))
    return rows


def usage(command: Sequence[str], folder: Path, cores: int = _ALL) -> Usage:
    """Of a command on so many of the processors that there are."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(cores), *command], cwd=folder, capture_output=True, check=False
    )
    if done.returncode:
        raise PeerMissingError(done.stderr.decode(errors="replace")[-300:])
    return Usage(*json.loads(done.stdout.splitlines()[-1]))


def _round(folder: Path, number: int, issue: Path, clones: Sequence[Path]) -> Mapped:
    one, two, changed = clones
    index, other_index = folder / f"{number}.db", folder / f"{number}-one.db"
    return Mapped(
        _floor(one, processes=1),
        _floor(one, processes=2),
        _map(one, issue, index),
        _map(one, issue, other_index, cores=1),
        _map(one, issue, index),
        _map(two, issue, index),
        _map(changed, issue, index),
    )


def _floor(clone: Path, processes: int) -> Usage:
    return usage([sys.executable, "-c", FLOOR, str(clone), str(processes)], ROOT)


def _map(clone: Path, issue: Path, index: Path, cores: int = _ALL) -> Usage:
    command = [sys.executable, "-m", "app.cli", "map", str(clone), "--issue", str(issue), "--index", str(index)]
    return usage(command, ROOT, cores)


def _rows(name: str, rounds: Sequence[Mapped]) -> list[Row]:
    def seconds(what: str) -> list[float]:
        return [getattr(mapped, what).seconds for mapped in rounds]

    warm = seconds("warm")
    return [
        compared(f"{name}: cold, beside the floor", seconds("cold"), seconds("floor"), 1.5, "s"),
        compared(
            f"{name}: cold in wall time, two cores beside one",
            [mapped.cold.wall_seconds for mapped in rounds],
            [mapped.one_core.wall_seconds for mapped in rounds],
            0.6,
            "s",
        ),
        compared(
            f"{name}: the floor in wall time, two processes beside one",
            [mapped.floor_in_two.wall_seconds for mapped in rounds],
            [mapped.floor.wall_seconds for mapped in rounds],
            None,
            "s",
        ),
        compared(f"{name}: another clone, beside warm", seconds("other"), warm, 1.2, "s"),
        compared(f"{name}: {CHANGED} changed files, beside warm", seconds("changed"), warm, 1.2, "s"),
        alone(f"{name}: memory", [max(use.megabytes for use in mapped[2:]) for mapped in rounds], MAX_MEGABYTES, "MB"),
    ]


def _beside_aider(name: str, clone: Path, issue: Path, aider: str | None, rounds: Sequence[Mapped]) -> list[Row]:
    try:
        if aider is None:
            raise PeerMissingError("aider cannot be installed")
        command = [aider, "-P", str(ROOT / "bench" / "map_aider.py"), str(issue), "1024"]
        cold, warm = (usage(command, clone).seconds for _ in range(2))
    except PeerMissingError as why:
        return [missing(f"{name}: cold and warm, beside aider", 0.25, "s", why)]
    ours = [statistics.median(getattr(mapped, what).seconds for mapped in rounds) for what in ("cold", "warm")]
    return [
        compared(f"{name}: cold, beside aider", ours[:1], [cold], 0.25, "s"),
        compared(f"{name}: warm in a new process, beside aider", ours[1:], [warm], 0.2, "s"),
    ]


def _clone(repository: Path, place: Path) -> Path:
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repository}", str(place)], check=True)
    return place


def _change(clone: Path) -> None:
    """A commit on top in which some Python files have one more line."""
    for path in sorted(clone.rglob("*.py"))[:: max(1, len([*clone.rglob("*.py")]) // CHANGED)][:CHANGED]:
        with path.open("a") as file:
            file.write("changed = True\n")
    _git(clone, "commit", "-qam", "change")


def _made_up(files: int) -> tuple[Usage, Usage]:
    """(cold, warm) of a repository whose files are as long as usual ones and share half of their words."""
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        clone, issue = folder / "made-up", folder / "issue.md"
        issue.write_text(ISSUE)
        subprocess.run(["git", "init", "-q", str(clone)], check=True)
        subprocess.run(
            ["git", "-C", str(clone), "fast-import", "--quiet"], input=b"".join(_import(range(files))), check=True
        )
        _git(clone, "symbolic-ref", "HEAD", "refs/heads/made-up")
        cold, warm = (_map(clone, issue, folder / "index.db") for _ in range(2))
        return cold, warm


def _import(numbers: Iterable[int]) -> Iterator[bytes]:
    """git-fast-import(1): one commit."""
    yield b"commit refs/heads/made-up\ncommitter bench <bench@example.invalid> 1700000000 +0000\ndata 0\n"
    for number in numbers:
        methods = "".join(
            f"    def query_{n}_{number % 997}(self, results, order=None):\n"
            f'        """Joins the results of step {n}."""\n'
            f"        return self.part_{number}_{n}.joined(results, order or self.default_order)\n\n"
            for n in range(12)
        )
        content = f"import os\n\n\nclass Step{number}:\n{methods}".encode()
        yield b"M 100644 inline package_%d/module_%d.py\ndata %d\n%b\n" % (number // 100, number, len(content), content)


def _git(clone: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    subprocess.run(["git", "-C", str(clone), *identity, *arguments], check=True)
