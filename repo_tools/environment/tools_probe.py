"""Runs in a box: prints, for each program named in its arguments, a JSON list of [path, version, is default].

Besides the search path it looks where images put further versions. No import but the standard library's: it is sent as
text.
"""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

Found = tuple[str, str, bool]
ELSEWHERE = (
    "/opt/*/bin",
    "/opt/*/*/bin",
    "/usr/local/*/bin",
    "/usr/local/*/*/bin",
    "/usr/lib/jvm/*/bin",
    "/usr/lib/go-*/bin",
)
NAMES = {"python": ("python3", "python3\\.\\d+"), "node": ("node", "nodejs|node-?\\d+")}
ARGUMENTS = {"go": ["version"], "java": ["-version"], "javac": ["-version"]}
SECONDS = 20


def main(programs: list[str], patterns: tuple[str, ...] = ELSEWHERE) -> dict[str, list[Found]]:
    on_path = os.environ.get("PATH", os.defpath).split(":")
    elsewhere = sorted(folder for pattern in patterns for folder in glob.glob(pattern))
    return {program: list(versions(program, on_path, elsewhere)) for program in programs}


def versions(program: str, on_path: list[str], elsewhere: list[str]) -> Iterator[Found]:
    plain, others = NAMES.get(program, (program, re.escape(program) + "-?\\d+(?:\\.\\d+)*"))
    default = next((place for folder in on_path if usable(place := os.path.join(folder, plain))), None)
    places = [default] if default else []
    for folder in on_path + elsewhere:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        wanted = [name for name in names if name == plain or re.fullmatch(others, name)]
        places += [place for name in wanted if usable(place := os.path.join(folder, name))]
    seen: set[str] = set()
    for place in places:
        real = os.path.realpath(place)
        if real not in seen:
            seen.add(real)
            yield place, version(program, place), place == default


def usable(place: str) -> bool:
    return os.path.isfile(place) and os.access(place, os.X_OK)


def version(program: str, place: str) -> str:
    """The first number that it says, as most do; Java counted from 1.1 to 1.8."""
    try:
        said = subprocess.run(
            [place, *ARGUMENTS.get(program, ["--version"])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False,
        ).stdout.decode("utf-8", "replace")  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"\d+(?:\.\d+)*", said)
    number = found[0] if found else ""
    return number[2:] if program in ("java", "javac") and number.startswith("1.") else number


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])))
