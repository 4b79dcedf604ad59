"""The set-up commands that install a JavaScript project's dependencies, and what is tried where these cannot be had as
they are asked for. Pure."""

import json
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.resources import files

from repo_tools.changes import Tree
from repo_tools.environment.box_programs.npm_available import ELSEWHERE
from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand, TestCommand
from repo_tools.environment.javascript.lerna import with_members
from repo_tools.environment.javascript.manager import BUN, GRUNT, PNPM, YARN, PackageManager, calls_bun
from repo_tools.environment.javascript.manager_commands import (
    CACHE,
    INSTALL,
    PNPM_REBUILD,
    WITHOUT_BERRY,
    install_text,
    tool,
    unfrozen_text,
)
from repo_tools.environment.javascript.package_json import DEVELOPED_WITH, WORD, Package, texts
from repo_tools.environment.texts import text_at
from repo_tools.sandbox.contract import ENVIRONMENT

VARIABLES = {
    "COREPACK_ENABLE_STRICT": "0",
    "CYPRESS_INSTALL_BINARY": "0",
    "ELECTRON_SKIP_BINARY_DOWNLOAD": "1",
    "HUSKY": "0",
    "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
    "PUPPETEER_SKIP_CHROMIUM_DOWNLOAD": "1",
    "PUPPETEER_SKIP_DOWNLOAD": "1",
    "npm_config_audit": "false",
    "npm_config_cache": CACHE,
    "npm_config_engine_strict": "false",
    "npm_config_fund": "false",
    "npm_config_nodedir": "/usr",  # headers for native modules, from the image
    "npm_config_progress": "false",
    "npm_config_update_notifier": "false",
}
_VARIABLES_OF = {
    "berry": {"YARN_ENABLE_TELEMETRY": "0", "YARN_IGNORE_PATH": "1", "YARN_NODE_LINKER": "node-modules"},
    "pnpm": {"npm_config_verify_deps_before_run": "false", "pnpm_config_verify_deps_before_run": "false"},
}
"""Of builds and tests as well: ``yarn x`` looks for what is installed where its own settings would have put it, and
``pnpm run x`` installs anew what is not there (https://pnpm.io/settings#verifydepsbeforerun)."""
_REGISTRY = "https://registry.npmjs.org/"
_PLAIN_REGISTRY = re.compile(
    r"^[ \t]*registry[ \t]*=[ \t]*[\"']?http://registry\.npmjs\.org/?[\"']?[ \t\r]*$", re.MULTILINE
)
"""What older repositories have in their ``.npmrc``. It answers by TLS alone since 2021, and what the environment says
goes before that file (https://docs.npmjs.com/cli/using-npm/config#environment-variables)."""
OLD_DAYS = 90
_DATED_SECONDS = 400
"""A set-up has more: what else there is to try comes to its turn."""
_IS_OLD = f'test -n "$(find package.json -mtime +{OLD_DAYS})"'
_UNLOCKED = f"install {INSTALL} --no-save --no-package-lock"
_EDIT = """
import json, sys
with open("package.json", encoding="utf-8-sig") as file:
    manifest = json.load(file)
manifest.pop("devEngines", None)
for name in json.loads(sys.argv[1]):
    manifest.get("devDependencies", {}).pop(name, None)
with open("package.json", "w") as file:
    json.dump(manifest, file)
"""
_AVAILABLE = (files("repo_tools.environment.box_programs") / "npm_available.py").read_text("utf-8")
_TYPES_THAT_FIT = (files("repo_tools.environment.box_programs") / "types_that_fit.py").read_text("utf-8")
_SPARE = re.compile(
    r".*(?:eslint|prettier|changelog|commitlint|stylelint|semantic-release|jsdoc|typedoc).*|karma.*|(?:.*/)?(?:"
    r"xo|standard|semistandard|neostandard|husky|lint-staged|npmignore|in-publish|aud|evalmd|safe-publish-latest|np"
    r"|release-it|covert|tsd|snazzy|jshint|jscs|pre-commit|airtap|zuul|testling|size-limit|coveralls|codecov|docdash"
    r"|benchmark|playwright|puppeteer|cypress|saucelabs|mkdirp-infer-owner|publint|attw|knip|cz-conventional.*)"
)
"""Development dependencies that tests hardly ever load."""
_WITHOUT_GUARD = """
import json
with open("package.json", encoding="utf-8-sig") as file:
    manifest = json.load(file)
manifest.get("scripts", {}).pop("preinstall", None)
manifest.pop("devEngines", None)
with open("package.json", "w") as file:
    json.dump(manifest, file)
"""
_REBUILD = ("npm", "rebuild", "--loglevel=error")
_OF_ESLINT = re.compile(r".*(?:eslint|standard|stylistic).*")
"""What its configuration may load, by whomever it is started."""
_KINDS = ("dependencies", "devDependencies")
_ANY = re.compile(r"\s*(?:[*xX]|latest|>=?\s*v?\d[\d.]*)?\s*")
"""https://docs.npmjs.com/cli/configuring-npm/package-json#dependencies"""


