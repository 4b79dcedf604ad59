"""What set-up made inside the work tree (compiled extensions, version files, legacy metadata).

It is kept in the layer and put back before tests are run, so that a project installed in place works in each box.
"""

from repo_tools.changes import Tree
from repo_tools.errors import SandboxError
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE, Sandbox

ARCHIVE = f"{ENVIRONMENT}/generated.tar"
_TIMEOUT_SECONDS = 120.0
_REBUILT_AT_WILL = ("__pycache__", ".pytest_cache")


def keep_generated(box: Sandbox, base: Tree) -> tuple[str, ...]:
    """Put every file that `base` does not have into the layer; their paths. Altered files of the base are not kept."""
    made = tuple(sorted(p for p in box.tree() if p not in base and not set(p.split("/")) & set(_REBUILT_AT_WILL)))
    if made:
        names = "\0".join(made).encode("utf-8", "surrogateescape")
        _run(box, ("tar", "--create", "--file", ARCHIVE, "--null", "--verbatim-files-from", "--files-from=-"), names)
    return made


def restore_generated(box: Sandbox) -> None:
    """Put what `keep_generated` kept into a box's work tree; files that are there already stay."""
    _run(box, ("/bin/sh", "-c", f"test ! -f {ARCHIVE} || tar --extract --skip-old-files --file {ARCHIVE}"))


def _run(box: Sandbox, argv: tuple[str, ...], stdin: bytes = b"") -> None:
    result = box.exec(argv, timeout_seconds=_TIMEOUT_SECONDS, cwd=WORKSPACE, stdin=stdin)
    if result.exit_code != 0:
        raise SandboxError(f"{argv[0]} failed: {result.output[-500:].decode('utf-8', 'replace')}")
