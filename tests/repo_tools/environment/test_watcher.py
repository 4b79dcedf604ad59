from pathlib import Path

import pytest

from repo_tools.environment.box_programs.watcher import matching

MAVEN, GRADLE = ["**/target/surefire-reports/TEST-*.xml"], ["**/build/test-results/**/TEST-*.xml"]
FILES = (
    *("target/surefire-reports/TEST-a.xml", "core/deep/target/surefire-reports/TEST-b.xml", "target/TEST-c.xml"),
    *("build/test-results/test/TEST-d.xml", "app/build/test-results/TEST-e.xml", "build/x/test-results/TEST-f.xml"),
    *("target/surefire-reports/more/TEST-g.xml", "build/test-results/a/b/TEST-h.xml", "target/surefire-reports/i.xml"),
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(("patterns", "names"), [(MAVEN, "ab"), (GRADLE, "deh"), (["target/*.xml"], "c")])
def test_reports_are_found_where_their_pattern_says(patterns: list[str], names: str) -> None:
    assert {path[-5] for path in matching(patterns)} == set(names)
    assert set(matching(patterns)) <= set(FILES)


@pytest.mark.timeout(60)
def test_links_that_lead_back_are_not_walked(tree: Path) -> None:
    for number in range(4):
        (tree / f"core/again{number}").symlink_to("..")
    assert len(matching(MAVEN)) == 2
