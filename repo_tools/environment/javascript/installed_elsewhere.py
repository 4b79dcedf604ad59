"""Projects of the repository whose packages the scripts of tests install, as fixtures of theirs: set-up does that, as
tests have no network. Pure."""

import re
from dataclasses import dataclass, replace
from posixpath import normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import AND_RUN, SetupCommand, TestCommand
from repo_tools.environment.javascript.elsewhere import is_away
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.suite import BY_EXIT_CODE

_INSTALL = r"(?:npm|yarn|pnpm) (?:install|i|ci)(?: -[\w=-]+)*"
_THERE = re.compile(
    rf"(?:^|(?<= && )|(?<={re.escape(BY_EXIT_CODE)}))(?:\(cd (?P<aside>[\w./@-]+) && (?P<one>{_INSTALL})\)"
    rf"|cd (?P<gone>[\w./@-]+) && (?P<two>{_INSTALL}) && cd (?P<back>[./]+)"
    r"|(?P<by>npm|yarn|pnpm) (?:(?:install|i|ci) )?(?:--prefix|--cwd|-C|--dir)[ =](?P<told>[\w./@-]+)"
    r"(?: install| i| ci)?"
    r"|(?:npm|yarn|pnpm) (?:run )?(?P<script>[\w:.-]+)) && (?=.)"
)
_WHOLE = re.compile(rf"cd (?P<gone>[\w./@-]+) && (?P<two>{_INSTALL})(?: && cd [./]+)?")


@dataclass(frozen=True)
class _Installed:
    folder: str
    typed: str


def without_installations(
    commands: tuple[TestCommand, ...], packages: tuple[Package, ...], tree: Tree
) -> tuple[tuple[TestCommand, ...], tuple[SetupCommand, ...]]:
    """`commands` without the installations in folders with a manifest that something follows, and these, for set-up."""
    by_folder = {package.folder: package for package in packages}
    found: dict[str, SetupCommand] = {}

    def lifted(command: TestCommand) -> TestCommand:
        package = by_folder.get(command.directory)
        if package is None or command.argv[:2] != ("sh", "-c"):
            return command

        def put(part: re.Match[str]) -> str:
            one = _installed(part, package, tree) if _is_here(part.string[: part.start()]) else None
            if one is None:
                return part[0]
            argv = ("sh", "-c", one.typed)
            found[one.folder] = SetupCommand(argv, required=False, directory=one.folder, typed=one.typed)
            return ""

        text = _THERE.sub(put, command.argv[2])
        argv = command.argv[4:] if text == AND_RUN.removeprefix(" && ") else ("sh", "-c", text, *command.argv[3:])
        return replace(command, argv=argv)

    return tuple(map(lifted, commands)), tuple(found.values())


def _is_here(before: str) -> bool:
    """Whether a chain that has come so far is in the package's folder, and in no shell of its own."""
    commands = before.removeprefix(BY_EXIT_CODE).split(" && ")
    is_whole = all(before.count(mark) % 2 == 0 for mark in ("'", '"')) and before.count("(") == before.count(")")
    return is_whole and not is_away(commands)


def _installed(part: re.Match[str], package: Package, tree: Tree) -> _Installed | None:
    """None where it is something else, or goes where there is no manifest, or comes back to another place."""
    if part["script"]:
        whole = _WHOLE.fullmatch(package.scripts.get(part["script"], ""))
        told, typed = (whole["gone"], whole["two"]) if whole else ("", "")
    elif part["gone"]:
        is_back = normpath(f"{part['gone']}/{part['back']}") == "."
        told, typed = (part["gone"], part["two"]) if is_back else ("", "")
    elif part["told"]:
        told, typed = part["told"], f"{part['by']} install"
    else:
        told, typed = part["aside"], part["one"]
    folder = normpath(f"{package.start}{told}") if told else ""
    return _Installed(folder, typed) if folder not in ("", ".") and f"{folder}/package.json" in tree else None
