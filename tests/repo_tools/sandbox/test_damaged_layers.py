"""What somebody, or a failing disk, took out of an engine's store behind its back is made anew, not met again and
again."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from docker import DockerClient

from repo_tools.errors import LayerGoneError, SandboxError
from repo_tools.sandbox.contract import BoxSpec, Layer
from repo_tools.sandbox.docker import DockerEngine
from tests.support.containers import LIMITS, SETUP
from tests.support.engine import engine_client
from tests.support.second_engine import SecondEngine, second_engine

pytestmark = [
    pytest.mark.docker,
    # The SDK leaves a socket open to the collector where nobody answers it.
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
]

KEY = "ab" * 20


@pytest.fixture(scope="module")
def own() -> Iterator[SecondEngine]:
    """Nobody else's store is damaged."""
    with second_engine() as engine:
        yield engine


@pytest.fixture
def engine(own: SecondEngine) -> Iterator[DockerEngine]:
    with closing(DockerEngine(docker_host=own.host)) as engine:
        yield engine


@pytest.fixture
def client(own: SecondEngine) -> Iterator[DockerClient]:
    with closing(engine_client(own.host)) as client:
        yield client


def make(engine: DockerEngine) -> Layer:
    with engine.start(SETUP) as box:
        box.write("/env/content", b"whole")
        return engine.save_layer(KEY, box)


def content(engine: DockerEngine, layer: Layer) -> bytes:
    with engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
        return box.read("/env/content", max_bytes=100)


def folder_of(client: DockerClient, layer: Layer) -> Path:
    """Where the engine has the files of the layer."""
    image = client.api.inspect_image(layer.reference)
    if "UpperDir" not in (image["GraphDriver"]["Data"] or {}):
        pytest.skip(f"the engine keeps its layers by {image['GraphDriver']['Name']}")
    return Path(image["GraphDriver"]["Data"]["UpperDir"])


def test_a_layer_without_its_files_is_made_anew(engine: DockerEngine, client: DockerClient) -> None:
    layer = make(engine)
    shutil.rmtree(folder_of(client, layer))
    with pytest.raises(LayerGoneError, match="damaged"):
        content(engine, layer)
    assert engine.find_layer(KEY) is None
    assert content(engine, make(engine)) == b"whole"
    assert client.api.containers(all=True) == []


def test_a_layer_that_the_engine_cannot_read_is_not_found(engine: DockerEngine, client: DockerClient) -> None:
    shutil.rmtree(folder_of(client, make(engine)).parent)
    assert engine.find_layer(KEY) is None
    assert content(engine, make(engine)) == b"whole"


def test_an_engine_that_makes_no_container_at_all_loses_no_layer(engine: DockerEngine, client: DockerClient) -> None:
    layer = make(engine)
    base = folder_of(client, Layer(KEY, engine.image))
    base.rename(base.with_name("away"))
    try:
        with pytest.raises(SandboxError) as told:
            content(engine, layer)
    finally:
        base.with_name("away").rename(base)
    assert not isinstance(told.value, LayerGoneError)
    assert engine.find_layer(KEY) == layer
    assert content(engine, layer) == b"whole"
