"""`python -m bench.map --repositories DIR…`: the repository map beside aider 0.86, the floor and plain BM25.

What it costs is measured by `bench.map_costs`; recall is over the bug fixes that `bench.map_sets` chooses from each
repository's history.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from bench.map_costs import costs, growth
from bench.map_recall import recall
from bench.map_sets import fixes_of, git_directory, halves, read_set
from bench.table import PeerMissingError, markdown_page, terminal_table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks-map.md"
AIDER = ROOT / ".cache" / "aider"


def main() -> int:
    """0 if no target that could be compared was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.map", description=__doc__)
    parser.add_argument("--repositories", nargs="*", default=[], help="paths or URLs, with their history")
    parser.add_argument("--costs", nargs="*", default=[], help="those whose time and memory are measured")
    parser.add_argument("--rounds", type=int, default=3, help="how often costs are measured, for the median")
    parser.add_argument("--growth", nargs="*", type=int, default=[], help="sizes of made-up repositories, in files")
    parser.add_argument("--set", type=Path, help="a JSON object {repository, commit, text, gold} on each line")
    parser.add_argument("--fixes", type=int, default=30, help="at most so many of each repository")
    parser.add_argument("--aider-fixes", type=int, default=5, help="aider is asked for so many of each repository")
    parser.add_argument("--tuning", action="store_true", help="the half to tune on rather than the one to report")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks-map.md")
    given = parser.parse_args()
    aider = _aider_or_none() if given.aider_fixes else None
    rows = [row for place in given.costs for row in costs(_name(place), git_directory(place), aider, given.rounds)]
    rows += growth(given.growth)
    chosen = [fix for place in given.repositories for fix in fixes_of(git_directory(place), given.fixes)]
    fixes = read_set(given.set) if given.set else halves(chosen)[0 if given.tuning else 1]
    rows += recall(fixes, aider, given.aider_fixes)
    Console().print(terminal_table(rows))
    if given.page:
        PAGE.write_text(markdown_page(rows, ("tree-sitter",)).replace("make bench`", "make bench-map`", 1))
    return int(any(row.verdict == "missed" for row in rows))


def _name(place: str) -> str:
    """A repository's own, whatever it stands in."""
    parts = [part for part in place.removesuffix(".git").split("/") if part not in ("", "repo")]
    return parts[-1].rsplit("+", 1)[-1]


def _aider() -> str:
    python = AIDER / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(AIDER)], check=True)
        if subprocess.run([python, "-c", "import aider.repomap"], capture_output=True, check=False).returncode:
            subprocess.run([python, "-m", "pip", "install", "-q", "aider-chat==0.86.*"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise PeerMissingError(f"aider cannot be installed ({error})") from error
    return str(python)


def _aider_or_none() -> str | None:
    try:
        return _aider()
    except PeerMissingError as why:
        print(why, file=sys.stderr)
        return None


if __name__ == "__main__":
    sys.exit(main())
