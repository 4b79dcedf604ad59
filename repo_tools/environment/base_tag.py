"""The tag that the base commit has in set-up, for builds that ask git for a version."""

import re
from collections.abc import Mapping

from repo_tools.box_tree import rename_tag
from repo_tools.sandbox.contract import Sandbox

VERSION = "PDM_BUILD_SCM_VERSION"
"""The variable that has the version of builds that ask git for one: the base commit has it as its tag in set-up."""
TAG = "v99.0.0"
"""That tag, where no variable says one."""
_OF_THE_PROJECT = (VERSION, "POETRY_DYNAMIC_VERSIONING_BYPASS", "SETUPTOOLS_SCM_PRETEND_VERSION", "PBR_VERSION")
_NOT_ITS_OWN = re.compile(
    r"metadata version `([^`\n]{1,100})` does not match given version"
    r"|inconsistent version: expected '[^'\n]{1,100}', but metadata has '([^'\n]{1,100})'"
)
"""As uv and pip refuse a package that its build gives another version."""


def tag_of(variables: Mapping[str, str]) -> str:
    return f"v{variables[VERSION]}" if VERSION in variables else TAG


def takes_number(box: Sandbox, variables: Mapping[str, str], output: str) -> bool:
    """Whether a build that failed, and names the tag in its `output`, has it as a number alone from now on: some read
    what git describes in their own way, and know no letter before it. Versions of others may begin like it, and uv
    writes any with a letter: "`shop` (v1.2) depends on `x`"."""
    tag = tag_of(variables)
    is_named = re.search(rf"(?<!\w)(?<!` \(){re.escape(tag)}(?!\.?\d)", output)
    return bool(is_named) and rename_tag(box, tag, tag.removeprefix("v"))


def asks_git(variables: dict[str, str], output: str) -> bool:
    """Whether what an install built of a dependency took the project's version for its own: from now on builds find
    that as the base commit's tag, and in no variable."""
    found = _NOT_ITS_OWN.search(output)
    taken = [name for name in _OF_THE_PROJECT if found and name in variables and variables[name] in found.groups()]
    for name in taken:
        del variables[name]
    return bool(taken)
