"""Where a person's or a worker's indexes are kept: a file for each repository, those that were used last."""

import os
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from repo_tools.repo_map.index_file import remove

MOST = 50
MOST_BYTES = 2_000_000_000


def kept_index(folder: Path, name: str) -> Path:
    """The file of the repository with that name. Before a new one is made, those go that were not used for longest.
    Should two ever have one file, it holds what is true of both: facts are those of a content."""
    file = folder / f"map-{crc32(os.fsencode(name)):08x}.db"
    with suppress(OSError):  # then there is none to be kept, or none to be removed
        if file.exists():
            os.utime(file)
        else:
            _make_room(folder)
    return file


def _make_room(folder: Path) -> None:
    found = [(file.stat().st_mtime, file.stat().st_size, file) for file in folder.glob("map*.db")]
    taken = 0
    for place, (_, size, file) in enumerate(sorted(found, reverse=True), 1):
        taken += size
        if place >= MOST or taken > MOST_BYTES:
            remove(file)
