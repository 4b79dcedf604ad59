"""Languages whose projects nobody here sets up: what their manifests are called, to say so to people. Pure."""

import re
from collections.abc import Iterable

_MANIFESTS = {
    "PHP": re.compile(r"composer\.json|phpunit\.xml(?:\.dist)?"),
    "C# or another language of .NET": re.compile(r"(?:.*/)?[^/]+\.(?:sln|slnx|csproj|fsproj|vbproj)"),
    "Swift": re.compile(r"Package\.swift"),
    "Elixir": re.compile(r"mix\.exs"),
    "Scala": re.compile(r"build\.sbt"),
    "Dart": re.compile(r"pubspec\.yaml"),
    "Haskell": re.compile(r"stack\.yaml|[^/]+\.cabal"),
    "OCaml": re.compile(r"dune-project"),
    "Zig": re.compile(r"build\.zig"),
    "Perl": re.compile(r"cpanfile|Makefile\.PL|Build\.PL|dist\.ini"),
    "Clojure": re.compile(r"project\.clj|deps\.edn"),
    "Julia": re.compile(r"Project\.toml"),
    "R": re.compile(r"DESCRIPTION"),
    "Lua": re.compile(r"[^/]+\.rockspec"),
}


def other_language(paths: Iterable[str]) -> str:
    """A sentence for a person; empty where none of them shows."""
    known = list(paths)
    for language, manifest in _MANIFESTS.items():
        if path := next(filter(manifest.fullmatch, known), None):
            return (
                f" {path} is of {language}, which is set up and tested only as .github/agent-fix.yml says, "
                "with an image that has what it takes."
            )
    return ""
