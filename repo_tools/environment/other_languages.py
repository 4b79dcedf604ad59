"""Languages and builds whose projects nobody here sets up: what their manifests are called, to say so to people.
Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from posixpath import basename, dirname, splitext

from repo_tools.environment.contract import Tool
from repo_tools.environment.folders import (
    BENCHMARKS,
    DOCUMENTS,
    EXAMPLES,
    READ_BY_TESTS,
    SITES,
    TEST_DATA,
    TESTS,
    VENDORED,
    is_hidden,
    is_within,
)

_FOR_EACH_LANGUAGE = frozenset(
    ("bindings", "clients", "csharp", "dotnet", "gen", "generated", "sdk", "sdks", "wrapper", "wrappers")
)
"""Words in the names of folders of what is there once for each language that may use the program."""
_WORDS = re.compile(r"[-_/]")
_BESIDE_IT = READ_BY_TESTS | BENCHMARKS | SITES
_NOT_OURS = VENDORED | DOCUMENTS | EXAMPLES | TEST_DATA
_TESTING = TESTS | {
    "__tests__",
    "cypress",
    "e2e",
    "features",
    "integration",
    "integration_tests",
    "it",
    "spec",
    "specs",
}
_TEST = re.compile(r"test_|conftest\.|setup\.py|(?:[Gg]runt|[Gg]ulp)file\.|.*[._-](?:config|test|spec)\.")
"""Files that test, or set tests up, or tell tasks."""


@dataclass(frozen=True)
class _Language:
    """`suffixes` of its sources; none of a build that is for several languages. `programs` that test them -> what has
    to be there to start them."""

    name: str
    manifest: re.Pattern[str]
    suffixes: tuple[str, ...] = ()
    programs: dict[str, str] = field(default_factory=dict)


def _itself(*programs: str) -> dict[str, str]:
    return {program: program for program in programs}


_PHP = {
    **_itself("php", "composer"),
    **dict.fromkeys(("paratest", "pest", "phpspec", "phpunit", "simple-phpunit"), "php"),
}
_PERL = dict.fromkeys(("perl", "prove", "dzil"), "perl")
_LUA = dict.fromkeys(("busted", "lua", "luarocks"), "lua")
_LANGUAGES = (
    _Language("PHP", re.compile(r"composer\.json|phpunit\.xml(?:\.dist)?"), (".php",), _PHP),
    _Language(
        "C# or another language of .NET",
        re.compile(r"(?:.*/)?[^/]+\.(?:sln|slnx|csproj|fsproj|vbproj)"),
        (".cs", ".fs", ".vb"),
        _itself("dotnet"),
    ),
    _Language("Swift", re.compile(r"Package\.swift"), (".swift",), _itself("swift", "xcodebuild")),
    _Language("Elixir", re.compile(r"mix\.exs"), (".ex", ".exs"), _itself("mix")),
    _Language("Erlang", re.compile(r"rebar\.config|erlang\.mk"), (".erl", ".hrl"), _itself("rebar3")),
    _Language("Scala", re.compile(r"build\.s(?:bt|c)"), (".scala",), _itself("sbt", "mill")),
    _Language("Dart", re.compile(r"pubspec\.yaml"), (".dart",), _itself("dart", "flutter")),
    _Language("Haskell", re.compile(r"stack\.yaml|[^/]+\.cabal"), (".hs",), _itself("stack", "cabal")),
    _Language("OCaml", re.compile(r"dune-project"), (".ml", ".mli"), _itself("dune", "opam")),
    _Language("Zig", re.compile(r"build\.zig"), (".zig",), _itself("zig")),
    _Language("Perl", re.compile(r"cpanfile|Makefile\.PL|Build\.PL|dist\.ini"), (".pl", ".pm", ".t"), _PERL),
    _Language(
        "Clojure", re.compile(r"project\.clj|deps\.edn"), (".clj", ".cljs", ".cljc"), _itself("lein", "clojure", "clj")
    ),
    _Language("Julia", re.compile(r"Project\.toml"), (".jl",), _itself("julia")),
    _Language("R", re.compile(r"DESCRIPTION"), (".R", ".r"), _itself("Rscript", "R")),
    _Language("Lua", re.compile(r"[^/]+\.rockspec"), (".lua",), _LUA),
    _Language("Crystal", re.compile(r"shard\.yml"), (".cr",), _itself("crystal")),
    _Language("D", re.compile(r"dub\.(?:json|sdl)"), (".d",), _itself("dub")),
    _Language("Nim", re.compile(r"[^/]+\.nimble"), (".nim",), _itself("nimble", "nim")),
    _Language("Gleam", re.compile(r"gleam\.toml"), (".gleam",), _itself("gleam")),
    _Language("Fortran", re.compile(r"fpm\.toml"), (".f90", ".F90", ".f")),
    _Language("Ant", re.compile(r"build\.xml"), (), _itself("ant")),
    _Language("Bazel", re.compile(r"MODULE\.bazel|WORKSPACE(?:\.bazel)?"), (), _itself("bazel", "bazelisk")),
    _Language("SCons", re.compile(r"SConstruct")),
    _Language("Xcode", re.compile(r"(?:.*/)?[^/]+\.xcodeproj/project\.pbxproj")),
    _Language("Visual C++", re.compile(r"(?:.*/)?[^/]+\.vcxproj")),
)
"""Builds that are for several languages come last."""


@dataclass(frozen=True)
class Leading:
    """`told`: part of a sentence, for a person. `known`: of the sources in languages that are set up."""

    told: str
    suffixes: tuple[str, ...]
    known: tuple[str, ...]

    def is_all_of(self, paths: Iterable[str], *, least: int) -> str:
        """The first of the sources among `paths`, where these are as many, and all in this language; else empty."""
        sources = [path for path in paths if path.endswith((*self.suffixes, *self.known))]
        return sources[0] if len(sources) >= least and all(path.endswith(self.suffixes) for path in sources) else ""


def other_language(paths: Iterable[str]) -> str:
    """A sentence for a person; empty where none of them shows."""
    known = list(paths)
    found = ((language, _manifest(language, known)) for language in _LANGUAGES)
    return next((f" {_told(language, path)}." for language, path in found if path), "")


def leading(paths: Iterable[str], suffixes: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> Leading | None:
    """The language that most of the sources are in, and more than in that of `suffixes`, which has a part of its own,
    and in each of `others`; None where none is: what has tests alone in another language may be tested by these."""
    own = [path for path in paths if not is_within(path, _NOT_OURS)]
    parts = [path for path in own if suffixes and path.endswith(suffixes)]
    if all(is_within(path, _TESTING) or _TEST.match(basename(path)) for path in parts):
        return None
    holds_program = cache(_holds_program)
    program = [path for path in own if holds_program(dirname(path))]
    known, counts, of_program = (suffixes, *others), _by_suffix(own), _by_suffix(program)
    most, found = max(sum(map(counts.__getitem__, each)) for each in known), None
    for language in _LANGUAGES:
        count = sum(map(of_program.__getitem__, language.suffixes))
        if count > most and (path := _manifest(language, (each for each in program if not is_within(each, TESTS)))):
            most, found = count, Leading(_told(language, path), language.suffixes, tuple(chain.from_iterable(known)))
    return found


def _holds_program(folder: str) -> bool:
    for_one = not _FOR_EACH_LANGUAGE.isdisjoint(_WORDS.split(folder))
    return not (for_one or is_hidden(folder) or is_within(folder, _BESIDE_IT))


def _by_suffix(paths: Iterable[str]) -> Counter[str]:
    return Counter(splitext(path)[1] for path in paths)


def _manifest(language: _Language, paths: Iterable[str]) -> str:
    return next(filter(language.manifest.fullmatch, paths), "")


def _told(language: _Language, path: str) -> str:
    return (
        f"{path} is of {language.name}, which is set up and tested only as .github/agent-fix.yml says, with an image "
        "that has what it takes"
    )


def tools_for(programs: Mapping[str, str], own: Set[str]) -> tuple[Tool, ...]:
    """What the image has to have where each of these `programs` of test commands (name -> where the repository starts
    it) is of such a language: without it there is no test, whatever is set up. `own`: those that stand in the
    repository (``./sbt`` fetches itself)."""
    known = {program: needed for language in _LANGUAGES for program, needed in language.programs.items()}
    if not programs.keys() <= known.keys():
        return ()
    asked = {known[name]: source for name, source in programs.items() if name not in own or known[name] != name}
    return tuple(Tool(program, "", source) for program, source in asked.items())
