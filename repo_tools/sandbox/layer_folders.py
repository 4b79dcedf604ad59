"""Layers as folders of this machine: made beside, renamed into place; the first maker wins.

``KEY/environment`` is what boxes see, ``KEY/making.json`` how it was made. ``KEY/lock`` is held (shared) by each worker
whose box uses the layer, so that nobody removes it, and the kernel lets go of it with a worker that dies; its time of
change is the last use. ``KEY/unsettled`` is there until all of it is on disk, which nobody waits for: where it is from
before the machine was started again, the layer may be half of one.
"""

import errno
import fcntl
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from repo_tools.errors import DiskFullError, LayerGoneError
from repo_tools.sandbox.contract import ENVIRONMENT, UNTOLD, Layer, Making, Sandbox
from repo_tools.sandbox.layer_lock import try_lock
from repo_tools.sandbox.layer_stream import MOST_BYTES, EnvironmentStream
from repo_tools.sandbox.layers import (
    MARK_SECONDS,
    KeptLayer,
    LayerLimits,
    check_key,
    doomed,
    is_outdated,
    read_making,
    wanted_for_half,
    write_making,
)

UNFINISHED = ".making-"
LEAVING = ".leaving-"
"""An outdated layer that a box still uses, out of the way of its successor."""
ABANDONED_SECONDS = 3600.0
ENVIRONMENT_FOLDER, MAKING_FILE, LOCK_FILE, UNSETTLED_FILE = "environment", "making.json", "lock", "unsettled"
UNLOCKED = ".lock"
"""Becomes `LOCK_FILE` as soon as its maker holds it."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class LayerFolders:
    """Layers below one folder. Nothing in them is ever opened by this process: boxes write and read them."""

    def __init__(self, folder: Path, limits: LayerLimits | None = None, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._limits = limits or LayerLimits()
        self._clock = clock

    def find(self, key: str) -> Layer | None:
        place = self._place(key)
        try:
            making, _ = read_making((place / MAKING_FILE).read_text("utf-8"))
            now = self._clock()
            if is_outdated(making.made_at, self._limits, now) or is_damaged(place):
                return None
            os.utime(place / LOCK_FILE, (now, now))
        except (OSError, ValueError):  # not there, or just being removed
            return None
        return Layer(key, str(place / ENVIRONMENT_FOLDER), making)

    def keep(self, key: str, fill: Callable[[Path], int], making: Making = UNTOLD) -> Layer:
        """`fill` gets an empty folder and says how many bytes it took. What it leaves there is complete before anybody
        can find it."""
        if found := self.find(key):
            return found
        with self._told_where_full():
            self._make(key, fill, making)
        found = self.find(key)
        if found is None:
            raise LayerGoneError("a layer was removed as soon as it was made: the cache is too small")
        return found

    def _make(self, key: str, fill: Callable[[Path], int], making: Making) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._unfinished() as folder:
            (folder / ENVIRONMENT_FOLDER).mkdir(mode=0o755)
            size_bytes = fill(folder / ENVIRONMENT_FOLDER)
            self.sweep(size_bytes)
            made = replace(making, made_at=self._clock())
            (folder / MAKING_FILE).write_text(write_making(made, size_bytes), "utf-8")
            (folder / UNSETTLED_FILE).write_bytes(BOOT_ID.read_bytes())
            os.utime(folder / LOCK_FILE, (made.made_at, made.made_at))
            self._put(folder, self._place(key))
        Thread(target=settle, args=(self._place(key),), name="settle", daemon=True).start()

    def forget(self, layer: Layer) -> None:
        """Nobody finds `layer` any more; it goes when no box uses it."""
        with suppress(FileNotFoundError):
            if self.find(layer.key) == layer:
                going = leaving(self._place(layer.key))
                self._place(layer.key).rename(going)
                remove_unless_held(going, self._clock())

    def hold(self, layer: Layer) -> BinaryIO:
        """Nobody removes `layer` until the given file is closed. LayerGoneError."""
        lock = Path(layer.reference).with_name(LOCK_FILE)
        with ExitStack() as on_failure:
            try:
                file = on_failure.enter_context(lock.open("rb"))
                fcntl.flock(file, fcntl.LOCK_SH)  # who looks whether it is held, or removes it, does not take long
                if not os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                    raise FileNotFoundError(errno.ENOENT, "another layer stands there now")
            except FileNotFoundError as error:
                raise LayerGoneError("a layer was removed before a box could be started with it") from error
            on_failure.pop_all()
        return file

    def sweep(self, wanted_bytes: int = 0) -> None:
        """Remove what dead makers left, what is too old, and what the bound has no room for beside `wanted_bytes`."""
        with suppress(FileNotFoundError):
            kept = {place.name: self._look(place) for place in self._places()}
            wrong = [name for name, found in kept.items() if found is None]
            going = doomed(filter(None, kept.values()), self._limits, self._clock(), wanted_bytes)
            for name in (*wrong, *(layer.name for layer in going)):
                remove_unless_held(self._folder / name, self._clock())

    def _places(self) -> list[Path]:
        return [Path(entry.path) for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False)]

    @contextmanager
    def _told_where_full(self) -> Iterator[None]:
        """A disk that is smaller than the bound, or has other things on it. DiskFullError, when the half of what is
        kept that was not used for the longest time has made room."""
        try:
            yield
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._halve()
            raise DiskFullError(
                f"the disk of {self._folder} is full: older environments there were removed; make room"
            ) from error

    def _halve(self) -> None:
        with suppress(FileNotFoundError):
            self.sweep(wanted_for_half(filter(None, map(self._look, self._places())), self._limits))

    def _look(self, place: Path) -> KeptLayer | None:
        """None for what is no finished layer."""
        if place.name.startswith((UNFINISHED, LEAVING)):
            return None
        try:
            making, size_bytes = read_making((place / MAKING_FILE).read_text("utf-8"))
            used_at = (place / LOCK_FILE).stat().st_mtime
        except (OSError, ValueError):
            return None
        if is_damaged(place):
            return None
        in_use = self._clock() - used_at < MARK_SECONDS or is_held(place)
        return KeptLayer(place.name, size_bytes, making.made_at, used_at, in_use)

    def _place(self, key: str) -> Path:
        return self._folder / check_key(key)

    @contextmanager
    def _unfinished(self) -> Iterator[Path]:
        folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=self._folder))
        try:
            with (folder / UNLOCKED).open("wb") as lock:  # nobody may find a lock that is not held yet
                fcntl.flock(lock, fcntl.LOCK_SH)
                (folder / UNLOCKED).rename(folder / LOCK_FILE)
                yield folder
        finally:
            clear_away(folder)

    def _put(self, folder: Path, place: Path) -> None:
        """Where one stands that is found, the first maker has won; an outdated one goes."""
        if not renamed(folder, place) and self.find(place.name) is None:
            with suppress(FileNotFoundError):
                place.rename(leaving(place))
            renamed(folder, place)


def settle(place: Path) -> None:
    """Bring a layer to the disk, as everything else. Where this process ends meanwhile, the layer lasts until the
    machine is started again."""
    os.sync()
    (place / UNSETTLED_FILE).unlink(missing_ok=True)


def is_damaged(place: Path) -> bool:
    """Whether nothing, or not all, of the layer is there."""
    return not (place / ENVIRONMENT_FOLDER).is_dir() or was_cut_off(place)


def was_cut_off(place: Path) -> bool:
    """Whether the machine went down before the layer was on disk."""
    try:
        return (place / UNSETTLED_FILE).read_bytes() != BOOT_ID.read_bytes()
    except FileNotFoundError:
        return False


def renamed(source: Path, target: Path) -> bool:
    """False where something stands at `target`."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def leaving(place: Path) -> Path:
    return place.with_name(f"{LEAVING}{secrets.token_hex(8)}")


