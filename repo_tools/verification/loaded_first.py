"""Programs and variables that a JavaScript suite's commands and configuration have loaded before any test. Pure.

They may mend the product for its tests alone, and so are the tests' configuration, whatever they are called; but for
those that the package ships, such as ``register.js``, which its users load in the same way.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.paths import parents

LOADS = re.compile(
    r"-r|--(?:require|import|loader|experimental-loader|preload|env-file(?:-if-exists)?|setup-?files?\w*"
    r"|global-?setup|test-reporter|reporter|ui|file)",
    re.IGNORECASE,
)
"""Options of node, mocha, jest, vitest, tape, ava and bun that name one."""
_SUFFIXES = ("", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", "/index.js", "/index.ts")
_MOCHA_LIKE = re.compile(r"\.mocharc(?:\.\w+)?|mocha\.opts|\.taprc(?:\.\w+)?|ava\.config\.\w+|bunfig\.toml")
_JEST_LIKE = re.compile(r"(?:jest|vitest|vite)\.(?:[\w-]+\.)?(?:config|workspace)\.\w+")
_IN_MANIFEST = {
    **dict.fromkeys(("mocha", "ava", "tap"), _MOCHA_LIKE),
    **dict.fromkeys(("jest", "vitest"), _JEST_LIKE),
}
_LIST = r"\[(?:[^\[\]]++|\[(?:[^\[\]]++|\[[^\[\]]*+\])*+\])*+\]"
_OBJECT = r"\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\}"
_VALUE = rf"{_LIST}|{_OBJECT}|\"[^\"]*\"|'[^']*'|`[^`]*`"
"""Lists and objects with others in them, as ``reporters`` with options has."""
_KEYS = {
    _MOCHA_LIKE: re.compile(
        r"\b(?:r|require|import|from|loader|preload|compilers|file|reporter|ui|before|after|plugin|coverage-map"
        rf"|node-?(?:option|arg(?:ument)?)s?)\b[\"']?\s*[:=(]?\s*({_VALUE}|(?:(?:-\s|#)[^\n]*\s*)+|[^\s,;)]+)",
        re.IGNORECASE,
    ),
    _JEST_LIKE: re.compile(
        r"\b(?:setupFiles(?:AfterEnv)?|setupTestFrameworkScriptFile|globalSetup|globalTeardown|testEnvironment|environment"
        r"|testRunner|runner|resolver|testSequencer|sequencer|snapshotSerializers|snapshotEnvironment|reporters|transform"
        rf"|preset)\b[\"']?\s*[:=]\s*({_VALUE})"
    ),
}
"""What names programs (https://mochajs.org/#command-line-usage, https://jestjs.io/docs/configuration,
https://vitest.dev/config); the rest names product, which tests are about or are compiled from."""
_WORD = re.compile(r"[^\s\"'`,;:\[\](){}=]+")
_MOST_BYTES = 100_000
_ROOT_DIR = "<rootDir>/"


def loaded_first(environment: Environment, base: Tree, read: ReadFile) -> frozenset[str]:
    """Root-relative paths, of what the commands' folders and those above are configured with."""
    places = {folder for command in environment.tests for folder in _upwards(command.directory)}
    found = frozenset(path for place in places for path in _in_folder(place, base, read))
    return found - shipped(places, base, read)


def files_named(words: Iterable[str], folder: str, base: Tree) -> Iterator[str]:
    """Files of the base that `words` name as a module's name does, seen from `folder`."""
    for word in words:
        path = posixpath.normpath(posixpath.join(folder, word.removeprefix(_ROOT_DIR)))
        found = (path + suffix for suffix in _SUFFIXES if path + suffix in base)
        yield from (file for file in found if file.endswith(JAVASCRIPT) or posixpath.basename(file).startswith(".env"))


def shipped(folders: Iterable[str], base: Tree, read: ReadFile) -> frozenset[str]:
    """What the packages in `folders` name as theirs for users."""
    found = set[str]()
    for folder in folders:
        manifest = _manifest(folder, base, read)
        entries = [manifest.get(key) for key in ("module", "browser", "bin", "exports")]
        entries.append(manifest.get("main", "index.js") if manifest else None)
        found.update(files_named(_texts(entries), folder, base))
        listed = tuple(f"{posixpath.normpath(posixpath.join(folder, name))}/" for name in _published(manifest))
        found.update(path for path in base if f"{path}/".startswith(listed))
    return frozenset(found)


def required_packages(folder: str, base: Tree, read: ReadFile) -> frozenset[str]:
    """What the manifest there has installed."""
    manifest = _manifest(folder, base, read)
    lists = (
        manifest.get(key) for key in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
    )
    return frozenset(name for each in lists if isinstance(each, dict) for name in each)


def _published(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Of patterns the folder that they begin with."""
    return (name.partition("*")[0] for name in _texts(manifest.get("files")))


def _in_folder(folder: str, base: Tree, read: ReadFile) -> Iterator[str]:
    prefix = f"{folder}/" if folder else ""
    for path in base:
        name = path.removeprefix(prefix)
        if path.startswith(prefix) and "/" not in name.removeprefix("test/"):  # where mocha.opts stands
            kind = next((kind for kind in _KEYS if kind.fullmatch(posixpath.basename(name))), None)
            if kind is not None:
                yield from _named(read(path)[:_MOST_BYTES].decode("utf-8", "replace"), kind, folder, base)
    manifest = _manifest(folder, base, read)
    for key, kind in _IN_MANIFEST.items():
        if key in manifest:
            yield from _named(json.dumps(manifest[key]), kind, folder, base)


def _named(text: str, kind: re.Pattern[str], folder: str, base: Tree) -> Iterator[str]:
    words = (word for part in _KEYS[kind].findall(text) for word in _WORD.findall(part))
    named = (word for word in words if kind is _MOCHA_LIKE or "." in word or "/" in word)  # `node` is an environment
    yield from files_named(named, folder, base)


def _manifest(folder: str, base: Tree, read: ReadFile) -> Mapping[str, Any]:
    path = posixpath.normpath(posixpath.join(folder, "package.json"))
    try:
        content = json.loads(read(path)) if path in base else {}
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _upwards(directory: str) -> set[str]:
    folder = posixpath.normpath(directory)
    return {"", folder, *parents(folder)} - {"."}
