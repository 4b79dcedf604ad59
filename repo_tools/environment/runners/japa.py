"""Japa, which a program of the repository starts, by a program of our own that hears it (https://japa.dev)."""

import json

from repo_tools.environment.contract import TestCommand
from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_account import unnumbered
from repo_tools.environment.runners.javascript_command import program_of, taken_apart
from repo_tools.environment.runners.javascript_launch import reporter_path
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.javascript_selectors import wanted_of


class JapaRunner(JavaScriptRunner):
    name = "japa"

    def recognises(self, argv: tuple[str, ...]) -> bool:
        """By no words: what the program loads tells."""
        return False

    def order(self, command: TestCommand, selectors: tuple[str, ...]) -> RunOrder:
        script = taken_apart(command.argv)
        wanted = wanted_of(selectors, command.directory)
        ours = json.dumps({"places": wanted.places, "names": [*map(unnumbered, wanted.names)]})
        node, program = program_of(script.words)
        return self.reporting(script, (*node, reporter_path(self.name), ours, *program), wanted)
