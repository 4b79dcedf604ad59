"""Where another command of a script's shell tells which program to start: ``$(yarn bin jest)``. Pure."""

import re

from repo_tools.environment.runners.javascript_command import RUN_BY_NODE

_PLACES = {"bin": "node_modules/.bin", "root": "node_modules", "prefix": "."}
"""https://docs.npmjs.com/cli/v8/commands/npm-bin, npm-root, npm-prefix"""
_TELLS = re.compile(
    r"(?:npm|yarn|pnpm)(?: -s| --silent)? (?P<place>bin|root|prefix)(?: -s| --silent)?(?: (?P<program>[\w.-]+))?"
    rf"|(?:which|command -v) (?P<found>{'|'.join((*RUN_BY_NODE, 'istanbul'))})"
)


def told_place(command: str) -> str:
    """What ``npm bin``, ``yarn bin mocha`` and ``which mocha`` say (``node_modules/.bin/mocha``); empty where it is
    another command."""
    told = _TELLS.fullmatch(command)
    if told is None:
        return ""
    program = told["found"] or told["program"]
    place = _PLACES[told["place"] or "bin"]
    return f"{place}/{program}" if program else place
