"""What has to be built before a package's tests: itself, the members of its workspace that it uses, and what its CI
builds before them. Pure."""

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from repo_tools.changes import Tree
from repo_tools.environment.ci.commands import CommandEvidence
from repo_tools.environment.contract import AND_RUN, BUILT, NOTE, ReadFile, SetupCommand, TestCommand, typed_for
from repo_tools.environment.javascript.loaded import loads_what_is_missing, stands
from repo_tools.environment.javascript.package_json import DEVELOPED_WITH, Package
from repo_tools.environment.javascript.programs import BUILDERS
from repo_tools.environment.javascript.scripts import comes_to_something
from repo_tools.environment.runners.javascript_command import program_name
from repo_tools.ignored import IgnoreRules
from repo_tools.sandbox.contract import ENVIRONMENT

_BUILDS = ("build", "prepare", "prepack", "prepublishOnly", "prepublish", "compile", "dist")
"""Scripts that make what a package's entry points name, the likeliest first; not one that makes nothing (``husky``)."""

_COMPILERS = re.compile(rf"(?!(?:rimraf|rm|mkdir|cp|cpy|shx|copyfiles|ncp|del|del-cli)$){BUILDERS.pattern}")

_MANAGERS = ("npm", "yarn", "pnpm")
_OF_SEVERAL = "run-[sp]|npm-run-all"
"""https://github.com/mysticatea/npm-run-all; where they start one script alone."""
_RUNS_SCRIPT = re.compile(rf"(?<![\w/-])(?:(?:npm|yarn|pnpm|bun) run|{_OF_SEVERAL}) ([\w:.-]+)(?=[\s()&|;]|$)")

_BUILT = f"{ENVIRONMENT}/built-as-in-ci"
"""There where set-up could build so: what wants more than a box has is no reason to run no tests."""

_MOST_SECONDS = 300
"""Of such a build, which is made again before each run: set-up has no more time than for a few of them."""

_NOT_BUILT = f"{ENVIRONMENT}/not-built"
"""Below it, a folder for each package whose entry points set-up could not make."""


def build_scripts(packages: Iterable[Package], tree: Tree, read: ReadFile) -> dict[str, str]:
    """By the package's folder, the script that makes its entry points, or what they load, where the repository does not
    hold that."""
    found = ((package, next((n for n in _BUILDS if comes_to_something(n, package)), "")) for package in packages)
    rules = cache(lambda: IgnoreRules(tree, read))
    return {package.folder: name for package, name in found if name and _has_to_be_built(package, tree, read, rules)}


def _has_to_be_built(package: Package, tree: Tree, read: ReadFile, rules: Callable[[], IgnoreRules]) -> bool:
    entries = [path for path in package.entry_points if not _is_left_over(path, package, tree, rules)]
    return not all(stands(path, tree) for path in entries) or loads_what_is_missing(entries, tree, read)


def _is_left_over(entry: str, package: Package, tree: Tree, rules: Callable[[], IgnoreRules]) -> bool:
    """Whether it is what ``npm init`` names, and no build makes: that would be ignored. An application keeps the name,
    and its build (a bundle for browsers) is nothing that tests load."""
    if entry != posixpath.join(package.folder, "index.js") or stands(entry, tree):
        return False
    return rules().says_something and not rules().ignores(entry)


def left_to_ci(
    builds: Mapping[str, str],
    in_ci: tuple[CommandEvidence, ...],
    commands: Iterable[TestCommand],
    packages: tuple[Package, ...],
) -> dict[str, str]:
    """Of `builds` those that no command wants before it, where the CI's own come first, which make most often all."""
    places = {command.directory for command in commands}
    wanted = {each.folder for each in in_build_order(tuple(p for p in packages if p.folder in places), packages)}
    return {folder: script for folder, script in builds.items() if in_ci and folder not in wanted}


