"""The README is true: its table, its commands, its links, its targets."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.commands import COMMANDS, application
from scripts.configuration_table import with_table
from workers.github.app_auth import EVENTS, PERMISSIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_configuration_table_is_what_the_settings_say() -> None:
    assert with_table(README) == README


def test_every_command_is_listed_and_every_listed_command_exists() -> None:
    table = README.partition("## Commands")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`agent-fix ([a-z]+)", table))
    assert listed == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    done = CliRunner().invoke(application, [command, "--help"], prog_name="agent-fix")
    assert done.exit_code == 0
    assert f"agent-fix {command}" in done.stdout


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", *sorted(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))]
)
def test_links_to_files_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_the_two_commands_and_every_make_target_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"demo", "test"} <= set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)) <= targets


def test_the_permissions_of_the_app_are_those_that_the_product_asks_for() -> None:
    rows = re.findall(
        r"^ *\| (Contents|Issues|Pull requests|Metadata) \| (read(?: and write)?) \|", README, re.MULTILINE
    )
    told = {name.lower().replace(" ", "_"): "write" if "write" in access else "read" for name, access in rows}
    assert told == dict(PERMISSIONS)
    assert all(f"*{event.capitalize()}*" in README for event in EVENTS)
