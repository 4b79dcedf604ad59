"""A container engine of a test's own, to be killed in the middle of something."""

import gc
import io
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from repo_tools.sandbox.box_root import find_interpreter
from repo_tools.sandbox.image import RECIPE, REPOSITORY
from scripts.engine import answers
from tests.support.engine import engine_client, unavailable
from tests.support.processes import end

START_SECONDS = 180  # one that ends is noticed at once
STOP_SECONDS = 30


@dataclass
class SecondEngine:
    """Its folder is a short path: a socket's holds 107 bytes."""

    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"unix://{self.folder}/engine.sock"

    def start(self) -> None:
        argv = [
            "dockerd", "--host", self.host, "--pidfile", f"{self.folder}/pid", "--data-root", f"{self.folder}/data",
            "--exec-root", f"{self.folder}/exec", "--bridge=none", "--iptables=false", "--ip-forward=false",
        ]  # fmt: skip
        with (self.folder / "log").open("ab") as log:
            self.processes.append(
                subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
            )
        deadline = time.monotonic() + START_SECONDS
        while not answers(self.host):
            if self.processes[-1].poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the second engine did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.2)

    def kill(self) -> None:
        """The daemon and what it runs containers with, at once and without a word, as when a machine fails."""
        helper_pid = self.folder / "exec/containerd/containerd.pid"
        helper = int(helper_pid.read_text())
        for pid in (self.processes[-1].pid, helper):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.processes[-1].wait()
        for remains in (self.folder / "pid", helper_pid):  # nobody may have collected the dead: they pass for alive
            remains.unlink(missing_ok=True)

    def stop(self) -> None:
        try:
            if self.processes and self.processes[-1].poll() is None:
                end(self.processes[-1], STOP_SECONDS)
        finally:
            self._clean_up()

    def _clean_up(self) -> None:
        """A daemon that was killed leaves its containers' keepers and mounts, all of which name its folder."""
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and f"{self.folder}/".encode() in (entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
        places = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for place in reversed([place for place in places if place.startswith(f"{self.folder}/")]):
            subprocess.run(["umount", "--lazy", place], check=False)


def small_image() -> io.BytesIO:
    """This machine's Python and what it needs for a box, as a tar stream: the real image takes a minute to move."""
    interpreter = find_interpreter().executable
    programs = [interpreter, *map(shutil.which, ("sleep", "echo", "mkdir")), "/bin/sh"]
    library = run([interpreter, "-I", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]).strip()
    linked = run(["ldd", *map(str, programs), *map(str, Path(library, "lib-dynload").glob("_ctypes.*"))])
    libraries = set(re.findall(r"(/\S+\.so\S*)", linked.replace(":", ""))) - set(map(str, Path(library).rglob("*.so")))
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", dereference=True) as archive:
        for path in {*map(str, programs), *libraries}:
            archive.add(path)
        archive.add(library, filter=lambda member: None if EXTRAS.search(member.name) else member)
        link = tarfile.TarInfo("usr/local/bin/python3")
        link.type, link.linkname = tarfile.SYMTYPE, interpreter
        archive.addfile(link)
        for name in ("workspace", "env", "tmp", "proc", "sys", "dev", "etc"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
    stream.seek(0)
    return stream


EXTRAS = re.compile(r"/(site-packages|dist-packages|test|idlelib|tkinter|ensurepip|__pycache__|config-[^/]*)(/|$)")


def run(argv: list[str]) -> str:
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout


@contextmanager
def second_engine() -> Iterator[SecondEngine]:
    """Started, with an image to make boxes of. Only root can; else the test is `unavailable`."""
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        unavailable("only root, with dockerd, can start an engine to kill")
    engine = SecondEngine(Path(tempfile.mkdtemp(prefix="agent-fix-")))
    try:
        engine.start()
        with closing(engine_client(engine.host)) as client:
            client.api.import_image(small_image(), REPOSITORY, RECIPE)
        yield engine
    finally:
        engine.stop()
        shutil.rmtree(engine.folder, ignore_errors=True)
        gc.collect()  # what the SDK left open to it, before another test is blamed for that
