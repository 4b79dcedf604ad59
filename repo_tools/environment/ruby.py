"""Ruby, tested with RSpec or minitest; gems of one repository that share its Gemfile, each in its own folder."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from posixpath import dirname, join, normpath

from repo_tools.changes import Tree
from repo_tools.environment.commands import root_relative
from repo_tools.environment.contract import Environment, ReadFile, SetupCommand, TestCommand, Tool
from repo_tools.environment.folders import is_within
from repo_tools.environment.one_project import reader_below, subtree
from repo_tools.environment.projects import NOBODYS_WORK
from repo_tools.environment.rake import TestTask, test_task
from repo_tools.environment.ruby_release import ruby_tools
from repo_tools.environment.texts import read_text, text_at
from repo_tools.sandbox.contract import ENVIRONMENT

_SPEC = re.compile(r"spec/.*_spec\.rb")
_ANY_SPEC = re.compile(r"(?:[^/]+/)*?spec/.*_spec\.rb")
_LOOKS_ELSEWHERE = re.compile(r"^[ \t]*(?:--default-path|--pattern|-P)\b", re.MULTILINE)
"""In `.rspec`: https://rspec.info/features/3-12/rspec-core/configuration/read-options-from-file/"""
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
_MOST_GEMS = 40
GEMFILES = ("Gemfile", "gems.rb")
_PLAIN = re.compile(r"[\w./@+-]+")
_EXTENSION = re.compile(r"ext/(?:.*/)?extconf\.rb")
_COMPILES = re.compile(rb"ExtensionTask|extensiontask|rake-compiler")
_FEATURE = re.compile(r"features/.*\.feature")
_MANIFEST = re.compile(
    r"Gemfile[^/]*|gems\.(?:rb|locked)|(?:.*/)?[^/]+\.gemspec|\.ruby-version|\.tool-versions|gemfiles/.*|lib/(?:.*/)?(?:gem_)?version\.rb"
)
_QUOTED = re.compile(r"['\"]([\w./-]{1,200})['\"]")
_SHOWN = re.compile(
    r"(?:.*/)?[^/]*(?:readme|change|history|licen[cs]e|contribut)[^/]*|.*\.(?:rb|md|rdoc)", re.IGNORECASE
)
"""What manifests name and do not read: all of a gem's own files, in some."""
_EVALUATED = re.compile(r"^[ \t]*eval_gemfile\b[^'\"\n]*['\"]([^'\"\n]+)['\"]", re.MULTILINE)
_GROUPS = re.compile(r"^[ \t]*group\b([^\n#]*?)\bdo\b|\bgroups?(?::|[ \t]*=>)[ \t]*(\[[^\]\n]*\]|:\w+)", re.MULTILINE)
_TESTED_WITH = frozenset(("ci", "default", "development", "dev", "rspec", "spec", "specs", "test", "tests"))
_INSTALL = ("bundle", "install", "--jobs", "2")
_FROM_THE_IMAGE = "bundle config set --local path.system true && bundle install --local >/dev/null 2>&1"
_FROM_THE_INDEX = "bundle config unset --local path.system"
_LOOSE_GEM = "gem list --installed '^{gem}$' >/dev/null || gem install --no-document --install-dir \"$GEM_HOME\" {gem}"
_GEM_OF_RUNNER = {"rspec": "rspec", "minitest": "minitest", "test_unit": "test-unit"}


class RubyDetector:
    name = "ruby/12"
    looked_for = "Ruby tests (spec/**/*_spec.rb, test/**/*_test.rb, test/**/test_*.rb)"
    suffixes = (".rb",)

    def detect(self, tree: Tree, read: ReadFile) -> Environment | None:
        gemfile = next((name for name in GEMFILES if name in tree), "")
        before = ("bundle", "exec") if gemfile else ()
        own = _suites(tree, read, before)
        suites = [*own, *(_suites_of_gems(tree, read, before) if gemfile else ())]
        if not suites:
            return None
        return Environment(
            detector=self.name,
            evidence=tuple(_evidence(tree, suites)),
            setup=tuple(_setup(tree, read, gemfile, suites)),
            tests=tuple(suites),
            manifests=_manifests(tree, read, gemfile),
            variables={
                "BUNDLE_APP_CONFIG": f"{ENVIRONMENT}/bundle-config",
                "BUNDLE_PATH": f"{ENVIRONMENT}/bundle",
                "GEM_HOME": f"{ENVIRONMENT}/gems",
            },
            tools=_tools(tree, read, gemfile),
            left_out=_left_out(tree, read, gemfile),
        )


