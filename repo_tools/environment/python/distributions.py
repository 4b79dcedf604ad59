"""Which distribution brings what a Python suite uses: well-known libraries by their imports, pytest's plug-ins by their
fixtures and markers.

Only what stands in the tables below is ever installed for such a name: that somebody imports it is no proof that the
distribution of that name is what they mean.
"""

import re
import sys

from repo_tools.environment.python.requirement import normal

_SAME_NAME = frozenset((
    "aiofiles", "aiohttp", "aiomysql", "aioredis", "aioresponses", "aiosqlite", "aiounittest", "alembic",
    "anyio", "appdirs", "arrow", "asgiref", "astroid", "async_timeout", "asyncpg", "asyncssh", "asynctest",
    "attrs", "babel", "bcrypt", "bitarray", "black", "bleach", "blessed", "blinker", "boltons", "boto3",
    "botocore", "bottle", "brotli", "cachetools", "cattrs", "cbor2", "celery", "cerberus", "certifi", "cffi",
    "chardet", "charset_normalizer", "cheroot", "click", "cloudevents", "cloudpickle", "colorama", "colorlog",
    "configobj", "constantly", "contextlib2", "coverage", "cryptography", "cssselect", "curio", "cython",
    "dacite", "dask", "dateparser", "ddt", "decorator", "deepdiff", "defusedxml", "dill", "dirty_equals",
    "diskcache", "distributed", "distro", "django", "docker", "docopt", "docutils", "dulwich", "ecdsa",
    "elasticsearch", "email_validator", "emoji", "environs", "ephemeral_port_reserve", "eventlet",
    "exceptiongroup", "execnet", "expecttest", "fakeredis", "falcon", "fastapi", "fasteners", "feedparser",
    "filelock", "fixtures", "flake8", "flaky", "flask", "freezegun", "frozendict", "fsspec", "ftfy", "geojson",
    "gevent", "gitdb", "graphene", "graphviz", "greenlet", "gunicorn", "h11", "h2", "h5py", "hpack",
    "html2text", "html5lib", "httpbin", "httpcore", "httplib2", "httpretty", "httpx", "humanize", "hyperframe",
    "hyperlink", "hypothesis", "hypothesmith", "idna", "ijson", "imageio", "immutables", "incremental", "inflect",
    "inflection", "iniconfig", "invoke", "ipykernel", "ipywidgets", "isodate", "isort", "itsdangerous", "jedi",
    "jinja2", "jmespath", "joblib", "jsonlines", "jsonpatch", "jsonpath_ng", "jsonpath_rw", "jsonpickle",
    "jsonpointer", "jsonschema", "keyring", "kombu", "lark", "lazy_object_proxy", "ldap3", "libcst", "loguru",
    "lxml", "lz4", "mako", "markdown", "markupsafe", "marshmallow", "matplotlib", "mccabe", "mistune", "mock",
    "mongoengine", "mongomock", "moto", "msgpack", "multidict", "munch", "mypy", "natsort", "nbclient",
    "nbconvert", "nbformat", "nest_asyncio", "netaddr", "networkx", "nose", "nose2", "numpy", "oauthlib",
    "objgraph", "openpyxl", "orjson", "oslotest", "outcome", "packaging", "pandas", "parameterized",
    "paramiko", "parsel", "parso", "passlib", "pathlib2", "pathspec", "peewee", "pem", "pendulum", "pexpect",
    "pika", "pint", "pip", "platformdirs", "plotly", "pluggy", "ply", "polars", "polyfactory", "portpicker",
    "pretend", "prettytable", "prometheus_client", "prompt_toolkit", "psutil", "ptyprocess", "py", "pyarrow",
    "pyasn1", "pycodestyle", "pycparser", "pydantic", "pydocstyle", "pydot", "pyfakefs", "pyflakes",
    "pyftpdlib", "pygments", "pyhamcrest", "pylint", "pymongo", "pympler", "pymysql", "pyotp", "pyparsing",
    "pyperclip", "pyperf", "pyproj", "pyramid", "pyrsistent", "pyte", "pytz", "rapidfuzz", "rdflib", "redis",
    "regex", "requests", "requests_mock", "requests_oauthlib", "requests_toolbelt", "responses", "respx",
    "rfc3339_validator", "rich", "rsa", "sanic", "scipy", "seaborn", "semver", "setuptools", "sh", "shapely",
    "shortuuid", "simplejson", "six", "snapshottest", "sniffio", "sortedcollections", "sortedcontainers",
    "sphinx", "sqlalchemy", "sqlmodel", "starlette", "statsmodels", "stevedore", "structlog", "sybil", "sympy",
    "tabulate", "tblib", "tenacity", "termcolor", "testfixtures", "testpath", "testresources", "testscenarios",
    "testtools", "tifffile", "time_machine", "tinydb", "toml", "tomli", "tomli_w", "tomlkit", "toolz",
    "tornado", "tox", "tqdm", "traitlets", "treq", "trio", "trustme", "twisted", "typeguard", "typer",
    "typing_extensions", "tzdata", "tzlocal", "ujson", "uritemplate", "urllib3", "uvicorn", "uvloop",
    "validators", "vcrpy", "virtualenv", "voluptuous", "w3lib", "waitress", "watchdog", "wcwidth", "webcolors",
    "webob", "websockets", "webtest", "werkzeug", "wheel", "wrapt", "wsproto", "xarray", "xlrd", "xlsxwriter",
    "xlwt", "xmlschema", "xmltodict", "xxhash", "yarl", "zarr", "zeep", "zict", "zstandard",
))  # fmt: skip
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
    "absl": "absl-py", "dns": "dnspython", "docx": "python-docx", "flask_babel": "Flask-Babel",
    "flask_caching": "Flask-Caching", "flask_cors": "Flask-Cors", "flask_login": "Flask-Login", "flask_migrate":
    "Flask-Migrate", "flask_restful": "Flask-RESTful", "flask_wtf": "Flask-WTF", "graphql": "graphql-core",
    "grpc": "grpcio", "IPython": "ipython", "ruamel.yaml": "ruamel.yaml", "websocket": "websocket-client",
    "bson": "pymongo", "crispy_forms": "django-crispy-forms", "django_filters": "django-filter",
    "fontTools": "fonttools", "gridfs": "pymongo", "markdown_it": "markdown-it-py", "sekizai": "django-sekizai",
    "subunit": "python-subunit", "unidecode": "Unidecode",
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
_DISTRIBUTIONS = frozenset(map(normal, (*_OTHER_NAMES.values(), *OF_FIXTURE.values(), *OF_MARKER.values())))


def distribution_of(name: str) -> str:
    """Of an import's dotted name; empty where none is known, or Python has it itself."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return ""
    for known in (".".join(name.split(".")[:2]), top):
        if known in _OTHER_NAMES:
            return _OTHER_NAMES[known]
    return top if top.lower() in _SAME_NAME else ""


def well_known(name: str) -> str:
    """The distribution that is called so, or ``psycopg2-binary`` for ``psycopg2``; empty where none of the tables has
    it. ``git`` and ``yaml`` are others than what is imported by these names."""
    known = distribution_of(re.sub("[-.]", "_", name))
    is_called_so = normal(known).removesuffix("-binary") == normal(name)
    return known if is_called_so else name if normal(name) in _DISTRIBUTIONS else ""
