"""A layer is made again where any file changes that decides what is installed, however far from the root it is named;
and found again where none does."""

from collections.abc import Mapping

import pytest

from repo_tools.changes import FileMode, Tree, TreeEntry
from repo_tools.environment.detect import detect
from repo_tools.environment.python.manifests import python_manifests
from tests.support.trees import reader_of, tree_of

BUILD = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "p"\nversion = "1"\n'
SETUP = "from setuptools import setup\nimport os\n"
READS = "def read(*parts):\n    return open(os.path.join(os.path.dirname(__file__), *parts)).read().split()\n"


def key(files: Mapping[str, str]) -> object:
    """What decides which layer fits."""
    whole = {"pkg/__init__.py": "", "pkg/core.py": "", "tests/test_a.py": "def test_a(): pass", **files}
    tree = tree_of(whole)
    environment = detect(tree, reader_of(whole))
    return environment.setup, environment.tools, [(path, tree[path].blob_id) for path in environment.manifests]


@pytest.mark.parametrize(
    ("files", "changed"),
    [
        ({"requirements.txt": "-r reqs/base.txt"}, "reqs/base.txt"),
        ({"requirements.txt": "-r a/b.list", "a/b.list": "--requirement=../c/d.pip"}, "c/d.pip"),
        ({"requirements.txt": "-r a/b.list", "a/b.list": "-r requirements.txt\n-r c.list"}, "a/c.list"),
        ({"requirements.txt": "six\n-c limits/pins.txt"}, "limits/pins.txt"),
        ({"requirements.txt": "-e ./libs/core"}, "libs/core/setup.py"),
        ({"requirements.txt": "-e libs/core[fast]  # ours"}, "libs/core/setup.cfg"),
        ({"requirements.txt": "core @ file:./libs/core", "libs/core/setup.py": "open('deps.in')"}, "libs/core/deps.in"),
        ({"requirements.txt": "./wheels/core-1-py3-none-any.whl"}, "wheels/core-1-py3-none-any.whl"),
        ({"tox.ini": "[testenv]\ndeps = -rci/t.txt", "ci/t.txt": "-r u.txt"}, "ci/u.txt"),
        ({"setup.py": SETUP + "setup(install_requires=open('deps.txt').read().split())"}, "deps.txt"),
        ({"setup.py": SETUP + READS + "setup(install_requires=read('ci', 'deps.txt'))"}, "ci/deps.txt"),
        ({"setup.py": SETUP + "HERE = Path()\nlines(HERE / 'ci' / 'deps.txt')"}, "ci/deps.txt"),
        ({"setup.py": SETUP + "import _deps\nsetup(install_requires=_deps.ALL)"}, "_deps.py"),
        ({"setup.py": SETUP + "from support.lists import ALL\nsetup(install_requires=ALL)"}, "support/lists.py"),
        ({"setup.py": SETUP + "import _deps", "_deps.py": "ALL = open('deps.txt').read()"}, "deps.txt"),
        ({"setup.py": "", "setup.cfg": "[options]\ninstall_requires = file: deps.txt"}, "deps.txt"),
        ({"setup.py": "", "setup.cfg": "[options.extras_require]\ntest =\n    file: a.list, b.list"}, "b.list"),
        ({"pyproject.toml": BUILD + "[tool.setuptools.dynamic]\ndependencies = {file = ['deps.txt']}"}, "deps.txt"),
        (
            {"pyproject.toml": BUILD + "[tool.setuptools.dynamic.optional-dependencies]\ntest = {file = 'a.list'}"},
            "a.list",
        ),
        (
            {"pyproject.toml": BUILD + "[tool.setuptools.dynamic]\ndependencies = {file = 'a/b'}", "a/b": "-r c.txt"},
            "a/c.txt",
        ),
        ({"pyproject.toml": BUILD + "[tool.hatch.build.hooks.custom]\npath = 'tools/hook.py'"}, "tools/hook.py"),
        ({"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'own'\nbackend-path = ['b']"}, "b/own.py"),
        ({"pyproject.toml": BUILD + "[tool.uv.sources]\ncore = {path = 'libs/core'}"}, "libs/core/setup.py"),
        ({"requirements.txt": "--find-links ./wheels\ncore"}, "wheels/core-1-py3-none-any.whl"),
        ({"requirements.txt": "-r ci/a.list", "ci/a.list": "-f wheels  # ours\ncore"}, "ci/wheels/x/core-1.tar.gz"),
        (
            {"setup.py": SETUP + "here = '.'\nsetup(install_requires=open(here + '/ci/deps.in').read().split())"},
            "ci/deps.in",
        ),
        ({"setup.py": "", "setup.cfg": "[metadata]\nversion = attr: pkg.core.VERSION"}, "pkg/core.py"),
        ({"pyproject.toml": BUILD + "[tool.setuptools.dynamic]\nversion = {attr = 'p.a.core.V'}"}, "src/p/a/core.py"),
        ({"pyproject.toml": BUILD + "[tool.pdm.version]\nsource = 'call'\ngetter = 'pkg.own:get'"}, "pkg/own.py"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_manifests_name_in_turn_makes_another_layer(files: dict[str, str], changed: str) -> None:
    assert key({changed: "six", **files}) != key({changed: "attrs", **files})


@pytest.mark.parametrize(
    "changed",
    [
        "src/CMakeLists.txt", "cmake/Find.cmake", "CMakePresets.json", "src/config.h.in", "src/k.cu", "src/a.tpp",
        "src/api.proto", "pkg/meson.build", "meson_options.txt", "meson.options", "subprojects/z.wrap", "pkg/x.pyx.in",
        ".cargo/config.toml", "rust-toolchain.toml", "crates/a/src/lib.rs",
    ],
)  # fmt: skip
def test_what_a_build_elsewhere_than_in_the_work_tree_reads_makes_another_layer(changed: str) -> None:
    files = {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "any"\n[project]\nname = "p"\n'}
    assert key({changed: "one", **files}) != key({changed: "two", **files})


@pytest.mark.parametrize(
    "changed", ["pkg/core.py", "README.md", "tests/test_a.py", "tools/lint.txt", "libs/x/setup.py"]
)
def test_a_file_that_decides_nothing_leaves_the_layer_as_it_is(changed: str) -> None:
    files = {
        "setup.py": f"{SETUP}long = open('README.md').read()\nsetup(packages=['pkg', 'tests'])",
        "pyproject.toml": f"{BUILD}[tool.setuptools.dynamic]\nreadme = {{file = 'README.md'}}",
        "requirements.txt": "six",
    }
    assert key({changed: "x = 1", **files}) == key({changed: "x = 2", **files})


@pytest.mark.parametrize(
    "broken", ["-r", "-e", "-r ../../etc/passwd", "-c requirements.txt", "-r http://x/y.txt", "\0"]
)
def test_what_cannot_be_followed_is_no_reason_to_fail(broken: str) -> None:
    assert key({"requirements.txt": broken, "setup.py": "(", "pyproject.toml": "[tool.setuptools]\ndynamic = 3"})


def test_the_content_of_a_submodule_is_not_asked_for() -> None:
    tree: Tree = {"requirements/own": TreeEntry(FileMode.SUBMODULE, "0" * 40)}
    no_file: dict[str, bytes] = {}
    assert python_manifests(tree, no_file.__getitem__, ()) == ("requirements/own",)
