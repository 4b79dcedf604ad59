"""Languages and builds whose projects nobody here sets up: what their manifests are called, to say so to people.
Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from posixpath import basename

from repo_tools.environment.contract import Tool
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TEST_DATA, TESTS, VENDORED, is_within

_NOT_OURS = VENDORED | DOCUMENTS | EXAMPLES | TEST_DATA
_TESTING = TESTS | {"e2e", "integration", "integration_tests", "it", "spec", "specs"}
_TEST = re.compile(r"test_|conftest\.|setup\.py|.*[._-](?:config|test|spec)\.")
"""Files that test, or set tests up."""


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
    """`told`: part of a sentence, for a person. `known`: of the sources in the language that is set up beside it."""

    told: str
    suffixes: tuple[str, ...]
    known: tuple[str, ...]

    def is_all_of(self, paths: Iterable[str]) -> str:
        """The first of the sources among `paths`, where all of these are in this language; else empty."""
        sources = [path for path in paths if path.endswith((*self.suffixes, *self.known))]
        return sources[0] if sources and all(path.endswith(self.suffixes) for path in sources) else ""


def other_language(paths: Iterable[str]) -> str:
    """A sentence for a person; empty where none of them shows."""
    known = list(paths)
    found = ((language, _manifest(language, known)) for language in _LANGUAGES)
    return next((f" {_told(language, path)}." for language, path in found if path), "")


def leading(paths: Iterable[str], suffixes: tuple[str, ...], others: Iterable[tuple[str, ...]]) -> Leading | None:
    """The language that more of the sources are in than in that of `suffixes`, which has a part of its own, and in each
    of `others`; None where none is: what has tests alone in another language may be tested by these."""
    own = [path for path in paths if not is_within(path, _NOT_OURS)]
    known = [path for path in own if suffixes and path.endswith(suffixes)]
    if all(is_within(path, _TESTING) or _TEST.match(basename(path)) for path in known):
        return None
    most = max(len(known), *(sum(path.endswith(each) for path in own) for each in others))
    for language in _LANGUAGES:
        path = _manifest(language, own) if language.suffixes else ""
        if path and sum(each.endswith(language.suffixes) for each in own) > most:
            return Leading(_told(language, path), language.suffixes, suffixes)
    return None


def _manifest(language: _Language, paths: Iterable[str]) -> str:
    return next(filter(language.manifest.fullmatch, paths), "")


def _told(language: _Language, path: str) -> str:
    return (
        f"{path} is of {language.name}, which is set up and tested only as .github/agent-fix.yml says, with an image "
        "that has what it takes"
    )


def tools_for(programs: Mapping[str, str]) -> tuple[Tool, ...]:
    """What the image has to have where each of these `programs` of test commands (name -> where the repository starts
    it) is of such a language: without it there is no test, whatever is set up."""
    known = {program: needed for language in _LANGUAGES for program, needed in language.programs.items()}
    if not programs.keys() <= known.keys():
        return ()
    return tuple({known[program]: Tool(known[program], "", source) for program, source in programs.items()}.values())
