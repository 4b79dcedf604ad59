"""The tag that the base commit has in set-up, for builds that ask git for a version."""

import re
from collections.abc import Mapping

from repo_tools.box_tree import rename_tag
from repo_tools.sandbox.contract import Sandbox

VERSION = "PDM_BUILD_SCM_VERSION"
"""The variable that has the version of builds that ask git for one: the base commit has it as its tag in set-up."""
TAG = "v99.0.0"
"""That tag, where no variable says one."""


def tag_of(variables: Mapping[str, str]) -> str:
    return f"v{variables[VERSION]}" if VERSION in variables else TAG


def takes_number(box: Sandbox, variables: Mapping[str, str], output: str) -> bool:
    """Whether a build that failed, and names the tag in its `output`, has it as a number alone from now on: some read
    what git describes in their own way, and know no letter before it. Versions of others may begin like it."""
    tag = tag_of(variables)
    is_named = re.search(rf"(?<!\w){re.escape(tag)}(?!\.?\d)", output)
    return bool(is_named) and rename_tag(box, tag, tag.removeprefix("v"))
