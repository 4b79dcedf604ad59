"""The parts of reporters that are handed the pipe, in node and in Python themselves."""

import os
import subprocess
import sys
from pathlib import Path

from repo_tools.environment.runners.javascript_launch import reporter_text
from repo_tools.environment.runners.pytest import PytestRunner


def test_links_are_still_followed_once_the_nonce_was_read_from_a_pipe(tmp_path: Path) -> None:
    """As node's loader follows them, with what it knows of folders: else packages that are linked find others."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.js").write_text("")
    (tmp_path / "link").symlink_to("real")
    loaded = f"const r = require({str(tmp_path / 'real/a.js')!r});\n"
    find = f"console.log(require.resolve({str(tmp_path / 'link/a.js')!r}));\n"
    program = tmp_path / "program.js"
    program.write_text(loaded + reporter_text("jest") + find)
    done = subprocess.run(
        ["node", str(program)],
        input="nonce", capture_output=True, text=True, check=True,
        env={**os.environ, "AGENT_FIX_RESULTS": "1:1", "AGENT_FIX_RESULTS_FILE": str(tmp_path / "results")},
    )  # fmt: skip
    assert done.stdout.splitlines() == [str(tmp_path / "real/a.js")]


def told(folder: Path, program: str) -> list[str]:
    """What `program`, which holds a reporter, prints line by line; what the reporter says is in `folder`/results."""
    (folder / "program.js").write_text(program)
    done = subprocess.run(
        ["node", str(folder / "program.js")],
        input="nonce", capture_output=True, text=True, check=True,
        env={**os.environ, "AGENT_FIX_RESULTS": "0:0", "AGENT_FIX_RESULTS_FILE": str(folder / "results")},
    )  # fmt: skip
    return done.stdout.splitlines()


OLD_MOCHA = """
module.exports = class Mocha {
  ui() {}
  _growl(runner, reporter) { runner.on('end', () => console.log(reporter.stats.failures)); }
  loadFiles(files) { for (const file of files) require(file); }
};
"""


def test_what_an_old_mocha_cannot_load_is_told_and_what_a_test_itself_imports_is_not(tmp_path: Path) -> None:
    """Its own files are what it requires; Node loads for `import()` with no parent. `growl` would end it: it reads what
    mocha's own reporters count."""
    mocha = tmp_path / "node_modules/mocha/lib/mocha.js"
    mocha.parent.mkdir(parents=True)
    mocha.write_text(OLD_MOCHA)
    (tmp_path / "dead.js").write_text("throw new Error('dead');\n")
    (tmp_path / "good.js").write_text("console.log('loaded');\n")
    files = [str(tmp_path / name) for name in ("dead.js", "good.js")]
    starts = f"const runs = new (require({str(mocha)!r}))();\n"
    ends = (
        "const { EventEmitter } = require('events');\n"
        f"runs.ui('bdd');\nruns.loadFiles({files});\n"
        "const suite = { suites: [], bail() {}, eachTest() {} };\n"
        "const events = Object.assign(new EventEmitter(), { failures: 0, suite });\n"
        "runs._growl(events, new module.exports(events));\n"
        f"import({files[0]!r}).then(() => console.log('swallowed'), () => console.log('rejected'))\n"
        "  .then(() => { events.emit('end'); console.log(events.failures); process.exit(0); });\n"
    )
    lines = told(tmp_path, starts + reporter_text("mocha") + ends)
    assert [line for line in lines if line in {"loaded", "swallowed", "rejected", "1"}] == [
        *("loaded", "rejected", "1")
    ]
    assert "dead.js" in (tmp_path / "results").read_text()


MOCHA_7_LOADER = """
exports.loadFilesAsync = async (file) => {
  try {
    return require(file);
  } catch (error) {
    if (error.code !== 'ERR_REQUIRE_ESM') throw error;
    return console.log('imports');
  }
};
"""


def test_a_module_that_mocha_7_imports_after_it_could_not_require_it_is_left_to_it(tmp_path: Path) -> None:
    mocha = tmp_path / "node_modules/mocha/lib"
    mocha.mkdir(parents=True)
    (mocha / "mocha.js").write_text(OLD_MOCHA)
    (mocha / "esm-utils.js").write_text(MOCHA_7_LOADER)
    (tmp_path / "module.js").write_text("throw Object.assign(new Error(), { code: 'ERR_REQUIRE_ESM' });\n")
    starts = "".join(f"require({str(mocha / name)!r});\n" for name in ("mocha.js", "esm-utils.js"))
    ends = f"require({str(mocha / 'esm-utils.js')!r}).loadFilesAsync({str(tmp_path / 'module.js')!r});\n"
    assert "imports" in told(tmp_path, starts + reporter_text("mocha") + ends)


LATE = """
import _thread, os, sys, time, types
def later(function, arguments, start=_thread.start_new_thread):
    start(lambda: (time.sleep(0.5), os.write(2, b"begun"), function(*arguments)), ())
_thread.start_new_thread = later
sys.modules["pytest"] = types.SimpleNamespace(main=lambda *_, **__: 1, hookimpl=lambda **_: lambda hook: hook)
"""


def test_the_process_of_pytest_does_not_end_before_the_thread_that_would_end_it_has_begun() -> None:
    """It would crash at that moment, with ``PYTHONDEVMODE`` now and then."""
    words = (f"{LATE}\nexec(sys.argv.pop(1))", PytestRunner.program, "1", "1", "[]", "0")
    done = subprocess.run([sys.executable, "-c", *words], input=b"nonce", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"begun")
    assert b'nonce["end", 1]' in done.stdout
