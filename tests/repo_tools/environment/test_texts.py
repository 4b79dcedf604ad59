"""Files as editors and shells of Windows write them: with a byte order mark, or in UTF-16."""

import pytest

from repo_tools.environment.contract import Environment
from repo_tools.environment.detect import detect
from repo_tools.environment.texts import as_text
from tests.support.trees import tree_of

BYTE_ORDER_MARK = "\ufeff"
WITH_A_MARK = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
FILES = {
    "requirements.txt": "idna==3.7\n",
    "setup.cfg": "[metadata]\nname = shop\n[options]\npy_modules = shop\n[options.extras_require]\ntest = blinker\n",
    "setup.py": "from setuptools import setup\nsetup(tests_require=['six'])\n",
    "tox.ini": "[testenv]\ndeps = pytest-mock\ncommands = pytest\n",
    "shop.py": "",
    "tests/test_shop.py": "import shop\n\n\ndef test_shop(): pass\n",
    ".github/workflows/tests.yml": "on: push\njobs:\n  tests:\n    runs-on: ubuntu-latest\n    services:\n"
    "      redis:\n        image: redis:7\n    steps:\n      - run: pip install toolz\n      - run: pytest\n",
}


def detected(encoding: str, mark: str) -> Environment:
    content = {path: (mark + text).encode(encoding) for path, text in FILES.items()}
    tree = tree_of(content)
    return detect(tree, content.__getitem__)


@pytest.mark.parametrize("encoding", WITH_A_MARK)
def test_the_same_environment_is_read_in_every_encoding_that_a_mark_tells(encoding: str) -> None:
    plain = detected("utf-8", "")
    words = " ".join(word for command in plain.setup for one in (command, *command.otherwise) for word in one.argv)
    assert [service.name for service in plain.services] == ["redis"]
    assert all(name in words for name in ("requirements.txt", "pytest-mock", "blinker", "six", "toolz"))

    assert detected(encoding, BYTE_ORDER_MARK) == plain


@pytest.mark.parametrize("encoding", WITH_A_MARK)
def test_a_text_that_is_cut_in_a_character_is_read_to_there(encoding: str) -> None:
    content = (BYTE_ORDER_MARK + "idna é").encode(encoding)

    assert as_text(content[:-1]).startswith("idna ")


def test_what_is_no_text_without_a_mark_is_replaced() -> None:
    assert as_text(b"idna \xff\xfe") == "idna \ufffd\ufffd"
