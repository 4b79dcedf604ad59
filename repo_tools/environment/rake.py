"""What a Rakefile's test task says of its tests, as far as it stands there in plain words. Pure: nothing is run.

https://ruby.github.io/rake/Rake/TestTask.html
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_TASK = re.compile(r"^[ \t]*(?:Rake|Minitest)::TestTask\.(?:new|create)\b[^\n\w:'\"]{0,9}[:'\"]{0,2}(\w*)[^\n]*$", re.M)
_BY_ITSELF = re.compile(r"Rake::TestTask\.new(?:[ \t]+|\()?(?:[:'\"]test['\"]?)?\)?")
_OF_RAKE = "test/test*.rb"
"""What it takes where it is told nothing."""
_END = re.compile(r"^end\b", re.MULTILINE)
_SET = re.compile(r"^[ \t]*\w+\.(libs|pattern|test_files|test_globs)\b([^\n\[]*(?:\[[^\]]*\])?[^\n]*)", re.MULTILINE)
_EXCLUDED = re.compile(r"\.exclude\b([^\n]*)")
_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|%w[\[({]([^\])}]*)")
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
_MOST_CHARACTERS = 3_000
_MOST_GLOBS = 20
_MOST_ALTERNATIVES = 2


@dataclass(frozen=True)
class TestTask:
    """`libs` stand on the load path; `globs` and `excluded` as Ruby's `Dir.glob` takes them."""

    __test__ = False

    libs: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        return _matches(path, self.globs) and not _matches(path, self.excluded)

    def excludes(self, path: str) -> bool:
        return _matches(path, self.excluded)

    @property
    def takes_any_name(self) -> bool:
        return any(glob.endswith("/*.rb") for glob in self.globs)


def test_task(rakefile: str) -> TestTask:
    """The task called ``test``, or by no name, which is the same."""
    found = next((task for task in _TASK.finditer(rakefile) if task[1] in ("", "test", "do", "t")), None)
    if found is None or not re.search(r"\bdo\b|\{", found[0]):
        return TestTask(globs=(_OF_RAKE,)) if found and _BY_ITSELF.fullmatch(found[0].strip()) else TestTask()
    body = rakefile[found.end() : found.end() + _MOST_CHARACTERS]
    end = _END.search(body)
    body = body[: end.start()] if end else body
    libs: list[str] = []
    globs: list[str] = []
    for name, value in _SET.findall(body):
        plain = [word for word in _words(value.partition(".exclude")[0]) if "#{" not in word]
        (libs if name == "libs" else globs).extend(plain)
    excluded = [word for value in _EXCLUDED.findall(body) for word in _words(value)]
    return TestTask(tuple(dict.fromkeys(libs)), tuple(globs[:_MOST_GLOBS]), tuple(excluded[:_MOST_GLOBS]))


def _words(text: str) -> Iterator[str]:
    for one, other, several in _QUOTED.findall(text.split("#", 1)[0] if "#{" not in text else text):
        yield from several.split() or filter(None, (one or other,))


def _matches(path: str, globs: Iterable[str]) -> bool:
    return any(_part_matches(path.split("/"), glob.removeprefix("./").split("/")) for glob in globs)


def _part_matches(path: list[str], glob: list[str]) -> bool:
    """By parts, each reached place of the glob once, so that no pattern takes long."""
    reached = {0}
    for number, part in enumerate(path):
        reached |= {place + 1 for place in reached if place < len(glob) - 1 and glob[place] == "**"}
        last = number == len(path) - 1
        step = set[int]()
        for place in reached:
            if place < len(glob) and glob[place] == "**" and not last:
                step.add(place)
            elif place < len(glob) and _name_matches(part, glob[place]):
                step.add(place + 1)
        reached = step
    return len(glob) in reached


def _name_matches(name: str, glob: str) -> bool:
    if glob.count("{") > _MOST_ALTERNATIVES:
        return False
    if found := _ALTERNATIVES.search(glob):
        return any(_name_matches(name, glob.replace(found[0], one, 1)) for one in found[1].split(",")[:_MOST_GLOBS])
    first, *others = glob.split("*")
    if not others:
        return name == glob
    if not name.startswith(first):
        return False
    place = len(first)
    for part in others[:-1]:
        place = name.find(part, place)
        if place < 0:
            return False
        place += len(part)
    return name.endswith(others[-1]) and len(name) - len(others[-1]) >= place
