"""A process's most memory is its own, whoever started it."""

import subprocess
import sys

from tests.support.proc import peak_memory_bytes

ASK = "from tests.support.proc import peak_memory_bytes; print(peak_memory_bytes())"


def test_the_most_memory_of_a_process_is_not_that_of_its_parent() -> None:
    held = b"x" * (100 << 20)
    told = subprocess.run([sys.executable, "-c", ASK], stdout=subprocess.PIPE, check=True)
    assert 1 << 20 < int(told.stdout) < len(held) <= peak_memory_bytes()
