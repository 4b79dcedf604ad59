"""What is true of boxes in containers alone; what every box promises is in test_conformance.py and test_attacks.py."""

import io
import tarfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from docker import DockerClient

from repo_tools.errors import SandboxError, SandboxUnavailableError
from repo_tools.sandbox import aside
from repo_tools.sandbox.contract import BoxSpec, Limits
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_channel import discard
from tests.support.containers import LIMITS, MIB, SETUP, SPEC, containers
from tests.support.engine import unavailable
from tests.support.threads import wait_for_threads
from tests.support.tls_relay import tls_relay

pytestmark = pytest.mark.docker


@pytest.fixture
def run() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def engine(host: str, client: DockerClient, run: str) -> Iterator[DockerEngine]:
    engine = DockerEngine(docker_host=host, installation=run)
    yield engine
    wait_for_threads(aside.NAME)  # they remove containers too
    for container in containers(client, run):
        discard(container)
    engine.close()


def start_once(engine: DockerEngine) -> None:
    with closing(engine):
        engine.start(SPEC).close()


def test_an_image_that_brings_a_volume_of_its_own_is_refused_and_nothing_is_left(
    host: str, client: DockerClient, engine: DockerEngine, run: str
) -> None:
    base = client.containers.create(engine.image, "true", network_mode="none")
    image = base.commit(changes="VOLUME /data")
    base.remove(v=True)
    try:
        with (
            closing(DockerEngine(image.id, host, installation=run)) as other,
            pytest.raises(SandboxError, match="mounts"),
        ):
            start_once(other)
        assert containers(client, run) == []
    finally:
        client.images.remove(image.id)


def test_an_engine_that_is_away_is_transient() -> None:
    with pytest.raises(SandboxUnavailableError):
        DockerEngine(docker_host="tcp://127.0.0.1:1")


@pytest.mark.parametrize(
    ("image", "remedy"),
    [("agent-fix-sandbox:nonesuch", "AGENT_FIX_SANDBOX_IMAGE"), ("not an image name", "invalid reference")],
)
def test_an_image_that_the_engine_does_not_have_is_the_operators_affair(host: str, image: str, remedy: str) -> None:
    with pytest.raises(SandboxError, match=remedy) as caught:
        DockerEngine(image, host)
    assert not isinstance(caught.value, SandboxUnavailableError)


def test_a_runtime_that_the_engine_does_not_have_is_refused(host: str) -> None:
    with pytest.raises(SandboxError, match=r"has no runtime nonesuch; it has .*runc"):
        DockerEngine(docker_host=host, runtime="nonesuch")


def test_the_description_names_engine_runtime_and_image(engine: DockerEngine) -> None:
    kind, runtime, image = engine.describe().split(", ")
    assert kind.startswith("docker ")
    assert runtime.startswith("runc ")
    assert image == f"image {engine.image}"
    assert engine.image in engine.platform_key()


def test_a_closed_box_leaves_no_container(client: DockerClient, engine: DockerEngine, run: str) -> None:
    """S04."""
    box = engine.start(SPEC)
    assert len(containers(client, run)) == 1
    box.close()
    box.close()
    assert containers(client, run) == []


def test_a_layer_is_found_again_and_what_it_holds_can_be_read_but_not_written(
    engine: DockerEngine, client: DockerClient
) -> None:
    key = uuid.uuid4().hex
    assert engine.find_layer(key) is None
    with engine.start(SETUP) as box:
        box.exec(["sh", "-c", "mkdir /env/bin; echo secret >/env/own; chmod 600 /env/own"], timeout_seconds=30)
        box.exec(
            ["sh", "-c", "printf '#!/bin/sh\necho ran' >/env/bin/tool; chmod 755 /env/bin/tool"], timeout_seconds=10
        )
        layer = engine.save_layer(key, box)
        assert engine.save_layer(key, box) == layer
    try:
        assert engine.find_layer(key) == layer
        with engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
            assert box.exec(["/env/bin/tool"], timeout_seconds=30).output == b"ran\n"
            assert box.read("/env/own", max_bytes=100) == b"secret\n"
            assert box.exec(["touch", "/env/new"], timeout_seconds=30).exit_code != 0
    finally:
        client.images.remove(layer.reference, force=True)


def test_an_engine_is_closed_when_what_it_removes_beside_is_gone(host: str, client: DockerClient, run: str) -> None:
    """Or a removal would open a connection that nobody closes."""
    engine = DockerEngine(docker_host=host, installation=run)
    box, go = engine.start(SPEC), threading.Event()

    def remove() -> None:
        go.wait(60)
        box.close()

    aside.discard_aside(remove)
    threading.Timer(0.5, go.set).start()
    engine.close()
    assert containers(client, run) == []


