"""Programs of a repository that start a test runner by themselves, through its library: ``node test.js``."""

import json
from dataclasses import replace

from repo_tools.environment.runners.contract import RunOrder
from repo_tools.environment.runners.javascript_command import ScriptCommand
from repo_tools.environment.runners.javascript_launch import launched, reporter_path
from repo_tools.environment.runners.javascript_selectors import Wanted, name_pattern, narrowed


def launched_in_program(script: ScriptCommand, wanted: Wanted, *, reporter: str) -> RunOrder:
    """`script`, with the reporter of that name loaded before it: that puts itself in the place of whatever the program
    asks for, and runs what is wanted."""
    asked = json.dumps({"paths": wanted.places, "pattern": name_pattern(wanted.names)})
    words = (script.words[0], "--require", reporter_path(reporter), *script.words[1:])
    variables = {**script.variables, **narrowed(wanted), "AGENT_FIX_IN_PROGRAM": asked}
    return launched(replace(script, words=words, variables=variables), reporter=reporter)
