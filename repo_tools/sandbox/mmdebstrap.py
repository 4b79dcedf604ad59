"""mmdebstrap, which makes a system of Debian's packages."""

import subprocess
from typing import IO


def mmdebstrap(*options: str, into: IO[bytes] | None = None) -> None:
    """Write what it packs to `into`, or to where the options say. CalledProcessError with its words.

    Whoever is interrupted meanwhile has it end by itself: killed, it would leave its folder behind, with what it
    mounted there."""
    argv = ("mmdebstrap", *options)
    taken = into or subprocess.DEVNULL
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=taken, stderr=subprocess.PIPE) as process:
        try:
            said = process.communicate()[1]
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, argv, stderr=said.decode(errors="replace"))
