"""What a change newly needs that the environment does not have: it was made from the base commit's manifests."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from repo_tools.changes import ChangeSet, FileMode, Tree, TreeEntry
from repo_tools.environment.contract import ACTIVATE, ReadFile
from repo_tools.environment.javascript.files import SUFFIXES as JAVASCRIPT
from repo_tools.environment.javascript.package_json import read_package, texts
from repo_tools.environment.python.requirements import declared_requirements, runtime_requirements
from repo_tools.paths import parents
from repo_tools.sandbox.contract import WORKSPACE, Sandbox

_ASK = ("python", "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check")
_ASK_SECONDS = 60.0
_ANY = TreeEntry(FileMode.REGULAR, "")
_PACKAGING = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})
_INCLUDED = re.compile(r"^[ \t]*(?:-r|--requirement)[ =]*(\S+)", re.MULTILINE)
_LOCAL = ("workspace:", "file:", "link:", "portal:")
"""Of the same repository, where tests may load it by its place: https://pnpm.io/workspaces#workspace-protocol-workspace"""
_TYPES_ALONE = re.compile(
    rb"\b(?:import|export)\s+type\s+(?:(?!from\s*['\"])[\w$]+\s|(?:\*(?:\s*as\s+[\w$]+\s)?|\{[^{}'\"`;]{0,2000}\}))"
    rb"\s*from\s*(?:'[^'\n]*'|\"[^\"\n]*\")"
)
_LOADS = re.compile(
    rb"(?:\b(?:require|import)\(\s?|\bfrom\s?|\bimport\s?)['\"]((?:@[\w.-]+/)?\w[\w.-]*)(?:/[^'\"\n]*)?['\"]"
)
_GIVEN_TO_NOBODY = re.compile(
    r"(?:.*/)?(?:(?:\.[^/]+|build|scripts?|tools?|tasks?|bench\w*|docs?|examples?|site|website)/.*"
    r"|\.[^/]+|[^/]+[.-]config\.\w+|(?:gulp|grunt|rollup|webpack)[^/]*)",
    re.IGNORECASE,
)
"""What only builds, checks or shows a package."""
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""Nothing of either is left when code runs: https://www.typescriptlang.org/docs/handbook/modules/reference.html"""
_RESOLVE = f"""
const loads = (name) => {{
  try {{ return require.resolve(name) }} catch (error) {{ return error.code !== 'MODULE_NOT_FOUND' }}
}};
const there = (name) => loads(name) || loads(name + '/package.json');
const {{ dependencies, devDependencies }} = require(process.cwd() + '/package.json');
const before = Object.keys(Object.assign({{}}, dependencies, devDependencies));
const elsewhere = ['cjs', 'js'].some((end) => loads('{WORKSPACE}/.pnp.' + end));
if (!elsewhere && (before.some(there) || !before.length)) {{
  process.argv.slice(1).forEach((name) => there(name) || console.log(name));
}}
"""
"""Where none of a manifest's packages is there, it is not set up. Plug'n'Play of Yarn's knows where packages are, and
Node does not: https://yarnpkg.com/features/pnp"""


def added_requirements(product: ChangeSet, base: Tree, read: ReadFile) -> tuple[str, ...]:
    """Requirements that the changed manifests have and those of the base have not, as they are written. Only manifests
    count that the set-up installs."""
    new = {path: state.content for path, state in product.files.items() if state is not None}
    added: set[str] = set()
    for path in _installed(new, {path for path in base if path not in product.files}, read) & new.keys():
        before = runtime_requirements(path, _text(read(path))) if path in base else frozenset()
        added |= runtime_requirements(path, _text(new[path])) - before
    return tuple(sorted(added))


def _installed(new: Mapping[str, bytes], kept: set[str], read: ReadFile) -> set[str]:
    """Manifests that the set-up would install of the changed tree, with the files that they include."""
    lists = {path: _ANY for path in {*new, *kept} if path.endswith((".txt", ".in"))}
    left = [source.evidence for source in declared_requirements(lists, read)]
    found: set[str] = set()
    while left:
        path = left.pop()
        if path in lists and path not in found:
            found.add(path)
            included = _INCLUDED.findall(_text(new[path] if path in new else read(path)))
            left += (posixpath.normpath(posixpath.join(posixpath.dirname(path), other)) for other in included)
    return found | _PACKAGING


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def not_installed(box: Sandbox, requirements: Iterable[str]) -> tuple[str, ...]:
    """Those that pip does not find satisfied in the box, which has no network to get them from."""
    asked = ((wanted, (*ACTIVATE, *_ASK, wanted)) for wanted in requirements)
    return tuple(wanted for wanted, argv in asked if box.exec(argv, timeout_seconds=_ASK_SECONDS).exit_code != 0)


