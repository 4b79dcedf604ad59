"""The test runner: pytest, with a plug-in that says what happens while it happens.

`ran` is what the plug-in saw with its own eyes (whether a phase raised); `reported` what pytest made of it. The result
file goes into a pipe: what is written cannot be read again or altered. Nothing of this can be reached by a module's
name, the nonce in front of each line least of all.
"""

from __future__ import annotations

import json
import os
import sys
import time
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Generator
from contextlib import suppress
from importlib import import_module
from types import TracebackType
from typing import Any

import pytest

_MOST_FILES = 500
"""That are kept parsed."""
_LONGEST_END = 20
"""Seconds that the process may take once all is told."""


def main(*plugins: object) -> None:
    """`plugins`: others, for suites that rely on them."""
    said, results, without, own, *arguments = sys.argv[1:]
    nonce = os.read(0, 1 << 10)
    # Bound before any test: one that puts another file system in place (pyfakefs) alters what these names stand for.
    text_of, write, open_, duplicate, close = json.dumps, os.write, os.open, os.dup2, os.close
    # Programs that are tested read it, too: what it has is what a person would have typed.
    sys.argv[:] = [os.path.join(os.path.dirname(sys.executable), "pytest"), *arguments[: int(own)]]
    if os.path.isfile(sys.argv[0]):
        sys.modules["__main__"].__file__ = sys.argv[0]  # what a process that is spawned would import
    for descriptor in (said, results):
        os.set_inheritable(int(descriptor), False)

    def lose_the_channel() -> None:
        """A forked child must not write into its parent's accounts, a second report least of all."""
        nowhere = open_("/dev/null", 1)  # O_WRONLY
        for descriptor in (said, results):
            duplicate(nowhere, int(descriptor), inheritable=False)
        close(nowhere)

    os.register_at_fork(after_in_child=lose_the_channel)

    def say(*words: object) -> None:
        words = tuple(map(plain, words))
        line = nonce + text_of(words).encode() + b"\n"
        while line:
            line = line[write(int(said), line) :]

    ended: list[int] = []

    def end(code: int) -> None:
        if not ended:
            ended.append(code)
            say("end", code)

    shown: Any = sys.modules.get("_pytest._code.code")
    if hasattr(shown, "getstatementrange_ast"):
        shown.getstatementrange_ast = each_once(shown.getstatementrange_ast)
    arguments[int(own) :] = known_to(getattr(pytest, "__version__", ""), arguments[int(own) :])
    leave, sleep, start, ready = os._exit, time.sleep, start_new_thread, allocate_lock()
    put_path_in_force(1)
    plugins = (account(say, end), LeavingOut(json.loads(without)), *plugins)
    code = int(pytest.main([f"--junit-xml=/proc/self/fd/{results}", *arguments], plugins=[*plugins]))
    end(code)
    ready.acquire()
    start(leave_later, (code, leave, sleep, ready.release))
    ready.acquire(timeout=_LONGEST_END)  # a thread that begins, or writes, when the interpreter is gone crashes
    sys.exit(code)


def put_path_in_force(place: int) -> None:
    """What the suite wants on Python's path, from `place` on: not before, lest it be in the place of this program's own
    modules."""
    if path := os.environ.pop("AGENT_FIX_PYTHONPATH", ""):
        os.environ["PYTHONPATH"] = path
        sys.path[place:place] = map(os.path.abspath, path.split(os.pathsep))


def leave_later(
    code: int, leave: Callable[[int], None], sleep: Callable[[float], None], ready: Callable[[], None]
) -> None:
    """Threads that tests have left running, and that are no daemons, are waited for without an end: the results of a
    whole suite would be lost by them. https://docs.python.org/3/library/threading.html#thread-objects"""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # whatever tests may have put in its place
            stream.flush()
    ready()
    sleep(_LONGEST_END)
    leave(code)


def each_once(search: Callable[..., Any]) -> Callable[..., Any]:
    """`search` (pytest's, for the statement of a line), which parses the whole file for each frame of each failure:
    nine tenths of the time of a suite of which hundreds of tests fail in a library. Equal lines have equal answers."""
    known: dict[tuple[str, ...], dict[int, Any]] = {}

    def once(lineno: int, source: Any, assertion: bool = False, astnode: Any = None) -> Any:
        if len(known) > _MOST_FILES:
            known.clear()
        found = known.setdefault(tuple(source.lines), {})
        if lineno not in found:
            tree = next((whole for whole, *_ in found.values()), astnode)  # one for all lines of a file: it is large
            found[lineno] = search(lineno, source, assertion, tree)
        return found[lineno]

    return once


