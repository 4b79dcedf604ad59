"""A child of `extractors`: answers batch by batch until its input ends. Imports as little as it can."""

import gc
import marshal
import resource
import sys

from repo_tools.repo_map.facts import detail, extract

MEMORY_BYTES = 1 << 30
"""Address space: a tree of one file of the largest size that is read takes a tenth of it."""

_HEADER_BYTES = 8


def main() -> None:
    """Each message is (processor seconds, in detail, [(key, language, content)…]), behind its length."""
    gc.disable()  # nothing here makes cycles
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while header := source.read(_HEADER_BYTES):
        seconds, in_detail, batch = marshal.loads(source.read(int.from_bytes(header, "big")))  # noqa: S302 - our own parent's
        _limit(seconds)
        answer = marshal.dumps([_read(in_detail, *entry) for entry in batch])
        target.write(len(answer).to_bytes(_HEADER_BYTES, "big") + answer)
        target.flush()


def _read(in_detail: bool, key: str, language: str, content: bytes) -> tuple[str, object, object]:
    """Plain tuples, which is all that marshal knows."""
    if in_detail:
        return key, None, tuple(detail(language, content))
    facts, found = extract(language, content)
    return key, tuple(facts), None if found is None else tuple(found)


def _limit(seconds: int) -> None:
    """The kernel ends this process after so many more seconds of processor time (setrlimit(2), RLIMIT_CPU)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, most))
