"""What a Python suite uses and no list for tests names: well-known libraries by their imports, pytest's plug-ins by
their fixtures and markers, and what one of the project's own extras has for its users.

Only what stands in the tables below, or in an extra, is ever installed: a name that somebody imports is no proof that
the distribution of that name is what they mean. An import that the suite can do without (in a ``try``, behind
``TYPE_CHECKING``, after ``importorskip``) counts for nothing.
"""

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.folders import TESTS
from repo_tools.environment.python.metadata import name_and_entry_points
from repo_tools.environment.python.own_modules import files_of, own_modules
from repo_tools.environment.python.pytest_settings import read_pytest_settings
from repo_tools.environment.python.reached import needed_at_once
from repo_tools.environment.python.syntax import parsed, written

MOST_FILES = 400
MAX_BYTES = 300_000

_SAME_NAME = frozenset(
    (
        *("aiofiles", "aiohttp", "aioresponses", "anyio", "appdirs", "arrow", "asgiref", "async_timeout", "attrs"),
        *("babel", "black", "blinker", "boto3", "botocore", "bottle", "cachetools", "celery", "certifi", "cffi"),
        *("chardet", "charset_normalizer", "click", "cloudpickle", "colorama", "coverage", "cryptography", "curio"),
        *("cython", "ddt", "decorator", "deepdiff", "defusedxml", "dill", "dirty_equals", "distro", "django"),
        *("docker", "docutils", "ephemeral_port_reserve", "exceptiongroup", "execnet", "expecttest", "fakeredis"),
        *("falcon", "fastapi", "feedparser", "filelock", "fixtures", "flaky", "flask", "freezegun", "gevent"),
        *("greenlet", "gunicorn", "h2", "html5lib", "httpbin", "httpcore", "httpretty", "httpx", "hypothesis"),
        *("idna", "inflect", "iniconfig", "invoke", "itsdangerous", "jinja2", "jmespath", "jsonschema", "lxml"),
        *("mako", "markdown", "markupsafe", "marshmallow", "matplotlib", "mock", "moto", "msgpack", "mypy"),
        *("networkx", "nose", "nose2", "numpy", "orjson", "oslotest", "outcome", "packaging", "pandas"),
        *("parameterized", "paramiko", "peewee", "pem", "pexpect", "pip", "platformdirs", "pluggy", "ply"),
        *("polyfactory", "portpicker", "pretend", "psutil", "py", "pycparser", "pydantic", "pyfakefs", "pygments"),
        *("pyhamcrest", "pymongo", "pympler", "pymysql", "pyparsing", "pyperclip", "pyperf", "pytz", "redis"),
        *("regex", "requests", "requests_mock", "responses", "respx", "rich", "sanic", "scipy", "semver"),
        *("setuptools", "sh", "simplejson", "six", "snapshottest", "sniffio", "sortedcontainers", "sphinx"),
        *("sqlalchemy", "starlette", "stevedore", "structlog", "sybil", "tabulate", "tblib", "tenacity"),
        *("termcolor", "testfixtures", "testtools", "time_machine", "toml", "tomli", "tomli_w", "tomlkit", "toolz"),
        *("tornado", "tox", "tqdm", "treq", "trio", "trustme", "twisted", "typeguard", "typing_extensions"),
        *("tzdata", "tzlocal", "ujson", "urllib3", "uvicorn", "uvloop", "vcrpy", "virtualenv", "voluptuous"),
        *("waitress", "watchdog", "websockets", "webtest", "werkzeug", "wheel", "wrapt", "xmlschema", "xmltodict"),
        *("yarl", "zeep", "zstandard"),
    )
)
_OTHER_NAMES = {
    "attr": "attrs", "bs4": "beautifulsoup4", "Crypto": "pycryptodome", "Cython": "cython", "cv2": "opencv-python",
    "dateutil": "python-dateutil", "dotenv": "python-dotenv", "factory": "factory-boy", "faker": "Faker",
    "flask_sqlalchemy": "Flask-SQLAlchemy", "git": "GitPython", "google.protobuf": "protobuf", "hamcrest": "pyhamcrest",
    "jwt": "PyJWT", "magic": "python-magic", "mimesis": "mimesis", "nacl": "PyNaCl", "OpenSSL": "pyOpenSSL",
    "PIL": "pillow", "pkg_resources": "setuptools<81", "psycopg2": "psycopg2-binary", "pydantic_core": "pydantic-core",
    "rest_framework": "djangorestframework", "serial": "pyserial", "skimage": "scikit-image", "sklearn": "scikit-learn",
    "slugify": "python-slugify", "socks": "PySocks", "unittest2": "unittest2", "vcr": "vcrpy", "xdist": "pytest-xdist",
    "yaml": "pyyaml", "zmq": "pyzmq", "zope.interface": "zope.interface", "zope.component": "zope.component",
    "zope.testing": "zope.testing", "jaraco.itertools": "jaraco.itertools", "jaraco.functools": "jaraco.functools",
    "jaraco.path": "jaraco.path", "jaraco.test": "jaraco.test", "pytest_django": "pytest-django",
    "pytest_asyncio": "pytest-asyncio", "pytest_mock": "pytest-mock", "pytest_httpserver": "pytest-httpserver",
    "pytest_lazyfixture": "pytest-lazyfixture", "pytest_benchmark": "pytest-benchmark", "syrupy": "syrupy",
    "inline_snapshot": "inline-snapshot", "big_o": "big-O", "more_itertools": "more-itertools",
    "importlib_metadata": "importlib-metadata", "importlib_resources": "importlib-resources",
    "backports.zoneinfo": "backports.zoneinfo", "jose": "python-jose", "pytest_subtests": "pytest-subtests",
    "pyximport": "cython", "service_identity": "service-identity", "strict_rfc3339": "strict-rfc3339",
}  # fmt: skip
_OF_FIXTURE = {
    "mocker": "pytest-mock", "class_mocker": "pytest-mock", "module_mocker": "pytest-mock",
    "session_mocker": "pytest-mock", "benchmark": "pytest-benchmark", "freezer": "pytest-freezer",
    "httpx_mock": "pytest-httpx", "requests_mock": "requests-mock", "httpserver": "pytest-httpserver",
    "faker": "Faker", "respx_mock": "respx", "event_loop": "pytest-asyncio", "aiohttp_client": "pytest-aiohttp",
    "file_regression": "pytest-regressions", "data_regression": "pytest-regressions", "snapshot": "syrupy",
    "num_regression": "pytest-regressions", "datadir": "pytest-datadir", "shared_datadir": "pytest-datadir",
    "fs": "pyfakefs", "httpbin": "pytest-httpbin", "cli_runner": "pytest-click", "script_runner":
    "pytest-console-scripts", "fp": "pytest-subprocess", "fake_process": "pytest-subprocess", "time_machine":
    "time-machine", "django_user_model": "pytest-django", "xprocess": "pytest-xprocess", "celery_app": "pytest-celery",
    "testapp": "webtest", "unused_tcp_port": "pytest-asyncio", "lazy_fixture": "pytest-lazy-fixture",
}  # fmt: skip
_OF_MARKER = {
    "asyncio": "pytest-asyncio", "anyio": "anyio", "trio": "pytest-trio", "timeout": "pytest-timeout",
    "django_db": "pytest-django", "vcr": "pytest-recording", "benchmark": "pytest-benchmark",
    "httpx_mock": "pytest-httpx", "freeze_time": "pytest-freezer", "flaky": "pytest-rerunfailures",
    "repeat": "pytest-repeat", "dependency": "pytest-dependency", "order": "pytest-order", "run": "pytest-ordering",
    "curio": "pytest-curio", "gevent": "pytest-gevent",
}  # fmt: skip
_INSTEAD = {
    "pytest-benchmark": ("pytest-codspeed",), "pytest-datadir": ("pytest-datadir-ng", "pytest-regressions"),
    "pytest-freezer": ("pytest-freezegun",), "pytest-httpserver": ("pytest-localserver",),
    "pytest-lazy-fixture": ("pytest-lazy-fixtures",), "pytest-order": ("pytest-ordering",),
    "pytest-recording": ("pytest-vcr",), "pytest-rerunfailures": ("flaky",),
    "syrupy": ("pytest-snapshot", "snapshottest"),
}  # fmt: skip
"""Others that have the same fixtures or markers: of two of them at once pytest often starts with neither."""
_NAMESPACES = frozenset(name.partition(".")[0] for name in _OTHER_NAMES if "." in name)
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
"""Where an import or a function can stand; expressions, which are ten times as many, hold none."""
_GUARDS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "AttributeError", "SyntaxError"})


