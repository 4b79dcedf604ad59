"""What set-up leaves in the work tree: kept whole, put back, and nothing of the base with it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import pytest

from repo_tools.environment.contract import Environment, PreparedEnvironment, TestCommand
from repo_tools.environment.generated import NOTHING, Generated, generated, keep_generated, restore_generated
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import WORKSPACE, BoxSpec, Sandbox, SandboxEngine
from repo_tools.workspace import Workspace
from tests.support.boxes import sh

Repository = Callable[[Mapping[str, str]], GitCheckout]
BASE = {"a.py": "base", "pkg/b.py": "base", ".gitignore": "ignored\n", "sub/dir/c.py": "base"}
ENVIRONMENT = Environment("test", (), (), (TestCommand("pytest", ("pytest",)),), ())


class Workshop:
    """Set-up as a shell script in the base, and fresh boxes with what it left."""

    def __init__(self, engine: SandboxEngine, checkout: GitCheckout, stack: ExitStack) -> None:
        self.engine = engine
        self.checkout = checkout
        self._stack = stack

    def set_up(self, script: str) -> tuple[Generated, PreparedEnvironment]:
        with self.engine.start(BoxSpec(writable_environment=True)) as box:
            for path in self.checkout.tree:
                box.write(f"{WORKSPACE}/{path}", self.checkout.read(path))
            assert sh(box, script).exit_code == 0
            made = keep_generated(box, self.checkout.tree)
            layer = self.engine.save_layer(f"{abs(hash(script)):016x}", box)
        return made, PreparedEnvironment(ENVIRONMENT, layer, 0.0)

    def fresh(self, prepared: PreparedEnvironment) -> Sandbox:
        box = self._stack.enter_context(fresh_box(self.engine, self.checkout, prepared))
        restore_generated(box)
        return box


@pytest.fixture
def workshop(engine: BubblewrapEngine, repository: Repository) -> Iterator[Workshop]:
    with ExitStack() as stack:
        yield Workshop(engine, repository(BASE), stack)


pytestmark = pytest.mark.bubblewrap


def test_programs_of_the_environment_that_are_called_like_the_systems_are_none_of_ours(workshop: Workshop) -> None:
    """A package that brings a `stat` or a `tar` of its own, or one that means harm."""
    made, prepared = workshop.set_up(
        "echo 1 > made; mkdir -p /env/venv/bin; cd /env/venv/bin; printf '#!/bin/sh\\necho 7\\n' > stat;"
        "chmod 755 stat; for name in tar du git sh test; do cp stat $name; done"
    )
    assert made == Generated(("made",))
    box = workshop.fresh(prepared)
    assert box.read(f"{WORKSPACE}/made", max_bytes=9) == b"1\n"
    log = box.exec(["/usr/bin/git", "log", "--format=%s"], timeout_seconds=30)
    assert log.output == b"base\n", log


def test_everything_that_the_base_does_not_have_comes_back_as_it_was(workshop: Workshop) -> None:
    made, prepared = workshop.set_up(
        "mkdir -p node_modules/.bin node_modules/x/empty pkg/__pycache__ pkg/deep/er; echo 1 > node_modules/x/i.js;"
        "chmod 755 node_modules/x/i.js; ln -s ../x/i.js node_modules/.bin/x; echo 2 > pkg/fast.so; echo 3 > ignored;"
        "ln node_modules/x/i.js node_modules/hard; echo > pkg/__pycache__/b.pyc; echo 4 > pkg/deep/er/f;"
        "echo 5 > 'sub/dir/odd\nname'; echo 6 > ./-x; echo 7 > \"$(printf 'pkg/\\377')\""
    )
    assert set(made.paths) == {
        "node_modules", "pkg/fast.so", "ignored", "pkg/deep", "sub/dir/odd\nname", "-x", "pkg/\udcff",
    }  # fmt: skip
    box = workshop.fresh(prepared)
    assert generated(box) == made
    assert sh(box, "node_modules/.bin/x; cat node_modules/.bin/x node_modules/hard").output.count(b"1\n") == 2
    assert sh(box, "ls -d node_modules/x/empty; test ! -e pkg/__pycache__ && echo gone").output.endswith(b"gone\n")
    assert sh(box, "cat pkg/fast.so ignored pkg/deep/er/f sub/dir/odd* ./-x pkg/?").output.split() == [
        b"2", b"3", b"4", b"5", b"6", b"7",
    ]  # fmt: skip


def test_altered_and_deleted_files_of_the_base_are_as_in_the_base(workshop: Workshop) -> None:
    made, prepared = workshop.set_up(
        "echo altered > a.py; rm -r pkg; echo file > pkg; rm sub/dir/c.py; mkdir sub/dir/c.py; echo > sub/dir/c.py/x"
    )
    assert made == NOTHING
    assert workshop.fresh(prepared).tree() == workshop.checkout.tree


@pytest.mark.parametrize("made", ["", "echo > made"])
@pytest.mark.parametrize(
    "instead",
    [
        "cd /tmp; echo all > conftest.py; tar -cf /env/generated.tar conftest.py; echo '[\"conftest.py\"]' >",
        "ln -s /etc/passwd",
        "mkdir -p /env/generated.tar/x /env/generated.json/x; echo >",
    ],
    ids=["archive", "link", "folders"],
)
def test_what_set_up_puts_in_the_place_of_what_it_made_never_comes_back(
    workshop: Workshop, instead: str, made: str
) -> None:
    """Another commit's runs find it, as the work tree shows nothing of it."""
    place = "/env/generated.json" + ("/y" if "mkdir" in instead else "")
    found, prepared = workshop.set_up(f"{made}\n{instead} {place}")
    box = workshop.fresh(prepared)
    assert found == generated(box) == (Generated(("made",)) if made else NOTHING)
    assert sh(box, "ls /workspace").output.split() == [b"a.py", *([b"made"] if made else []), b"pkg", b"sub"]


