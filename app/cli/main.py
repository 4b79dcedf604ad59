"""`agent-fix`: the console script, and the one place where an error becomes an exit code.

Exit codes: 0 proved (or done), 1 internal error, 2 usage or configuration, 3 escalated.
"""

import errno
import sys
from collections.abc import Sequence
from importlib import import_module

from app.cli.garbage import without_collections
from repo_tools.errors import ConfigError, RepoError, SandboxError, TransientError

USAGE = 2
DISKS = "that of the data folder, or of temporary files"
INTERRUPTED = 130  # 128 + SIGINT, as shells do


def main() -> None:
    """The console script."""
    try:
        _run()
    except (ConfigError, RepoError, SandboxError, TransientError) as error:
        say(str(error), error)
        sys.exit(USAGE)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        say(f"a disk is full ({error.filename or DISKS}): make room", error)
        sys.exit(USAGE)
    except KeyboardInterrupt as interrupt:
        say("interrupted", interrupt)
        sys.exit(INTERRUPTED)


def say(words: str, error: BaseException) -> None:
    """`words`, and what the notes of `error` tell of what is left. A repository may have chosen some of them."""
    told = "\n".join((f"agent-fix: {words}", *getattr(error, "__notes__", ())))
    print(import_module("agent.unseen").without_unseen(told), file=sys.stderr)


def _run() -> None:
    if sys.argv[1:2] != ["map"] or not _is_plain_map(sys.argv[2:]):
        import_module("app.cli.commands").run()


def _is_plain_map(words: Sequence[str]) -> bool:
    """Printed without typer, pydantic and a log, whose import takes as long as the work."""
    with without_collections():
        printed: bool = import_module("app.cli.printed_map").print_plainly(words)
    return printed