@dataclass
class Used:
    """What test files use: dotted names that they import, fixtures they ask for, markers; and fixtures that they
    define. Without the names in `skipped_for` they skip tests."""

    imports: set[str] = field(default_factory=set)
    skipped_for: set[str] = field(default_factory=set)
    fixtures: set[str] = field(default_factory=set)
    markers: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)


def undeclared(
    tree: Tree,
    read: ReadFile,
    test_files: Iterable[str],
    declared: frozenset[str],
    extras: Mapping[str, str] | None = None,
) -> tuple[str, ...]:
    """Requirements of `test_files`, and of the helpers that they import, that are not among the normal names
    `declared`, sorted. `extras`: by such names, what the project has for users who want more of it."""
    test_files, extras = tuple(test_files), extras or {}
    used = used_by(tree, read, test_files)
    own = own_modules(tree)
    by_import = {_distribution(name) or _of_extra(name, extras, used) for name in _foreign(used.imports, own)}
    if extras.keys() - declared:
        needed = needed_at_once(tree, read, test_files)
        by_import |= {_of_extra(name, extras, used) for name in _foreign(needed, own)}
    by_fixture = (d for name, d in _OF_FIXTURE.items() if name in used.fixtures - used.defined)
    settings = read_pytest_settings(tree, read)
    own_markers = settings.markers if settings else frozenset()
    by_marker = (d for name, d in _OF_MARKER.items() if name in used.markers - own_markers)
    imported = {d for d in by_import if d}
    declared |= {normal(name_and_entry_points(tree, read)[0])}  # a plug-in's own tests have its fixtures
    there = declared | {name_of(d) for d in imported}
    plugins = {d for d in (*by_fixture, *by_marker) if there.isdisjoint(_INSTEAD.get(d, ()))}
    return tuple(sorted(d for d in imported | plugins if name_of(d) not in declared))


