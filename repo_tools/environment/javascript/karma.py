"""Suites that karma runs in a page (https://karma-runner.github.io): taken where node tells of no single test. Pure."""

import re
from collections.abc import Iterable, Iterator

from repo_tools.changes import Tree
from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand
from repo_tools.environment.javascript.angular import by_project
from repo_tools.environment.javascript.chains import every_command
from repo_tools.environment.javascript.grunt import built_before_karma
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.javascript.programs import is_by_karma
from repo_tools.environment.javascript.script_calls import called_scripts
from repo_tools.environment.javascript.script_commands import is_build, is_idle, words_of
from repo_tools.environment.javascript.scripts import NAMES
from repo_tools.environment.javascript.suite import Scripted, Suite
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.runners.karma import PAGE, KarmaRunner

_RUNNER = KarmaRunner()
_NO_TESTS_HERE = re.compile(
    r"sauce|browserstack|lambdatest|e2e|perf|bench|watch|debug|tdd|remote|(?<![a-z])docs?(?![a-z])", re.IGNORECASE
)
_MEASURES = re.compile(r"(?<![a-z])(?:perf(?:ormance)?|bench(?:marks?)?)(?![a-z])")
_SETTINGS = re.compile(
    r"(?:.*/)?karma[\w.-]*\.(?:conf|config)\.(?:[cm]?js|ts|coffee)|(?:.*/)?karma\.\w+\.(?:js|coffee)"
    r"|(?:.*/)?conf(?:ig)?/karma\.(?:js|coffee)"
)
_MOST_STEPS = 40
_BROWSERS = "/usr/lib/chromium/chromium chromium chromium-browser google-chrome google-chrome-stable"
"""Debian's first, without its script, whose settings a box may lack."""
_STARTS = (
    "timeout 30 $browser --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-proxy-server"
    " --user-data-dir=$(mktemp -d) --dump-dom about:blank"
)
_JSDOM = "jsdom@22"
"""Which the image's own Node runs (16 and later), whatever the repository wants."""
_INSTALL = f"npm install --prefix {PAGE} --no-save --no-audit --no-fund --ignore-scripts --loglevel=error {_JSDOM}"
_TOLD = "the tests run in jsdom, which lays nothing out: in an image with chromium they run in a browser"
_PAGE = f"""mkdir -p {PAGE}
for name in {_BROWSERS}; do
  browser=$(command -v $name) && {_STARTS} > /dev/null 2>&1 || continue
  exec ln -s $browser {PAGE}/browser
done
{_INSTALL} && echo "{NOTE}{_TOLD}"
"""


def in_pages(package: Package, tree: Tree, read: ReadFile) -> Scripted:
    """What its scripts start karma with, or, where something else starts it, karma with the settings that are there."""
    if "karma" not in package.dependencies:
        return Scripted()
    likely = sorted(package.scripts, key=lambda name: ("test" not in name, name))
    others = (name for name in likely if not _NO_TESTS_HERE.search(name))
    names = tuple(dict.fromkeys((*NAMES, *others)))
    known = (tuple(_Scripts(package, tree, read).started(name)) for name in names)
    found = next(filter(None, known), None) or _by_settings(package, names, tree, read)
    return Scripted(found)


def page() -> SetupCommand:
    """A browser of the image that starts in a box, or else jsdom."""
    return SetupCommand(("sh", "-c", _PAGE), typed=f"npm install {_JSDOM}, where no browser is there")


def spare_with_karma(spare: Iterable[str]) -> tuple[str, ...]:
    """Of development dependencies that can be gone without, those that karma runs without too: ours are the browser
    and the report."""
    return tuple(name for name in spare if not name.startswith("karma") or name.endswith(("-launcher", "-reporter")))


class _Scripts:
    """Followed from one of them, with what is built on the way."""

    def __init__(self, package: Package, tree: Tree, read: ReadFile) -> None:
        self._package, self._tree, self._read = package, tree, read
        self._scripts = package.scripts
        self._before: list[str] = []
        self._steps = 0

    def started(self, name: str) -> Iterator[Suite]:
        for each in (f"pre{name}", name):
            for part in every_command(self._scripts.get(each, "")):
                yield from self._part(part, name)

    def _part(self, part: str, name: str) -> Iterator[Suite]:
        self._steps += 1
        variables, words = words_of(part) if self._steps <= _MOST_STEPS else ({}, ())
        if not words:
            return
        told = f"package.json scripts.{name}: {part}"
        if _RUNNER.recognises(words):
            yield Suite(ScriptCommand(words, tuple(self._before), variables), _RUNNER.name, told)
        elif is_by_karma(words, self._package.dependencies):
            for each in by_project(words, self._package, self._tree, self._read):
                yield Suite(ScriptCommand(each, tuple(self._before), variables), _RUNNER.name, told)
        elif names := called_scripts(" ".join(words), self._scripts):
            for called, _ in names:
                yield from self.started(called)
        elif is_build(part) and not (is_idle(words) or words[1:2] == ("lint",)):
            self._before.append(part)


def _by_settings(package: Package, names: tuple[str, ...], tree: Tree, read: ReadFile) -> tuple[Suite, ...]:
    own = (path.removeprefix(package.start) for path in tree if path.startswith(package.start))
    there = (path for path in own if _SETTINGS.fullmatch(path) and "node_modules/" not in path)
    found = [path for path in there if not _MEASURES.search(path)]
    kept = [path for path in found if not _NO_TESTS_HERE.search(path)] or found
    path = min(kept, key=lambda path: (path.count("/"), "unit" not in path, len(path), path), default=None)
    if path is None:
        return ()
    parts = (part for name in names for part in every_command(package.scripts.get(name, "")))
    built = next(filter(None, (built_before_karma(part, package, tree, read) for part in parts)), "")
    command = ScriptCommand(("karma", "start", path), (built,) if built else ())
    return (Suite(command, _RUNNER.name, f"{path}, karma's settings"),)
