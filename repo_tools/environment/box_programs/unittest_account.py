"""The test runner: unittest, or a program that uses it, with a result that says what happens while it happens.

Every line carries the run's nonce, which nothing that has a module's name holds: what a test writes into the pipe is
recognised. Whoever runs tests by `unittest.TextTestRunner` runs them through this one.
"""

# ruff: noqa: N802 - unittest's own names

from __future__ import annotations

import json
import os
import runpy
import sys
import time
import traceback
import unittest
import unittest.runner
from typing import Any

MOST_MESSAGE = 8_000
EMPTY = 5  # as pytest has it
UNEXPECTED = "It succeeded, and was expected to fail."


def main() -> None:
    said, wanted, without, *arguments = sys.argv[1:]
    nonce = os.read(0, 1 << 10)
    os.set_inheritable(int(said), False)

    def lose_the_channel() -> None:
        """A forked child must not write into its parent's account."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, int(said), inheritable=False)
        os.close(nowhere)

    os.register_at_fork(after_in_child=lose_the_channel)

    def say(*words: object) -> None:
        line = nonce + json.dumps(words).encode() + b"\n"
        while line:
            line = line[os.write(int(said), line) :]

    runs: list[int] = []
    choice = Choice(json.loads(wanted), json.loads(without))
    unittest.TextTestRunner = unittest.runner.TextTestRunner = recording(say, choice, runs)  # type: ignore
    if arguments[:2] == ["-m", "zope.testrunner"]:
        record_zope(say, choice, runs)
    load_the_others()
    put_path_in_force()
    code = started(arguments)
    if not sum(runs):
        code = code or EMPTY
    say("end", code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def put_path_in_force() -> None:
    """What the suite wants on Python's path: not before, lest it be in the place of this program's own modules."""
    if path := os.environ.pop("AGENT_FIX_PYTHONPATH", ""):
        os.environ["PYTHONPATH"] = path
        sys.path[:0] = map(os.path.abspath, path.split(os.pathsep))


def started(arguments: list[str]) -> int:
    """Its exit code. `arguments` are those of an interpreter: ``-m unittest …`` or a program of the repository."""
    try:
        if arguments[:2] == ["-m", "unittest"]:
            sys.path.insert(0, os.getcwd())
            sys.argv[:] = ["python -m unittest", *arguments[2:]]
            unittest.main(module=None)
        elif arguments[:1] == ["-m"]:
            sys.path.insert(0, os.getcwd())
            sys.argv[:] = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(os.path.abspath(arguments[0]), run_name="__main__")  # as Python itself says its `__file__`
    except SystemExit as end:
        return int(end.code) if isinstance(end.code, int) else int(end.code is not None)
    return 0


def load_the_others() -> None:
    """A module that cannot be imported is one red test, as where unittest looks for its modules itself: named by a
    program, one that this Python cannot read would end all."""
    load, failed = unittest.TestLoader.loadTestsFromName, unittest.loader._make_failed_import_test  # type: ignore

    def loaded(loader: Any, name: str, module: Any = None) -> Any:
        try:
            return load(loader, name, module)
        except Exception as error:
            if module is not None or name in sys.modules or isinstance(error, unittest.SkipTest):
                raise
            suite, said = failed(name, loader.suiteClass)
            loader.errors.append(said)
            return suite

    unittest.TestLoader.loadTestsFromName = loaded  # type: ignore[assignment, method-assign]


class Choice:
    """Of the tests those that `wanted` name (files, folders, or addresses; none: all), but for the addresses `without`.
    It is true where it is not just all of them."""

    def __init__(self, wanted: list[str], without: list[str]) -> None:
        self._wanted = wanted
        self._without = frozenset(without)

    def __bool__(self) -> bool:
        return bool(self._wanted or self._without)

    def has(self, path: str, identity: str) -> bool:
        if identity in self._without:
            return False
        named = (w in (path, identity) or f"{identity}/".startswith((f"{w}/", f"{w}::")) for w in self._wanted)
        return not self._wanted or any(named)

    def of(self, suite: Any) -> list[Any]:
        if isinstance(suite, unittest.TestSuite):
            return [test for part in suite for test in self.of(part)]
        return [suite] if self.has(*address(suite)) else []


def recording(say: Any, choice: Choice, runs: list[int]) -> type:
    """The runner that says every test, and runs those that are chosen alone. One that a test starts under way is the
    test's own matter: what it tries out may well be red."""
    telling = telling_results(say)
    under_way: list[Any] = []  # results

    def told(run: Any) -> Any:
        def run_and_tell(self: Any, test: Any, *arguments: Any, **named: Any) -> Any:
            if under_way:
                return run(self, test, *arguments, **named)
            chosen = unittest.TestSuite(choice.of(test)) if choice else test
            for maker in ("_makeResult", "resultclass"):  # its own, where a suite has made itself a runner
                if make := getattr(self, maker):
                    setattr(self, maker, telling_maker(make))
            try:
                return run(self, chosen, *arguments, **named)
            finally:
                runs.extend(result.testsRun + len(result.errors) for result in under_way)
                under_way.clear()

        return run_and_tell

    def telling_maker(make: Any) -> Any:
        def made(*arguments: Any, **named: Any) -> Any:
            under_way.append(telling(make(*arguments, **named)))
            return under_way[-1]

        return made

    class Runner(unittest.runner.TextTestRunner):
        run = told(unittest.runner.TextTestRunner.run)

        def __init_subclass__(cls, **named: Any) -> None:
            """One that runs the tests by itself, as that of unittest-xml-reporting, tells of them too."""
            super().__init_subclass__(**named)
            if "run" in cls.__dict__:
                cls.run = told(cls.__dict__["run"])

    return Runner


