"""Packages as the index had them when an old commit was made: what came later was never tried with its code. Pure.

uv leaves out what was uploaded after a date, by the index's own record (PEP 700), as it is told to by
``UV_EXCLUDE_NEWER`` (https://docs.astral.sh/uv/reference/environment/) and, for single packages, by its configuration
(https://docs.astral.sh/uv/reference/settings/#exclude-newer-package).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from repo_tools.environment.contract import Tool
from repo_tools.environment.earlier_program import SAID as SAID_OF_EARLIER
from repo_tools.environment.fitting_program import SAID
from repo_tools.environment.tools import PYTHON

OLD = timedelta(days=90)
"""A commit of this age or more is set up with the packages of its day. Younger ones are maintained against today's."""
VARIABLE = "UV_EXCLUDE_NEWER"
CONFIGURATION_VARIABLE = "UV_CONFIG_FILE"

_TIED = (
    "coverage", "pip", "wheel", "cython", "typing-extensions",
    "aiohttp", "argon2-cffi-bindings", "bcrypt", "bitarray", "brotli", "cffi", "contourpy",
    "cytoolz", "fastparquet", "frozenlist", "gevent", "gmpy2", "google-crc32c", "greenlet", "grpcio", "h5py",
    "hiredis", "httptools", "jiter", "kiwisolver", "lxml", "matplotlib", "msgpack", "multidict",
    "mypy", "mysqlclient", "numba", "numexpr", "orjson", "pandas", "pillow", "propcache",
    "psutil", "psycopg2", "psycopg2-binary", "psycopg-binary", "pyarrow", "pycryptodome", "pydantic-core",
    "pymongo", "pynacl",
    "python-rapidjson", "pywavelets", "pyyaml", "pyzmq", "rapidfuzz", "regex", "rpds-py", "ruamel-yaml-clib",
    "scikit-image", "scikit-learn", "scipy", "shapely", "simplejson", "statsmodels", "tables",
    "tiktoken", "tokenizers", "tornado", "typed-ast", "ujson", "uvloop", "watchfiles", "wrapt",
    "yarl", "zope-interface", "zstandard",
    "apipkg", "astroid", "certifi", "cloudpickle", "curio", "dill", "eventlet", "exceptiongroup", "execnet",
    "pytest-trio", "six", "trio", "typeguard",
)  # fmt: skip
"""What has to know the interpreter: compiled for each Python, or working on its insides."""
_PYTEST = ("pytest", "py", "pluggy", "iniconfig")
"""It rewrites the interpreter's syntax trees; but one that is too new warns of older plugins, which may be an error."""
_AT_ONCE = ("numpy",)
"""Compiled for each Python when that comes out; releases from then on lack names that older code uses."""
_BUILDERS = ("flit-core", "poetry-core")
_EDITABLE = date(2022, 3, 1)
"""By then they built editable packages (https://peps.python.org/pep-0660/); earlier tools found other ways."""
_USABLE = {
    "twisted": date(2021, 3, 1),
    "atomicwrites": date(2022, 7, 10),
    "markupsafe": date(2019, 3, 1),
    "importlib-metadata": date(2020, 2, 1),
    "parso": date(2020, 1, 1),
    "attrs": date(2018, 2, 1),
    "hypothesis": date(2019, 5, 10),
    "more-itertools": date(2018, 2, 1),
    **dict.fromkeys(("cryptography", "pyopenssl", "trustme"), date(2020, 9, 1)),
}
"""The day by which there was a wheel; before, all was archived in a way that uv does not take (``.tar.bz2``), or was
taken down, and put up again (https://github.com/untitaker/python-atomicwrites/issues/61): pytest 3.6 to 5 need it.
MarkupSafe, without which there is no Jinja2 and no Flask, is built by setuptools of after 46 since 1.1
(https://setuptools.pypa.io/en/stable/history.html#v46-0-0). importlib-metadata, which the pytest and the pluggy of 2019
import, knows the finders of Python 3.8 and later since 0.21. parso, without which jedi and IPython complete nothing,
has the grammar of 3.9 since 0.5.2 (https://github.com/davidhalter/parso/tree/v0.5.2/parso/python). The pytest that is
taken with 3.9 needs attrs 17.4 and more-itertools 4, without which the resolver takes one that is a year older
(https://docs.pytest.org/en/stable/changelog.html#pytest-3-5-0-2018-03-21). Hypothesis copies functions as Python takes
them since 3.8 from 4.23.4 on (https://hypothesis.readthedocs.io/en/latest/changelog.html). cryptography is compiled
once for each later Python, for ARM, too, since 3.1
(https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/#abi-tag: ``abi3``); each release
since takes names away that older code uses, pyOpenSSL's and trustme's among it."""
_OVERTAKEN = {
    "werkzeug": ((date(2019, 3, 20), date(2019, 7, 18)),),
    "pytest": ((date(2018, 11, 14), date(2019, 2, 18)), (date(2020, 1, 20), date(2020, 1, 31))),
}
"""Releases of between two days that run no test here: the first after them does. Werkzeug's do nothing in a Python from
3.8 on (https://werkzeug.palletsprojects.com/en/stable/changes/#version-0-15-5), and pytest 4.0 to 4.2 calls what attrs,
which is often of a later day, has no more (https://www.attrs.org/en/stable/changelog.html, 19.2.0). 5.3.4 itself fails
where a test says of what line it is, as nose's do (https://docs.pytest.org/en/stable/changelog.html, 5.3.5)."""
_TAKES_AWAY = {"werkzeug": date(2020, 2, 5)}
"""The day before a release without names that older code uses: that has the last that had them. Werkzeug's own
were importable from its top until 1.0 (https://werkzeug.palletsprojects.com/en/stable/changes/#version-1-0-0)."""
_LENIENT, _LENIENT_SINCE_3_12 = date(2023, 1, 12), date(2023, 1, 27)
"""The last setuptools that takes versions and requirements which are none by today's rules (``>=0.4.*``), and that of
requirements alone, which Python 3.12 needs: 66 tags a version twice where ``tag_date`` stands in setup.cfg, and takes
none but those of today (https://setuptools.pypa.io/en/stable/history.html#v66-0-0). One of before 64 cannot build what
uv installs in place (#v64-0-0)."""
_OWN_DISTUTILS = date(2021, 12, 19)
"""Since then setuptools brings a distutils: https://setuptools.pypa.io/en/stable/history.html#v60-0-0"""
_LOADS_PLAINLY, _WANTS_A_LOADER = date(2021, 1, 18), date(2021, 10, 13)
"""PyYAML's ``load`` does without a loader before 6, which the older Pythons have wheels of; up to the first day it is
built without Cython, whose releases of today cannot build it: https://github.com/yaml/pyyaml/blob/main/CHANGES"""
_RAISED = re.compile(rf"(?m)^{re.escape(SAID)}([\w., <-]{{1,300}})$")
_LOWERED = re.compile(rf"(?m)^{re.escape(SAID_OF_EARLIER)}([\w. +!-]{{1,100}})$")
NO_TIMES = "is missing an upload date"
"""What uv says of an index that tells no day of a package."""