def variables_of(manager: PackageManager, root: Package, tree: Tree, read: ReadFile) -> dict[str, str]:
    """For set-up, builds and tests."""
    plain = _PLAIN_REGISTRY.search(text_at(".npmrc", tree, read))
    own = _VARIABLES_OF.get(manager.name, {}) | ({"npm_config_registry": _REGISTRY} if plain else {})
    if manager.name == "npm" and DEVELOPED_WITH in root.content:  # which npm asks of itself, and of its own Node
        own |= {"npm_config_force": "true"}
    return VARIABLES | own


def spare_dependencies(root: Package, members: Iterable[Package], sources: Iterable[bytes]) -> tuple[str, ...]:
    """Development dependencies that none of `sources`, the tests, names; and those on members of the workspace that are
    not there, as where a submodule would hold them: with these nothing at all could be installed."""
    declared = texts(root.content.get("devDependencies"))
    names = [name for name, version in declared.items() if _SPARE.fullmatch(name) or ELSEWHERE.fullmatch(version)]
    text = b"\n".join(sources) if names else b""
    used = {name for name in names if re.search(rb"['\"]" + re.escape(name.encode()) + rb"['\"/]", text)}
    used |= {name for name in names if "eslint" in used and _OF_ESLINT.fullmatch(name)}
    there = {member.content.get("name") for member in members}
    gone = (name for name, version in declared.items() if version.startswith("workspace:") and name not in there)
    return (*(name for name in names if name not in used), *gone)


def is_open_ended(package: Package) -> bool:
    """Whether it asks for something of which any release will do, however new."""
    return any(takes_any(package, name) for kind in _KINDS for name in texts(package.content.get(kind)))


def takes_any(package: Package, name: str) -> bool:
    """Whether it asks for this one, in any release."""
    asked = (texts(package.content.get(kind)).get(name) for kind in _KINDS)
    return any(_ANY.fullmatch(each) for each in asked if each is not None)


def install_commands(
    manager: PackageManager,
    spare: tuple[str, ...],
    typed: bool,
    read: ReadFile,
    spared: tuple[str, ...],
    of_lerna: tuple[str, ...] = (),
    *,
    guarded: Collection[str] = (),
    open_ended: bool = False,
) -> Iterator[SetupCommand]:
    """Dependencies first, without any script; then what they build, which may fail where nothing needs it. `spare`:
    dependencies to go without where not all can be had (they may want hosts that set-up cannot reach). `typed`:
    TypeScript is among them. `spared`: members of pnpm's workspace that get none.
    `of_lerna`: patterns of the members that only lerna knows. `guarded`: what may refuse npm, ``preinstall`` or
    ``devEngines``, which before npm 10.9 had another form: no option makes it pass that. `open_ended`: of something any
    release is asked for."""
    if manager.name != "npm":
        yield tool(manager)
    edited = spare or (manager.name == "npm" and DEVELOPED_WITH in guarded)
    today, dated = f"{{ {install_text(manager, read, spared)}; }}", _as_of_the_commit(spare)
    if manager.lock and not (of_lerna and manager.name == "npm"):  # each of these members has a lock file of its own
        tries = [today, *([_edited(_without_spare(spare), unfrozen_text(manager, spared))] if edited else []), dated]
    elif manager.name != "npm":  # which alone knows the members, and no days
        tries = [today, dated]
    else:
        of_then = [dated, *([_with_types_of_then()] if typed else [])]
        first = typed or open_ended or DEVELOPED_WITH in guarded  # for which conflicts of today's are passed over
        tries = [*of_then, today] if first else [today, dated]
    text = " || ".join((*tries, _what_there_is(manager, spare)))
    install = SetupCommand(("sh", "-c", text), typed=f"{manager.program} install")
    yield with_members(install, of_lerna) if of_lerna else install
    if manager.name == "pnpm":
        yield SetupCommand(("sh", "-c", PNPM_REBUILD), required=False, typed="pnpm rebuild")
    elif manager.name == "berry":
        yield SetupCommand(("sh", "-c", WITHOUT_BERRY), required=False, typed="npm rebuild, where yarn did not install")
    else:
        yield SetupCommand(_REBUILD, required=False, otherwise=(_rebuild_unguarded(),) if guarded else ())


