"""What the files of a Python suite use."""

from collections import Counter

from repo_tools.environment.python.used import Uses
from tests.support.trees import reader_of, tree_of

SUITE = {
    "tests/test_a.py": "import helpers, numpy\n@pytest.mark.zone\ndef test_a(mocker): pass\n",
    "tests/test_b.py": "import pandas\n",
    "tests/helpers.py": "import responses\n",
}


def test_a_file_is_asked_for_once_however_often_and_beside_whatever_it_is_asked_about() -> None:
    reads: Counter[str] = Counter()
    content = reader_of(SUITE)
    uses = Uses(tree_of(SUITE), lambda path: reads.update([path]) or content(path))
    assert uses.by(["tests/test_b.py"]).imports == {"pandas"}
    both = uses.by(["tests/test_a.py", "tests/test_b.py"])
    assert both.imports == {"helpers", "numpy", "pandas", "responses"}
    assert both.markers == {"zone"}
    assert both.fixtures == {"mocker"}
    assert uses.by(["tests/test_b.py"]).imports == {"pandas"}
    assert reads == dict.fromkeys(SUITE, 1)