@dataclass(frozen=True)
class Days:
    """Of which day the packages are: those of the commit, `asked`; what can run on the interpreter, `usable`, and what
    certainly can, `sure`, where those cannot be installed; a pytest that runs on it, `tested`; what has wheels for it
    `at_once`; what is tied to it, `caught_up`, and everything where `sure` cannot be installed either."""

    asked: date
    usable: date
    sure: date
    tested: date
    at_once: date
    caught_up: date

    def in_turn(self) -> tuple[date, ...]:
        """Those of everything that is not named below: the first, and what is tried where that cannot be installed."""
        return self.usable, *sorted({day for day in (self.sure, self.caught_up) if day > self.usable} or {self.usable})

    def configuration(self) -> str:
        """A ``uv.toml``."""
        days = dict.fromkeys(_PYTEST, self.tested) | dict.fromkeys(_TIED, self.caught_up)
        days |= dict.fromkeys(_AT_ONCE, self.at_once)
        days |= dict.fromkeys(_BUILDERS, max(self.usable, _EDITABLE))
        days |= {name: max(self.usable, day) for name, day in _USABLE.items()}
        spans = ((name, span) for name, spans in _OVERTAKEN.items() for span in spans)
        days |= {name: last for name, (first, last) in spans if first <= days.get(name, self.usable) < last}
        days |= {name: day for name, day in _TAKES_AWAY.items() if self.asked < day < self.usable}
        is_of_3_12 = self.caught_up > date(2024, 1, 1)
        days["setuptools"] = max(self.usable, _LENIENT_SINCE_3_12 if is_of_3_12 else _LENIENT)
        if self.asked < _LOADS_PLAINLY and self.caught_up > _WANTS_A_LOADER:
            days["pyyaml"] = _LOADS_PLAINLY
        told = ", ".join(f'{name} = "{day}"' for name, day in days.items())
        return f"exclude-newer-package = {{ {told} }}\n"

    def note(self, used: str, log: str) -> str:
        """What the evidence says of a set-up that ended with the day `used`, and left `log`."""
        if NO_TIMES in log:
            return f"packages of today: the index gives no upload times, and so none as of {self.asked}"
        told = f"packages as of {used}"
        if used != self.asked.isoformat():
            told += f" (as of {self.asked}, the commit's own day, they do not fit the sandbox's Python)"
        if self.caught_up.isoformat() > used:
            told += f", compiled ones as of {self.caught_up}"
        raised = [name for line in _RAISED.findall(log) for name in line.split(", ")]
        if raised:
            names = ", ".join(dict.fromkeys(raised))
            told += f", and later ones of {names}, if there are any: those of then do not run here"
        if lowered := ", ".join(_LOWERED.findall(log)):
            told += f", and earlier ones that still have what the sources import: {lowered}"
        return told


