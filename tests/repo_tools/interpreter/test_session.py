"""Python that keeps its state from step to step, in a box that is a folder; the code is the test's own."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.errors import SandboxError
from repo_tools.git_checkout import GitCheckout
from repo_tools.interpreter.contract import Altered, Step
from repo_tools.interpreter.notebook import MAX_FILE_BYTES, Notebook
from repo_tools.interpreter.session import MAX_OUTPUT_BYTES, BoxInterpreter
from repo_tools.sandbox.contract import Sandbox
from tests.support.folder_box import FolderBox
from tests.support.laboratory import checkout_of
from tests.support.memory_workspace import MemoryWorkspace
from tests.support.processes import eventually

SECONDS = 30.0


class Bench:
    """An interpreter, the boxes that it opened, and the change that it is shown."""

    def __init__(
        self, folder: Path, *, lost: bool = False, grace_seconds: float = 10.0, python: str = sys.executable
    ) -> None:
        self.checkout: GitCheckout = checkout_of(folder, {"base.py": "BASE = 1\n"})
        self.change = ChangeSet(self.checkout.commit)
        self.boxes: list[FolderBox] = []
        self.interpreter = BoxInterpreter(
            self._open,
            self.checkout,
            memory_bytes=1 << 30,
            lost=lost,
            grace_seconds=grace_seconds,
            variables={"OF_THE_ENVIRONMENT": "1", "MPLBACKEND": "TkAgg"},
            python=python,
        )

    def run(self, code: str, timeout_seconds: float = SECONDS) -> Step:
        return self.interpreter.run(code, self.change, timeout_seconds=timeout_seconds)

    def close(self) -> None:
        self.interpreter.close()
        self.checkout.close()

    def write(self, path: str, content: str) -> None:
        self.change = self.change.with_change(path, FileChange(FileMode.REGULAR, content.encode()))

    def _open(self, change: ChangeSet) -> Sandbox:
        box = FolderBox()
        for path in self.checkout.tree:
            box.write(f"/workspace/{path}", self.checkout.read(path))
        for path, new in change.files.items():
            if new is not None:
                box.write(f"/workspace/{path}", new.content)
        self.boxes.append(box)
        return box


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path / "repository")
    yield made
    made.close()


def test_variables_imports_and_functions_last_from_step_to_step(bench: Bench) -> None:
    bench.run("import math\nnumbers = [1, 2]\ndef double(n):\n    return 2 * n\n")
    step = bench.run("print('sum', sum(numbers))\ndouble(math.floor(4.2))")
    assert step == Step("sum 3\n8\n")


def test_the_value_of_a_last_expression_is_shown_as_at_the_prompt(bench: Bench) -> None:
    assert bench.run("'a' + 'b'").output == "'ab'\n"
    assert bench.run("_ * 2").output == "'abab'\n"
    assert bench.run("None").output == ""
    assert bench.run("x = 3").output == ""


def test_a_traceback_is_an_observation_with_the_lines_of_the_step_and_none_of_ours(bench: Bench) -> None:
    step = bench.run("def divide(a):\n    return a / 0\ndivide(1)")
    assert "return a / 0" in step.output
    assert step.output.endswith("ZeroDivisionError: division by zero\n")
    assert "evaluator" not in step.output
    assert bench.run("divide").output.startswith("<function divide")


def test_variables_of_the_environment_hold_and_plots_need_no_screen(bench: Bench) -> None:
    step = bench.run("import os\n[os.environ[name] for name in ('OF_THE_ENVIRONMENT', 'MPLBACKEND', 'SQLITE_TMPDIR')]")
    assert step.output == "['1', 'Agg', '/tmp']\n"


def test_syntax_errors_and_exits_end_a_step_and_not_the_interpreter(bench: Bench) -> None:
    bench.run("kept = 1")
    assert "SyntaxError" in bench.run("if:").output
    assert "SystemExit" in bench.run("import sys; sys.exit(2)").output
    assert bench.run("input()").output.endswith("EOFError: EOF when reading a line\n")
    assert bench.run("kept").output == "1\n"


def test_output_and_errors_come_in_their_order_and_from_programs_too(bench: Bench) -> None:
    code = (
        "import sys, subprocess\nprint(1)\nprint(2, file=sys.stderr)\nsys.stdout.flush()\n"
        "subprocess.run(['echo', '3'])\nprint(4)"
    )
    assert bench.run(code).output == "1\n2\n3\n4\n"


def test_output_is_cut_in_the_middle_however_much_there_is(bench: Bench) -> None:
    step = bench.run("print('first')\nfor _ in range(3000):\n    print('x' * 10_000)\nprint('last')")
    assert step.output.startswith("first\n")
    assert step.output.endswith("last\n")
    assert "bytes cut here" in step.output
    assert len(step.output) < MAX_OUTPUT_BYTES + 100


def test_a_time_out_interrupts_and_keeps_the_state(bench: Bench) -> None:
    bench.run("kept = 41")
    step = bench.run("while True:\n    kept_too = 1", timeout_seconds=3)
    assert step.timed_out
    assert step.ended == ""
    assert "KeyboardInterrupt" in step.output
    assert "evaluator" not in step.output
    assert bench.run("kept + kept_too") == Step("42\n")


def test_a_program_that_the_code_waits_for_is_interrupted_with_it(bench: Bench) -> None:
    step = bench.run("import subprocess\nsubprocess.run(['sleep', '60'])", timeout_seconds=3)
    assert step.timed_out
    assert step.ended == ""
    assert bench.run("1").output == "1\n"


def test_code_that_will_not_be_interrupted_is_killed_and_the_next_step_says_what_is_lost(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "repository", grace_seconds=1.5)
    bench.run("kept = 1")
    code = "while True:\n    try:\n        while True:\n            pass\n    except KeyboardInterrupt:\n        pass"
    step = bench.run(code, timeout_seconds=3)
    assert step.timed_out
    assert "was killed" in step.ended
    after = bench.run("'kept' in globals()")
    assert after == Step("False\n", restarted=True)
    assert not bench.run("1").restarted
    bench.close()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os\nprint('before', flush=True)\nos._exit(3)", "exit code 3"),
        ("import os, signal\nprint('before', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)", "want of memory"),
        ("import os, signal\nprint('before', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)", "139, SIGSEGV"),
    ],
)
def test_a_crash_keeps_what_was_printed_and_the_next_step_says_that_variables_are_lost(
    bench: Bench, code: str, why: str
) -> None:
    bench.run("kept = 1")
    step = bench.run(code)
    assert step.output == "before\n"
    assert why in step.ended
    assert not step.restarted
    assert bench.run("'kept' in globals()") == Step("False\n", restarted=True)


def test_too_much_memory_is_an_exception_and_the_state_stays(bench: Bench) -> None:
    bench.run("kept = 1")
    assert "MemoryError" in bench.run("much = bytearray(2 << 30)").output
    assert bench.run("kept") == Step("1\n")


def test_the_first_step_of_a_resumed_run_says_that_variables_are_lost(tmp_path: Path) -> None:
    resumed = Bench(tmp_path / "repository", lost=True)
    assert resumed.run("1") == Step("1\n", restarted=True)
    assert resumed.run("2") == Step("2\n")
    resumed.interpreter.close()


def test_a_box_that_dies_is_a_restart(bench: Bench) -> None:
    bench.run("kept = 1")
    step = bench.run("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)")
    assert step.ended.startswith("its sandbox ended")
    assert not step.restarted, "what was kept was there until then"
    after = bench.run("'kept' in globals()")
    assert after == Step("False\n", restarted=True)
    assert len(bench.boxes) == 2
    assert bench.boxes[0].closed


def test_so_is_one_that_dies_while_files_are_fetched_from_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> bytes:
        raise SandboxError("out of memory")

    notebook = Notebook(bench.interpreter, MemoryWorkspace(), keeps_files=True)
    notebook.run("made = 1", timeout_seconds=SECONDS)
    monkeypatch.setattr(bench.boxes[0], "read", die)
    lost = notebook.run("for name in 'ab': open(name, 'w').close()", timeout_seconds=SECONDS)
    assert (lost.kept, lost.left["a"]) == ((), "the interpreter's sandbox ended: out of memory")
    assert bench.boxes[0].closed
    assert notebook.run("1", timeout_seconds=SECONDS).step == Step("1\n", restarted=True)


def test_no_box_at_all_is_an_error_of_the_sandbox(tmp_path: Path) -> None:
    def refuse(_: ChangeSet) -> Sandbox:
        raise SandboxError("no engine")

    interpreter = BoxInterpreter(refuse, checkout_of(tmp_path, {"a": "a"}), memory_bytes=1 << 30)
    with pytest.raises(SandboxError, match="no engine"):
        interpreter.run("1", ChangeSet("0" * 40), timeout_seconds=1)


def test_what_the_file_tools_wrote_is_there_at_the_next_step(bench: Bench) -> None:
    bench.run("import base\nbase.BASE")
    bench.write("solution.py", "ANSWER = 42\n")
    assert bench.run("import solution\nsolution.ANSWER").output == "42\n"
    bench.write("base.py", "BASE = 2\n")
    assert bench.run("print(open('base.py').read())").output == "BASE = 2\n\n"
    bench.change = bench.change.without("base.py").without("solution.py")
    assert bench.run("import os\nprint(open('base.py').read(), os.path.exists('solution.py'))").output == (
        "BASE = 1\n False\n"
    )


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nclass Own:\n    def write(self, text):\n        raise RuntimeError('own')\n    flush = write\n"
        "sys.stdout = Own()\nprint('lost')",
        "import io, sys\nsys.stderr = io.StringIO()\nraise RuntimeError('own')",
        "class Own(RuntimeError):\n    def __str__(self):\n        raise SystemExit\nraise Own('own')",
    ],
)
def test_code_that_takes_its_streams_away_loses_neither_variables_nor_its_traceback(bench: Bench, code: str) -> None:
    bench.run("kept = 1")
    step = bench.run(code)
    assert "own" in step.output.lower() or "exception that cannot be shown" in step.output
    assert step.ended == ""
    assert bench.run("print(kept)") == Step("1\n")


def test_what_code_removes_is_named(bench: Bench) -> None:
    bench.write("made.py", "")
    bench.run("import os\nos.remove('made.py'); os.remove('base.py'); open('new.py', 'w').close()")
    assert bench.interpreter.altered() == Altered(("new.py",), ("base.py", "made.py"))


def test_what_the_copy_did_not_take_is_told_and_brought_as_soon_as_it_can_be(bench: Bench) -> None:
    bench.run("import os\nos.mkdir('taken.py')")
    bench.write("taken.py", "HERE = 1\n")
    assert list(bench.run("1").missing) == ["taken.py"]
    assert bench.interpreter.altered().removed == ()
    assert list(bench.run("os.rmdir('taken.py')").missing) == ["taken.py"]
    step = bench.run("open('taken.py').read()")
    assert (step.output, step.missing) == ("'HERE = 1\\n'\n", {})


def test_what_became_too_large_to_be_kept_stays_where_code_made_it(bench: Bench) -> None:
    workspace = MemoryWorkspace()
    notebook = Notebook(bench.interpreter, workspace, keeps_files=True)
    assert notebook.run("open('r.csv', 'w').write('1')", timeout_seconds=SECONDS).kept == ("r.csv",)
    grown = notebook.run(f"open('r.csv', 'w').write('x' * {MAX_FILE_BYTES + 1})", timeout_seconds=SECONDS)
    assert list(grown.left) == ["r.csv"]
    after = notebook.run("import os\nos.path.exists('r.csv')", timeout_seconds=SECONDS)
    assert (after.step.output, after.left, workspace.files) == ("True\n", {}, {})


def test_files_that_code_makes_are_named_and_stay_where_the_file_tools_do_not_write(bench: Bench) -> None:
    bench.run("open('plot.png', 'wb').write(b'png')\nopen('base.py', 'a').write('X = 1\\n')")
    assert bench.interpreter.altered() == Altered(("base.py", "plot.png"))
    assert bench.interpreter.read("plot.png", max_bytes=10) == b"png"
    bench.write("other.py", "")
    assert bench.run("import os\nos.path.exists('plot.png')").output == "True\n"


def test_what_threads_print_between_steps_comes_with_the_next_one(bench: Bench, tmp_path: Path) -> None:
    go, done = tmp_path / "go", tmp_path / "done"
    code = (
        "import os, threading, time\n"
        f"def late():\n    while not os.path.exists({str(go)!r}):\n        time.sleep(0.01)\n"
        f"    print('y' * 200_000 + 'late')\n    open({str(done)!r}, 'w').close()\n"
        "thread = threading.Thread(target=late)\nthread.start()"
    )
    assert bench.run(code).output == ""
    go.touch()
    eventually(done.exists, 60)  # more than a pipe holds: it is taken meanwhile, or the thread would wait
    assert bench.run("thread.join()\nthread.is_alive()").output.endswith("late\nFalse\n")


FORGED = {
    "{}": "nothing",
    "[]": "a list",
    "[" * 50_000: "a nesting",
    '{"output": 5, "timed_out": [], "fresh": 0, "ended": "so"}': "other kinds",
    '{"output": "", "timed_out": false, "fresh": false, "ended": null, "more": 1}': "more",
}


def answered(folder: Path, line: str) -> Step:
    """What comes of code that writes `line` to the keeper's output, which it can open by its name in /proc."""
    program = folder / "python3"
    told = ("import sys", "sys.stdin.readline(), sys.stdin.readline()", f"print({line!r}, flush=True)", "input()")
    program.write_text("\n".join((f"#!{sys.executable}", *told)))
    program.chmod(0o755)
    bench = Bench(folder / "repository", python=str(program))
    try:
        return bench.run("1 + 1")
    finally:
        bench.close()


