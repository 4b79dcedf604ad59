"""A box with a commit's files, for the second job on a repository, against `git clone --depth 1`, same server."""

import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

from bench.table import Row, compared
from repo_tools.box_tree import upload_tree
from repo_tools.mirror import Mirror
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from tests.support.git_http import serve_git
from tests.support.repositories import make_repository

FILES = 2_000
MEDIAN_CHARACTERS = 8_000
ROUNDS = 7
TARGET = 0.5
MEMORY = "/dev/shm"
WORDS = [f"word_{number}" for number in range(3_000)]


def measure() -> list[Row]:
    """Seconds, medians of `ROUNDS`; the two take turns. Boxes have their work trees in memory, so that the clones are
    made there too: a disk takes most of the time of both, and says nothing of either."""
    with tempfile.TemporaryDirectory() as name, serve_git(Path(name, "served")) as server:
        make_repository(Path(name, "served", "repository"), _sources())
        url = f"{server.url}/repository/.git"
        mirror = Mirror(Path(name, "mirrors", "1"))
        mirror.fetch(url, "main", token=None)
        engine = BubblewrapEngine(Path(name, "engine"))
        rounds = [(_second_tree(mirror, url, engine), _clone(url)) for _ in range(ROUNDS)]
    ours, clones = zip(*rounds, strict=True)
    what = f"box with the work tree of a second run, {FILES:,} files, beside git clone --depth 1, both in memory"
    return [compared(what, ours, clones, TARGET, "s")]


def _second_tree(mirror: Mirror, url: str, engine: SandboxEngine) -> float:
    """What a run does: ask the server for news, read the commit, start a box, stream the tree into it."""
    started = time.perf_counter()
    with mirror.checkout(mirror.fetch(url, "main", token=None)) as checkout, engine.start(BoxSpec()) as box:
        upload_tree(box, checkout)
        return time.perf_counter() - started


def _clone(url: str) -> float:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        started = time.perf_counter()
        subprocess.run(["git", "clone", "--quiet", "--depth=1", url, place], env=environment, check=True)
        return time.perf_counter() - started


def _sources() -> dict[str, bytes | str]:
    """About 25 MB in files of the sizes that source files have, the same at every call."""
    chance = random.Random(1)
    return {f"package_{number % 12}/part_{number % 70}/module_{number}.py": _source(chance) for number in range(FILES)}


def _source(chance: random.Random) -> str:
    lines = int(chance.lognormvariate(0, 1.1) * MEDIAN_CHARACTERS / 80) + 1
    return "".join("    " + " ".join(chance.choices(WORDS, k=8)) + "\n" for _ in range(lines))
