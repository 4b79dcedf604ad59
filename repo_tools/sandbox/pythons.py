"""Further Pythons of Debian for a sandbox: repositories of other years ask for another one than Debian 12's own.

Each is a folder that can be started wherever it was made for: of its suite's packages the interpreter, the standard
library, the headers and the shared libraries that they need, which lie in a folder that is the interpreter's alone
(``DT_RPATH``, ld.so(8)), so that no other program and no compiler ever sees them.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from repo_tools.errors import SandboxError


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
_WHEELS = "share/python-wheels"
"""Where venv takes pip from: https://docs.python.org/3/using/configure.html#cmdoption-with-wheel-pkg-dir"""


def pythons_below(usr: Path) -> tuple[str, ...]:
    """The interpreters of a machine that its bubblewrap boxes see: what is made with those it had is not what is made
    with those it has."""
    folders = ("bin", "local/bin", "local/*/bin", "local/*/*/bin")
    every = (path for folder in folders for path in usr.glob(f"{folder}/python3.*"))
    return tuple(sorted(str(path) for path in every if re.fullmatch(r"python3\.\d+", path.name)))


def unpack_pythons(folder: Path, place: str, say: Callable[[str], None]) -> tuple[Path, ...]:
    """Make those of `FURTHER` that can be had below `folder`, to be started below `place`; the rest is said.
    SandboxError where the program that takes packages is not here."""
    if shutil.which("mmdebstrap") is None:
        raise SandboxError("mmdebstrap is not here: install it (Debian, Ubuntu)")
    return tuple(made for python in FURTHER if (made := _unpacked(python, folder, place, say)))


def _unpacked(python: FurtherPython, folder: Path, place: str, say: Callable[[str], None]) -> Path | None:
    say(f"Python {python.version} from Debian {python.suite}")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".python-") as name:
        source, made = Path(name, "source"), Path(name, python.name)
        try:
            _run("mmdebstrap", "--quiet", "--variant=extract", f"--include={_packages(python)}", python.suite, source)
            _arrange(python, source, made)
            _point(python, source, made, f"{place}/{python.name}")
        except (OSError, StopIteration, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or str(error)
            say(f"Python {python.version} cannot be had, and is left out: {said.strip()[-300:]}")
            return None
        kept = folder / python.name
        shutil.rmtree(kept, ignore_errors=True)
        return made.rename(kept)


def _packages(python: FurtherPython) -> str:
    return f"{python.name},lib{python.name}-dev,{python.name}-venv,patchelf"


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
    for file in _shared_libraries(source):
        if python.own_libc or not _OF_LIBC.fullmatch(file.name):
            shutil.copy(file, made / _LIBRARIES, follow_symlinks=False)
    for folder in (made, *(made / part for part in ("bin", "include", "lib", "share", _LIBRARIES))):
        folder.chmod(0o755)  # whatever the operator's umask: a box's user has to see them


def _shared_libraries(source: Path) -> Iterator[Path]:
    for folder in (*source.glob("lib/*-linux-gnu*"), *source.glob("usr/lib/*-linux-gnu*")):
        yield from folder.glob("*.so*")


def _point(python: FurtherPython, source: Path, made: Path, place: str) -> None:
    """Make the interpreter find what lies beside it, by the patchelf of its own suite, which runs here so."""
    loader = next(file for file in _shared_libraries(source) if file.name.startswith("ld-linux"))
    libraries = ":".join(str(folder) for folder in (loader.parent, *source.glob("usr/lib/*-linux-gnu*")))
    patchelf = (loader, "--library-path", libraries, source / "usr/bin/patchelf")
    interpreter = made / "bin" / python.name
    _run(*patchelf, "--force-rpath", "--set-rpath", f"$ORIGIN/../{_LIBRARIES}", interpreter)
    if python.own_libc:
        _run(*patchelf, "--set-interpreter", f"{place}/{_LIBRARIES}/{loader.name}", interpreter)
    for file in (made / "lib" / python.name).rglob("*.py"):
        text = file.read_bytes()
        if b"/usr/share/python-wheels" in text:
            file.write_bytes(text.replace(b"/usr/share/python-wheels", f"{place}/{_WHEELS}".encode()))


def _run(*words: str | Path) -> None:
    argv = [str(word) for word in words]
    subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
