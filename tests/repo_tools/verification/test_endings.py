from collections.abc import Mapping

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import Environment, TestCommand
from repo_tools.verification.endings import ends_well


def found(base: Mapping[str, str], new: Mapping[str, str], runner: str = "exit_code") -> tuple[str, ...]:
    files = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in new.items()}
    old = {path: FileChange(FileMode.REGULAR, text.encode()) for path, text in base.items()}
    tree = {path: file.entry for path, file in old.items()}
    plan = Environment("any/0", (), (), (TestCommand(runner, ("sh", "run-tests.sh")),), ())
    return ends_well(ChangeSet("0" * 40, files), plan, tree, lambda path: old[path].content)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/till.js", "process.exit()"),
        ("lib/till.js", "process.exit(code)"),
        ("lib/till.js", "process.exit(256)"),
        ("lib/till.ts", "process.once('exit', leave)"),
        ("lib/till.js", "here.on('uncaughtException', leave)"),
        ("lib/till.js", "process.exitCode = 0"),
        ("till.py", "sys.exit(0)"),
        ("till.py", "def main():\n    sys.exit(total())\n"),
        ("till.py", "raise SystemExit"),
        ("till.py", "raise SystemExit from None"),
        ("till.py", "quit()"),
        ("till.py", "os.execv('/bin/true', ['true'])"),
        ("till.py", "if __name__ == '__main__':\n    main()\nsys.exit(0)\n"),
    ],
)
def test_what_ends_a_process_well_is_found_where_nothing_else_is_known(path: str, line: str) -> None:
    assert found({path: "a = 1\n"}, {path: f"a = 1\n{line}\n"})
    assert not found({path: f"{line}\n"}, {path: f"a = 1\n{line}\n"})
    assert not found({path: "a = 1\n"}, {path: f"a = 1\n{line}\n"}, runner="pytest")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("lib/till.js", "process.exit(1); process.exit(-1); process.exit(130)"),
        ("lib/till.js", "process.exitCode = 2"),
        ("lib/till.js", "child.on('exit', (code) => resolve(code))"),
        ("lib/till.js", "process.kill(child.pid, 'SIGTERM')"),
        ("lib/till.js", "switch (word) { case 'exit': return leave(); }"),
        ("till.py", "sys.exit('no such file'); sys.exit(f'no file {name}')"),
        ("till.py", "sys.exit(2); raise SystemExit(-1)"),
        ("till.py", "def exit(self): self.server.quit()"),
        ("till.py", "import atexit\natexit.register(shutil.rmtree, folder)\n"),
        ("till.py", "if __name__ == '__main__':\n    sys.exit(main())\n"),
        ("till.py", 'if __name__ == "__main__":  # run\n\n    main()\n\n    sys.exit(0)\n\nb = 1\n'),
    ],
)
def test_what_ends_another_process_or_says_failure_is_honest(path: str, line: str) -> None:
    assert not found({path: "a = 1\n"}, {path: f"a = 1\n{line}\n"})


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["if __name__ == '__main__':\n", "    a\n", "\n", "raise ", "process."])
def test_a_long_text_is_soon_searched(piece: str) -> None:
    text = f"if __name__ == '__main__':\n{piece * (300_000 // len(piece))}"
    assert not found({}, {"till.py": text, "till.js": text})
