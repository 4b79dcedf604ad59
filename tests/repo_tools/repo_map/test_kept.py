"""Each repository has an index of its own; those that were used last are kept."""

import os
from pathlib import Path

from repo_tools.repo_map.kept import MOST, kept_index


def test_each_repository_has_a_file_of_its_own_and_the_longest_unused_goes(tmp_path: Path) -> None:
    files = [kept_index(tmp_path, f"/repositories/{n}") for n in range(MOST)]
    assert len(set(files)) == MOST
    for age, file in enumerate(files):
        file.touch()
        os.utime(file, (10**9 - age, 10**9 - age))
    assert kept_index(tmp_path, f"/repositories/{MOST - 1}") == files[-1]  # used again
    kept_index(tmp_path, "/another")
    assert sorted(tmp_path.iterdir()) == sorted({*files} - {files[-2]})
