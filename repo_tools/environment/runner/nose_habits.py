"""Follows `account` in the test runner's text, for suites that are written for nose: what nose does, and pytest does
not or does no more. Tests that yield tests (pytest runs none since 4.0), and fixtures of plain classes in camel case.

https://nose.readthedocs.io/en/latest/writing_tests.html
"""

import inspect
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import pytest

_BEFORE, _AFTER = ("setup", "setUp"), ("teardown", "tearDown")
_BEFORE_CLASS = ("setup_class", "setupClass", "setUpClass", "setup_all", "setupAll", "setUpAll")
_AFTER_CLASS = ("teardown_class", "teardownClass", "tearDownClass", "teardown_all", "teardownAll", "tearDownAll")


class Yielded(pytest.Function):
    """A test that another one yields."""

    _obj: Any

    def _getobj(self) -> Any:
        """What it was made of. In a class pytest before 7 would take what has its name instead: the generator."""
        return self._obj


class NoseHabits:
    """The plug-in. Fixtures of which pytest knows itself are left to it."""

    def __init__(self) -> None:
        self._begun: set[type] = set()
        self._known = {"setup_class", "teardown_class"}
        if int(getattr(pytest, "__version__", "0").partition(".")[0]) < 8:
            self._known |= {"setup", "teardown"}  # https://docs.pytest.org/en/stable/changelog.html#pytest-8-0-0

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: object) -> Any:
        if not (inspect.isgeneratorfunction(obj) and collector.istestfunction(obj, name)):
            return None
        holder = collector.obj  # a module, a class, or before pytest 7 an object of it
        owner = holder if inspect.ismodule(holder) or inspect.isclass(holder) else type(holder)
        return [_item(collector, f"{name}[{i}]", obj, call) for i, call in enumerate(_yielded(owner, name))]

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: Any) -> None:
        instance = getattr(item, "instance", None)
        if instance is None or isinstance(instance, unittest.TestCase) or inspect.ismodule(instance):
            return
        if type(instance) not in self._begun:
            self._begun.add(type(instance))
            self._begin(type(instance), _BEFORE_CLASS, _AFTER_CLASS, item.getparent(pytest.Class))
        if not isinstance(item, Yielded):
            self._begin(instance, _BEFORE, _AFTER, item)

    def _begin(self, owner: object, before: tuple[str, ...], after: tuple[str, ...], node: Any) -> None:
        first, last = _fixture(owner, before), _fixture(owner, after)
        if last and last.__name__ not in self._known:
            node.addfinalizer(last)
        if first and first.__name__ not in self._known:
            first()


def _yielded(owner: Any, name: str) -> Iterator[Callable[[], object]]:
    """The tests that a generator of a module or a class yields. What it raises on the way is one that fails."""
    instance = owner() if inspect.isclass(owner) else None
    try:
        for test in getattr(owner if instance is None else instance, name)():
            function, *arguments = test if isinstance(test, tuple) else (test,)
            yield _of_class(owner, instance, function, arguments) if instance else _of_module(function, arguments)
    except (Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - whatever tests raise
        yield _raising(error)


def _of_module(function: Any, arguments: list[object]) -> Callable[[], object]:
    def call() -> None:
        function(*arguments)

    for fixture in ("setup", "teardown"):  # of nose.tools.with_setup: older pytests know them
        if hasattr(function, fixture):
            setattr(call, fixture, getattr(function, fixture))
    return call


def _of_class(owner: Any, instance: object, function: Any, arguments: list[object]) -> Callable[[], object]:
    """Each with an object of its own. A method may be named instead."""
    name = function if isinstance(function, str) else function.__name__
    is_method = isinstance(function, str) or getattr(function, "__self__", None) is instance

    def call() -> None:
        fresh = owner()
        first, last = _fixture(fresh, _BEFORE), _fixture(fresh, _AFTER)
        if first:
            first()
        try:
            (getattr(fresh, name) if is_method else function)(*arguments)
        finally:
            if last:
                last()

    return call


def _raising(error: BaseException) -> Callable[[], object]:
    def call() -> None:
        raise error

    return call


def _fixture(owner: object, names: tuple[str, ...]) -> Any:
    return next(filter(callable, (getattr(owner, name, None) for name in names)), None)


def _item(collector: Any, name: str, generator: Any, call: Any) -> Any:
    """Of any pytest. It stands where the generator does."""
    call.__module__, call.compat_co_firstlineno = generator.__module__, generator.__code__.co_firstlineno
    return getattr(Yielded, "from_parent", Yielded)(name=name, parent=collector, callobj=call)
