"""Members of a workspace that no test needs: examples, the site, benchmarks. They are not built; of a large one their
packages, which may be more files than a sandbox has room for, are not installed either. Pure."""

import re
from collections.abc import Iterable

from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import BENCHMARKS, DOCUMENTS, EXAMPLES, SITES, is_within
from repo_tools.environment.javascript.package_json import Package

MANY = 2_000
"""Packages in a lock file."""
_LOCK = "pnpm-lock.yaml"
_RESOLVED = re.compile(rb"^[ \t]+resolution:", re.MULTILINE)
_SHOWS = EXAMPLES | DOCUMENTS | BENCHMARKS | SITES


def spared_members(lock: str, packages: Iterable[Package], tested: Iterable[str], read: ReadFile) -> tuple[str, ...]:
    """Folders of those that get no packages; none where `lock` is of another manager than pnpm, or a small one."""
    is_large = lock == _LOCK and len(_RESOLVED.findall(read(lock))) >= MANY
    return showing_members(packages, tested) if is_large else ()


def showing_members(packages: Iterable[Package], tested: Iterable[str]) -> tuple[str, ...]:
    """Their folders. `tested`: folders with tests to run, which stay, as does whatever those need that stay."""
    wanted, members = set(tested), [package for package in packages if package.folder]
    kept = [p for p in members if p.folder in wanted or not is_within(p.folder, _SHOWS)]
    by_name = {str(package.content.get("name")): package for package in members}
    for package in kept:  # it grows
        kept += [by_name[name] for name in package.dependencies if name in by_name and by_name[name] not in kept]
    return tuple(package.folder for package in members if package not in kept)