def _manifests(tree: Tree, read: ReadFile, gemfile: str) -> tuple[str, ...]:
    by_name = filter(_MANIFEST.fullmatch, tree)
    return tuple(sorted({*by_name, *_evaluated(tree, read, gemfile), *_read_by(tree, read)}))


def _read_by(tree: Tree, read: ReadFile) -> Iterator[str]:
    """What a Gemfile, or the gem's own manifest, reads (``File.read("VERSION")``)."""
    for path in (path for path in tree if path in GEMFILES or ("/" not in path and path.endswith(".gemspec"))):
        named = (root_relative(word) for word in _QUOTED.findall(text_at(path, tree, read)))
        yield from (word for word in named if word in tree and not _SHOWN.fullmatch(word))


def _suites(tree: Tree, read: ReadFile, before: tuple[str, ...]) -> list[TestCommand]:
    """Of the tests in the root of `tree`."""
    specs = _specs(tree, read)
    task = test_task(text_at("Rakefile", tree, read))
    tests = sorted(_tests(tree, task))
    if specs and _library(tree, specs, read, by_manifest=not tests) == "minitest":
        specs, tests = [], sorted(specs + tests)
    suites = [TestCommand("rspec", (*before, "rspec"))] if specs else []
    library = _library(tree, tests, read) if tests else ""
    if tests and not (specs and library == "rspec"):  # a test that only runs the specs
        runner = "test_unit" if library == "test-unit" else "minitest"
        folders = dict.fromkeys(("lib", *(path.partition("/")[0] for path in tests), *task.libs))
        suites.append(
            TestCommand(runner, (*before, "ruby", f"-I{':'.join(filter(_PLAIN.fullmatch, folders))}", *tests))
        )
    return suites


def _specs(tree: Tree, read: ReadFile) -> list[str]:
    """Where RSpec looks for them: in spec/, unless its options say otherwise."""
    specs = sorted(filter(_SPEC.fullmatch, tree))
    if specs or not _LOOKS_ELSEWHERE.search(text_at(".rspec", tree, read)):
        return specs
    return sorted(path for path in filter(_ANY_SPEC.fullmatch, tree) if not is_within(path, NOBODYS_WORK))


def _tests(tree: Tree, task: TestTask) -> list[str]:
    """By their names, or as the Rakefile's task has them, where it names any; one that takes every file has helpers
    among them."""
    candidates = [path for path in tree if path.endswith(".rb") and not _NO_TEST.fullmatch(path)]
    named = [path for path in candidates if _MINITEST.fullmatch(path)]
    taken = [path for path in candidates if _PLAIN.fullmatch(path) and task.takes(path)] if task.globs else []
    both = [path for path in named if task.takes(path)] if task.takes_any_name else []
    return both or taken or [path for path in named if not task.excludes(path)]


def _suites_of_gems(tree: Tree, read: ReadFile, before: tuple[str, ...]) -> Iterator[TestCommand]:
    """Each in the folder of a gem that has no Gemfile of its own: Bundler looks for one in the folders above.
    https://bundler.io/man/bundle-config.1.html (gemfile)"""
    gems = {dirname(path) for path in tree if path.endswith(".gemspec")} - {""}
    for gem in sorted(gem for gem in gems if not is_within(gem, NOBODYS_WORK))[:_MOST_GEMS]:
        own = subtree(tree, gem, {})
        if not any(name in own for name in GEMFILES):
            for suite in _suites(own, reader_below(read, gem), before):
                yield replace(suite, directory=gem)


