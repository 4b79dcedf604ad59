"""What has to be built before a package's tests: itself, and the members of its workspace that it uses. Pure."""

import posixpath
import shlex
from collections.abc import Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import TestCommand
from repo_tools.environment.javascript.package_json import Package

_BUILDS = ("build", "prepare", "prepack", "prepublishOnly", "prepublish", "compile", "dist")
"""Scripts that make what a package's entry points name, the likeliest first."""


def build_script(package: Package, tree: Tree) -> str | None:
    """The script that makes the package's entry points, where the repository does not hold them."""
    missing = [path for path in package.entry_points if path not in tree]
    return next((name for name in _BUILDS if name in package.scripts), None) if missing else None


def in_build_order(wanted: tuple[Package, ...], packages: tuple[Package, ...]) -> tuple[Package, ...]:
    """`wanted` and those of `packages` that they use, however far away, each after what it uses itself."""
    by_name = {name: package for package in packages if isinstance(name := package.content.get("name"), str)}
    ordered: dict[str, Package] = {}
    under_way: set[str] = set()

    def visit(package: Package) -> None:
        if package.folder in under_way:
            return
        under_way.add(package.folder)
        for name in package.dependencies:
            if name in by_name:
                visit(by_name[name])
        ordered[package.folder] = package

    for package in wanted:
        visit(package)
    return tuple(ordered.values())


def with_build(command: TestCommand, packages: tuple[Package, ...], tree: Tree) -> TestCommand:
    """Tests of compiled code must never see what was compiled before a change."""
    own = next(package for package in packages if package.folder == command.directory)
    builds_itself = command.argv[:2] == ("sh", "-c") or command.runner == "exit_code"
    builds = " && ".join(_builds(own, packages, tree, itself=not builds_itself))
    if not builds or command.runner == "exit_code":
        return command
    if builds_itself:
        argv = ("sh", "-c", f"{builds} && {command.argv[2]}", *command.argv[3:])
    else:
        argv = ("sh", "-c", f'{builds} && exec "$@"', "sh", *command.argv)
    return TestCommand(command.runner, argv, command.directory)


def _builds(own: Package, packages: tuple[Package, ...], tree: Tree, *, itself: bool) -> Iterator[str]:
    """Shell commands, from the folder of `own`."""
    for package in in_build_order((own,), packages):
        script = build_script(package, tree) if itself or package is not own else None
        place = posixpath.relpath(f"/{package.folder}", f"/{own.folder}")
        if script:
            yield f"npm run {script}" if package is own else f"(cd {shlex.quote(place)} && npm run {script})"