def marked_by_plugins() -> frozenset[str]:
    """The markers that well-known plug-ins register."""
    return frozenset(_OF_MARKER)


def normal(name: str) -> str:
    """https://packaging.python.org/en/latest/specifications/name-normalization/"""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """The normal name of what `requirement` asks for, in whatever version."""
    return normal(re.split(r"[^\w.-]", requirement)[0])


def used_by(tree: Tree, read: ReadFile, test_files: Iterable[str]) -> Used:
    """Of those that can be parsed, and of the repository's own helpers for tests that they import; at most
    `MOST_FILES` of them."""
    used = Used()
    files = dict.fromkeys(test_files)
    packages = dict.fromkeys(own for path in files if (own := f"{posixpath.dirname(path)}/__init__.py") in tree)
    paths = [*(packages | files)][:MOST_FILES]
    for path in paths:  # it grows
        content = read(path)
        marked = b"mark" in content
        for node in _certain(_parsed(content)):
            _note(node, used, marked=marked)
            paths += [own for own in _helpers(node, path, tree) if own not in paths][: MOST_FILES - len(paths)]
    return used


def _parsed(content: bytes) -> ast.Module:
    """Empty where it is too large, or cannot be parsed."""
    module = parsed(content) if len(content) <= MAX_BYTES else None
    return module or ast.Module([], [])


