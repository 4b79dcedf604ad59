"""Ruby, tested with RSpec or minitest."""

import re
import shlex
from collections.abc import Iterator
from posixpath import dirname, join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.sandbox.contract import ENVIRONMENT

_SPEC = re.compile(r"spec/.*_spec\.rb")
_MINITEST = re.compile(r"test/(?:.*/)?(?:test_[^/]*|[^/]*_test|spec_[^/]*|tc_[^/]*)\.rb")
_NO_TEST = re.compile(r"test/(?:test_helper|helper)\.rb|test/(?:system|dummy|fixtures)/.*")
"""What tests load, an application to test with, and tests that drive a browser, which ``rails test`` leaves out."""
_HELPERS = ("test_helper", "helper", "minitest_helper", "spec_helper", "rails_helper", "test_unit_helper")
_LIBRARIES = {
    "minitest": re.compile(rb"minitest|active_support/test_case"),
    "rspec": re.compile(rb"\brspec"),
    "test-unit": re.compile(rb"\btest[/-]unit"),
}
_MOST_READ = 5
_MANIFEST = re.compile(
    r"Gemfile[^/]*|[^/]+\.gemspec|\.ruby-version|\.tool-versions|gemfiles/.*|lib/(?:.*/)?version\.rb"
)
_EVALUATED = re.compile(r"^[ \t]*eval_gemfile\b[^'\"\n]*['\"]([^'\"\n]+)['\"]", re.MULTILINE)
_ASKED = re.compile(r"^[ \t]*ruby\s+['\"]([^'\"]+)['\"]|required_ruby_version\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)
_GROUPS = re.compile(r"^[ \t]*group\b([^\n#]*?)\bdo\b|\bgroups?(?::|[ \t]*=>)[ \t]*(\[[^\]\n]*\]|:\w+)", re.MULTILINE)
_TESTED_WITH = frozenset(("ci", "default", "development", "dev", "rspec", "spec", "specs", "test", "tests"))
_INSTALL = ("bundle", "install", "--jobs", "2")
_FROM_THE_IMAGE = "bundle config set --local path.system true && bundle install --local >/dev/null 2>&1"
_FROM_THE_INDEX = "bundle config unset --local path.system"
_INSTALL_LOOSE_GEMS = 'gem install --no-document --install-dir "$GEM_HOME" {}'


class RubyDetector:
    name = "ruby/6"
    looked_for = "Ruby tests (spec/**/*_spec.rb, test/**/*_test.rb, test/**/test_*.rb)"
    suffixes = (".rb",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        specs = sorted(path for path in tree if _SPEC.fullmatch(path))
        tests = sorted(path for path in tree if _MINITEST.fullmatch(path) and not _NO_TEST.fullmatch(path))
        if not specs and not tests:
            return None
        if specs and _library(tree, specs, read, by_manifest=not tests) == "minitest":
            specs, tests = [], sorted(specs + tests)
        bundled = "Gemfile" in tree
        before = ("bundle", "exec") if bundled else ()
        commands = [TestCommand("rspec", (*before, "rspec"))] if specs else []
        if tests:
            runner = "test_unit" if _library(tree, tests, read) == "test-unit" else "minitest"
            folders = dict.fromkeys(("lib", *(path.partition("/")[0] for path in tests)))
            commands.append(TestCommand(runner, (*before, "ruby", f"-I{':'.join(folders)}", *tests)))
        return Environment(
            detector=self.name,
            evidence=tuple(_evidence(tree, specs, tests)),
            setup=tuple(_setup(_groups_aside(tree, read), bundled=bundled, specs=bool(specs))),
            tests=tuple(commands),
            manifests=tuple(sorted({*filter(_MANIFEST.fullmatch, tree), *_evaluated(tree, read)})),
            variables={
                "BUNDLE_APP_CONFIG": f"{ENVIRONMENT}/bundle-config",
                "BUNDLE_PATH": f"{ENVIRONMENT}/bundle",
                "GEM_HOME": f"{ENVIRONMENT}/gems",
            },
            tools=_tools(tree, read, bundled=bundled),
        )


def _library(tree: Tree, tests: list[str], read: ReadFile, *, by_manifest: bool = True) -> str:
    """``rspec``, ``minitest`` or ``test-unit``: by what the tests and their helpers name, or else (`by_manifest`) by
    what is installed. From outside they may look the same."""
    folder = tests[0].partition("/")[0]
    helpers = [path for path in (f"{folder}/{name}.rb" for name in _HELPERS) if path in tree]
    manifests = [path for path in tree if by_manifest and (path == "Gemfile" or path.endswith(".gemspec"))]
    usual = "rspec" if _SPEC.fullmatch(tests[0]) else "minitest"
    for paths in (helpers + tests[:_MOST_READ], manifests):
        text = b"".join(read(path) for path in paths).lower()
        named = {library for library, pattern in _LIBRARIES.items() if pattern.search(text)}
        if named:  # a suite may name what it replaces, or stands beside
            return usual if usual in named else min(named)
    return usual


def _evidence(tree: Tree, specs: list[str], tests: list[str]) -> Iterator[str]:
    yield from (name for name in ("Gemfile", "Gemfile.lock") if name in tree)
    yield from (("spec/**/*_spec.rb",) if specs else ())
    yield from (f"{folder}/**/*.rb" for folder in dict.fromkeys(path.partition("/")[0] for path in tests))


def _setup(left_out: tuple[str, ...], *, bundled: bool, specs: bool) -> Iterator[SetupCommand]:
    if bundled:
        yield SetupCommand(_INSTALL, otherwise=(_otherwise(left_out),))
    else:
        gem = "rspec" if specs else "minitest"
        yield SetupCommand(
            ("sh", "-c", f"{gem} --version >/dev/null 2>&1 || {_INSTALL_LOOSE_GEMS.format(gem)}"), required=False
        )


def _otherwise(left_out: tuple[str, ...]) -> SetupCommand:
    """With what the image has, or else without gems that tests can do without, which may not build here."""
    without = ("bundle", "config", "set", "--local", "without", " ".join(left_out))
    again = " && ".join(map(shlex.join, ([without] if left_out else []) + [_INSTALL]))
    return SetupCommand(("sh", "-c", f"{{ {_FROM_THE_IMAGE}; }} || {{ {_FROM_THE_INDEX} && {again}; }}"))


def _groups_aside(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """The Gemfile's groups besides those that tests are run with."""
    text = read("Gemfile").decode("utf-8", "replace") if "Gemfile" in tree else ""
    words = " ".join(found[1] or found[2] for found in _GROUPS.finditer(text))
    named = {a or b for a, b in re.findall(r":(\w+)|['\"](\w+)['\"]", words)}
    return tuple(sorted(named - _TESTED_WITH))


def _evaluated(tree: Tree, read: ReadFile) -> frozenset[str]:
    """Lists of gems that the Gemfile takes in, and those that they do, from where each stands."""
    waiting, found = ["Gemfile"], set[str]()
    while waiting:
        path = waiting.pop()
        if path in tree and path not in found:
            found.add(path)
            named = _EVALUATED.findall(read(path).decode("utf-8", "replace"))
            waiting += (normpath(join(dirname(path), other)) for other in named)
    return frozenset(found)


def _tools(tree: Tree, read: ReadFile, *, bundled: bool) -> tuple[Tool, ...]:
    return (_ruby(tree, read), *((Tool("bundle", "", "Gemfile"),) if bundled else ()))


def _ruby(tree: Tree, read: ReadFile) -> Tool:
    for path in (".ruby-version", "Gemfile", *sorted(p for p in tree if p.endswith(".gemspec") and "/" not in p)):
        if path not in tree:
            continue
        text = read(path).decode("utf-8", "replace")
        if path == ".ruby-version":
            found = re.search(r"(\d+\.\d+)", text)
            asked = f">={found[1]}" if found else ""
        else:
            match = _ASKED.search(text)
            asked = _least(match[1] or match[2]) if match else ""
        if asked:
            return Tool("ruby", asked, path)
    return Tool("ruby")


def _least(requirement: str) -> str:
    """Ruby's ``~> 3.1`` and ``>= 3.1`` are both least versions here."""
    found = re.fullmatch(r"\s*(?:~>|>=|=)?\s*(\d+(?:\.\d+)*)\s*", requirement)
    return f">={found[1]}" if found else ""
