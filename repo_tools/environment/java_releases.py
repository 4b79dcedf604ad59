"""Which releases of Java a build can have. Pure."""

import re
from itertools import islice

WRAPPER = "gradle/wrapper/gradle-wrapper.properties"
_DISTRIBUTION = re.compile(r"^distributionUrl[ \t]*=.*gradle-(\d{1,3})\.(\d{1,3})[\d.]*-", re.MULTILINE)
_FIRST_GRADLE = {
    9: (4, 3), 10: (4, 7), 11: (5, 0), 12: (5, 4), 13: (6, 0), 14: (6, 3), 15: (6, 7), 16: (7, 0), 17: (7, 3),
    18: (7, 5), 19: (7, 6), 20: (8, 3), 21: (8, 5), 22: (8, 8), 23: (8, 10), 24: (8, 14), 25: (9, 1), 26: (9, 4),
}  # fmt: skip
"""Java -> the first Gradle that runs on it: https://docs.gradle.org/current/userguide/compatibility.html"""
_LEAST_OF_GRADLE_9 = 17
_NAMED = re.compile(
    r"<(?:maven\.compiler\.(?:release|source|target)|java\.version|release|source|target)>"
    r"\s*(?:(?:1\.)?(\d{1,3})|\$\{([\w.-]{1,100})\})\s*<"
)
_DROPPED = {5: 9, 6: 12, 7: 20}
"""Source level -> the first javac that refuses it: JEP 182, JDK-8206877, JDK-8173605."""
_MOST_NAMED = 20


def gradle_runs_on(properties: str) -> str:
    """Versions of Java, as PEP 440 has them, that the wrapper's Gradle can be run with; empty where all may do."""
    found = _DISTRIBUTION.search(properties)
    if not found:
        return ""
    gradle = (int(found[1]), int(found[2]))
    refused = [java for java, first in _FIRST_GRADLE.items() if gradle < first]
    least = [f">={_LEAST_OF_GRADLE_9}"] if gradle >= (9, 0) else []
    return ",".join([*least, *([f"<{min(refused)}"] if refused else [])])


def maven_level(pom: str) -> int | None:
    """What the compiler is told, where the file says it itself or by one of its own properties."""
    for found in islice(_NAMED.finditer(pom), _MOST_NAMED):
        if found[1]:
            return int(found[1])
        named = re.search(rf"<{re.escape(found[2])}>\s*(?:1\.)?(\d{{1,3}})\s*<", pom)
        if named:
            return int(named[1])
    return None


def compiles_level(level: int | None) -> str:
    """Releases that still take code of `level`; empty where all do."""
    first = next((first for dropped, first in _DROPPED.items() if level is not None and level <= dropped), None)
    return f"<{first}" if first else ""