def _library(tree: Tree, tests: list[str], read: ReadFile, *, by_manifest: bool = True) -> str:
    """``rspec``, ``minitest`` or ``test-unit``: by what the tests and their helpers name, or else (`by_manifest`) by
    what is installed. From outside they may look the same."""
    folder = tests[0].partition("/")[0]
    helpers = [path for path in (f"{folder}/{name}.rb" for name in _HELPERS) if path in tree]
    manifests = [path for path in tree if by_manifest and (path == "Gemfile" or path.endswith(".gemspec"))]
    usual = "rspec" if _ANY_SPEC.fullmatch(tests[0]) else "minitest"
    for paths in (helpers + tests[:_MOST_READ], manifests):
        text = b"".join(read(path) for path in paths).lower()
        named = {library for library, pattern in _LIBRARIES.items() if pattern.search(text)}
        if named:  # a suite may name what it replaces, or stands beside
            return usual if usual in named else min(named)
    return usual


def _evidence(tree: Tree, suites: list[TestCommand]) -> Iterator[str]:
    yield from (name for name in (*GEMFILES, "Gemfile.lock", "gems.locked") if name in tree)
    for suite in suites:
        place = f"{suite.directory}/" if suite.directory else ""
        if suite.runner == "rspec":
            usual = any(path.startswith(f"{place}spec/") for path in tree)
            yield f"{place}{'spec/**/*_spec.rb' if usual else '.rspec'}"
        else:
            tests = (word for word in suite.argv if word.endswith(".rb"))
            yield from (f"{place}{folder}/**/*.rb" for folder in dict.fromkeys(t.partition("/")[0] for t in tests))


def _setup(tree: Tree, read: ReadFile, gemfile: str, suites: list[TestCommand]) -> Iterator[SetupCommand]:
    if not gemfile:
        for gem in dict.fromkeys(_GEM_OF_RUNNER[suite.runner] for suite in suites):
            yield SetupCommand(("sh", "-c", _LOOSE_GEM.format(gem=gem)), required=False)
        return
    yield SetupCommand(_INSTALL, otherwise=(_otherwise(_groups_aside(read_text(read, gemfile))),))
    if any(map(_EXTENSION.fullmatch, tree)) and "Rakefile" in tree and _COMPILES.search(read("Rakefile")):
        # Of a gem that is taken by its path, Bundler compiles nothing.
        yield SetupCommand(("bundle", "exec", "rake", "compile"), required=False)


def _left_out(tree: Tree, read: ReadFile, gemfile: str) -> tuple[str, ...]:
    manifests = [path for path in tree if path == gemfile or path.endswith((".gemspec", "Gemfile.lock"))]
    if not any(map(_FEATURE.fullmatch, tree)) or not any(b"cucumber" in read(path) for path in manifests[:_MOST_READ]):
        return ()
    return ("features/, which cucumber runs: no result of a single test of it can be read here",)


def _otherwise(left_out: tuple[str, ...]) -> SetupCommand:
    """With what the image has, or else without gems that tests can do without, which may not build here."""
    without = ("bundle", "config", "set", "--local", "without", " ".join(left_out))
    again = " && ".join(map(shlex.join, ([without] if left_out else []) + [_INSTALL]))
    return SetupCommand(("sh", "-c", f"{{ {_FROM_THE_IMAGE}; }} || {{ {_FROM_THE_INDEX} && {again}; }}"))


def _groups_aside(text: str) -> tuple[str, ...]:
    """The Gemfile's groups besides those that tests are run with."""
    words = " ".join(found[1] or found[2] for found in _GROUPS.finditer(text))
    named = {a or b for a, b in re.findall(r":(\w+)|['\"](\w+)['\"]", words)}
    return tuple(sorted(named - _TESTED_WITH))


def _evaluated(tree: Tree, read: ReadFile, gemfile: str) -> frozenset[str]:
    """Lists of gems that the Gemfile takes in, and those that they do, from where each stands."""
    waiting, found = [gemfile], set[str]()
    while waiting:
        path = waiting.pop()
        if path in tree and path not in found:
            found.add(path)
            named = _EVALUATED.findall(read_text(read, path))
            waiting += (normpath(join(dirname(path), other)) for other in named)
    return frozenset(found)


def _tools(tree: Tree, read: ReadFile, gemfile: str) -> tuple[Tool, ...]:
    bundle = (Tool("bundle", "", gemfile),) if gemfile else ()
    return (*ruby_tools(tree, read, gemfile), *bundle)
