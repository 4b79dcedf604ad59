"""Where ts-node finds its settings when it starts an installed runner."""

import os
from pathlib import Path

import pytest

from repo_tools.environment.box_programs.javascript.releases import with_project_of_ts_node

STARTED = ["ts-node", "node_modules/.bin/jasmine"]


def project_for(monkeypatch: pytest.MonkeyPatch, folder: Path, *argv: str) -> str | None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(os, "environ", {})
    assert with_project_of_ts_node([*argv]) == [*argv]
    return os.environ.get("TS_NODE_PROJECT")


def test_they_are_those_of_the_folder_where_it_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert project_for(monkeypatch, tmp_path, *STARTED) is None
    (tmp_path / "tsconfig.json").write_text("{}")
    assert project_for(monkeypatch, tmp_path, *STARTED) == str(tmp_path / "tsconfig.json")


@pytest.mark.parametrize("argv", [("ts-node", "-P", "a.json", "x"), ("ts-node", "--project=a.json"), ("tsx", "x")])
def test_what_names_others_keeps_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, argv: tuple[str, ...]) -> None:
    (tmp_path / "tsconfig.json").write_text("{}")
    assert project_for(monkeypatch, tmp_path, *argv) is None
