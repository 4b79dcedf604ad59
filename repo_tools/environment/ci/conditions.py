"""Whether a job, or one of its steps, is done on the machine and for the values of the matrix that are taken here."""

import operator
import re

from repo_tools.environment.ci.values import Scope, text_of
from repo_tools.yaml_text import Node

_LINUX = re.compile(r"ubuntu|linux|self-hosted|debian", re.IGNORECASE)
_NOT_HERE = re.compile(r"windows|macos|failure\(\)|release|schedule|workflow_dispatch", re.IGNORECASE)
_OF_THE_MATRIX = re.compile(
    r"(?:\$\{\{)?\s*matrix\.(?P<name>[\w.-]+)\s*(?P<sign>[!=]=|[<>]=?)\s*'?(?P<value>[^'}]*)'?\s*(?:\}\})?"
)
_IS_SET = re.compile(r"(?:\$\{\{)?\s*(?P<denied>!?)\s*matrix\.(?P<name>[\w.-]+)\s*(?:\}\})?")
_IS_ONE_OF = re.compile(
    r"(?:\$\{\{)?\s*(?P<denied>!?)\s*contains\(\s*fromjson\(\s*'\[(?P<values>[^']*)\]'\s*\)\s*,"
    r"\s*matrix\.(?P<name>[\w.-]+)\s*\)\s*(?:\}\})?",
    re.IGNORECASE,
)
_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_UNSET = ("", "false")
_DENIED_AS_A_WHOLE = re.compile(r"!\s{0,9}\((?:[^()']|'[^'\n]{0,200}'|\((?:[^()']|'[^'\n]{0,200}'){0,300}\)){0,300}\)")
"""``!(a && startsWith(b, 'c'))``"""
_DENIED = re.compile(r"!|==\s{0,9}false")


def is_for_linux(job: Node, scope: Scope) -> bool:
    node = job.mapping.get("runs-on")
    asked = [text_of(item) for item in (node, *node.items)] if node else []
    systems = [value for text in asked if text for value in scope.values(text)]
    return is_done(job) and (not systems or any(map(_LINUX.search, systems)))


def is_done(node: Node) -> bool:
    """Unless its condition is for other machines or other events; what denies something is taken as met."""
    condition = _DENIED_AS_A_WHOLE.sub("!", text_of(node.mapping.get("if")))
    return any(not any(map(_is_elsewhere, each.split("&&"))) for each in condition.split("||"))


def _is_elsewhere(condition: str) -> bool:
    return bool(_NOT_HERE.search(condition)) and not _DENIED.search(condition)


def is_of_other_jobs(step: Node, scope: Scope) -> bool:
    """Whether only jobs of the matrix do it that have another value than the one that is taken here."""
    condition = text_of(step.mapping.get("if"))
    return all(any(_is_other(each, scope) for each in either.split("&&")) for either in condition.split("||"))


def _is_other(condition: str, scope: Scope) -> bool:
    found = _OF_THE_MATRIX.fullmatch(condition.strip())
    listed = _IS_ONE_OF.fullmatch(condition.strip())
    asked = found or listed or _IS_SET.fullmatch(condition.strip())
    if not asked or (found and _LINUX.search(found["value"])) or asked["name"] not in scope.matrix:
        return False
    taken = next(iter(scope.matrix[asked["name"]]), "")
    if found and (compared := _COMPARED.get(found["sign"])):
        return not compared(_numbers(taken), _numbers(found["value"]))
    if found:
        return (taken == found["value"]) is (found["sign"] == "!=")
    if listed:
        return (taken in re.findall(r'[^\s,"]+', listed["values"])) is bool(listed["denied"])
    return (taken in _UNSET) is not bool(asked["denied"])


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d{1,9}", version)]