def plain(word: object) -> object:
    """An id as the result file has it: before pytest 4 a class's instance stood in it (``a.py::Test::()::test``)."""
    return word.replace("::()", "") if isinstance(word, str) and "[" not in word.partition("::()")[0] else word


def known_to(version: str, arguments: list[str]) -> list[str]:
    """Of the harness's own `arguments` those that pytest of this version takes: it may be told its root since 3.5
    (https://docs.pytest.org/en/stable/changelog.html#pytest-3-5-0-2018-03-21), and finds it by itself before. One that
    lies in a work tree may not know its version."""
    old = version.startswith(("2.", *(f"3.{minor}." for minor in range(5))))
    return [each for each in arguments if not (old and each.startswith("--rootdir="))]


def blamed(manager: Any, traceback: TracebackType | None) -> str:
    """The plug-in of an installed package that was at work where an error ended pytest; empty where none was."""
    plugins = ((str(getattr(plugin, "__name__", "")), plugin) for plugin, _ in manager.list_plugin_distinfo())
    names = {name.partition(".")[0]: str(manager.get_name(plugin)) for name, plugin in plugins}
    found = ""
    while traceback:
        module = str(traceback.tb_frame.f_globals.get("__name__"))
        found = names.get(module.partition(".")[0], found)
        traceback = traceback.tb_next
    return found


def unless_imported(main: Any) -> Callable[..., Any]:
    """`main` (unittest's), but nothing for a file that calls it as it is imported, since it was written to be run as a
    program: it would read the runner's own arguments, and end the import."""

    def started(*arguments: Any, **named: Any) -> Any:
        caller = sys._getframe(1)
        imported = caller.f_code.co_name == "<module>" and caller.f_globals.get("__name__") != "__main__"
        return None if imported else main(*arguments, **named)

    return started


class LeavingOut:
    """The plug-in that leaves out tests, and files of tests, of these ids."""

    def __init__(self, ids: list[str]) -> None:
        self._ids = frozenset(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Any:
        if collector.nodeid in self._ids:
            return import_module("_pytest.runner").CollectReport(collector.nodeid, "passed", None, [])
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if plain(item.nodeid) not in self._ids]


def account(say: Callable[..., None], end: Callable[[int], None]) -> object:
    """The plug-in. With pytest-xdist the phases run in other processes, and only `reported` is said."""

    failed: set[tuple[str, str]] = set()  # a phase that is run again and passes must be said, too

    def watched(when: str) -> Any:
        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def phase(self: object, item: pytest.Item) -> Generator[None, Any, None]:  # noqa: ARG001 - a method
            outcome = yield
            raised = outcome.excinfo is not None
            if raised or when == "call" or (item.nodeid, when) in failed:
                say("ran", item.nodeid, when, raised)
            if raised:
                failed.add((item.nodeid, when))

        return phase

    class Account:
        manager: Any = None

        def pytest_configure(self, config: pytest.Config) -> None:
            self.manager = config.pluginmanager
            if not self.manager.hasplugin("junitxml"):  # `-p no:junitxml`: its options are known all the same
                import_module("_pytest.junitxml").pytest_configure(config)

        def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
            if self.manager and (name := blamed(self.manager, excinfo.tb)):
                say("blamed", name)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, None]:
            say("loads", collector.nodeid)
            program: Any = import_module("unittest").TestProgram  # which `main` is another name of
            start = program.__init__
            program.__init__ = unless_imported(start)
            outcome = yield
            program.__init__ = start
            if outcome.excinfo is None:  # else it ends the run
                say("loaded", collector.nodeid)

        pytest_runtest_setup = watched("setup")
        pytest_runtest_call = watched("call")
        pytest_runtest_teardown = watched("teardown")

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            say("began", nodeid)

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.outcome == "skipped" and hasattr(report, "context"):
                return  # a subtest of a test that goes on, and says itself how it ended
            if report.when == "call" or report.outcome != "passed":
                say("reported", report.nodeid, report.when, report.outcome)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, None]:
            say("finishing")
            outcome = yield  # the results are written by now: some suites leave by `os._exit` in a later hook
            if outcome.excinfo is None:  # else the exit code is not settled yet
                end(int(session.exitstatus))

    return Account()
