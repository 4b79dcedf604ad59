"""What a ``setup.py`` is built with, where nothing but the program itself says so."""

import pytest

from repo_tools.environment.python.builders import builders
from repo_tools.environment.python.install import PIP_INSTALL, UV_INSTALL
from tests.repo_tools.environment.python.test_detector import detected, singles
from tests.support.trees import reader_of, tree_of


def named_by(files: dict[str, str]) -> list[str]:
    tree = tree_of(files)
    return list(builders(tree, reader_of(files)))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("try:\n    from Cython.Build import cythonize\nexcept ImportError:\n    ext = '.c'", ["cython"]),
        ("def config():\n    import numpy.distutils.core, os", ["numpy"]),
        ("from setuptools import setup, Feature", ["setuptools<46"]),
        ("from setuptools import setup, Extension\nfrom . import x\nfrom mine import Feature", []),
        ("import numpy\nprint 'two'", []),
        ("\0", []),
    ],
)
def test_what_a_setup_file_imports_is_known(text: str, named: list[str]) -> None:
    assert named_by({"setup.py": text}) == named


def test_so_is_what_the_modules_beside_it_import() -> None:
    files = {"setup.py": "import setupinfo, setup", "setupinfo.py": "import Cython", "other.py": "import numpy"}
    assert named_by(files) == ["cython"]


def test_a_setup_file_that_a_build_of_its_own_does_not_do_for_is_built_among_what_it_imports() -> None:
    setup = "from setuptools import setup, Feature\nimport Cython\nsetup(name='x')"
    project = singles(detected({"setup.py": setup, "tests/test_a.py": ""}))[0]
    (by_pip,) = project.otherwise
    *builds, own = by_pip.otherwise
    assert [step.argv[len(UV_INSTALL) :] for step in builds] == [("wheel",), ("cython",), ("setuptools<46",)]
    assert own.argv[len(UV_INSTALL) :] == ("--no-build-isolation", "--editable", ".")
    in_place = (*PIP_INSTALL, "--no-build-isolation", "--editable", ".")
    assert [step.argv for step in own.otherwise] == [in_place]


def test_what_is_said_to_build_with_stands_for_what_is_imported() -> None:
    files = {"pyproject.toml": "[build-system]\nrequires = ['setuptools']\n", "setup.py": "import Cython\nsetup()"}
    by_pip = singles(detected({**files, "tests/test_a.py": ""}))[0].otherwise[-1]
    assert [step.argv[len(UV_INSTALL) :] for step in by_pip.otherwise][:-1] == [("wheel",), ("setuptools",)]
