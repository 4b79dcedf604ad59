"""Runners of old that take from Node what it has no more."""

import subprocess
from pathlib import Path

import pytest

from repo_tools.environment.box_programs.javascript.releases import with_scripts_of_node_0


@pytest.mark.parametrize("is_old", [False, True])
def test_a_nodeunit_of_node_0_10_finds_the_scripts_that_it_asks_node_for(tmp_path: Path, is_old: bool) -> None:
    program, loaded = tmp_path / "nodeunit/bin/nodeunit", tmp_path / "nodeunit/lib/utils.js"
    asks = "process.binding('evals')" if is_old else "require('vm')"
    for file, text in {
        program: "#!/usr/bin/env node\nconst { Script } = require('../lib/utils');\n"
        f"console.log(new Script('6 * 7').runInThisContext(), process.{'ARGV' if is_old else 'argv'}.slice(2));\n",
        loaded: f"exports.Script = {asks}.Script;",
    }.items():
        file.parent.mkdir(parents=True)
        file.write_text(text)
    argv = with_scripts_of_node_0(["node", str(program), "test"])
    assert (argv[1] == "-e") == is_old
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.stdout, ran.returncode) == ("42 [ 'test' ]\n", 0), ran.stderr
