"""`python -m bench.map`: the repository map beside aider 0.86, the floor and plain BM25; without options on the
repositories that docs/benchmarks-map.md is of, which are cloned (some GB).

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
from bench.map_sets import BadSetError, fixes_of, git_directory, halves, read_set
from bench.table import PeerMissingError, Row, markdown_page, terminal_table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks-map.md"
AIDER = ROOT / ".cache" / "aider"
REPOSITORIES = [
    f"https://github.com/{name}"
    for name in (
        "pallets/flask", "fmtlib/fmt", "scrapy/scrapy", "mockito/mockito", "clap-rs/clap", "vuejs/core",
        "pylint-dev/pylint", "aio-libs/aiohttp", "celery/celery", "pytest-dev/pytest", "gohugoio/hugo",
        "sphinx-doc/sphinx", "eslint/eslint", "rubocop/rubocop", "sympy/sympy", "sqlalchemy/sqlalchemy",
    )
]  # fmt: skip
COSTS = [
    f"https://github.com/{name}" for name in ("django/django", "pylint-dev/pylint", "sympy/sympy", "pallets/flask")
]
GROWTH = [1_000, 10_000, 100_000]


def main() -> int:
    """0 if no target that could be compared was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.map", description=__doc__)
    parser.add_argument("--repositories", nargs="*", default=[], help="paths or URLs, with their history")
    parser.add_argument("--costs", nargs="*", default=[], help="those whose time and memory are measured")
    parser.add_argument("--rounds", type=int, default=3, help="how often costs are measured, for the median")
    parser.add_argument("--growth", nargs="*", type=int, default=[], help="sizes of made-up repositories, in files")
    parser.add_argument("--set", type=Path, help="a JSON object {repository, commit, text, gold} on each line")
    parser.add_argument("--fixes", type=int, default=60, help="at most so many of each repository")
    parser.add_argument("--aider-fixes", type=int, default=1, help="aider is asked for so many of each repository")
    parser.add_argument("--tuning", action="store_true", help="the half to tune on rather than the one to report")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks-map.md")
    given = parser.parse_args()
    if not (given.repositories or given.costs or given.growth or given.set):
        given.repositories, given.costs, given.growth = REPOSITORIES, COSTS, GROWTH
    try:
        rows = _measured(given)
    except BadSetError as error:
        print(error, file=sys.stderr)
        return 2
    Console().print(terminal_table(rows))
    if given.page:
        PAGE.write_text(markdown_page(rows, ("tree-sitter",)).replace("make bench`", "make bench-map`", 1))
    return int(any(row.verdict == "missed" for row in rows))


def _measured(given: argparse.Namespace) -> list[Row]:
    """BadSetError where a repository or a line of the set is wrong, before anything is measured."""
    chosen = [fix for place in given.repositories for fix in fixes_of(git_directory(place), given.fixes)]
    fixes = read_set(given.set) if given.set else halves(chosen)[0 if given.tuning else 1]
    if (given.set or given.repositories) and not fixes:
        raise BadSetError("No fix was found: no commit closes an issue and changes source and test.")
    places = {place: git_directory(place) for place in given.costs}
    aider = _aider_or_none() if given.aider_fixes else None
    rows = [row for place, git_dir in places.items() for row in costs(_name(place), git_dir, aider, given.rounds)]
    return [*rows, *growth(given.growth), *recall(fixes, aider, given.aider_fixes)]


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
