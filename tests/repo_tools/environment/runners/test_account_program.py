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
