"""A box's environment on its way into a layer: packed by the box while the engine unpacks it."""

import os
from collections.abc import Iterator
from threading import Thread
from typing import BinaryIO, Self

from repo_tools.errors import SandboxError, SandboxUnavailableError, TransientError
from repo_tools.sandbox.contract import DEFAULT_LIMITS, ENVIRONMENT, Sandbox

MOST_BYTES = 2 * DEFAULT_LIMITS.environment_bytes
"""Files with holes are larger in the stream than on their volume."""
CHUNK_BYTES = 1 << 18


class EnvironmentStream:
    """`ENVIRONMENT` of `box` as a tar stream, `under` before each name; nothing else may use the box meanwhile."""

    def __init__(self, box: Sandbox, most_bytes: int = MOST_BYTES, under: str = "") -> None:
        reader, writer = os.pipe()
        self._reader = os.fdopen(reader, "rb")
        self._box = box
        self._under = under
        self._archive = BoundedFile(os.fdopen(writer, "wb", buffering=0), most_bytes)
        self._problem: Exception | None = None
        self._packing = Thread(target=self._pack, daemon=True)

    def __enter__(self) -> Self:
        self._packing.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._reader.close()  # who still packs finds out at the next write
        self._packing.join()

    @property
    def size_bytes(self) -> int:
        """Of all that was packed so far."""
        return self._archive.size_bytes

    def read(self, size: int) -> bytes:
        """SandboxError at the end, where the box did not pack all of it; SandboxUnavailableError where the engine was
        away."""
        data = self._reader.read(size)
        if not data:
            self._packing.join()
            if self._problem:
                kind = SandboxUnavailableError if isinstance(self._problem, TransientError) else SandboxError
                raise kind(f"the environment cannot be packed: {self._problem}") from self._problem
        return data

    def __iter__(self) -> Iterator[bytes]:
        return iter(lambda: self.read(CHUNK_BYTES), b"")

    def _pack(self) -> None:
        try:
            self._box.download(ENVIRONMENT, self._archive, self._under)  # type: ignore[arg-type]
        except (OSError, SandboxError) as error:
            self._problem = error
        finally:
            self._archive.close()


class BoundedFile:
    """A file to write to, up to a size."""

    def __init__(self, file: BinaryIO, most_bytes: int) -> None:
        self._file = file
        self._most_bytes = most_bytes
        self.size_bytes = 0

    def write(self, data: bytes) -> int:
        self.size_bytes += len(data)
        if self.size_bytes > self._most_bytes:
            raise SandboxError("the environment is larger than its volume")
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]
        return len(data)

    def close(self) -> None:
        self._file.close()