def is_held(place: Path) -> bool:
    """Whether somebody holds the folder's lock."""
    with ExitStack() as stack:
        return _lock_alone(place, stack) is False


def remove_unless_held(place: Path, now: float) -> None:
    """Out of everybody's sight first, then away. What has no lock is being made, or was by somebody who died."""
    with ExitStack() as stack, suppress(FileNotFoundError):
        locked = _lock_alone(place, stack)
        if locked or (locked is None and now - place.stat().st_mtime > ABANDONED_SECONDS):
            going = leaving(place)
            place.rename(going)
            clear_away(going)


def clear_away(folder: Path) -> None:
    """Of a worker that is not root nothing is removed from a folder that may not be written, as Go's cache of modules
    has them: its own, which it may open up."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for place, names, _ in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                with suppress(OSError):
                    if not os.path.islink(path):
                        os.chmod(path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def _lock_alone(place: Path, stack: ExitStack) -> bool | None:
    """Hold the folder's lock against everybody until `stack` ends: False where somebody else holds it, None where there
    is no lock."""
    try:
        file = stack.enter_context((place / LOCK_FILE).open("rb"))
    except OSError:
        return None
    return try_lock(file)


def copy_environment(source: Sandbox, target: Sandbox, most_bytes: int = MOST_BYTES) -> int:
    """`ENVIRONMENT` of one box into another's; how many bytes its stream had, `most_bytes` at the most."""
    with EnvironmentStream(source, most_bytes) as stream:
        target.upload(stream, ENVIRONMENT)  # type: ignore[arg-type]
        return stream.size_bytes