def added_packages(product: ChangeSet, base: Tree, read: ReadFile) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Folders of npm's manifests, and the packages that these newly have as dependencies, where the change's code loads
    them, and they are no members of the repository themselves: whether tests find these, the runs show."""
    new = {path: state.content for path, state in product.files.items() if state is not None}
    paths = (path for path in new if path.endswith(JAVASCRIPT) and not path.endswith(_DECLARATIONS))
    code = b"\n".join(_TYPES_ALONE.sub(b"", new[path]) for path in paths)
    for path in (path for path in new if posixpath.basename(path) == "package.json" and path in base):
        folder = posixpath.dirname(path)
        added = _packages(folder, new.__getitem__) - _packages(folder, read)
        loaded = {name for name in added if _is_loaded(name, code)}
        if needed := tuple(sorted(loaded - _members(base, read) if loaded else ())):
            yield folder, needed


def of_development(product: ChangeSet, base: Tree, read: ReadFile) -> Iterator[str]:
    """What a reviewer is told of JavaScript that newly loads what the package nearest to it, one to be published, names
    for its development alone: tests may stand on it, and users need not have it."""

    def changed(path: str) -> bytes:
        return new.content if (new := product.files.get(path)) else read(path)

    for path, new in product.files.items():
        if not path.endswith(JAVASCRIPT) or path.endswith(_DECLARATIONS) or _GIVEN_TO_NOBODY.fullmatch(path):
            continue
        folder = next((each for each in parents(path) if f"{each}/package.json" in base), "")
        package = read_package(folder, changed)
        loaded = _loaded(new.content) - _loaded(read(path) if path in base else b"") if new and package else ()
        if package and (found := sorted(name for name in loaded if _is_of_development(name, package.content))):
            yield (
                f"{path} newly loads {', '.join(found)}, which users of the package need not have: see that it is no "
                "help to tests."
            )


def _loaded(code: bytes) -> frozenset[str]:
    return frozenset(name.decode() for name in _LOADS.findall(_TYPES_ALONE.sub(b"", code)))


def _is_of_development(name: str, manifest: Mapping[str, object]) -> bool:
    lists = (manifest.get(key) for key in ("dependencies", "peerDependencies", "optionalDependencies"))
    is_known = manifest.get("private") is True or any(name in texts(each) for each in lists)
    return name in texts(manifest.get("devDependencies")) and not is_known


def _members(base: Tree, read: ReadFile) -> frozenset[str]:
    """Names of packages that stand in the repository."""
    manifests = (path for path in base if posixpath.basename(path) == "package.json" and "node_modules/" not in path)
    found = (read_package(posixpath.dirname(path), read) for path in manifests)
    names = (package.content.get("name") for package in found if package)
    return frozenset(name for name in names if isinstance(name, str))


def _packages(folder: str, read: ReadFile) -> frozenset[str]:
    package = read_package(folder, read)
    wanted = texts(package.content.get("dependencies")) if package else {}
    return frozenset(name for name, version in wanted.items() if not version.startswith(_LOCAL))


def _is_loaded(name: str, code: bytes) -> bool:
    return bool(re.search(rf"['\"`]{re.escape(name)}['\"`/]".encode(), code))


def not_resolved(box: Sandbox, packages: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    """Those that Node does not find from the folder of their manifest, where it finds others."""
    found: set[str] = set()
    for folder, names in packages:
        argv = (*ACTIVATE, "node", "-e", _RESOLVE, *names)
        told = box.exec(argv, cwd=f"{WORKSPACE}/{folder}", timeout_seconds=_ASK_SECONDS)
        found |= {*names}.intersection(told.output.decode("utf-8", "replace").split())
    return tuple(sorted(found))
