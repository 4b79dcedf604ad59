"""Where a command writes its result."""

import tempfile
from contextlib import suppress
from pathlib import Path

import typer


def check_output(folder: Path) -> None:
    """A mistake of usage where it cannot be written: told before anything is spent, and nothing is left of the try."""
    place = folder.absolute()
    try:
        nearest = next(path for path in (place, *place.parents) if _is_there(path))
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise typer.BadParameter(f"{folder} cannot be written ({error.strerror})", param_hint="--output") from error


def _is_there(path: Path) -> bool:
    """Path.exists() hides since Python 3.14 why a name cannot be looked at. OSError."""
    with suppress(FileNotFoundError):
        path.lstat()
        return True
    return False
