"""A layer as an image that an engine loads: its files are written once there, where a container that they are put into
and that is committed writes them twice.

What the engine has already, the layers of the base, is only named (the image archive of `docker save`, version 1.2 of
the image specification). Docker's own image store takes that.
"""

import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import IO, Any

from repo_tools.sandbox.contract import ENVIRONMENT
from repo_tools.sandbox.docker_policy import USER_ID

MOST_HELD_BYTES = 256 << 20
"""Of a layer on this machine's disk: what is larger goes to the engine as it comes."""
CHUNK_BYTES = 1 << 18
_LAYER = "layer.tar"
_PLATFORM = ("Architecture", "Variant", "Os")


@dataclass(frozen=True)
class HeldLayer:
    """A layer's tar stream, in `file` as far as it was taken. `digest`: of that."""

    file: IO[bytes]
    size_bytes: int
    digest: str
    is_whole: bool
    rest: Iterator[bytes]

    def pieces(self) -> Iterator[bytes]:
        """The whole stream: as often as wanted where it is held whole, else once."""
        self.file.seek(0)
        return chain(iter(lambda: self.file.read(CHUNK_BYTES), b""), self.rest)


@contextmanager
def held(pieces: Iterable[bytes], most_bytes: int = MOST_HELD_BYTES) -> Iterator[HeldLayer]:
    """A layer's tar stream, taken until it is whole or too large to be held, here or on a disk that is nearly full."""
    rest, digest, size_bytes = iter(pieces), hashlib.sha256(), 0
    most_bytes = min(most_bytes, shutil.disk_usage(tempfile.gettempdir()).free // 2)
    with tempfile.TemporaryFile(prefix="agent-fix-layer-") as file:
        for piece in rest:
            file.write(piece)
            digest.update(piece)
            size_bytes += len(piece)
            if size_bytes > most_bytes:
                break
        yield HeldLayer(file, size_bytes, f"sha256:{digest.hexdigest()}", size_bytes <= most_bytes, rest)


@dataclass(frozen=True)
class LoadableImage:
    """`layer`, which is whole, on top of the image `base` (as the engine inspects it), as an archive to load."""

    base: Mapping[str, Any]
    layer: HeldLayer
    labels: Mapping[str, str]
    made_at: float

    @property
    def id(self) -> str:
        return f"sha256:{hashlib.sha256(self._config).hexdigest()}"

    @property
    def layers(self) -> list[str]:
        """The digests of all."""
        return [*self.base["RootFS"]["Layers"], self.layer.digest]

    def __iter__(self) -> Iterator[bytes]:
        below = ["of-the-base"] * len(self.base["RootFS"]["Layers"])  # no file: the engine opens those of new ones only
        manifest = [{"Config": "config.json", "RepoTags": [], "Layers": [*below, _LAYER]}]
        files = {"config.json": self._config, "manifest.json": json.dumps(manifest).encode()}
        for name, content in files.items():
            yield from _file(name, len(content), (content,))
        yield from _file(_LAYER, self.layer.size_bytes, self.layer.pieces())
        yield bytes(2 * tarfile.BLOCKSIZE)

    @cached_property
    def _config(self) -> bytes:
        made = datetime.fromtimestamp(self.made_at, UTC).isoformat()
        own = self.base["Config"]
        config = {
            **{name.lower(): self.base[name] for name in _PLATFORM if self.base.get(name)},
            "config": {**own, "Labels": {**(own.get("Labels") or {}), **self.labels}},
            "created": made,
            "rootfs": {"type": "layers", "diff_ids": self.layers},
            "history": [{"created": made, "created_by": "agent-fix"}] * len(self.layers),
        }
        return json.dumps(config).encode()


def root_entry() -> bytes:
    """The directory that all of an environment stands in: a layer brings its own."""
    entry = tarfile.TarInfo(ENVIRONMENT.lstrip("/"))
    entry.type, entry.mode, entry.uid, entry.gid = tarfile.DIRTYPE, 0o755, USER_ID, USER_ID
    return entry.tobuf(tarfile.GNU_FORMAT)


def _file(name: str, size_bytes: int, content: Iterable[bytes]) -> Iterator[bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = size_bytes
    yield entry.tobuf(tarfile.GNU_FORMAT)
    yield from content
    yield bytes(-size_bytes % tarfile.BLOCKSIZE)
