"""Features that behave runs, and neither pytest nor unittest. Pure.

https://behave.readthedocs.io/en/stable/gherkin/#layout-variations
"""

import re
from collections import Counter
from itertools import islice
from posixpath import basename, dirname

from repo_tools.changes import Tree
from repo_tools.counted import counted
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import DOCUMENTS, EXAMPLES, TEST_DATA, VENDORED, is_within
from repo_tools.paths import parents

_STEPS, _FEATURE = "steps", ".feature"
_OF_BEHAVE = re.compile(rb"^[ \t]*(?:from|import) behave\b", re.MULTILINE)
_OF_OTHERS = VENDORED | TEST_DATA | EXAMPLES | DOCUMENTS
_MOST_READ = 200


def features_left_out(tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """Of each folder that holds steps and features: a part of a sentence."""
    likely = (path for path in tree if path.endswith(_FEATURE) or basename(dirname(path)) == _STEPS)
    own = [path for path in likely if not is_within(dirname(path), _OF_OTHERS)]
    steps = (path for path in own if path.endswith(".py"))
    read_first = islice(steps, _MOST_READ)
    folders = sorted({dirname(dirname(path)) for path in read_first if _OF_BEHAVE.search(read(path))})
    held = Counter(folder for path in own if path.endswith(_FEATURE) for folder in ("", *parents(path)))
    told = ((held[folder], folder or "the root") for folder in folders if held[folder])
    return tuple(f"the {counted(n, 'feature')} in {folder}, which behave runs" for n, folder in told)
