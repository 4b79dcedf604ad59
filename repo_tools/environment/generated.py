"""What set-up made inside the work tree: installed packages (``node_modules``), compiled extensions, version files.

It is kept in the layer as one uncompressed archive, and put back before tests are run, so that a project installed in
place works in each box: a copy on the box's own volume, which tests may alter (20,000 files, 80 MB: 0.2 s to keep and
0.4 s to put back).
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from repo_tools.changes import Tree
from repo_tools.environment.contract import SetupCommand
from repo_tools.errors import RepoError, SandboxError
from repo_tools.paths import parents
from repo_tools.sandbox.contract import DEFAULT_LIMITS, ENVIRONMENT, SYSTEM_PROGRAMS, WORKSPACE, Sandbox

ARCHIVE = f"{ENVIRONMENT}/generated.tar"
NAMES = f"{ENVIRONMENT}/generated.json"
MOST_NAMES_BYTES = 8 << 20
_TIMEOUT_SECONDS = 120.0
_PYTHON = "python3"
_MOST_NAMED, _LONGEST = 3, 200
_SIZED = re.compile(r"(\d+)M\t([^\0]+)\0")
_REBUILT_AT_WILL = ("__pycache__", ".pytest_cache")

_FIND = """
import json, os, sys
base, caches = json.load(sys.stdin)
base, folders, made = set(base), set(), []
for path in base:
    while "/" in path:
        path = path.rpartition("/")[0]
        if path in folders:
            break
        folders.add(path)
def look(folder, prefix):
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path, is_folder = prefix + entry.name, entry.is_dir(follow_symlinks=False)
        if path in base or entry.name in caches or path == ".git":
            continue
        leads_nowhere = entry.is_symlink() and not os.path.exists(entry.path)
        if path not in folders and not leads_nowhere:
            made.append(path)
        elif is_folder:
            look(entry.path, path + "/")
look(".", "")
print(json.dumps(made))
"""
_FROM_MANIFESTS = re.compile(
    r"(?:.*/)?(?:node_modules|\.eggs|\.venv|venv|\.tox|\.nox|\.bundle|vendor|\.yarn|\.pnpm-store|\.pnp\..*"
    r"|[^/]+\.(?:egg-info|dist-info|egg-link|lock|pth)|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.(?:work\.)?sum"
    r"|AUTHORS|ChangeLog|\.husky/_|_*(?:scm_|git_)?version_*(?:_generated)?\.(?:py|pyi|txt)|\.pdm-python|\.pdm-build|\.python-version)"
)


@dataclass(frozen=True)
class Generated:
    """The paths that set-up made: a folder that the base does not have stands for all that is in it."""

    paths: tuple[str, ...]

    @property
    def comes_from_sources(self) -> bool:
        """Whether any of it may depend on more of the commit than its manifests: what a compiler or a build left. Then
        the layer is of this commit alone."""
        return any(not _FROM_MANIFESTS.fullmatch(path) for path in self.paths)

    def without(self, files: Iterable[str]) -> "Generated":
        """What is more than `files`, and the folders that were made for them."""
        known = {place for path in files for place in (path, *parents(path))}
        return Generated(tuple(path for path in self.paths if path not in known))

    def __contains__(self, path: str) -> bool:
        """Whether it is one of them or stands below one."""
        return path in self._found or any(parent in self._found for parent in parents(path))

    @cached_property
    def _found(self) -> frozenset[str]:
        return frozenset(self.paths)


NOTHING = Generated(())


def stand_in(path: str) -> tuple[str, ...]:
    """The command that makes an empty file there, and its folder."""
    return ("install", "-D", "-m", "644", "/dev/null", path)


def copied_files(setup: Iterable[SetupCommand]) -> frozenset[str]:
    """Files that set-up makes as copies of others, and that its commands' own words tell all of."""
    copying = (command.argv for command in setup if command.argv[:1] in (("cp",), ("install",)))
    return frozenset(argv[-1] for argv in copying if argv in (("cp", *argv[1:3]), stand_in(argv[-1])))


def keep_generated(box: Sandbox, base: Tree, most_bytes: int = DEFAULT_LIMITS.workspace_bytes) -> Generated:
    """Put every file that `base` does not have into the layer. Altered files of the base are not kept, nor are links to
    what a build had only while it was under way (its own Python, say). RepoError where they are more than
    `most_bytes`."""
    for place in (ARCHIVE, NAMES):  # what set-up itself put there is not what it made in the work tree
        with suppress(FileNotFoundError):
            box.delete(place)
    known = json.dumps([list(base), _REBUILT_AT_WILL]).encode()
    made = Generated(_names(_run(box, (_PYTHON, "-I", "-S", "-c", _FIND), known)))
    if made.paths:
        without = (f"--exclude={name}" for name in _REBUILT_AT_WILL)
        options = (*without, "--null", "--verbatim-files-from", "--files-from=-")
        names = "\0".join(made.paths).encode("utf-8", "surrogateescape")
        _run(box, ("tar", "--create", "--file", ARCHIVE, *options), names)
        size = int(_run(box, ("stat", "--format=%s", ARCHIVE)))
        if size > most_bytes:
            raise RepoError(
                f"Set-up made files of {size >> 20} MiB in the work tree, which has room for {most_bytes >> 20} MiB "
                f"when the tests are run. The largest: {_largest(box, names)}."
            )
        box.write(NAMES, json.dumps(made.paths).encode())
    return made


def _largest(box: Sandbox, names: bytes) -> str:
    sized = _run(box, ("du", "--summarize", "--block-size=M", "--null", "--files0-from=-"), names)
    each = sorted(_SIZED.findall(sized.decode("utf-8", "replace")), key=lambda part: -int(part[0]))
    return ", ".join(f"{path[:_LONGEST]!r} ({size} MiB)" for size, path in each[:_MOST_NAMED])


def generated(box: Sandbox) -> Generated:
    """What `keep_generated` kept in the box's layer."""
    try:
        return Generated(_names(box.read(NAMES, max_bytes=MOST_NAMES_BYTES)))
    except FileNotFoundError:
        return NOTHING


def restore_generated(box: Sandbox) -> None:
    """Put what `keep_generated` kept into a box's work tree; files that are there already stay."""
    if _has_kept(box):
        _run(box, ("tar", "--extract", "--skip-old-files", "--file", ARCHIVE))


def _has_kept(box: Sandbox) -> bool:
    """Asked without a process of its own: under gVisor to start a shell takes thirty times as long as to read."""
    try:
        box.read(NAMES, max_bytes=1)
    except FileNotFoundError:
        return False
    return True


def _names(written: bytes) -> tuple[str, ...]:
    try:
        names: Iterable[object] = json.loads(written)
        return tuple(str(name) for name in names)
    except (ValueError, TypeError, RecursionError) as error:
        raise RepoError("Set-up left more in the work tree, or odder names, than can be kept.") from error


def _run(box: Sandbox, argv: tuple[str, ...], stdin: bytes = b"") -> bytes:
    result = box.exec(
        argv,
        timeout_seconds=_TIMEOUT_SECONDS,
        cwd=WORKSPACE,
        environment={} if argv[0] == _PYTHON else SYSTEM_PROGRAMS,  # the system may have none, or an old one
        stdin=stdin,
        max_output_bytes=MOST_NAMES_BYTES,
    )
    if result.exit_code != 0:
        raise SandboxError(f"{argv[0]} failed: {result.output[-500:].decode('utf-8', 'replace')}")
    return result.output
