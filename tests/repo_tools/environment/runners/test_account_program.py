"""The part of every reporter that is handed the pipe, in node itself."""

import os
import subprocess
from pathlib import Path

from repo_tools.environment.runners.javascript_launch import reporter_text


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
        "const events = Object.assign(new EventEmitter(), { failures: 0 });\n"
        "runs._growl(events, new module.exports(events));\n"
        f"import({files[0]!r}).then(() => console.log('swallowed'), () => console.log('rejected'))\n"
        "  .then(() => { events.emit('end'); console.log(events.failures); process.exit(0); });\n"
    )
    program = tmp_path / "program.js"
    program.write_text(starts + reporter_text("mocha") + ends)
    results = tmp_path / "results"
    done = subprocess.run(
        ["node", str(program)],
        input="nonce", capture_output=True, text=True, check=True,
        env={**os.environ, "AGENT_FIX_RESULTS": "0:0", "AGENT_FIX_RESULTS_FILE": str(results)},
    )  # fmt: skip
    assert [line for line in done.stdout.splitlines() if line in {"loaded", "swallowed", "rejected", "1"}] == [
        *("loaded", "rejected", "1")
    ]
    assert "dead.js" in results.read_text()
