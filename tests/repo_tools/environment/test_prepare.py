"""Layers made from the public package index in real boxes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import NOTE, Environment, SetupCommand, SetupFailedError, TestCommand, Tool
from repo_tools.environment.declared import Declared, declared_environment
from repo_tools.environment.detect import detect
from repo_tools.environment.layer_key import LayerKeys, layer_keys
from repo_tools.environment.prepare import prepare
from repo_tools.environment.run import run_tests
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import DEFAULT_LIMITS, BoxSpec
from repo_tools.sandbox.pythons import pythons_below
from tests.support.laboratory import INDEX_HOSTS, ca_bundle, prepared_for
from tests.support.repositories import git, head, make_repository

pytestmark = [pytest.mark.bubblewrap, pytest.mark.registry, pytest.mark.timeout(900)]

Repository = Callable[[Mapping[str, str]], GitCheckout]


def keys_of(engine: BubblewrapEngine, checkout: GitCheckout) -> LayerKeys:
    return layer_keys(engine.platform_key(), checkout, detect(checkout.tree, checkout.read), "", INDEX_HOSTS)


def test_a_layer_is_found_the_second_time(engine: BubblewrapEngine, repository: Repository) -> None:
    checkout = repository({"test_a.py": "def test_a(): pass", "requirements.txt": "six\n"})
    first, second = prepared_for(engine, checkout), prepared_for(engine, checkout)
    assert (first.layer, second.seconds) == (second.layer, 0.0)
    assert re.search(r"Successfully installed .*six|\+ six==", first.log)
    with fresh_box(engine, checkout, first) as box:
        assert run_tests(box, first.environment, timeout_seconds=60).passed == {"test_a.py::test_a"}


def test_a_layer_with_a_copy_that_the_ci_makes_is_another_commit_s_too(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    steps = "- run: cp .env.ci .env\n      - run: pytest\n"
    workflow = f"jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      {steps}"
    test = "def test_a(): assert open('.env').read() == 'a=1'"
    checkout = repository({"test_a.py": test, ".env.ci": "a=1", ".github/workflows/ci.yml": workflow})
    prepared = prepared_for(engine, checkout)
    assert prepared.layer == engine.find_layer(keys_of(engine, checkout).of_manifests)
    with fresh_box(engine, checkout, prepared) as box:
        assert run_tests(box, prepared.environment, timeout_seconds=60).passed == {"test_a.py::test_a"}


def test_an_extension_that_set_up_compiles_is_there_in_each_fresh_box(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    source = """
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fast", "", -1, methods};
PyMODINIT_FUNC PyInit_fast(void) { return PyModule_Create(&module); }
"""
    setup = "from setuptools import Extension, setup\nsetup(name='fast', ext_modules=[Extension('fast', ['fast.c'])])\n"
    files = {
        "fast.c": source,
        "setup.py": setup,
        "tests/test_a.py": "import fast\ndef test_a(): assert fast.answer() == 42\n",
    }
    checkout = repository(files)
    prepared = prepared_for(engine, checkout)
    for _ in range(2):
        with fresh_box(engine, checkout, prepared) as box:
            assert run_tests(box, prepared.environment, timeout_seconds=60).passed == {"tests/test_a.py::test_a"}


@pytest.mark.long(short="test_a_layer_with_a_copy_that_the_ci_makes_is_another_commit_s_too")
def test_a_copy_of_the_project_that_declared_set_up_installs_does_not_hide_a_change_from_the_tests(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    pyproject = "[project]\nname = 'thing'\nversion = '1'\ndependencies = ['pytest']\n"
    test = "from thing import value\ndef test_value(): assert value == 2\n"
    files = {"pyproject.toml": pyproject, "src/thing/__init__.py": "value = 1", "tests/test_a.py": test}
    checkout = repository(files)
    declared = Declared("agent-fix.yml", setup=(SetupCommand(("pip", "install", ".")),))
    environment = declared_environment(declared, checkout.tree, lambda: detect(checkout.tree, checkout.read))
    prepared = prepare(
        engine, checkout, environment, allowed_hosts=INDEX_HOSTS, ca_bundle=ca_bundle(), report=lambda _: None
    )
    assert "set-up installed a copy of thing; it is in place now" in prepared.environment.evidence
    fix = FileChange(FileMode.REGULAR, b"value = 2")
    change = ChangeSet(checkout.commit, {"src/thing/__init__.py": fix})
    with fresh_box(engine, checkout, prepared, overlay=change) as box:
        assert run_tests(box, prepared.environment, timeout_seconds=60).passed == {"tests/test_a.py::test_value"}


@pytest.mark.long(
    short="test_a_project_that_cannot_be_installed_says_which_command_failed_how_and_what_ci_installs_besides"
)
def test_an_extra_that_cannot_be_had_is_reported_and_not_fatal_and_is_there_in_another_version_if_it_can_be(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    pyproject = (
        "[project]\nname = 'x'\nversion = '1'\n[tool.setuptools]\npy-modules = []\n"
        "[project.optional-dependencies]\ndev = ['six==99999', 'six-of-no-index==1']\n"
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
    )
    checkout = repository({"pyproject.toml": pyproject, "test_a.py": "import six\ndef test_a(): pass"})
    said: list[str] = []
    environment = detect(checkout.tree, checkout.read)
    prepared = prepare(
        engine, checkout, environment, allowed_hosts=INDEX_HOSTS, ca_bundle=ca_bundle(), report=said.append
    )
    without = [line for line in said if line.startswith("failed, and goes on without: ")]
    assert [line.split()[-1] for line in without] == ["'six-of-no-index!=1'"]
    assert "six==99999" in prepared.log
    with fresh_box(engine, checkout, prepared) as box:
        assert run_tests(box, prepared.environment, timeout_seconds=60).passed == {"test_a.py::test_a"}


def test_what_a_command_notes_is_evidence_and_is_so_again_when_the_layer_is_found(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository({"a": "1"})
    lines = f"{NOTE}x is left out\n{NOTE}x is left out\nno {NOTE}y\n{NOTE}{'z' * 301}\n"
    noting = SetupCommand(("printf", "%s", lines))
    plan = Environment("test", ("a",), (noting,), (TestCommand("pytest", ("pytest",)),), ("a",))
    told: list[str] = []
    for _ in range(2):
        prepared = prepare(engine, checkout, plan, repository="notes", allowed_hosts=(), report=told.append)
        assert prepared.environment.evidence == ("a", "x is left out")
    assert told[-1:] == ["x is left out"]


def test_a_project_that_cannot_be_installed_says_which_command_failed_how_and_what_ci_installs_besides(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    steps = "[{run: sudo apt-get install -y libxml2-dev}, {run: pytest}]"
    workflow = f"on: push\njobs: {{test: {{runs-on: ubuntu-latest, steps: {steps}}}}}\n"
    setup = "raise SystemExit('no compiler for you')"
    checkout = repository({"setup.py": setup, "test_a.py": "def test_a(): pass", ".github/workflows/ci.yml": workflow})
    told = r"(?s)failed with exit code 1: .*pip install .* \..*no compiler for you"
    with pytest.raises(SetupFailedError, match=told) as failed:
        prepared_for(engine, checkout)
    assert "Its CI installs libxml2-dev with apt: the image may lack some of that." in str(failed.value)
    keys = keys_of(engine, checkout)
    assert (engine.find_layer(keys.of_manifests), engine.find_layer(keys.of_commit)) == (None, None)


def test_a_set_up_that_fails_says_which_python_is_nearer(engine: BubblewrapEngine, repository: Repository) -> None:
    """Most often that is why: what was written for an older one does not compile for this one. A machine that has the
    nearest has nothing to be told."""
    is_here = any("/python3.9 " in python for python in pythons_below(Path("/usr")))
    checkout = repository({"test_a.py": "def test_a(): pass"})
    found = replace(detect(checkout.tree, checkout.read), setup=(SetupCommand(("false",)),))
    older = replace(found, tools=(Tool("python", preferred="<=3.4.999"),))
    for plan, said in ((older, not is_here), (found, False)):
        with pytest.raises(SetupFailedError) as failed:
            prepare(engine, checkout, plan, allowed_hosts=(), ca_bundle=None, report=lambda _: None)
        assert ("is nearer to what it was written for" in str(failed.value).partition("\n")[0]) is said


def test_a_set_up_that_fails_beside_a_submodule_says_that_it_is_not_there(
    engine: BubblewrapEngine, tmp_path: Path
) -> None:
    folder = make_repository(tmp_path / "parts", {"Makefile": "test:\n\ttest -e parts/built\n"})
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{head(folder)},parts")
    git(folder, "commit", "--quiet", "--message=parts")
    checkout = GitCheckout(folder / ".git", head(folder))
    found = replace(detect(checkout.tree, checkout.read), setup=(SetupCommand(("make", "-C", "parts")),))
    with pytest.raises(SetupFailedError, match=r"these folders are empty, and what needs them fails here: parts\."):
        prepare(engine, checkout, found, allowed_hosts=(), ca_bundle=None, report=lambda _: None)


@pytest.mark.long(
    short="tests/repo_tools/environment/test_kept_environments.py::test_a_failure_says_what_was_lacking_and_who_was_refused"
)
def test_a_host_that_is_not_allowed_is_named(engine: BubblewrapEngine, repository: Repository) -> None:
    checkout = repository({"test_a.py": "def test_a(): pass", "requirements.txt": "x @ https://example.org/x.tar.gz\n"})
    with pytest.raises(SetupFailedError, match=r"Hosts that set-up may not reach: example\.org\."):
        prepared_for(engine, checkout)


def test_set_up_ends_when_its_time_is_over(engine: BubblewrapEngine, repository: Repository) -> None:
    checkout = repository({"test_a.py": "def test_a(): pass"})
    found = detect(checkout.tree, checkout.read)
    endless = replace(found, setup=(SetupCommand(("sleep", "60"), required=False),))
    with pytest.raises(SetupFailedError, match="ran out of time: sleep 60"):
        prepare(engine, checkout, endless, allowed_hosts=(), ca_bundle=None, timeout_seconds=1, report=lambda _: None)


def test_a_command_that_can_be_done_without_takes_not_all_the_time_and_ends_no_set_up(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository({"test_a.py": "def test_a(): pass"})
    found = detect(checkout.tree, checkout.read)
    spare = SetupCommand(("sleep", "60"), required=False, spare=True)
    needed = SetupCommand(("touch", "/env/done"))
    told: list[str] = []
    prepare(
        engine,
        checkout,
        replace(found, setup=(spare, needed)),
        allowed_hosts=(),
        ca_bundle=None,
        timeout_seconds=10,
        report=told.append,
    )
    first = told.index("sleep 60")
    assert told[first + 1 : first + 3] == ["failed, and goes on without: sleep 60", "touch /env/done"]


def filling(command: str) -> Environment:
    """A set-up that makes a file of 40 MB in the work tree."""
    fill = SetupCommand(("sh", "-c", f"head -c 40000000 /dev/zero > made.bin && {command}"))
    return Environment("d", (), (fill,), (TestCommand("exit_code", ("true",)),), ())


SMALL = replace(DEFAULT_LIMITS, workspace_bytes=16 << 20, environment_bytes=128 << 20)


def test_set_up_has_room_in_the_work_tree_for_what_goes_to_the_environment(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository({"a.txt": ""})
    prepared = prepare(
        engine, checkout, filling("mv made.bin /env/"), allowed_hosts=(), limits=SMALL, report=lambda _: None
    )
    with engine.start(BoxSpec(SMALL, layer=prepared.layer)) as box:
        assert len(box.read("/env/made.bin", max_bytes=1)) == 1


def test_what_no_work_tree_of_the_tests_would_hold_is_told_at_set_up(
    engine: BubblewrapEngine, repository: Repository
) -> None:
    checkout = repository({"a.txt": ""})
    told = (
        r"38 MiB in the work tree, which has room for 16 MiB .* The largest: 'made.bin' \(39 MiB\), 'a\\nb' \(1 MiB\)"
    )
    named = "printf x > \"$(printf 'a\\nb')\""
    with pytest.raises(SetupFailedError, match=told):
        prepare(engine, checkout, filling(named), allowed_hosts=(), limits=SMALL, report=lambda _: None)
