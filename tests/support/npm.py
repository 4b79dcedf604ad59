"""Public packages of npm that tests read, fetched into `.cache/` at test time."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from scripts.tries import THREE, tried

CACHE = Path(__file__).parents[2] / ".cache" / "npm"
FETCH_SECONDS = 80
"""Of one try: three of them and their waits fit in a test's time."""


def npm_package(name: str, version: str) -> Path:
    """The unpacked package. Skips loudly where it cannot be had; fails where CI is set."""
    target = CACHE / f"{name.replace('/', '-').lstrip('@')}-{version}"
    if not target.exists():
        _fetch(f"{name}@{version}", target)
    return target / "package"


def webhook_examples() -> list[tuple[str, dict[str, Any]]]:
    """Every example payload that GitHub's maintainers publish, with its event's name."""
    package = npm_package("@octokit/webhooks-examples", "7.6.1")
    events = [event for index in sorted(package.glob("*/index.json")) for event in json.loads(index.read_bytes())]
    return [(event["name"], example) for event in events for example in event["examples"]]


def _fetch(specification: str, target: Path) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    npm = shutil.which("npm")
    if npm is None:
        _unavailable(f"{specification} is needed, and there is no npm")
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:  # other processes may fetch the same
        argv = [str(npm), "pack", "--json", specification]

        def pack() -> bytes:
            return subprocess.run(argv, cwd=folder, capture_output=True, timeout=FETCH_SECONDS, check=True).stdout

        try:
            (packed,) = json.loads(tried(pack, subprocess.SubprocessError, THREE))
        except subprocess.SubprocessError as error:
            _unavailable(f"npm could not fetch {specification}: {error}")
        unpacked = Path(folder, "unpacked")
        with tarfile.open(Path(folder, packed["filename"])) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # not in 3.11.2
            archive.extractall(unpacked)
        with suppress(OSError):  # another process was first
            unpacked.rename(target)


def _unavailable(why: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