def record_zope(say: Any, choice: Choice, runs: list[int]) -> None:
    """The same for zope.testrunner (https://zopetestrunner.readthedocs.io/), which has no runner of unittest's: modules
    that cannot be imported and layers that cannot be set up are told too, and layers that cannot be torn down stay,
    where it would go on in another process."""
    from zope.testrunner import runner as zope  # type: ignore[import-not-found]  # noqa: PLC0415 - the project's own

    telling, make, every = telling_results(say), zope.TestResult, zope.Runner.run_tests
    torn_down = zope.tear_down_unneeded

    def run_all(runner: Any) -> None:
        lost = [(file_of(each.module), each.exc_info) for each in runner.import_errors]
        told = [(path, error) for path, error in lost if choice.has(path, path)]
        runner.import_errors[:] = told
        layers = runner.tests_by_layer_name
        for name in list(layers) if choice else ():
            layers[name] = choice.of(layers[name])
            if not layers[name]:
                del layers[name]
        every(runner)
        told += [(str(layer), error) for layer, error in runner.errors if not isinstance(error, str)]
        for path, error in told:
            say("case", path, path, "error", 0.0, "".join(traceback.format_exception(*error))[-MOST_MESSAGE:])
        runs.append(runner.ran + len(told))

    zope.TestResult = lambda *arguments, **named: telling(make(*arguments, **named))
    zope.Runner.run_tests = run_all
    zope.tear_down_unneeded = lambda *arguments, **named: torn_down(*arguments, **{**named, "optional": True})


def telling_results(say: Any) -> Any:
    """What makes a result say what happens to it."""

    class Result(unittest.TestResult):
        began = 0.0
        worst = ""
        shown = ""

        def startTest(self, test: Any) -> None:
            self.began, self.worst, self.shown = time.monotonic(), "", ""
            say("began", address(test)[1])
            super().startTest(test)

        def stopTest(self, test: Any) -> None:
            super().stopTest(test)
            if isinstance(sys.exc_info()[1], KeyboardInterrupt):
                return  # it ends the run
            say("case", *address(test), self.worst or "passed", time.monotonic() - self.began, self.shown)

        def note(self, test: Any, outcome: str, shown: str) -> None:
            if not hasattr(test, "_testMethodName"):  # a class or a module that cannot be set up has no test of its own
                say("case", *address(test), outcome, 0.0, shown[-MOST_MESSAGE:])
            elif self.worst in ("", "skipped"):
                self.worst, self.shown = outcome, shown[-MOST_MESSAGE:]

        def addError(self, test: Any, err: Any) -> None:
            super().addError(test, err)
            self.note(test, "error", self.errors[-1][1])

        def addFailure(self, test: Any, err: Any) -> None:
            super().addFailure(test, err)
            self.note(test, "failed", self.failures[-1][1])

        def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
            super().addSubTest(test, subtest, err)
            if err is not None:
                found = self.failures if issubclass(err[0], test.failureException) else self.errors
                self.note(test, "failed", found[-1][1])

        def addSkip(self, test: Any, reason: str) -> None:
            super().addSkip(test, reason)
            if getattr(test, "test_case", None) is None:  # a part of a test that goes on
                self.note(test, "skipped", reason)

        def addExpectedFailure(self, test: Any, err: Any) -> None:
            super().addExpectedFailure(test, err)
            self.note(test, "skipped", "")

        def addUnexpectedSuccess(self, test: Any) -> None:
            super().addUnexpectedSuccess(test)
            self.note(test, "failed", UNEXPECTED)

    def telling(result: Any) -> Any:
        if not isinstance(result, Result):
            result.__class__ = type("Result", (Result, type(result)), {})
        return result

    return telling


def address(test: Any) -> tuple[str, str]:
    """(file, file::Class::test) of a test; of a module that cannot be imported its file."""
    name = getattr(test, "_testMethodName", "")
    examples = getattr(test, "_dt_test", None)  # of a docstring: as pytest has it, file::module.function
    if examples is not None:
        path = within(os.path.abspath(str(examples.filename))) or str(examples.filename)
        return path, f"{path}::{examples.name}"
    if type(test).__name__ == "_FailedTest":
        path = file_of(name) or name
        return path, path
    if not name:  # ``setUpClass (package.module.Class)``
        what, _, owner = str(getattr(test, "description", test)).partition(" (")
        module, names = split(owner.rstrip(")"))
        path = file_of(module)
        return path, "::".join([path, *names, what])
    path = file_of(type(test).__module__)
    return path, f"{path}::{'::'.join(type(test).__qualname__.split('.'))}::{name}"


def split(dotted: str) -> tuple[str, list[str]]:
    """(module, names in it)."""
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        if ".".join(parts[:end]) in sys.modules:
            return ".".join(parts[:end]), parts[end:]
    return dotted, []


def file_of(module: str) -> str:
    """Relative to the repository; the name itself where there is none."""
    place = getattr(sys.modules.get(module), "__file__", None)
    if place is None:
        guessed = module.replace(".", "/") + ".py"
        found = [path for path in (guessed, f"src/{guessed}", f"tests/{guessed}") if os.path.isfile(path)]
        place = os.path.abspath(found[0]) if found else ""
    return within(place) or module


def within(place: str) -> str:
    """Relative to the repository; empty where it lies outside."""
    top = os.environ.get("AGENT_FIX_TOP", os.getcwd())
    return os.path.relpath(place, top) if place.startswith(f"{top}/") else ""


if __name__ == "__main__":
    main()