def build_once(package: Package, script: str, root: Package, *, unless_there: bool = False) -> SetupCommand:
    """For what lasts of it. Where it fails, tests are run all the same, and it is told: most load the sources.
    `unless_there`: what makes all may have come before."""
    where = f" in {package.folder}" if package.folder else ""
    told = f"`npm run {script}`{where} fails in set-up: tests are run without what it would make"
    otherwise = f"mkdir -p {_mark(package)}; printf '\\n%s\\n' {shlex.quote(NOTE + told)}; exit 1"
    entries = [f"test -e {shlex.quote(path.removeprefix(package.start))}" for path in package.entry_points]
    there = f"{{ {' && '.join(entries)}; }} || " if unless_there and entries else ""
    command = ("sh", "-c", f"{there}{_run(script, package, root)} || {{ {otherwise}; }}")
    return SetupCommand(command, required=False, directory=package.folder, typed=f"npm run {script}")


def _run(script: str, *packages: Package) -> str:
    """npm runs none where another manager, or release of Node than its own, is to be used
    (https://docs.npmjs.com/cli/configuring-npm/package-json#devengines): of a member it asks the root."""
    return f"npm run {script}{' --force' if any(DEVELOPED_WITH in each.content for each in packages) else ''}"


def _mark(package: Package) -> str:
    return shlex.quote(f"{_NOT_BUILT}/{_flat(package)}")


def _flat(package: Package) -> str:
    return package.folder.replace("/", "+") or "+"


def in_build_order(wanted: tuple[Package, ...], packages: tuple[Package, ...]) -> tuple[Package, ...]:
    """`wanted` and those of `packages` that they use, however far away, each after what it uses itself."""
    by_name = {name: package for package in packages if isinstance(name := package.content.get("name"), str)}
    ordered: dict[str, Package] = {}
    under_way: set[str] = set()

    def visit(package: Package) -> None:
        under_way.add(package.folder)
        visit_new(by_name[name] for name in package.dependencies if name in by_name)
        ordered[package.folder] = package

    def visit_new(found: Iterable[Package]) -> None:
        for package in found:
            if package.folder not in under_way:
                visit(package)

    visit_new(wanted)
    return tuple(ordered.values())


def build_as_in_ci(builds: tuple[CommandEvidence, ...]) -> Iterator[SetupCommand]:
    """Tried where packages stand as they do when tests are run."""
    if builds:
        typed = _typed(builds)
        text = f"timeout {_MOST_SECONDS} sh -c {shlex.quote(typed)} && touch {_BUILT}"
        yield SetupCommand(("sh", "-c", text), required=False, typed=typed)


def lacking(builds: tuple[CommandEvidence, ...], commands: Iterable[TestCommand]) -> tuple[CommandEvidence, ...]:
    """Of `builds` those that some command of the root does not begin with. One of which only the exit code is known is
    taken as it is."""
    own = [_shell_text(c) for c in commands if not c.directory and c.runner != "exit_code"]
    return tuple(build for build in builds if not all(_runs(text, build.built_script) for text in own))


def built_as_in_ci(command: TestCommand, builds: tuple[CommandEvidence, ...]) -> TestCommand:
    """`command`, of the root, with the `builds` before it that it does not begin with by itself."""
    wanted = lacking(builds, (command,))
    if not wanted:
        return command
    return _after(f"if test -e {_BUILT}; then {_typed(wanted)}; fi", (("", _typed(wanted)),), command)


def _after(build: str, typed: tuple[tuple[str, str], ...], command: TestCommand) -> TestCommand:
    """`command` after the shell's text `build`, for which a person would type `typed`, each in its folder."""
    own = _shell_text(command)
    if own and command.runner != "exit_code":
        argv = ("sh", "-c", f"{build} && {own}", *command.argv[3:])
    else:
        argv = ("sh", "-c", f"{build}{AND_RUN}", "sh", *command.argv)
    own_words = command.typed or typed_for(command.argv)
    return replace(command, argv=argv, typed=own_words, builds=(*typed, *command.builds))


def _shell_text(command: TestCommand) -> str:
    return command.argv[2] if command.argv[:2] == ("sh", "-c") else ""


