"""Versions without a history: what a project calls itself where its build would ask git."""

import re

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.texts import read_text, text_at

UNKNOWN = "99.0.0"
"""High: dependencies that need this very project ask for a least version."""

_NUMBER = r"\d+(?:\.\d+){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)?"
_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
_NORMAL = r"(?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+){0,3}(?:\+[a-z0-9.]+)?"
"""As builds write it: https://packaging.python.org/en/latest/specifications/version-specifiers/#normalization"""
_OF_ARCHIVE = re.compile(rf"^Version: ({_NORMAL})\s*$", re.MULTILINE)
_CHANGELOG = re.compile(r"(?:docs?/)?(?:CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASES?)(?:\.(?:md|rst|txt))?", re.IGNORECASE)
_HEADING = re.compile(rf"^(?:[#=*\s\[]+|[vV]|[A-Za-z][\w.-]* ){{0,3}}[vV]?({_NUMBER})\s*(?:$|[\](:,—–/*-])")
_HEADING_LINES = 80
_ENDED = re.compile(rf"[#=*\s]*(?:(?!Python)[A-Za-z][\w.-]* )?[vV]?{_NUMBER} (?:and|or) (?:newer|later|above|up)\b")
"""What a change log says that is not gone on with: its newest entry is an old one."""
_SHARED = {
    "PBR_VERSION": r"\bpbr\b",
    "SETUPTOOLS_SCM_PRETEND_VERSION": r"setuptools[_-]scm|use_scm_version|hatch-vcs|vcs[_-]versioning|flit[_-]scm",
}
_OWN = {"SETUPTOOLS_SCM_PRETEND_VERSION": r"setuptools[_-]scm|vcs[_-]versioning", "PBR_VERSION": "pbr"}
"""Projects whose tests are about what these variables are for."""
_FALLBACK = re.compile(rf"""(?m)^[ \t]*fallback[_-]version[ \t]*=[ \t]*["']({_NUMBER})["']""")


def version_without_history(tree: Tree, read: ReadFile) -> tuple[str, str]:
    """(version, where it is said): of the archive's own metadata, of the build's settings for this case, or of the
    newest entry of a change log; else one that is higher than any."""
    if found := _OF_ARCHIVE.search(text_at("PKG-INFO", tree, read)):
        return found[1], "PKG-INFO"
    for path in _MANIFESTS:
        if found := _FALLBACK.search(text_at(path, tree, read)):
            return found[1], f"{path} fallback_version"
    for path in sorted((p for p in tree if _CHANGELOG.fullmatch(p)), key=lambda p: ("/" in p, p)):
        if newest := _newest_heading(read_text(read, path)):
            return newest, f"{path}, newest entry"
    return UNKNOWN, ""


def variables_of(version: str, tree: Tree, read: ReadFile) -> dict[str, str]:
    """For set-up and tests: the version for every tool that would ask git, and what keeps runs alike. Those of tools
    that dependencies are built with as well are there only where the project itself uses them: such a dependency's
    own version would be this one, too."""
    said = " ".join(text_at(path, tree, read) for path in _MANIFESTS)
    return {
        "PDM_BUILD_SCM_VERSION": version,
        "POETRY_DYNAMIC_VERSIONING_BYPASS": version,
        "PYTHONHASHSEED": "0",
        **{name: version for name, tools in _SHARED.items() if re.search(tools, said)},
    }


def unset_for_tests(name: str) -> dict[str, str]:
    """For the tests of the project called `name`: a tool that asks git takes no version from outside where it is
    tested itself. Empty is as good as unset for each."""
    return {variable: "" for variable, names in _OWN.items() if re.fullmatch(names, name, re.IGNORECASE)}


def _newest_heading(text: str) -> str:
    """The first line that is a version, with a date or a name around it; one that is set in goes on with a sentence.
    Empty where the later ones are told elsewhere."""
    for line in text.splitlines()[:_HEADING_LINES]:
        if _ENDED.match(line):
            break
        found = _HEADING.match(line) if len(line) < 100 and not line.startswith("  ") else None
        if found and not re.match(r"(?:19|20)\d\d\.\d", line):
            return found[1]
    return ""
