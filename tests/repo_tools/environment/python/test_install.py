"""Steps of an installation that run in the environment's own Python."""

import subprocess
import sys
from pathlib import Path

from repo_tools.environment.python.install import without_copies


def test_a_release_of_the_project_itself_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (library,) = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    work = tmp_path / "work"
    for folder in (work / "shop", work / "src" / "till", work / "docs"):
        folder.mkdir(parents=True)
    for package in (work / "shop", work / "src" / "till"):
        (package / "__init__.py").touch()
    for name, file, url in (
        ("shop-plugin", "shop_plugin.py", ""),
        ("shop", "shop/__init__.py", ""),
        ("till", "till/__init__.py", f'{{"url": "file://{work}"}}'),
        ("docs", "docs/__init__.py", ""),
    ):
        (library / file).parent.mkdir(exist_ok=True)
        (library / file).touch()
        facts = library / f"{name}-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
        (facts / "RECORD").write_text(f"{file},,\n")
        (facts / "direct_url.json").write_text(url)
    program = without_copies().argv[1:]
    subprocess.run([tmp_path / "venv" / "bin" / "python", *program], cwd=work, check=True)
    left = {str(path.relative_to(library)) for path in library.rglob("*.py")}
    assert left == {"shop_plugin.py", "till/__init__.py", "docs/__init__.py"}
