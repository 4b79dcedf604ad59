"""Further Pythons of Debian for a sandbox: repositories of other years ask for another one than Debian 12's own.

Each is a folder that can be started wherever it was made for: of its suite's packages the interpreter, the standard
library, the headers and the shared libraries that they need, which lie in a folder that is the interpreter's alone
(``DT_RPATH``, ld.so(8)), so that no other program ever sees them.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from repo_tools.errors import SandboxError
from repo_tools.sandbox.mmdebstrap import mmdebstrap


@dataclass(frozen=True)
class FurtherPython:
    """A release of Python, and the release of Debian that has it. `own_libc`: a later one than Debian 12's, whose C
    library it needs; of an earlier one it takes Debian 12's, for which extensions are compiled here."""

    version: str
    suite: str
    own_libc: bool

    @property
    def name(self) -> str:
        return f"python{self.version}"


FURTHER = (FurtherPython("3.9", "bullseye", own_libc=False), FurtherPython("3.13", "trixie", own_libc=True))
"""Most of what was written before 2022 runs on the first, what asks for more than 3.11 on the second."""

_OF_LIBC = re.compile(
    r"ld-.*|lib(?:c|m|mvec|pthread|dl|rt|util|resolv|nsl|anl|crypt|gcc_s|stdc\+\+|nss_\w+|thread_db|BrokenLocale"
    r"|memusage|pcprofile|SegFault|c_malloc_debug)(?:-[\d.]+)?\.so.*"
)
_LIBRARIES = "lib/beside"
_MOST_SAID = 1_000
_MARK = "made-by-agent-fix"
"""Stands in each folder: nothing else is ever replaced."""
COMPILED = ("-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
"""Of a folder of the standard library: boxes, which may not write there, would compile it again at each start, half a
second for what a test runner imports. What is copied into an image stays right without times of files."""
_WHEELS = "share/python-wheels"
"""Where venv takes pip from: https://docs.python.org/3/using/configure.html#cmdoption-with-wheel-pkg-dir"""


def pythons_below(usr: Path) -> tuple[str, ...]:
    """The interpreters of a machine that its bubblewrap boxes see, with what tells one from another in its place: what
    is made with those it had is not what is made with those it has."""
    folders = ("bin", "local/bin", "local/*/bin", "local/*/*/bin")
    every = (path for folder in folders for path in usr.glob(f"{folder}/python3.*"))
    named = (path for path in every if re.fullmatch(r"python3\.\d+", path.name) and "/." not in str(path))
    there = filter(Path.is_file, named)  # a link may lead nowhere
    return tuple(sorted(f"{path} {(known := path.stat()).st_size} {known.st_mtime_ns}" for path in there))


def unpack_pythons(folder: Path, place: str, say: Callable[[str], None]) -> tuple[Path, ...]:
    """Make those of `FURTHER` that can be had below `folder`, to be started below `place`; the rest is said.
    SandboxError where the program that takes packages is not here, or something else stands in the place of one."""
    if shutil.which("mmdebstrap") is None:
        raise SandboxError("mmdebstrap is not here: install it, and debian-archive-keyring (Debian, Ubuntu)")
    for python in FURTHER:
        kept = folder / python.name
        if (kept.exists() or kept.is_symlink()) and not (kept / _MARK).is_file():
            raise SandboxError(f"{kept} is there, and was not made by this command: move it, or name another folder")
    return tuple(made for python in FURTHER if (made := _unpacked(python, folder, place, say)))


def _unpacked(python: FurtherPython, folder: Path, place: str, say: Callable[[str], None]) -> Path | None:
    say(f"Python {python.version} from Debian {python.suite}")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".python-") as name:
        source, made = Path(name, "source"), Path(name, python.name)
        try:
            _take(python, source)
            _arrange(python, source, made)
            _point(python, source, made, f"{place}/{python.name}")
            _compile(python, source, made)
            return _in_place(made, folder / python.name, Path(name, "before"))
        except (OSError, StopIteration, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            say(f"Python {python.version} cannot be had, and is left out: {said.strip()[-_MOST_SAID:]}")
            return None


def _take(python: FurtherPython, source: Path) -> None:
    """Its packages below `source`: as an archive, which a person who is not root can unpack as well."""
    packages = f"{python.name},lib{python.name}-dev,{python.name}-venv,patchelf"
    options = ("--quiet", "--variant=extract", f"--include={packages}", "--format=tar", python.suite, "-")
    source.mkdir()
    with tempfile.TemporaryFile() as archive:
        mmdebstrap(*options, into=archive)
        archive.seek(0)  # devices, which only root can make, are not among what is needed
        _run("tar", "--extract", "--no-same-owner", "--exclude=./dev/*", "--directory", source, out_of=archive)


def _in_place(made: Path, kept: Path, before: Path) -> Path:
    """What stood there is moved to `before`: whatever runs on it keeps its files until the end."""
    (made / _MARK).touch()
    if kept.exists():
        kept.rename(before)
    return made.rename(kept)


def _arrange(python: FurtherPython, source: Path, made: Path) -> None:
    """Of what was unpacked below `source` what Python needs, in its usual places below `made`."""
    library, headers = made / "lib" / python.name, made / "include" / python.name
    unused = shutil.ignore_patterns("*.a", "__pycache__", "sitecustomize.py")  # the last points into /etc
    shutil.copytree(source / "usr/lib" / python.name, library, symlinks=True, ignore=unused)
    shutil.copytree(source / "usr/include" / python.name, headers)
    shutil.copytree(source / "usr/share/python-wheels", made / _WHEELS)
    # what stands there names a file that compilers look for in the system's folder
    shutil.copy(next(source.glob(f"usr/include/*-linux-gnu*/{python.name}/pyconfig.h")), headers)
    (made / "bin").mkdir()
    shutil.copy(source / "usr/bin" / python.name, made / "bin")
    (made / _LIBRARIES).mkdir()
    for link in library.glob("config-*/libpython*.so"):
        to = link.readlink().name
        link.unlink()
        link.symlink_to(f"../../beside/{to}")
    for file in _shared_libraries(source):
        if python.own_libc or not _OF_LIBC.fullmatch(file.name):
            shutil.copy(file, made / _LIBRARIES, follow_symlinks=False)
    for folder in (made, *(made / part for part in ("bin", "include", "lib", "share", _LIBRARIES))):
        folder.chmod(0o755)  # whatever the operator's umask: a box's user has to see them


def _shared_libraries(source: Path) -> Iterator[Path]:
    for folder in (*source.glob("lib/*-linux-gnu*"), *source.glob("usr/lib/*-linux-gnu*")):
        yield from folder.glob("*.so*")


def _point(python: FurtherPython, source: Path, made: Path, place: str) -> None:
    """Make the interpreter, and copies of it in a virtual environment, find what lies beside it, by the patchelf of its
    own suite, which runs here so."""
    patchelf = (*_loaded(source), source / "usr/bin/patchelf")
    interpreter = made / "bin" / python.name
    _run(*patchelf, "--force-rpath", "--set-rpath", f"{place}/{_LIBRARIES}", interpreter)
    if python.own_libc:
        _run(*patchelf, "--set-interpreter", f"{place}/{_LIBRARIES}/{patchelf[0].name}", interpreter)
    moved = {f"/usr/{_WHEELS}": f"{place}/{_WHEELS}"}
    moved |= {f"'/usr/{part}/{python.name}": f"'{place}/{part}/{python.name}" for part in ("include", "lib")}
    for file in (made / "lib" / python.name).rglob("*.py"):
        text = before = file.read_text("utf-8", "surrogateescape")
        for old, new in moved.items():
            text = text.replace(old, new)
        if file.name.startswith("_sysconfigdata"):
            text = re.sub("'LIBDIR': '[^']*'", f"'LIBDIR': '{place}/{_LIBRARIES}'", text)
        if text != before:
            file.write_text(text, "utf-8", "surrogateescape")


def _compile(python: FurtherPython, source: Path, made: Path) -> None:
    library = made / "lib" / python.name
    _run("env", f"PYTHONHOME={made}", *_loaded(source), made / "bin" / python.name, *COMPILED, library)


def _loaded(source: Path) -> tuple[Path, str, str]:
    """What starts a program of its suite's on this machine: the loader, with the libraries."""
    loader = next(file for file in _shared_libraries(source) if file.name.startswith("ld-linux"))
    folders = (loader.parent, *source.glob("usr/lib/*-linux-gnu*"))
    return loader, "--library-path", ":".join(map(str, folders))


def _run(*words: str | Path, out_of: IO[bytes] | None = None) -> None:
    argv = [str(word) for word in words]
    subprocess.run(argv, stdin=out_of or subprocess.DEVNULL, capture_output=True, text=True, check=True)
