"""How each package manager is fetched, and told to install: shell commands, as text. Pure.

Managers other than npm come from the registry, into the environment: nothing else has to be reachable, and the version
is the one that the project's lock file was written with.
"""

import json
import shlex

from repo_tools.environment.contract import ReadFile, SetupCommand
from repo_tools.environment.javascript.layer import PLACE
from repo_tools.environment.javascript.manager import PackageManager
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE

TOOLS = f"{ENVIRONMENT}/tools"
CACHE = f"{ENVIRONMENT}/npm-cache"
"""On the large volume, and gone before the layer is kept."""

INSTALL = "--no-audit --no-fund --ignore-scripts --loglevel=error"
_PNPM_BEFORE = {"7": "6"}
"""Reads the same lock files, and starts with an older Node (https://pnpm.io/installation#compatibility)."""
_PNPM_STORE = f'"{PLACE}${{PWD#{WORKSPACE}}}/node_modules/.pnpm"'
_PNPM_PLACE = f"--virtual-store-dir {_PNPM_STORE}"
"""On the large volume from the start, where its own store stands too: what all members of a workspace need may be more
than a work tree has room for, and nothing has to be copied."""
_PNPM = (
    "pnpm install --ignore-scripts --config.engine-strict=false --config.strict-peer-dependencies=false"
    f" --store-dir {CACHE}/pnpm {_PNPM_PLACE} --package-import-method auto --reporter=append-only"
)
_SHIMS = f"{ENVIRONMENT}/shims.tar"
PNPM_REBUILD = (
    "if test -e node_modules/.modules.yaml; then"
    f" find . -type d -path '*/node_modules/.bin' -print0 | tar --null --files-from=- --create --file={_SHIMS};"
    " every=$(test ! -e pnpm-workspace.yaml || echo -r); pnpm $every rebuild --config.dangerously-allow-all-builds=true"
    f" --store-dir {CACHE}/pnpm --config.virtual-store-dir={_PNPM_STORE}; code=$?;"
    f" tar --extract --file={_SHIMS}; rm -f {_SHIMS}; (exit $code); else npm rebuild --loglevel=error; fi"
)
"""For npm what pnpm's links lead to is being worked on: it runs what builds these packages for their release
(``prepare``), which removes what they came with. What starts programs is as pnpm's installation has it: up to release 8
a rebuild leaves out where they find what they do not name (``NODE_PATH``). Without a workspace ``-r`` takes whatever
has a ``package.json``, and compiles the same modules for each, at the same time and place."""
_YARN = f"yarn install --ignore-scripts --ignore-engines --non-interactive --cache-folder {CACHE}/yarn"
_BUN = (
    f"bun install --ignore-scripts --no-progress --cache-dir={CACHE}/bun --backend=copyfile"
    ' ${NODE_EXTRA_CA_CERTS:+--cafile="$NODE_EXTRA_CA_CERTS"}'
)
_BERRY = (
    f'env YARN_HTTP_PROXY="$http_proxy" YARN_HTTPS_PROXY="$https_proxy" YARN_GLOBAL_FOLDER={CACHE}/berry'
    " YARN_ENABLE_GLOBAL_CACHE=true YARN_ENABLE_PROGRESS_BARS=false"
)
_CA = '${NODE_EXTRA_CA_CERTS:+%s="$NODE_EXTRA_CA_CERTS"}'
_NM_MODE, _OLD_CA, _NEW_CA = "YARN_NM_MODE=classic", _CA % "YARN_CA_FILE_PATH", _CA % "YARN_HTTPS_CA_FILE_PATH"
_BERRY_OF_RELEASE = {"2": _OLD_CA, "3": f"{_NM_MODE} {_OLD_CA}"}
"""What not every release knows by the same name, or at all: one that finds a setting it does not know installs nothing
(https://yarnpkg.com/configuration/yarnrc#httpsCaFilePath)."""

_CLASSIC = f"{TOOLS}/classic"
WITHOUT_BERRY = (
    "if ! test -e node_modules/.yarn-state.yml; then npm rebuild --loglevel=error;"
    f" npm install {INSTALL} --no-save --prefix {_CLASSIC} yarn@1.22.19"
    f" && ln -sf {_CLASSIC}/node_modules/.bin/* {ENVIRONMENT}/bin/; fi"
)
"""Where npm had to install: no script runs by this yarn without what it noted of its own installation
(https://yarnpkg.com/configuration/yarnrc#nodeLinker). The older one looks for no notes, and this release of it for no
``packageManager`` either."""


def tool(manager: PackageManager) -> SetupCommand:
    """What fetches it. Not every release of a manager is in the registry: where one is not, the nearest after it."""
    package = "@yarnpkg/cli-dist" if manager.name == "berry" else manager.name
    wanted = [shlex.quote(f"{package}@{range_}{manager.version}") for range_ in ("", "~", "^")]
    # Bun's package finds by its script which of its programs runs on this machine.
    options = INSTALL.replace("--ignore-scripts ", "") if manager.name == "bun" else INSTALL
    install = " || ".join(f"npm install {options} --no-save --prefix {TOOLS} {each}" for each in wanted)
    links = f"mkdir -p {ENVIRONMENT}/bin && ln -sf {TOOLS}/node_modules/.bin/* {ENVIRONMENT}/bin/"
    text = f"{{ {install}; }} && {links}"
    if older := _PNPM_BEFORE.get(manager.version) if manager.name == "pnpm" else None:
        text = f"{text} && {{ pnpm --version || npm install {options} --no-save --prefix {TOOLS} pnpm@{older}; }}"
    return SetupCommand(("sh", "-c", text), typed=f"npm install {wanted[0]}")


def install_text(manager: PackageManager, read: ReadFile, spared: tuple[str, ...]) -> str:
    """The lock file as it stands first; where it and the manifest do not agree, what the manifest asks for."""
    unfrozen = unfrozen_text(manager, spared)
    if manager.name == "npm" and not (manager.lock and _is_lock(manager.lock, read)):
        return unfrozen
    frozen = {
        "npm": f"npm ci {INSTALL}",
        "pnpm": f"{_pnpm(spared)} --frozen-lockfile",
        "yarn": f"{_YARN} --frozen-lockfile",
        "berry": f"{_berry(manager)} --immutable",
        "bun": f"{_BUN} --frozen-lockfile",
    }
    return f"{frozen[manager.name]} || {unfrozen}"


def _pnpm(spared: tuple[str, ...]) -> str:
    return _PNPM + "".join(f" --filter {shlex.quote(f'!./{folder}')}" for folder in spared)


def _berry(manager: PackageManager) -> str:
    major = manager.version.partition(".")[0]
    return f"{_BERRY} {_BERRY_OF_RELEASE.get(major, f'{_NM_MODE} {_NEW_CA}')} yarn install"


def unfrozen_text(manager: PackageManager, spared: tuple[str, ...]) -> str:
    """What the manifest asks for; of the lock file, what agrees with it."""
    unfrozen = {
        "npm": f"npm install {INSTALL} --no-save",
        "pnpm": f"{_pnpm(spared)} --no-frozen-lockfile",
        "yarn": _YARN,
        "berry": f"{_berry(manager)} --no-immutable",
        "bun": f"{_BUN} --no-save",
    }
    return unfrozen[manager.name]


def _is_lock(path: str, read: ReadFile) -> bool:
    """``npm ci`` takes no lock file from before npm 5's first release."""
    try:
        return int(json.loads(read(path)).get("lockfileVersion", 0)) >= 1
    except (ValueError, ArithmeticError, AttributeError, TypeError, RecursionError):
        return False