def _runs(text: str, script: str) -> bool:
    return bool(re.search(rf"(?:run|yarn|pnpm|bun) {re.escape(script)}(?![\w:.-])", text))


def _typed(builds: tuple[CommandEvidence, ...]) -> str:
    return " && ".join(shlex.join((*(f"{n}={v}" for n, v in b.variables), *b.argv)) for b in builds)


def with_build(command: TestCommand, packages: tuple[Package, ...], scripts: Mapping[str, str]) -> TestCommand:
    """Tests of compiled code must never see what was compiled before a change. What set-up could not build either may
    fail. `scripts`: as `build_scripts` gives them."""
    own = next(package for package in packages if package.folder == command.directory)
    builds = tuple(_builds(own, packages, scripts, itself=not _compiles(_shell_text(command), own, scripts)))
    command = command if command.runner == "exit_code" else _excused(command, own, scripts)
    if not builds:
        return command
    return _after(" && ".join(text for text, _ in builds), tuple(typed for _, typed in builds), command)


def _compiles(text: str, own: Package, scripts: Mapping[str, str]) -> bool:
    """Whether what a command begins with by itself builds; fixtures are copied, and folders are made, after that. A
    script that is started does where it comes to a compiler."""
    script = own.scripts.get(scripts.get(own.folder, ""), "")
    typed = _RUNS_SCRIPT.sub(lambda found: " ".join(("", *_words_of(found[1], own), "")), text)
    programs = map(program_name, re.split(r"[\s()&|;]+", typed))
    return any(map(_COMPILERS.fullmatch, programs)) or bool(script and script in text)


def _words_of(name: str, own: Package) -> Iterable[str]:
    """Of a script of `own`; of one that is there to build, or that `own` lacks, the manager, which may build."""
    if name in _BUILDS or name not in own.scripts:
        return _MANAGERS
    return own.words_run_by(name) - set(_MANAGERS)


def _excused(command: TestCommand, own: Package, scripts: Mapping[str, str]) -> TestCommand:
    """`command`, which may fail in a build of its own where set-up could not build so, or by another script, either:
    TypeScript compiles what it complains of. Where set-up built, what it made would stand for the change's."""
    text = _shell_text(command)
    names = "|".join(re.escape(name) for name in {scripts.get(own.folder, ""), *_BUILDS} if name)
    build = (
        rf"(?:^|(?<=&& ))(?P<may_fail>\{{ )?(?P<does>(?:(?:npm|yarn|pnpm|bun)(?: run)?(?: -\S+)*|{_OF_SEVERAL})"
        rf" (?:{names})"
        r"|(?:npx )?tsc(?: [^&|;]+?)?)(?(may_fail) \|\| [^&|;]+ ; \})(?= && )"
    )
    known = own.folder in scripts
    excused = re.sub(build, lambda found: f"{{ {found['does']} || test -e {_mark(own)}; }}", text) if known else text
    if excused == text:
        return command
    return replace(
        command, argv=("sh", "-c", excused, *command.argv[3:]), typed=command.typed or typed_for(command.argv)
    )


def _builds(
    own: Package, packages: tuple[Package, ...], scripts: Mapping[str, str], *, itself: bool
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Shell commands, from the folder of `own`, each with the folder where a person would type what for it; each once
    in a run, whichever of its commands comes first; one that failed in set-up is tried no oftener."""
    for package in in_build_order((own,), packages):
        script = scripts.get(package.folder) if itself or package is not own else None
        place = posixpath.relpath(f"/{package.folder}", f"/{own.folder}")
        if script:
            run = _run(script, package, packages[0])
            build = run if package is own else f"(cd {shlex.quote(place)} && {run})"
            done = f'"${BUILT}"/{shlex.quote(_flat(package))}'
            excused = f"{{ {build} || test -e {_mark(package)}; }}"
            once = f"{{ test -e {done} || {{ {excused} && ${{{BUILT}:+mkdir -p {done}}}; }}; }}"
            yield once, (package.folder, f"npm run {script}")
