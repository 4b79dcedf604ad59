"""Where a command writes its result."""

import tempfile
from pathlib import Path

import typer


def check_output(folder: Path) -> None:
    """A mistake of usage where it cannot be written: told before anything is spent, and nothing is left of the try."""
    place = folder.absolute()
    try:
        nearest = next(path for path in (place, *place.parents) if path.exists() or path.is_symlink())
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise typer.BadParameter(f"{folder} cannot be written ({error.strerror})", param_hint="--output") from error
