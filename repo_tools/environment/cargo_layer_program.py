"""Runs in a box: moves what cargo compiled to the folder in its argument, without what is the repository's own.

What stays fits every commit with the same manifests. A crate that is taken by its path would not: cargo tells whether
it changed by the time of its files, and those of another commit may be older. No import but the standard library's: it
is sent as text.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys


def main(kept: str) -> None:
    told = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--offline"], stdout=subprocess.PIPE, check=True
    )
    metadata = json.loads(told.stdout)
    own = [f"{package['name']}:{package['version']}" for package in metadata["packages"] if package["source"] is None]
    subprocess.run(["cargo", "clean", "--offline", *(word for name in own for word in ("-p", name))], check=True)
    try:
        shutil.copytree(metadata["target_directory"], kept, symlinks=True)
    except OSError:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    shutil.rmtree(metadata["target_directory"])


if __name__ == "__main__":
    main(sys.argv[1])