def _helpers(node: ast.AST, path: str, tree: Tree) -> Iterator[str]:
    """The files that an import in `path` stands for, as far as they lie in folders of tests."""
    if isinstance(node, ast.Import):
        above, names = 0, [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        module = f"{node.module}." if node.module else ""
        above, names = node.level, [module.rstrip("."), *(f"{module}{alias.name}" for alias in node.names)]
    else:
        return
    yield from (own for own in files_of(names, above, path, tree) if not TESTS.isdisjoint(own.split("/")[:-1]))


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """Every block but those that an import error, or a type checker's eyes alone, would keep from mattering."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if isinstance(current, ast.Try) and any(_guards(handler) for handler in current.handlers):
            waiting += current.orelse + current.finalbody
        elif isinstance(current, ast.If) and "TYPE_CHECKING" in written(current.test):
            waiting += current.orelse
        elif isinstance(current, ast.If) and re.search("version_info|PY2|PYPY|platform", written(current.test)):
            continue
        else:
            waiting += (child for block in _BLOCKS for child in getattr(current, block, ()))


def _guards(handler: ast.ExceptHandler) -> bool:
    if any(isinstance(node, ast.Raise) for node in handler.body):
        return False  # it says so in other words: the file does need it
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(name, ast.Name) and name.id in _GUARDS for name in names)


def _note(node: ast.AST, used: Used, *, marked: bool) -> None:
    """`marked`: the file may have a marker; every expression is walked for one."""
    if marked:
        used.markers |= {marker for expression in _of_markers(node) for marker in _markers(expression)}
    if isinstance(node, ast.Import):
        used.imports |= {alias.name for alias in node.names}
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        parts = [f"{node.module}.{alias.name}" for alias in node.names] if node.module in _NAMESPACES else []
        used.imports |= {node.module, *parts}
    elif isinstance(node, (ast.Expr, ast.Assign)) and isinstance(node.value, ast.Call):
        used.skipped_for |= set(_skipped_for(node.value))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        decorators = " ".join(written(decorator) for decorator in node.decorator_list)
        if "fixture" in decorators:
            used.defined.add(node.name)
        if "fixture" in decorators or node.name.startswith("test"):
            parametrized = set(re.findall(r"\w+", decorators)) if "parametrize" in decorators else set()
            used.fixtures |= {a.arg for a in (*node.args.args, *node.args.kwonlyargs)} - parametrized


def _skipped_for(call: ast.Call) -> Iterator[str]:
    """``x`` of ``pytest.importorskip("x")``."""
    if written(call.func).rpartition(".")[2] == "importorskip" and call.args and isinstance(call.args[0], ast.Constant):
        yield str(call.args[0].value)


def _of_markers(node: ast.AST) -> list[ast.expr]:
    """The expressions of a block in which markers are set; on a fixture they do nothing
    (https://docs.pytest.org/en/stable/deprecations.html#applying-a-mark-to-a-fixture-function)."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [] if any("fixture" in written(each) for each in node.decorator_list) else node.decorator_list
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [node.value] if node.value else []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        return node.value.args if node.value.func.attr in ("add_marker", "applymarker") else []
    return []


def _markers(expression: ast.expr) -> Iterator[str]:
    """``x`` of ``pytest.mark.x``."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "mark":
            yield node.attr


def _foreign(names: Iterable[str], own: frozenset[str]) -> Iterator[str]:
    return (name for name in names if name.partition(".")[0] not in own)


def _distribution(name: str) -> str:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ""
    for known in (".".join(name.split(".")[:2]), top):
        if known in _OTHER_NAMES:
            return _OTHER_NAMES[known]
    return top if top.lower() in _SAME_NAME else ""


def _of_extra(name: str, extras: Mapping[str, str], used: Used) -> str:
    """The requirement by whose name `name` is imported; whoever skips what it has not does not need it."""
    top = name.partition(".")[0]
    skips = any(other.partition(".")[0] == top for other in used.skipped_for)
    if skips or top in sys.stdlib_module_names:
        return ""
    return extras.get(normal(top)) or extras.get(name_of(_distribution(name)), "")
