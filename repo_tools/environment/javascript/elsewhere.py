"""Scripts that go to other projects of the repository, and start the tests of each there. Pure."""

import re
from collections.abc import Iterator
from posixpath import normpath

from repo_tools.environment.javascript.found import Step
from repo_tools.environment.javascript.script_commands import goes

_GOES = re.compile(r"cd (?P<mark>[\"']?)(?P<folder>(?!-|/|~)[^\s()$\"']+)(?P=mark)")
_INSTALLS = re.compile(r"(?:(?:npm|yarn|pnpm) (?:install|ci|i)|yarn)(?: -[\w=-]+)*")
_TESTS = re.compile(r"(?:npm|yarn|pnpm) (?:run |run-script )?(?:t|tst|test)(?:[ :][^&()]*)?")
_FOLDER = re.compile(r"cd (\S+) && ")
_PLAIN = re.compile(r"(?!-|/|~)[^\s$`\"']+")
_OUTSIDE = (".", "..")


def gone_to_test(parts: list[str]) -> tuple[str, int]:
    """(``cd a && npm test && cd b && npm test``, how many of the first `parts` of a chain come to that): of
    ``cd a && npm test && cd ../b && npm test``, folders from where the chain began. Nothing where what follows is
    carried out in one of them."""
    said: list[str] = []
    here, taken = ".", 0
    while taken < len(parts):
        folder, index = _gone_to(parts, taken, here)
        if index == taken:
            break
        if folder == ".":
            here, taken = folder, index
            continue
        while index < len(parts) and _INSTALLS.fullmatch(parts[index]):
            index += 1
        tests = _TESTS.fullmatch(parts[index]) if index < len(parts) else None
        if not tests or folder.split("/")[0] in _OUTSIDE:
            is_back = index == len(parts) and said
            return (" && ".join(said), index) if is_back else ("", 0)
        said.append(f"cd {folder} && {parts[index]}")
        here, taken = folder, index + 1
    return (" && ".join(said), taken) if said and (here == "." or taken == len(parts)) else ("", 0)


def folders_of(text: str) -> list[str]:
    """Those of what `gone_to_test` says."""
    return _FOLDER.findall(text)


def is_test_script(text: str) -> bool:
    """Whether a manager is told to run a script of tests."""
    return bool(_TESTS.fullmatch(text))


def only_installs(does: list[str]) -> bool:
    """Whether commands install what a folder's manifest asks for, and no more."""
    others = [text for text in does if not goes(text)]
    return len(others) < len(does) and bool(others) and all(map(_INSTALLS.fullmatch, others))


def by_itself(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """What goes elsewhere, in a shell of its own: what builds, and what does not; neither where it does no more."""
    if not any(step.goes for step in steps):
        return steps
    builds = [step for step in steps if not step.is_spare]
    others = [step for step in steps if step.is_spare or step.goes]
    return (*_in_shell(builds, is_spare=False), *_in_shell(others, is_spare=True))


def _in_shell(steps: list[Step], *, is_spare: bool) -> Iterator[Step]:
    if not all(step.goes for step in steps):
        called = tuple(step.text for step in steps if step.is_spare == is_spare)
        yield Step(f"({' && '.join(step.text for step in steps)})", called, is_spare=is_spare)


def is_away(before: list[str]) -> bool:
    """Whether they leave a shell in another folder, as far as that can be told."""
    here = "."
    for folder in (text.removeprefix("cd ").strip(" \"'") for text in before if goes(text)):
        here = normpath(f"{here}/{folder}") if _PLAIN.fullmatch(folder) else "."
    return here != "."


def _gone_to(parts: list[str], index: int, here: str) -> tuple[str, int]:
    """(the folder, the part after all that only go there)."""
    while index < len(parts) and (goes_there := _GOES.fullmatch(parts[index])):
        here, index = normpath(f"{here}/{goes_there['folder']}"), index + 1
    return here, index
