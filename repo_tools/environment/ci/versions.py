"""The versions of each language that a job is tested with. Pure."""

import re
from collections.abc import Iterable

from repo_tools.environment.ci.steps import Step
from repo_tools.environment.ci.values import Scope, final_versions, newest_first, node_at, text_of
from repo_tools.environment.javascript.node_lines import line_of_the_day, numbered_line
from repo_tools.yaml_text import Node

_IMAGES = {"python": "python", "node": "node", "golang": "go", "ruby": "ruby", "rust": "rust"}
_DIMENSION = re.compile(r"(python|node|go|ruby|java|rust)(?:js)?(?:[-_.]?version)?s?", re.IGNORECASE)


def versions_of(job: Node, scope: Scope, steps: Iterable[Step]) -> dict[str, tuple[str, ...]]:
    """From the actions that install a language; from the job's image; from dimensions that are called like one."""
    found: dict[str, tuple[str, ...]] = {}
    for step in steps:
        for language, versions in step.versions.items():
            found[language] = (*found.get(language, ()), *versions)
    image = scope.resolve(text_of(node_at(job, "container")) or text_of(node_at(job, "container", "image")))
    if image and (spoken := _IMAGES.get(image.rpartition("/")[2].partition(":")[0])):
        found.setdefault(spoken, (image.rpartition(":")[2].partition("-")[0],))
    for name, values in scope.matrix.items():
        if dimension := _DIMENSION.fullmatch(name):
            found.setdefault(dimension[1].lower(), values)
    known = {language: _named(language, newest_first(versions)) for language, versions in found.items()}
    return {language: versions for language, versions in known.items() if versions}


def _named(language: str, versions: tuple[str, ...]) -> tuple[str, ...]:
    """Those that name a release; of Node's, some do by a name."""
    final = final_versions(versions)
    if language != "node":
        return final
    return (*final, *(v for v in versions if v not in final and (numbered_line(v) or line_of_the_day(v))))
