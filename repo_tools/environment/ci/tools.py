"""Interpreters that a workflow's matrix tests with, where the project's own files leave it open. Pure."""

import re
from collections.abc import Iterable
from dataclasses import replace

from packaging.specifiers import SpecifierSet

from repo_tools.environment.ci.evidence import WorkflowEvidence
from repo_tools.environment.contract import Environment, Tool
from repo_tools.environment.javascript.node_lines import LTS, line_of_the_day, numbered_line
from repo_tools.environment.javascript.versions import dotted, numbers

_LANGUAGES = ("python", "node")
_WORKFLOWS = ".github/"
Version = tuple[int, ...]


def with_tested_versions(
    environment: Environment, evidence: WorkflowEvidence, jobs: Iterable[WorkflowEvidence] = ()
) -> Environment:
    """`environment` with the versions of the matrix preferred, for each interpreter that nothing else is said of.
    `jobs`: all that run tests."""
    told: list[str] = []
    tools = {tool.program: tool for tool in environment.tools}
    for language in _LANGUAGES:
        texts = evidence.versions.get(language, ())
        versions = sorted(_release_lines(texts))
        lines = {line for text in texts if (line := line_of_the_day(text))} if language == "node" else set()
        known = tools.get(language)
        if not (versions or lines) or (known is None and not environment.detector.startswith(language)):
            continue
        if known is not None and _is_settled(known, versions):
            continue
        if known is not None and language == "node" and "<" in known.preferred:
            known = None
        if not versions:
            if known is not None and not known.line:
                line = min(lines, key=lambda line: line != LTS)
                tools[language] = replace(known, line=line, source=known.source or evidence.source)
                told.append(f"{evidence.source}: tested with node {line}")
            continue
        shown = ", ".join(".".join(map(str, version)) for version in versions)
        narrowed = _narrowed(known or Tool(language), versions, evidence.source)
        tools[language] = replace(narrowed, newest=_newest(narrowed, (evidence, *jobs)))
        told.append(f"{evidence.source}: tested with {language} {shown}")
    if not told:
        return environment
    return replace(environment, tools=tuple(tools.values()), evidence=(*environment.evidence, *told))


def _is_settled(known: Tool, tested: list[Version]) -> bool:
    """Whether the project says itself where it ends. Classifiers that know none of what is tested were forgotten, as
    was a file that pins a Node older than all of it."""
    if "==" in known.preferred + known.versions:
        return True
    if "<" not in known.preferred or not tested:
        return "<" in known.preferred
    if known.program == "python":
        return any(SpecifierSet(known.preferred).contains(dotted(version)) for version in tested)
    pinned = re.fullmatch(r">=(\d+),<\d+", known.preferred)
    return pinned is None or int(pinned[1]) >= tested[0][0]


def _narrowed(tool: Tool, versions: list[Version], source: str) -> Tool:
    """A newer Node than any of them will do as well: it keeps old programs running. The source is that of the newest
    that is asked for."""
    span = f">={dotted(versions[0])}"
    if tool.program == "node":
        known = numbers(tool.versions.removeprefix(">="))
        return tool if known and known >= versions[0] else replace(tool, preferred=span, source=source)
    newest = versions[-1]
    span += f",<{dotted((*newest[:-1], newest[-1] + 1))}"
    return replace(tool, preferred=span, source=tool.source or source)


def _newest(tool: Tool, jobs: Iterable[WorkflowEvidence]) -> str:
    """Of workflows alone: files for others were mostly left behind long before the last commit."""
    known = [(job.source, text) for job in jobs for text in job.versions.get("node", ())]
    is_open = any(line_of_the_day(text) or not source.startswith(_WORKFLOWS) for source, text in known)
    return "" if tool.program != "node" or tool.line or is_open else dotted(max(_release_lines(t for _, t in known)))


def _release_lines(texts: Iterable[str]) -> set[Version]:
    """Of Node by its first number, of Python by its first two; ``3.x`` and ``lts/*`` name none."""
    texts = [str(numbered_line(text) or text) if text.startswith("lts") else text for text in texts]
    found = (re.fullmatch(r"v?(3\.\d+|\d+)(?:\.(?:\d+|x|\*))*", text) for text in texts)
    return {tuple(map(int, match[1].split("."))) for match in found if match and match[1] != "3"}