def _rebuild_unguarded() -> SetupCommand:
    """The other scripts of an installation, where one before all others fails, mostly because it is npm that runs it
    (https://github.com/pnpm/only-allow), or npm itself refuses."""
    kept = f"{ENVIRONMENT}/package.json.guarded"
    rebuild = f"{shlex.join(('python3', '-I', '-S', '-c', _WITHOUT_GUARD))} && {shlex.join(_REBUILD)}"
    text = f"cp -p package.json {kept} && {{ {rebuild}; code=$?; mv {kept} package.json; (exit $code); }}"
    return SetupCommand(("sh", "-c", text), required=False, typed="npm rebuild, without what refuses npm")


def managers_beside(
    manager: PackageManager,
    packages: tuple[Package, ...],
    installs: bool,
    builds: Mapping[str, str],
    tests: tuple[TestCommand, ...],
) -> Iterator[SetupCommand]:
    """Bun also runs scripts and tests, of projects that install with another manager or need nothing installed; and
    what builds before tests may call a manager that the machines of most CIs have, whoever installs."""
    starts = any(re.search(r"\bbunx?\b", word) for command in tests for word in command.argv)
    if (starts or any(map(calls_bun, packages))) and not (manager.name == "bun" and installs):
        yield tool(manager if manager.name == "bun" else BUN)
    typed = {word for command in tests if command.argv[0] == "sh" for word in WORD.findall(command.argv[2])}
    run = typed.union(*(each.words_run_by(*typed, builds.get(each.folder, "")) for each in packages))
    yield from (tool(each) for each in (YARN, PNPM) if each.name in run and each.name != manager.program)
    if "grunt" in run and not any("grunt-cli" in each.dependencies for each in packages):
        yield tool(GRUNT)


def _without(spare: tuple[str, ...], options: str = "", npm: str = "npm") -> str:
    return _edited(_without_spare(spare), f"{npm} {_UNLOCKED} --legacy-peer-deps --force{options}")


def _what_there_is(manager: PackageManager, spare: tuple[str, ...]) -> str:
    """The last resort, which is npm's whoever should have done it."""
    install = _without(spare, npm=shlex.join(("python3", "-I", "-S", "-c", _AVAILABLE, "npm")))
    if manager.name == "npm":
        return install
    told = (
        f"{manager.program} could not install what is asked for: npm did, and members of a workspace may lack packages"
    )
    return f'{{ {install} && echo "{NOTE}{told}"; }}'


def _without_spare(spare: tuple[str, ...]) -> tuple[str, ...]:
    return (_EDIT, json.dumps(spare))


def _edited(program: tuple[str, ...], install: str) -> str:
    """`install`, with a manifest that `program` changes; it is as before afterwards."""
    kept = f"{ENVIRONMENT}/package.json.kept"
    edit = shlex.join(("python3", "-I", "-S", "-c", *program))
    return f"{{ cp -p package.json {kept} && {edit} && {install}; code=$?; mv {kept} package.json; (exit $code); }}"


def _as_of_the_commit(spare: tuple[str, ...]) -> str:
    """An old commit's packages of its day, which its files bear (https://docs.npmjs.com/cli/using-npm/config#before).
    Where TypeScript compiles it they are tried at once: later releases, minor ones too, refuse what earlier ones took
    (https://github.com/microsoft/TypeScript/wiki/Breaking-Changes); and where any release of something will do, for
    that may have become another program. Else only where today's cannot be installed together: npm needs several times
    as long for it."""
    day = "day=$(date -u -r package.json +%Y-%m-%d)"
    dated = _without(spare, ' --before="$day"', f"timeout {_DATED_SECONDS} npm")
    return f'( {_IS_OLD} && {day} && {dated} && echo "{NOTE}packages as of $day" )'


def _with_types_of_then() -> str:
    """TypeScript as an old commit's manifest names it, and declarations that it takes: for a registry that tells no
    days."""
    npm = f"npm {_UNLOCKED}"
    replace = f"{shlex.join(('python3', '-I', '-S', '-c', _TYPES_THAT_FIT))} {npm}"
    install = _edited((_TYPES_THAT_FIT,), f"{npm} && {{ {replace} || true; }}")
    return f'( {_IS_OLD} && {install} && echo "{NOTE}TypeScript as package.json names it, with types that it takes" )'
