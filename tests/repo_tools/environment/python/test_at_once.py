"""What a test file imports under guard, and cannot be loaded without."""

import pytest

from repo_tools.environment.python.used import used_by
from tests.support.trees import reader_of, tree_of

GUARDED = "try:\n    import numpy as np\n    from hypothesis import given\nexcept ImportError:\n    np = None\n"


@pytest.mark.parametrize(
    "then",
    [
        "@pytest.mark.skipif(np is None, reason='x')\n@given(1)\ndef test_a(): pass",
        "class TestA:\n    @given(1)\n    def test_a(self): pass",
        "class TestA(given.Base): pass",
        "def test_a(given=given): pass",
        "CASES = [given(1)]",
        "CASES: list = [given(1)]\nif __name__ == '__main__':\n    unittest.main()",
    ],
)
def test_what_stands_at_the_left_edge_cannot_do_without_what_nothing_else_brings(then: str) -> None:
    files = {"test_a.py": GUARDED + then}
    assert used_by(tree_of(files), reader_of(files), ["test_a.py"]).imports == {"numpy", "hypothesis"}


@pytest.mark.parametrize(
    "text",
    [
        f"{GUARDED}def test_a(): given(1)",
        f"{GUARDED}if np:\n    @given(1)\n    def test_a(): pass",
        f"{GUARDED}CASES = [given(1)] if np else []",
        f"{GUARDED}CASES = np and given(1)",
        f"{GUARDED}make = lambda: given(1)",
        f"{GUARDED}CASES = [np]",
        f"{GUARDED}def given(x): pass\nCASES = [given(1)]",
        f"given = None\n{GUARDED}CASES = [given]",
        f"{GUARDED}    pytest.skip('no', allow_module_level=True)\nCASES = [given(1)]",
        f"{GUARDED}    from fallbacks import *\nCASES = [given(1)]",
        f"{GUARDED}from .helpers import *\nCASES = [given(1)]",
        f"{GUARDED}if np is None:\n    pytest.skip('no', allow_module_level=True)\nCASES = [given(1)]",
        f"{GUARDED}if not np:\n    raise unittest.SkipTest\nCASES = [given(1)]",
        f"{GUARDED}CASES: list[given] = []",
        f"if True:\n    {GUARDED.replace(chr(10), chr(10) + '    ')}\nCASES = [given(1)]",
    ],
)
def test_what_may_do_without_does(text: str) -> None:
    files = {"test_a.py": text}
    assert used_by(tree_of(files), reader_of(files), ["test_a.py"]).imports == set()