def test_a_layer_of_another_base_image_is_not_found(host: str, engine: DockerEngine, client: DockerClient) -> None:
    base = client.containers.create(engine.image, "true", network_mode="none")
    other = base.commit(changes="ENV OTHER=1")
    base.remove(v=True)
    key = uuid.uuid4().hex
    with engine.start(SETUP) as box:
        layer = engine.save_layer(key, box)
    try:
        with closing(DockerEngine(other.id, host)) as another:
            assert another.find_layer(key) is None
    finally:
        client.images.remove(layer.reference, force=True)
        client.images.remove(other.id)


def test_a_box_that_is_killed_from_outside_is_worth_another_try(
    client: DockerClient, engine: DockerEngine, run: str
) -> None:
    with engine.start(SPEC) as box:
        containers(client, run)[0].kill()
        with pytest.raises(SandboxUnavailableError, match="killed from outside"):
            box.exec(["true"], timeout_seconds=10)
    assert containers(client, run) == []


def test_a_box_that_is_removed_from_outside_is_worth_another_try(
    client: DockerClient, engine: DockerEngine, run: str
) -> None:
    with engine.start(SPEC) as box:
        containers(client, run)[0].remove(force=True)
        with pytest.raises(SandboxUnavailableError, match="gone"):
            box.exec(["true"], timeout_seconds=10)


def test_a_command_that_takes_too_much_memory_is_killed_and_the_box_goes_on(engine: DockerEngine) -> None:
    with engine.start(SPEC) as box:
        greedy = box.exec(["python3", "-c", "x = bytearray(1 << 30); print(len(x))"], timeout_seconds=30)
        assert greedy.exit_code == 137
        assert box.exec(["echo", "here"], timeout_seconds=30).output == b"here\n"


def test_a_box_whose_volumes_take_all_its_memory_says_so(engine: DockerEngine) -> None:
    limits = Limits(memory_bytes=64 * MIB, workspace_bytes=1024 * MIB)
    with engine.start(BoxSpec(limits=limits)) as box, pytest.raises(SandboxError, match=r"out of memory.* 64 MiB"):
        box.write("/workspace/big", bytes(500 * MIB))


def test_a_tree_of_a_hundred_thousand_bytes_goes_in_and_comes_out_the_same(engine: DockerEngine) -> None:
    content = bytes(range(256)) * 4_000
    source, result = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=source, mode="w") as archive:
        member = tarfile.TarInfo("folder/data.bin")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    source.seek(0)
    with engine.start(SPEC) as box:
        box.upload(source, "/workspace")
        box.download("/workspace", result)
    result.seek(0)
    with tarfile.open(fileobj=result) as archive:
        extracted = archive.extractfile("folder/data.bin")
        assert extracted is not None
        assert extracted.read() == content


@pytest.fixture
def remote_engine(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerEngine]:
    """The same engine as a remote one: TCP and TLS with certificates on both sides, named by the usual variables."""
    if not host.startswith("unix://"):
        unavailable("the engine is a remote one already")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # the SDK's HTTP library prefers them to the engine's own
        monkeypatch.delenv(name, raising=False)
    with tls_relay(tmp_path, host.removeprefix("unix://")) as port:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://localhost:{port}")
        monkeypatch.setenv("DOCKER_TLS_VERIFY", "1")
        monkeypatch.setenv("DOCKER_CERT_PATH", str(tmp_path))
        with closing(DockerEngine()) as engine:
            yield engine


def test_a_remote_engine_serves_boxes_over_tls(remote_engine: DockerEngine) -> None:
    content = bytes(range(256)) * 20_000
    with remote_engine.start(SPEC) as box:
        box.write("/workspace/data.bin", content)
        assert box.read("/workspace/data.bin", max_bytes=10_000_000) == content
        assert box.exec(["wc", "-c", "data.bin"], timeout_seconds=20).output == b"5120000 data.bin\n"
        echoed = box.exec(["cat"], stdin=content, timeout_seconds=20, max_output_bytes=10_000_000)
        assert echoed.output == content


def test_a_layer_can_be_kept_on_a_remote_engine(remote_engine: DockerEngine, client: DockerClient) -> None:
    with remote_engine.start(SETUP) as box:
        box.write("/env/data.bin", bytes(8 * MIB))
        layer = remote_engine.save_layer(uuid.uuid4().hex, box)
    try:
        with remote_engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
            assert box.read("/env/data.bin", max_bytes=10 * MIB) == bytes(8 * MIB)
    finally:
        client.images.remove(layer.reference, force=True)
