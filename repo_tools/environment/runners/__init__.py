"""The test runners that the harness understands, by name. The first that recognises a command line runs it."""

from repo_tools.environment.runners.automake import AutomakeRunner
from repo_tools.environment.runners.ava import AvaRunner
from repo_tools.environment.runners.bun_test import BunTestRunner
from repo_tools.environment.runners.cargo import CargoDocRunner, CargoRunner
from repo_tools.environment.runners.contract import SuiteRunner
from repo_tools.environment.runners.ctest import CTestRunner
from repo_tools.environment.runners.exit_code import ExitCodeRunner
from repo_tools.environment.runners.go_test import GoTestRunner
from repo_tools.environment.runners.japa import JapaRunner
from repo_tools.environment.runners.jasmine import JasmineRunner
from repo_tools.environment.runners.jasmine_node import JasmineNodeRunner
from repo_tools.environment.runners.javascript_runner import JavaScriptRunner
from repo_tools.environment.runners.jest import JestRunner
from repo_tools.environment.runners.karma import KarmaRunner
from repo_tools.environment.runners.lab import LabRunner
from repo_tools.environment.runners.meson import MesonRunner
from repo_tools.environment.runners.minitest import MinitestRunner, TestUnitRunner
from repo_tools.environment.runners.mocha import MochaRunner
from repo_tools.environment.runners.nextest import NextestRunner
from repo_tools.environment.runners.node_tap import NodeTapRunner
from repo_tools.environment.runners.node_test import NodeTestRunner
from repo_tools.environment.runners.nodeunit import NodeunitRunner
from repo_tools.environment.runners.pytest import NoseRunner, PytestRunner
from repo_tools.environment.runners.qunit import QUnitRunner
from repo_tools.environment.runners.rspec import RspecRunner
from repo_tools.environment.runners.surefire import GradleRunner, MavenRunner
from repo_tools.environment.runners.tap import TapRunner
from repo_tools.environment.runners.unittest import UnittestRunner
from repo_tools.environment.runners.uvu import UvuRunner
from repo_tools.environment.runners.vitest import VitestRunner
from repo_tools.environment.runners.vows import VowsRunner

_ALL: tuple[SuiteRunner, ...] = (
    PytestRunner(),
    NoseRunner(),
    UnittestRunner(),
    MochaRunner(),
    JestRunner(),
    JasmineRunner(),
    JasmineNodeRunner(),
    QUnitRunner(),
    UvuRunner(),
    JapaRunner(),
    VowsRunner(),
    LabRunner(),
    KarmaRunner(),
    NodeunitRunner(),
    VitestRunner(),
    NodeTestRunner(),
    BunTestRunner(),
    AvaRunner(),
    TapRunner(),
    NodeTapRunner(),
    GoTestRunner(),
    NextestRunner(),
    CargoDocRunner(),
    CargoRunner(),
    MavenRunner(),
    GradleRunner(),
    RspecRunner(),
    MinitestRunner(),
    TestUnitRunner(),
    CTestRunner(),
    MesonRunner(),
    AutomakeRunner(),
    ExitCodeRunner(),
)

RUNNERS: dict[str, SuiteRunner] = {runner.name: runner for runner in _ALL}
JAVASCRIPT = frozenset(runner.name for runner in _ALL if isinstance(runner, JavaScriptRunner))


def recognise(argv: tuple[str, ...]) -> str:
    """The name of the runner that understands this command's results; ``exit_code`` where none does."""
    return next(runner.name for runner in _ALL if runner.recognises(argv))
