"""`python -m repo_tools.sandbox.reaper_program DATA_FOLDER`: remove what dead workers of this installation left on the
container engine that the environment names."""

import signal
import sys
from contextlib import closing
from pathlib import Path

from repo_tools.counted import counted
from repo_tools.errors import SandboxError, SandboxUnavailableError
from repo_tools.sandbox.docker import connect
from repo_tools.sandbox.docker_reaper import reap
from repo_tools.sandbox.owner import installation_id

LONGEST_SECONDS = 300
"""The kernel ends this process then: an engine that hangs would keep it for good."""


def main(data_dir: Path) -> None:
    signal.alarm(LONGEST_SECONDS)
    try:
        with closing(connect(None)) as client:
            removed = reap(client, installation_id(data_dir))
    except SandboxUnavailableError:  # away, or there is none here; the next time is soon
        return
    except SandboxError as error:
        sys.exit(f"what dead workers left is not removed: {error}")
    if removed:
        sys.stderr.write(f"removed {counted(removed, 'container')} that dead workers left\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
