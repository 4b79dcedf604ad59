"""Which package manager a project uses. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import filterfalse

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package, members, pnpm_patterns
from repo_tools.environment.texts import read_text, text_at

_PINNED = re.compile(r"(npm|pnpm|yarn|bun)@(\d+(?:\.\d+)*[\w.-]*)(?:\+.*)?")
_PNPM_OF_LOCK = {"5": "7", "6": "8", "9": "9"}
"""https://github.com/pnpm/spec/tree/master/lockfile: which releases write which version."""
_PNPM_OF_SETTINGS = "10"
"""The first release that takes a ``pnpm-workspace.yaml`` without members, for its settings alone."""
_PNPM_WITHOUT_LOCK = "6 - 10"
"""npm takes the newest that says it runs on the Node that is there."""
_PNPM_REPLACED = (((0,), (7, 33), "7"), ((8,), (8, 3, 1), "8"))
"""Releases from and up to which pnpm fetches nothing with Node 20 (https://github.com/pnpm/pnpm/issues/6424), and the
line that takes the same lock files."""
_YARN_OF_LOCK = {4: "2.4.2", 5: "3.1.1", 6: "3.8.7", 7: "3.8.7"}
_YARN_PATH = re.compile(r"^yarnPath:.{0,100}?/yarn-(\d{1,3}\.\d{1,3}\.\d{1,3})\.c?js", re.MULTILINE)
_CALLS_BUN = re.compile(r"(?:^|[\s;&|])bunx? ")
_AFTER_BUN = re.compile(r"(?<![a-z])bun(?![a-z])")
_NOT_OF_NPM = ("workspace:", "catalog:")
_CALLS_NPM = re.compile(r"(?:^|[\s;&|])np[mx] (?!publish|version|pack|pkg)")


@dataclass(frozen=True)
class PackageManager:
    """`version` empty: npm as the image has it. `lock` empty: there is no lock file."""

    name: str  # "npm", "pnpm", "yarn" (classic), "berry" (yarn from release 2 on) or "bun"
    version: str = ""
    lock: str = ""
    source: str = ""

    @property
    def program(self) -> str:
        return "yarn" if self.name == "berry" else self.name


BUN = PackageManager("bun", "1", source="package.json scripts")
YARN = PackageManager("yarn", "1.22.22")
PNPM = PackageManager("pnpm", _PNPM_WITHOUT_LOCK)
GRUNT = PackageManager("grunt-cli", "1")
"""The command, which grunt has of its own from release 1 on (https://gruntjs.com/getting-started)."""


def package_manager(root: Package, tree: Tree, read: ReadFile) -> PackageManager:
    """By the ``packageManager`` field (https://nodejs.org/api/corepack.html), else by the lock file."""
    declared = root.content.get("packageManager")
    pinned = _PINNED.fullmatch(declared.strip()) if isinstance(declared, str) else None
    by_lock = next((manager for manager in _by_lock_file(tree, read) if _agrees(manager, pinned)), None)
    if pinned and pinned[1] != "npm":
        name = "berry" if pinned[1] == "yarn" and not pinned[2].startswith("1.") else pinned[1]
        lock = by_lock.lock if by_lock else ""
        version = _that_fetches(pinned[2]) if name == "pnpm" else pinned[2]
        return PackageManager(name, version, lock, f"package.json packageManager {pinned[1]}@{pinned[2]}")
    if manager := by_lock or _by_workspace(root, tree, read):
        return manager
    return BUN if _is_by_bun(root, tree, read) else PackageManager("npm", source="package.json")


def _that_fetches(pnpm: str) -> str:
    """This release, or what stands for it."""
    numbers = tuple(map(int, re.findall(r"\d+", pnpm)[:3]))
    return next((line for low, high, line in _PNPM_REPLACED if low <= numbers < high), pnpm)


def _by_workspace(root: Package, tree: Tree, read: ReadFile) -> PackageManager | None:
    """Not every project keeps pnpm's lock file: no other manager knows the members that its settings name."""
    path = "pnpm-workspace.yaml"
    if path not in tree or _has_only_settings(tree, read) or root.content.get("workspaces"):
        return None
    return PackageManager("pnpm", _PNPM_WITHOUT_LOCK, source=path)


def _is_by_bun(root: Package, tree: Tree, read: ReadFile) -> bool:
    """Whether scripts start bun, and no more of them npm, which may not know what is needed: some only test with bun,
    too."""
    plain = [root.scripts[name] for name in _not_after_bun(root)]
    calls = [len([*filter(pattern.search, plain)]) for pattern in (_CALLS_BUN, _CALLS_NPM)]
    if calls[0] >= max(calls[1], 1):
        return True
    if not any(map(_CALLS_BUN.search, root.scripts.values())):
        return False
    needed = (need for each in (root, *members(root, tree, read)) for need in each.dependencies.values())
    return "bunfig.toml" in tree or any(need.startswith(_NOT_OF_NPM) for need in needed)


def calls_bun(package: Package) -> bool:
    """Whether scripts of it start bun by its name. One that is called after it (``test:bun``) does with it what another
    does with node, and counts where that one names it."""
    return not {"bun", "bunx"}.isdisjoint(package.words_run_by(*_not_after_bun(package)))


def _not_after_bun(package: Package) -> Iterator[str]:
    return filterfalse(_AFTER_BUN.search, package.scripts)


def _agrees(manager: PackageManager, pinned: "re.Match[str] | None") -> bool:
    return not pinned or pinned[1] == manager.program


def _by_lock_file(tree: Tree, read: ReadFile) -> Iterator[PackageManager]:
    for lock in ("npm-shrinkwrap.json", "package-lock.json"):
        if lock in tree:
            yield PackageManager("npm", "", lock, lock)
    if "pnpm-lock.yaml" in tree:
        found = re.search(rb"^lockfileVersion:\s*'?(\d+)", read("pnpm-lock.yaml"), re.MULTILINE)
        version = _PNPM_OF_LOCK.get(found[1].decode() if found else "", "9")
        version = _PNPM_OF_SETTINGS if version == "9" and _has_only_settings(tree, read) else version
        yield PackageManager("pnpm", version, "pnpm-lock.yaml", "pnpm-lock.yaml")
    if "yarn.lock" in tree:
        found = re.search(rb"^__metadata:\s*\n\s+version:\s*(\d{1,9})", read("yarn.lock"), re.MULTILINE)
        if found:
            version = _kept_yarn(tree, read) or _YARN_OF_LOCK.get(int(found[1]), "4.5.3")
            yield PackageManager("berry", version, "yarn.lock", "yarn.lock")
        else:
            yield PackageManager("yarn", "1.22.22", "yarn.lock", "yarn.lock")
    yield from (PackageManager("bun", "1", lock, lock) for lock in ("bun.lock", "bun.lockb") if lock in tree)


def _kept_yarn(tree: Tree, read: ReadFile) -> str:
    """The release that the repository keeps a copy of and is run with: its settings may hold what others do not know
    (https://yarnpkg.com/configuration/yarnrc#yarnPath)."""
    found = _YARN_PATH.search(text_at(".yarnrc.yml", tree, read))
    return found[1] if found else ""


def _has_only_settings(tree: Tree, read: ReadFile) -> bool:
    path = "pnpm-workspace.yaml"
    return path in tree and not pnpm_patterns(read_text(read, path))
