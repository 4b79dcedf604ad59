"""A work tree for the second job on a repository: mirror and tar against a new `git clone --depth 1`, same server."""

import os
import random
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.table import Row, compared
from repo_tools.mirror import Mirror
from tests.support.git_http import serve_git
from tests.support.repositories import make_repository

FILES = 2_000
MEDIAN_CHARACTERS = 8_000
ROUNDS = 7
TARGET = 0.5
WORDS = [f"word_{number}" for number in range(3_000)]


def measure() -> list[Row]:
    """Seconds, medians of `ROUNDS`; the two take turns."""
    with tempfile.TemporaryDirectory() as name, serve_git(Path(name, "served")) as server:
        make_repository(Path(name, "served", "repository"), _sources())
        url = f"{server.url}/repository/.git"
        mirror = Mirror(Path(name, "mirrors", "1"))
        mirror.fetch(url, "main", token=None)
        clones, ours = [], []
        for _ in range(ROUNDS):
            clones.append(_seconds(lambda place: _clone(url, place)))
            ours.append(_seconds(lambda place: _second_tree(mirror, url, place)))
    what = f"work tree for a second run, {FILES:,} files, beside git clone --depth 1"
    return [compared(what, ours, clones, TARGET, "s")]


def _second_tree(mirror: Mirror, url: str, place: Path) -> None:
    """What a run does: ask the server for news, read the commit, stream its tree, unpack it as a box does."""
    with mirror.checkout(mirror.fetch(url, "main", token=None)) as checkout, tempfile.TemporaryFile() as tar:
        checkout.write_tar(tar)
        tar.seek(0)
        with tarfile.open(fileobj=tar, mode="r|") as archive:
            archive.extractall(place, filter="fully_trusted")


def _clone(url: str, place: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "clone", "--quiet", "--depth=1", url, str(place)], env=environment, check=True)


def _seconds(work: Callable[[Path], None]) -> float:
    folder = Path(tempfile.mkdtemp())
    started = time.perf_counter()
    work(folder / "tree")
    seconds = time.perf_counter() - started
    shutil.rmtree(folder)
    return seconds


def _sources() -> dict[str, bytes | str]:
    """About 25 MB in files of the sizes that source files have, the same at every call."""
    chance = random.Random(1)
    return {f"package_{number % 12}/part_{number % 70}/module_{number}.py": _source(chance) for number in range(FILES)}


def _source(chance: random.Random) -> str:
    lines = int(chance.lognormvariate(0, 1.1) * MEDIAN_CHARACTERS / 80) + 1
    return "".join("    " + " ".join(chance.choices(WORDS, k=8)) + "\n" for _ in range(lines))
