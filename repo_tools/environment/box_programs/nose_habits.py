"""Follows `account` in the test runner's text, for suites that are written for nose: what nose does, and pytest does
not or does no more. Tests that yield tests (pytest runs none since 4.0), and fixtures of plain classes in camel case.

https://nose.readthedocs.io/en/latest/writing_tests.html
"""

import inspect
import re
import unittest
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import pytest

_BEFORE, _AFTER = ("setup", "setUp"), ("teardown", "tearDown")
_BEFORE_CLASS = ("setup_class", "setupClass", "setUpClass", "setup_all", "setupAll", "setUpAll")
_AFTER_CLASS = ("teardown_class", "teardownClass", "tearDownClass", "teardown_all", "teardownAll", "tearDownAll")
_OUTCOMES = (Exception, pytest.skip.Exception)
"""What tests end with: the latter is no Exception."""
_WORD = re.compile(r"[\w .,+-]{1,60}")


def _has_its_own_arguments(function: Any) -> None:
    """Not those of what it wraps, which it fills in: none of them is a fixture."""
    if hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        function.__signature__ = inspect.signature(function, follow_wrapped=False)


class NoseHabits:
    """The plug-in. Fixtures of which pytest knows itself are left to it."""

    def __init__(self) -> None:
        self._classes: dict[type, BaseException | None] = {}
        self._known = {"setup_class", "teardown_class"}
        if int(getattr(pytest, "__version__", "0").partition(".")[0]) < 8:
            self._known |= {"setup", "teardown"}  # https://docs.pytest.org/en/stable/changelog.html#pytest-8-0-0

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: object) -> Any:
        if not issubclass(type(obj), (FunctionType, MethodType)):  # asked itself, a proxy (Flask's `request`) may raise
            return None
        if inspect.isfunction(obj) and not getattr(obj, "__test__", True):  # nose.tools.nottest
            return []
        if inspect.isfunction(obj) and collector.istestfunction(obj, name):
            _has_its_own_arguments(obj)
        if not (inspect.isgeneratorfunction(obj) and collector.istestfunction(obj, name)):
            return None
        holder = collector.obj  # a module, a class, or before pytest 7 an object of it
        owner = holder if inspect.ismodule(holder) or inspect.isclass(holder) else type(holder)
        return list(_items(collector, name, Generator(owner, name)))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        instance = getattr(item, "instance", None)
        if instance is None or isinstance(instance, unittest.TestCase) or inspect.ismodule(instance):
            return
        self._begin_class(type(instance), item.getparent(pytest.Class))
        self._begin(instance, _BEFORE, _AFTER, item)

    def _begin_class(self, owner: type, node: Any) -> None:
        """Once, until `node` ends; where it fails, no test of the class is run."""
        if owner not in self._classes:
            self._classes[owner] = None
            node.addfinalizer(lambda: self._classes.pop(owner))
            try:
                self._begin(owner, _BEFORE_CLASS, _AFTER_CLASS, node)
            except _OUTCOMES as error:
                self._classes[owner] = error
                raise
        if broken := self._classes[owner]:
            raise broken

    def _begin(self, owner: object, before: tuple[str, ...], after: tuple[str, ...], node: Any) -> None:
        first, last = _fixture(owner, before), _fixture(owner, after)
        if first and first.__name__ not in self._known:
            first()
        if last and last.__name__ not in self._known:
            node.addfinalizer(last)


class Generator:
    """A function of the module or class `owner` that yields tests. As nose does it, each test is run before the next
    one is asked for; it is gone through once before, for their names."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner = owner
        self._name = name
        self._running: Iterator[object] = iter(())
        self._asked = 0
        self.labels = self._labels()

    def _labels(self) -> list[str]:
        found: dict[str, None] = {}

        def add(label: str) -> None:
            while label in found:
                label = f"{label}-{len(found)}"
            found[label] = None

        try:
            for test in self._begun():
                add(_label(test) or str(len(found)))
        except _OUTCOMES:  # the last test has the rest
            add(str(len(found)))
        return list(found)

    def _begun(self) -> Iterator[object]:
        holder = self._owner() if inspect.isclass(self._owner) else self._owner
        tests: Iterator[object] = getattr(holder, self._name)()
        return tests

    def run(self, number: int, instance: object) -> None:
        """The test of this number (from 0), and with the last one whatever is left. `instance`: of the class."""
        if not 0 < self._asked <= number:
            self._running, self._asked = self._begun(), 0
        for test in self._running:
            self._asked += 1
            if self._asked > number:
                _run(test, instance)
                break
        else:
            raise AssertionError("fewer tests are yielded than when they were collected")
        if self._asked == len(self.labels):
            for test in self._running:
                _run(test, instance)
            self._asked = 0


class Yielded(pytest.Function):
    """A test that another one yields."""

    generator: Generator
    number: int

    def _getobj(self) -> Any:
        """The generator. Not said when it is made: pytest 9 would leave the label out of the id."""
        self.originalname = self.name.partition("[")[0]
        return super()._getobj()  # type: ignore[no-untyped-call]

    def runtest(self) -> None:
        self.generator.run(self.number, getattr(self.obj, "__self__", None))


def _items(collector: Any, name: str, generator: Generator) -> Iterator[Yielded]:
    make: Any = getattr(Yielded, "from_parent", Yielded)  # of any pytest
    for number, label in enumerate(generator.labels):
        item: Yielded = make(name=f"{name}[{label}]", parent=collector)
        item.generator, item.number = generator, number
        yield item


def _run(test: object, instance: object) -> None:
    function, *arguments = _parts(test)
    if instance is not None:  # of a class: each test has an object of its own, and a method may be named
        name = function if isinstance(function, str) else getattr(function, "__name__", "")
        if isinstance(function, str) or isinstance(getattr(function, "__self__", None), type(instance)):
            function = getattr(instance, name)
    before, after = (getattr(function, name, None) for name in ("setup", "teardown"))  # of nose.tools.with_setup
    if before:
        before()
    try:
        function(*arguments)
    finally:
        if after:
            after()


def _label(test: object) -> str:
    """Of its arguments, as pytest makes the ids of parameters; empty where one has no name."""
    words = [_word(argument) for argument in _parts(test)[1:]]
    return "-".join(words) if all(words) else ""


def _word(value: Any) -> str:
    if isinstance(value, (bool, int, float, type(None))):
        return str(value)
    name = value if isinstance(value, str) else getattr(value, "__name__", "")
    return name if isinstance(name, str) and _WORD.fullmatch(name) else ""


def _parts(test: object) -> tuple[Any, ...]:
    return test if isinstance(test, tuple) else (test,)


def _fixture(owner: object, names: tuple[str, ...]) -> Any:
    return next(filter(callable, (getattr(owner, name, None) for name in names)), None)
