"""Japa, which a program of the repository starts, by a program of our own that hears it (https://japa.dev)."""

import json

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_account import unnumbered
from repo_tools.environment.runners.javascript_command import ScriptCommand, program_of
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import Wanted


class JapaRunner(JavaScriptRunner):
    name = "japa"

    def starts(self, script: ScriptCommand) -> bool:
        """By no words: what the program loads tells."""
        return False

    def started(self, script: ScriptCommand, wanted: Wanted) -> RunOrder:
        ours = json.dumps({"places": wanted.places, "names": [*map(unnumbered, wanted.names)]})
        node, program = program_of(script.words)
        return self.reporting(script, (*node, reporter_path(self.name), ours, *program), wanted)
