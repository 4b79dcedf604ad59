"""What the lines of a file announce is what a parse finds in it."""

from pathlib import Path

import pytest

from repo_tools.repo_map.announced import announced
from repo_tools.repo_map.definitions import definitions

ROOT = Path(__file__).parents[3]
SOURCES = sorted(path for folder in ("app", "agent", "bench", "repo_tools") for path in (ROOT / folder).rglob("*.py"))


def parsed(content: bytes) -> set[bytes]:
    return {definition.name.encode() for definition in definitions("python", content)}


def test_the_names_of_whole_sources_are_those_that_a_parse_finds() -> None:
    contents = {str(path): path.read_bytes() for path in SOURCES}
    found = {(path, name) for path, content in contents.items() for name in announced("python", content)}
    wanted = {(path, name) for path, content in contents.items() for name in parsed(content)}
    assert wanted - found == set()
    assert len(found - wanted) <= len(wanted) / 100


@pytest.mark.parametrize(
    "source",
    [
        "first = 1\nsecond: int = 2\nthird: str\nfourth: list[int]\nfifth: 'A' | None = None\n",
        "async def f(): ...\n",
        "class C:\n\tasync  def  m(self):\n\t\tdef inner(): ...\n",
        "@decorated\nclass C[T]: ...\n",
        "if True:\r\n    def f(): ...\r\nelse:\r\n    def g(): ...\r\n",
        "type A = int\ntype B[T] = list[T]\nclass C:\n    type D = int\n",
        "if x:\n\n    a = 1\n    b: int = 2\nelse:\n\tc = 3\n",
        "try:\n\timport x\n\n\ta = 1\nexcept E:\n\tb = 2\n",
        "if x:\r\n    f()\r\n\r\n    a = 1\r\nb = 2\r\n",
        "größe = 1\ndef naïve(): ...\n",
        "'''Text.'''\ndef f():\n    '''More.'''\n\ndef g(): ...\n",
        'a = \'"""\'\ndef f(): ...\nb = \'"""\'\n',
        'def f(): ...\n# it\'s """ that opens a text\ndef g(): ...\n',
    ],
)
def test_each_way_to_write_a_definition_is_announced(source: str) -> None:
    assert announced("python", source.encode()) == parsed(source.encode()) != set()


@pytest.mark.parametrize(
    "source",
    [
        *("if x:\n    f(\n        y=1\n    )\n", "for x in y:\n    z = 1\n", "iffy(\n    x=1\n)\n", "type(x) == 1\n"),
        *("f(x)\n", "x == 1\n", "a.b = 1\n", "f(\n    x=1\n)\n", "x += 1\n", "# def f():\n", "undef(x)\n"),
        '"""A text.\n\ndef f(): ...\nNote: this is none.\nx = 1\n"""\n',
        "else_ if x else y\nclass_of(that)\n",
    ],
)
def test_what_defines_nothing_announces_nothing(source: str) -> None:
    assert announced("python", source.encode()) == parsed(source.encode()) == set()


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_quotes_in_comments_hide_nothing_that_stands_between_them(quotes: str) -> None:
    source = f"# {quotes}\ndef f(): ...\n# {quotes}\n{quotes}\ndef hidden(): ...\n{quotes}\ng = 1  # {quotes}\n"
    assert announced("python", source.encode()) == parsed(source.encode()) == {b"f", b"g"}


def test_a_text_that_holds_a_comment_mark_before_its_quotes_stays_hidden() -> None:
    source = 'a = """\ndef hidden(): ...\n# """\nb = "# \'\'\'" # """ \n\'\'\'\nx = 1\n\'\'\'\ndef f(): ...\n'
    assert announced("python", source.encode()) == parsed(source.encode()) == {b"a", b"b", b"f"}
