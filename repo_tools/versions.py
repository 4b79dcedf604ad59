"""Whether a program is as new as the fixes that it needs: each series of its releases has a first one that has them."""

import re

Version = tuple[int, int, int, int]
FINAL = 1 << 30
"""Instead of a release candidate's number."""
_PATTERN = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:-rc\.?(\d+))?")


def parse_version(text: str) -> Version | None:
    """The first version in `text`: 1.4.0-rc.3 is (1, 4, 0, 3), 1.4.0 is (1, 4, 0, FINAL), and whatever a distribution
    adds counts for nothing. None where there is none."""
    found = _PATTERN.search(text)
    if found is None:
        return None
    major, minor, patch, candidate = found.groups()
    return int(major), int(minor), int(patch or 0), int(candidate) if candidate else FINAL


def has_fixes(text: str, first_fixed: tuple[str, ...]) -> bool:
    """`first_fixed`: of each series, oldest first, the first release with the fixes. A series between two of them has
    none; one after the last has them all."""
    version = parse_version(text)
    floors = [floor for floor in map(parse_version, first_fixed) if floor]
    if version is None:
        return False
    return version >= floors[-1] or any(floor[:2] == version[:2] and version >= floor for floor in floors)
