"""`python -m bench [part…]`: measures the parts, prints the table; all of them also write `docs/benchmarks.md`."""

import argparse
import os
import signal
import sys
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

from rich.console import Console

from bench.table import Measure, Row, markdown_page, terminal_table
from repo_tools.errors import SandboxError
from scripts.containers import containers
from scripts.engine import EngineMissingError

PARTS = ("webhook", "queue", "loop", "sandbox", "crowd", "flood", "known", "set_up", "gvisor", "worktree", "scale")
IN_CONTAINERS = {"sandbox", "crowd", "flood", "known", "set_up", "gvisor"}
PACKAGES = ("celery", "fastapi", "sqlalchemy", "uvicorn", "docker", "gitpython")
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def main() -> int:
    """0 if every target that could be compared was met; with CI=true, if every one could be and was."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all where none is named")
    parts = parser.parse_args().parts or PARTS
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that an engine of ours does not stay behind
    with ExitStack() as stack:
        if not IN_CONTAINERS.isdisjoint(parts):
            _have_containers(stack)
        rows = [row for part in parts for row in _measure(part)]
    console = Console()
    console.print(terminal_table(rows))
    if tuple(parts) == PARTS:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(markdown_page(rows, PACKAGES))
        console.print(f"written to {PAGE.relative_to(Path.cwd()) if PAGE.is_relative_to(Path.cwd()) else PAGE}")
    unmeasured = [row for row in rows if not row.verdict]
    for row in unmeasured:
        console.print(f"NOT COMPARED: {row.what}: {row.note}", style="bold red")
    must_all = os.environ.get("CI") == "true"
    return int(any(row.verdict == "missed" for row in rows) or (must_all and bool(unmeasured)))


def _have_containers(stack: ExitStack) -> None:
    """Where there can be none, the rows that want them say so."""
    try:
        os.environ["DOCKER_HOST"] = stack.enter_context(containers())
    except (EngineMissingError, SandboxError) as error:
        print(f"NO CONTAINERS: {error}", file=sys.stderr)


def _measure(part: str) -> list[Row]:
    if part not in PARTS:
        raise SystemExit(f"there is no part {part}; there are {', '.join(PARTS)}")
    print(f"measuring {part} …", file=sys.stderr)
    measure: Measure = import_module(f"bench.{part}").measure
    return measure()


if __name__ == "__main__":
    sys.exit(main())
