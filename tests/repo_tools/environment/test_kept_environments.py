"""Environments that are made once and found again; set-up is a shell script, no index is asked."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from repo_tools.changes import ChangeSet, FileChange, FileMode
from repo_tools.environment.contract import (
    Environment,
    PreparedEnvironment,
    SetupCommand,
    SetupFailedError,
    TestCommand,
    Tool,
)
from repo_tools.environment.prepare import prepare
from repo_tools.environment.tools import ToolMissingError
from repo_tools.fresh_box import fresh_box
from repo_tools.git_checkout import GitCheckout
from repo_tools.sandbox.contract import BoxSpec, SandboxEngine
from repo_tools.sandbox.docker import DockerEngine
from tests.support.boxes import sh
from tests.support.engine import ENGINES, require_bubblewrap, require_docker
from tests.support.laboratory import checkout_of

Repository = Callable[[Mapping[str, str]], GitCheckout]
ASK = "import urllib.request as r\ntry: r.urlopen('http://refused.example/')\nexcept OSError as error: print(error)\n"


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxEngine]:
    if request.param == "bubblewrap":
        yield require_bubblewrap(tmp_path_factory.mktemp("data"))
        return
    with closing(DockerEngine(docker_host=require_docker(), locks=tmp_path_factory.mktemp("locks"))) as engine:
        yield engine


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Each test has a repository of its own: `name` is in every key."""
    return lambda files: checkout_of(tmp_path / "repository", files)


def plan(*scripts: str, **changed: Any) -> Environment:
    setup = tuple(SetupCommand(("sh", "-ec", script)) for script in scripts)
    return Environment("test", (), setup, (TestCommand("pytest", ("pytest",)),), ("manifest",), **changed)


def made(engine: SandboxEngine, checkout: GitCheckout, plan: Environment, **changed: Any) -> PreparedEnvironment:
    told: dict[str, Any] = {
        "repository": str(checkout.git_dir), "allowed_hosts": ("allowed.example",), "report": lambda _: None,
    }  # fmt: skip
    return prepare(engine, checkout, plan, **{**told, **changed})


def content(engine: SandboxEngine, prepared: PreparedEnvironment) -> str:
    """A digest of all that the layer holds."""
    with engine.start(spec_of(prepared)) as box:
        listed = sh(box, "cd /env && find . -type f | sort | xargs sha256sum; find . -type l -o -type d | sort").output
    return hashlib.sha256(listed).hexdigest()


def spec_of(prepared: PreparedEnvironment) -> BoxSpec:
    return BoxSpec(layer=prepared.layer)


def test_an_environment_that_is_found_still_knows_how_it_was_made(
    engine: SandboxEngine, repository: Repository
) -> None:
    checkout = repository({"manifest": "1", "ask.py": ASK})
    asking = plan("python3 ask.py; echo installed")
    first, second = made(engine, checkout, asking), made(engine, checkout, asking)
    assert second.seconds == 0.0 < first.seconds
    assert second.layer == first.layer
    assert first.refused_hosts == second.refused_hosts == ("refused.example",)
    assert "installed" in second.log


def test_another_repository_does_not_get_it(engine: SandboxEngine, repository: Repository) -> None:
    checkout = repository({"manifest": "1"})
    first = made(engine, checkout, plan("true"))
    other = made(engine, checkout, plan("true"), repository=f"{checkout.git_dir} of somebody else")
    assert other.seconds > 0
    assert other.layer.key != first.layer.key


def test_a_commit_that_leaves_the_manifests_alone_finds_it(engine: SandboxEngine, repository: Repository) -> None:
    installing = plan("mkdir -p node_modules/x; cp manifest node_modules/x/")
    first = made(engine, repository({"manifest": "1", "a.py": "1"}), installing)
    later = made(engine, repository({"a.py": "2"}), installing)
    assert (later.seconds, later.layer.key) == (0.0, first.layer.key)
    assert made(engine, repository({"manifest": "2"}), installing).seconds > 0


