"""Which distribution brings what a Python suite uses: well-known libraries by their imports, pytest's plug-ins by their
fixtures and markers.

Only what stands in the tables below is ever installed for such a name: that somebody imports it is no proof that the
distribution of that name is what they mean.
"""

import sys

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
OF_FIXTURE = {
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
OF_MARKER = {
    "asyncio": "pytest-asyncio", "anyio": "anyio", "trio": "pytest-trio", "timeout": "pytest-timeout",
    "django_db": "pytest-django", "vcr": "pytest-recording", "benchmark": "pytest-benchmark",
    "httpx_mock": "pytest-httpx", "freeze_time": "pytest-freezer", "flaky": "pytest-rerunfailures",
    "repeat": "pytest-repeat", "dependency": "pytest-dependency", "order": "pytest-order", "run": "pytest-ordering",
    "curio": "pytest-curio", "gevent": "pytest-gevent",
}  # fmt: skip
INSTEAD = {
    "pytest-benchmark": ("pytest-codspeed",), "pytest-datadir": ("pytest-datadir-ng", "pytest-regressions"),
    "pytest-freezer": ("pytest-freezegun",), "pytest-httpserver": ("pytest-localserver",),
    "pytest-lazy-fixture": ("pytest-lazy-fixtures",), "pytest-order": ("pytest-ordering",),
    "pytest-recording": ("pytest-vcr",), "pytest-rerunfailures": ("flaky",),
    "syrupy": ("pytest-snapshot", "snapshottest"),
}  # fmt: skip
"""Others that have the same fixtures or markers: of two of them at once pytest often starts with neither."""
NAMESPACES = frozenset(name.partition(".")[0] for name in _OTHER_NAMES if "." in name)
"""Packages whose parts are distributions of their own."""


def distribution_of(name: str) -> str:
    """Of an import's dotted name; empty where none is known, or Python has it itself."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ""
    for known in (".".join(name.split(".")[:2]), top):
        if known in _OTHER_NAMES:
            return _OTHER_NAMES[known]
    return top if top.lower() in _SAME_NAME else ""