def test_a_link_to_what_was_only_there_during_set_up_is_not_kept(workshop: Workshop) -> None:
    made, _ = workshop.set_up("ln -s /tmp/gone python; ln -s a.py link; ln -s nowhere pkg/link; echo > made")
    assert set(made.paths) == {"link", "made"}


def test_what_stands_in_the_box_already_stays(workshop: Workshop) -> None:
    _, prepared = workshop.set_up("echo made > ignored; mkdir n; echo made > n/x")
    box = workshop.fresh(prepared)
    box.write(f"{WORKSPACE}/n/x", b"tested")
    box.delete(f"{WORKSPACE}/ignored")
    restore_generated(box)
    assert sh(box, "cat n/x ignored").output == b"testedmade\n"


def test_many_installed_files_are_there_again_and_no_test_run_is_blamed_for_them(
    workshop: Workshop,
) -> None:
    made, prepared = workshop.set_up(
        "for p in $(seq 400); do mkdir -p node_modules/p$p; cd node_modules/p$p; touch $(seq 50); cd ../..; done"
    )
    assert made.paths == ("node_modules",)
    box = workshop.fresh(prepared)
    with Workspace(box, workshop.checkout, ENVIRONMENT) as workspace:
        assert sh(box, "find node_modules -type f | wc -l").output == b"20000\n"
        box.write(f"{WORKSPACE}/stray", b"")
        assert workspace.run_tests(timeout_seconds=60).left_behind == ("stray",)
        assert sh(box, "find node_modules -type f | wc -l").output == b"20000\n"


@pytest.mark.parametrize(
    "paths",
    [
        (),
        ("node_modules", "packages/a/node_modules", "src/x.egg-info", "x/_version.py", "src/x/version.py", ".eggs"),
        (
            "AUTHORS",
            "ChangeLog",
            ".husky/_",
            "poetry.lock",
            "package-lock.json",
            "vendor",
            ".venv",
            "__version__.py",
            ".yarn",
            ".pnp.cjs",
        ),
    ],
)
def test_what_manifests_alone_decide_serves_every_commit(paths: tuple[str, ...]) -> None:
    assert not Generated(paths).comes_from_sources


@pytest.mark.parametrize("path", ["fast.cpython-311-x86_64-linux-gnu.so", "build", "dist", "pkg/parser.c", "target"])
def test_what_a_build_left_is_of_its_commit_alone(path: str) -> None:
    assert Generated(("node_modules", path)).comes_from_sources
    assert not Generated(("node_modules", path)).without({path}).comes_from_sources


def test_a_folder_stands_for_all_that_is_in_it() -> None:
    made = Generated(("node_modules", "pkg/fast.so"))
    assert "node_modules/x/y.js" in made
    assert "pkg/fast.so" in made
    assert "pkg/other.so" not in made
    assert "node_modules2" not in made
