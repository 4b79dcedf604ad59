"""Make the virtual environment and install one lock file into it, hashes checked, then this project on top.

Runs on the system's Python with nothing but the standard library: `python3 scripts/setup.py VENV LOCK`.
"""

import subprocess
import sys
import venv
from pathlib import Path

from tries import THREE, tried  # type: ignore[import-not-found]  # beside this file, whose folder is on the path

ROOT = Path(__file__).resolve().parent.parent
NEEDED = (3, 11)
PACKAGES = ("app", "agent", "repo_tools", "workers")


def run(*argv: str) -> None:
    subprocess.run(argv, cwd=ROOT, check=True)


def main(environment: str, lock: str) -> None:
    if sys.version_info < NEEDED:
        sys.exit(
            f"agent-fix needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. "
            "Name another one: make PYTHON=/path/to/python3.11 ..."
        )
    python = ROOT / environment / "bin" / "python"
    if not python.exists():
        print(f"setup: making {environment}", flush=True)
        venv.create(ROOT / environment, with_pip=True)
    pip = (str(python), "-m", "pip", "install", "-qq", "--no-deps", "--disable-pip-version-check")
    print(f"setup: installing {lock} (hashes checked)", flush=True)
    tried(lambda: run(*pip, "--require-hashes", "-r", lock), subprocess.CalledProcessError, THREE)
    run(*pip, "--no-build-isolation", "--editable", ".")
    # Many images forbid Python to keep what it compiled: a quarter of what it takes a worker to start.
    run(str(python), "-m", "compileall", "-q", *PACKAGES)


if __name__ == "__main__":
    main(*sys.argv[1:])
