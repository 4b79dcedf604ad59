"""The commands of a script, in the order in which they stand."""

from repo_tools.environment.shell.parse import parse
from repo_tools.environment.shell.walk import programs_in


def test_those_in_blocks_are_found_too_in_their_order() -> None:
    text = "a && (b; c) | d\nif e; then f; elif g; then h; else i; fi\nfor x in y; do j; done & k() { { l; }; }\n"
    text += "while m; do n; done\ncase o in p) q ;; esac\nr $(s)\n"
    found = [command.text for command in programs_in(parse(text).body)]
    assert " ".join(found) == "a b c d e f g h i j l m n q r $(s)"
