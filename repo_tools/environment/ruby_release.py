"""Which Ruby a repository asks for. Pure."""

import re
from dataclasses import replace

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, Tool
from repo_tools.environment.texts import read_text, text_at

_ASKED = re.compile(r"^[ \t]*ruby[ \t(][^\n#]*|\brequired_ruby_version\b[^\n#]*", re.MULTILINE)
_VERSION_FILE = ".ruby-version"
_THE_ONE_THAT_RUNS = re.compile(r"\bRUBY_VERSION\b(?!['\"])[^\n\]]*\]\.max\b")
"""``ruby ["3.1.0", RUBY_VERSION].max``: any that is no older."""
_NAMED = re.compile(r"(?:(ruby|jruby|truffleruby)-)?(\d{1,4}\.\d{1,4})")
"""Other Rubies have versions of their own."""


def ruby_tools(tree: Tree, read: ReadFile, gemfile: str) -> tuple[Tool, ...]:
    """As Gemfile and gemspecs ask for, which Bundler insists on; what a version manager would take is preferred, and
    asked for where they say nothing."""
    gemspecs = sorted(path for path in tree if path.endswith(".gemspec") and "/" not in path)
    texts = {path: read_text(read, path) for path in (gemfile, *gemspecs) if path}
    asked = [Tool("ruby", versions, path) for path, text in texts.items() if (versions := _asked(text))]
    found = _NAMED.search(text_at(_VERSION_FILE, tree, read))
    wanted = f">={found[2]}" if found else ""
    program = (found[1] if found else "") or "ruby"
    if asked:
        return (replace(asked[0], preferred=wanted if program == "ruby" else ""), *asked[1:])
    return (Tool(program, wanted, _VERSION_FILE) if wanted else Tool("ruby"),)


def _asked(text: str) -> str:
    """https://bundler.io/guides/gemfile_ruby.html, https://guides.rubygems.org/specification-reference/"""
    found = _ASKED.search(text)
    if not found or "engine" in found[0]:
        return ""
    named = re.findall(r"['\"]([^'\"\n]+)['\"]", found[0])
    asked = list(filter(None, map(_specifier, named)))
    if _THE_ONE_THAT_RUNS.search(found[0]):
        asked = [versions.replace("==", ">=").removesuffix(".*") for versions in asked]
    return ",".join(asked)


def _specifier(requirement: str) -> str:
    """``~> 3.1`` and ``~> 3.1.2`` say what PEP 440 writes with ``~=``; of two numbers alone, any release will do."""
    found = re.fullmatch(r"\s{0,9}(~>|>=|<=|<|>|=|!=)?\s{0,9}(\d{1,5}(?:\.\d{1,5}){0,3})\s{0,9}", requirement)
    if not found:
        return ""
    operator, version = found[1] or "=", found[2]
    if operator == "~>":
        return f"~={version}" if "." in version else f">={version}"
    if operator == "=":
        return f"=={version}" if version.count(".") > 1 else f"=={version}.*"
    return f"{operator}{version}"
