"""Write both lock files: hashes for every supported Python and platform, no index address."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMON = ("--universal", "--generate-hashes", "--no-emit-index-url", "--python-version", "3.11", "--no-header")


def compile_lock(output: str, *extra: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *COMMON, "-q", "-o", output, *extra],
        cwd=ROOT,
        check=True,
    )


if __name__ == "__main__":
    compile_lock("requirements.lock", "--extra", "build", *sys.argv[1:])
    compile_lock(
        "requirements-dev.lock", "--extra", "build", "--extra", "dev", "-c", "requirements.lock", *sys.argv[1:]
    )
