from pathlib import Path

from repo_tools.sandbox.supervisor import children


def test_a_thread_that_ends_meanwhile_does_not_hide_the_children_of_the_others(tmp_path: Path) -> None:
    for task, text in {"7": "8 9 ", "10": None, "11": "12 "}.items():
        (place := tmp_path / "7/task" / task).mkdir(parents=True)
        if text is not None:
            (place / "children").write_text(text)
    assert sorted(children(7, tmp_path)) == [8, 9, 12]