@pytest.mark.parametrize("line", FORGED, ids=FORGED.values())
def test_code_that_answers_in_the_keepers_place_loses_its_interpreter_and_no_more(tmp_path: Path, line: str) -> None:
    step = answered(tmp_path, line)
    assert "no answer of the interpreter's keeper" in step.ended


def test_an_answer_in_the_keepers_place_is_no_longer_than_its_own(tmp_path: Path) -> None:
    line = '{"output": "%s", "timed_out": false, "fresh": false, "ended": null}'
    step = answered(tmp_path, line % ("A" * 300_000))
    assert MAX_OUTPUT_BYTES <= len(step.output) <= MAX_OUTPUT_BYTES + 100


def test_code_inherits_nothing_of_the_keepers_channel(bench: Bench) -> None:
    """What it would close, or write into, by mistake."""
    step = bench.run(
        "import os\n"
        "[n for n in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{n}')"
        " and os.readlink(f'/proc/self/fd/{n}').startswith('socket')]"
    )
    assert step.output == "[]\n"


def test_a_child_that_code_forks_does_not_answer_in_its_place(bench: Bench) -> None:
    step = bench.run("import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n'one'")
    assert step.output.count("one") >= 1
    assert bench.run("2").output == "2\n"


def test_what_a_child_prints_is_heard_to_its_last_word(bench: Bench) -> None:
    code = "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nelse:\n    print('from the child', end='')\n"
    assert bench.run(code).output == "from the child"


def test_a_traceback_without_end_is_shown_by_its_last_lines(bench: Bench) -> None:
    two = "def down(n):\n    return on(n) if n else 1 / 0\ndef on(n):\n    return down(n - 1)\n"
    deep = f"import sys\nsys.setrecursionlimit(60_000)\n{two}down(1_000)"
    step = bench.run(deep)
    assert step.output.endswith("ZeroDivisionError: division by zero\n")
    assert 10 < step.output.count("in down") < 60


def test_closed_and_replaced_streams_are_put_back(bench: Bench) -> None:
    bench.run("import sys, io\nsys.stdout = io.StringIO()\nsys.stderr.close()")
    step = bench.run("print('heard')\n1 / 0")
    assert step.output.startswith("heard\n")
    assert "ZeroDivisionError" in step.output
