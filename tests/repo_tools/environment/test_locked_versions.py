"""What a lock file settles is what it says of an index, for every platform alike."""

import json
from pathlib import Path

import pytest

from repo_tools.environment.locked_program import read, settled

UV = """
version = 1
[[package]]
name = "six"
version = "1.16.0"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "here"
version = "1"
source = { editable = "." }
[[package]]
name = "forked"
version = "1"
source = { registry = "https://pypi.org/simple" }
[[package]]
name = "forked"
version = "2"
source = { registry = "https://pypi.org/simple" }
"""
POETRY = """
[[package]]
name = "six"
version = "1.16.0"
[[package]]
name = "mirrored"
version = "2.0"
[package.source]
type = "legacy"
url = "https://index.example.org/simple"
[[package]]
name = "elsewhere"
version = "1"
[package.source]
type = "git"
url = "https://example.org/x"
"""
PDM = '[[package]]\nname = "a"\nversion = "1"\n[[package]]\nname = "b"\nversion = "1"\npath = "./b"\n'
PIPENV = json.dumps({"default": {"six": {"version": "==1.16.0"}}, "develop": {"x": {"git": "https://example.org/x"}}})


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("uv.lock", UV, ["six==1.16.0"]),
        ("poetry.lock", POETRY, ["mirrored==2.0", "six==1.16.0"]),
        ("pdm.lock", PDM, ["a==1"]),
        ("pylock.toml", '[[packages]]\nname = "a"\nversion = "1"\n[[packages]]\nname = "b"\n', ["a==1"]),
        ("Pipfile.lock", PIPENV, ["six==1.16.0"]),
    ],
)  # fmt: skip
def test_versions_from_an_index_are_settled(tmp_path: Path, name: str, text: str, lines: list[str]) -> None:
    (tmp_path / name).write_text(text)
    assert list(settled(read(str(tmp_path / name)))) == lines