def test_what_was_built_from_sources_serves_their_commit_alone(engine: SandboxEngine, repository: Repository) -> None:
    building = plan("cp source.txt compiled.so")
    checkout = repository({"manifest": "1", "source.txt": "old"})
    first = made(engine, checkout, building)
    assert made(engine, checkout, building).seconds == 0.0
    later = made(engine, repository({"source.txt": "new"}), building)
    assert later.seconds > 0
    assert later.layer.key != first.layer.key


def test_nothing_that_a_run_does_reaches_the_layer(engine: SandboxEngine, repository: Repository) -> None:
    checkout = repository({"manifest": "1"})
    good = plan("mkdir /env/bin node_modules; echo good > /env/bin/tool; cp manifest node_modules")
    prepared = made(engine, checkout, good)
    before = content(engine, prepared)
    change = ChangeSet(checkout.commit, {"manifest": FileChange(FileMode.REGULAR, b"evil")})
    with fresh_box(engine, checkout, prepared, overlay=change) as box:
        attack = "echo evil > /env/bin/tool; echo evil > /env/new; rm -rf /env/*; chmod -R 777 /env; mv /env /tmp/env"
        assert sh(box, f"{attack}; mkdir -p node_modules; echo evil > node_modules/evil").exit_code == 0
    assert content(engine, prepared) == before
    assert made(engine, checkout, good).layer == prepared.layer


def test_two_who_want_the_same_make_it_once(engine: SandboxEngine, repository: Repository) -> None:
    checkout = repository({"manifest": "1"})
    slow = plan("sleep 1; echo made > /env/made")
    results: list[PreparedEnvironment] = []
    threads = [Thread(target=lambda: results.append(made(engine, checkout, slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0].layer == results[1].layer
    assert sorted(result.seconds > 0 for result in results) == [False, True]


def test_each_command_runs_in_its_folder_with_room_for_its_caches(
    engine: SandboxEngine, repository: Repository
) -> None:
    checkout = repository({"manifest": "1", "sub/dir/file": ""})
    script = "pwd; test -w $HOME; test -w $TMPDIR; echo > $HOME/cache; case $HOME in /env/*) echo on the volume;; esac"
    where = Environment("test", (), (SetupCommand(("sh", "-ec", script), directory="sub/dir"),), (), ("manifest",))
    prepared = made(engine, checkout, where)
    assert "/workspace/sub/dir\non the volume\n" in prepared.log
    with engine.start(spec_of(prepared)) as box:
        assert sh(box, "ls -A /env").output == b""


def test_a_failure_says_what_was_lacking_and_who_was_refused(engine: SandboxEngine, repository: Repository) -> None:
    checkout = repository({"manifest": "1", "ask.py": ASK})
    with pytest.raises(SetupFailedError) as told:
        made(engine, checkout, plan("python3 ask.py; echo 'Error: pg_config executable not found.'; exit 3"))
    first = str(told.value).partition("\n")[0]
    assert first.startswith("Set-up failed with exit code 3: sh -ec ")
    assert first.endswith(
        "It lacks the program pg_config (in Debian's libpq-dev). Hosts that set-up may not reach: refused.example."
    )


def test_a_tool_that_the_image_does_not_have_ends_it_before_anything_is_run(
    engine: SandboxEngine, repository: Repository
) -> None:
    checkout = repository({"manifest": "1"})
    said: list[str] = []
    wanting = plan("true", tools=(Tool("python", ">=99", "pyproject.toml requires-python"),))
    with pytest.raises(ToolMissingError, match=r"python >=99 \(pyproject.toml requires-python\); the image has 3\."):
        made(engine, checkout, wanting, report=said.append)
    assert said == []


def test_set_up_is_told_which_python_to_take(engine: SandboxEngine, repository: Repository) -> None:
    checkout = repository({"manifest": "1"})
    asking = plan("$AGENT_FIX_PYTHON -c 'print(\"started by\", 6 * 7)'", tools=(Tool("python", ">=3.9"),))
    assert "started by 42" in made(engine, checkout, asking).log
