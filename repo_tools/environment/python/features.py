"""Features that behave runs, and neither pytest nor unittest. Pure.

https://behave.readthedocs.io/en/stable/gherkin/#layout-variations
"""

import re
from itertools import islice
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TEST_DATA, VENDORED, is_below, is_within

_STEPS, _FEATURE = "steps", ".feature"
_OF_BEHAVE = re.compile(rb"^[ \t]*(?:from|import) behave\b", re.MULTILINE)
_OF_OTHERS = VENDORED | TEST_DATA | EXAMPLES | DOCUMENTS
_MOST_READ = 200


def features_left_out(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Of each folder that holds steps and features: a part of a sentence."""
    steps = (path for path in tree if path.endswith(".py") and basename(dirname(path)) == _STEPS)
    own = islice((path for path in steps if not is_within(dirname(path), _OF_OTHERS)), _MOST_READ)
    folders = sorted({dirname(dirname(path)) for path in own if _OF_BEHAVE.search(read(path))})
    features = [path for path in tree if path.endswith(_FEATURE)]
    held = {folder: sum(is_below(path, folder) for path in features) for folder in folders}
    return tuple(f"the {n} features in {folder or 'the root'}, which behave runs" for folder, n in held.items() if n)