def commit_day(committed_seconds: int | None, now_seconds: float) -> date | None:
    """The day before which packages have to be there; None: today's. A commit's packages are those of the day after,
    because clocks differ. Seconds are since 1970."""
    if committed_seconds is None:
        return None
    committed, now = (datetime.fromtimestamp(seconds, UTC).date() for seconds in (committed_seconds, now_seconds))
    return committed + timedelta(days=1) if now - committed >= OLD else None


def of_the_day(tools: Iterable[Tool], day: date) -> tuple[Tool, ...]:
    """`tools`, of which a Python that nothing says more of is none that came out later (PEP 602, as below)."""
    newest = max(0, day.year - (2011 if day.month >= 10 else 2012))
    return tuple(
        replace(tool, preferred=f"<=3.{newest}.999") if tool.program == PYTHON and not tool.preferred else tool
        for tool in tools
    )


def days_for(asked: date, python: str) -> Days:
    """For the interpreter of this version (``3.11.2``). A Python 3.9 or later comes out each October
    (https://peps.python.org/pep-0602/). It runs what ran without warnings two years before
    (https://peps.python.org/pep-0387/); pytest knows it when it comes out, numpy within a month, and four months later
    the usual compiled libraries have wheels for it. 3.9 was the last to keep what it had for Python 2's sake
    (https://docs.python.org/3/whatsnew/3.9.html#you-should-check-for-deprecationwarning-in-your-code): most that was
    written for any Python 3 runs on it. A pytest of its sure day still takes plug-ins and yielded tests of years
    before."""
    found = re.match(r"3\.(\d+)", python)
    if found is None or int(found[1]) < 9:
        return Days(*[asked] * 6)
    released = 2011 + int(found[1])
    sure, known = date(released - 2, 10, 1), date(released, 10, 1)
    usable, tested = (sure, known) if int(found[1]) > 9 else (asked, sure)
    days = usable, sure, tested, date(released, 11, 5), date(released + 1, 2, 1)
    return Days(asked, *(max(asked, day) for day in days))


def for_builds(asked: date, python: str) -> dict[str, str]:
    """Variables of builds of that day for this interpreter: 3.9 was the last whose own distutils translates sources of
    Python 2 (``build_py_2to3``). That of a later setuptools leaves them as they are, and no build says so."""
    return {"SETUPTOOLS_USE_DISTUTILS": "stdlib"} if python.startswith("3.9.") and asked < _OWN_DISTUTILS else {}
