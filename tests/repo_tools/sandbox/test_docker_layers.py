"""Layers as images: shared by workers, kept within bounds by last use, and never taken from under a box."""

import errno
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from docker import APIClient, DockerClient

from repo_tools.errors import DiskFullError, LayerGoneError
from repo_tools.sandbox.contract import BoxSpec, Making
from repo_tools.sandbox.docker import DockerEngine
from repo_tools.sandbox.docker_layers import DockerLayers
from repo_tools.sandbox.image import find_image
from repo_tools.sandbox.layers import LayerLimits
from tests.support.boxes import LIMITS, tar_of
from tests.support.engine import engine_client

pytestmark = pytest.mark.docker

KEY, OTHER, THIRD = "ab" * 20, "cd" * 20, "ef" * 20
HOUR, DAY = 3600.0, 86_400.0
Open = Callable[..., DockerLayers]


@pytest.fixture
def layers(client: DockerClient) -> Iterator[Open]:
    """`layers(most_bytes, ago)`: the cache of this test alone, as a worker saw it so many seconds ago."""
    repository = f"agent-fix-test-{uuid.uuid4().hex}"

    def opened(most_bytes: int = 1 << 30, ago: float = 0.0) -> DockerLayers:
        limits = LayerLimits(most_bytes=most_bytes)
        return DockerLayers(client, find_image(client), limits, repository=repository, clock=lambda: time.time() - ago)

    yield opened
    for image in listed(client, repository):
        client.images.remove(image["Id"], force=True)


class Packed:
    """An environment with one file."""

    size_bytes = 40

    def __init__(self, content: str) -> None:
        self._archive = tar_of({"env/content": content.encode()}).getvalue()

    def __iter__(self) -> Iterator[bytes]:
        return iter((self._archive,))


def listed(client: DockerClient, repository: str) -> list[dict[str, Any]]:
    every = client.api.images(filters={"label": "agent-fix.layer"})
    return [image for image in every if image["Labels"]["agent-fix.layer"].startswith(f"{repository}:")]


def keep(layers: DockerLayers, key: str, making: Making | None = None) -> str:
    return layers.keep(key, Packed(key), making or Making()).reference


def keys(layers: DockerLayers) -> set[str]:
    return {image["Labels"]["agent-fix.layer"].partition(":")[2] for image in listed(layers.client, layers.repository)}


def test_a_layer_and_how_it_was_made_are_found_by_another_worker(layers: Open) -> None:
    assert layers().find(KEY) is None
    keep(layers(), KEY, Making(3.0, ("refused.example",), 'log "quoted" $HOME \\ \N{SNOWMAN}\n'))
    found = layers().find(KEY)
    assert found is not None
    assert (found.making.refused_hosts, found.making.seconds) == (("refused.example",), 3.0)
    assert found.making.log == 'log "quoted" $HOME \\ \N{SNOWMAN}\n'
    assert time.time() - found.making.made_at < 60


class WholeImagesOnly(APIClient):  # type: ignore[misc]
    """As an engine that takes no layer without those below it."""

    def load_image(self, data: Iterable[bytes], quiet: bool | None = None) -> Iterator[dict[str, str]]:
        yield {"error": f"a layer is missing in {len(b''.join(data))} bytes"}


def whole_images_only(host: str) -> DockerClient:
    client = engine_client(host)
    client.api.close()
    client.api = WholeImagesOnly(host, version="auto")
    return client


def made_by(layers: DockerLayers, image: str) -> str:
    newest: dict[str, str] = layers.client.api.history(image)[0]
    return newest["CreatedBy"]


def has_store_of_containerd(client: DockerClient) -> bool:
    return "io.containerd.snapshotter.v1" in str(client.info().get("DriverStatus"))


@pytest.mark.parametrize("way", ["loaded", "too large to be held", "refused by the engine"])
def test_however_a_layer_comes_to_the_engine_it_is_the_same(layers: Open, host: str, way: str) -> None:
    with closing(whole_images_only(host)) as refusing, closing(DockerEngine(docker_host=host)) as engine:
        by_way = {
            "loaded": layers(),
            "too large to be held": replace(layers(), most_held_bytes=100),
            "refused by the engine": replace(layers(), client=refusing),
        }[way]
        image = keep(by_way, KEY)
        is_loaded = way == "loaded" and not has_store_of_containerd(by_way.client)
        assert (made_by(by_way, image) == "agent-fix") == is_loaded
        layer = layers().find(KEY)
        assert layer is not None
        assert (layer.key, layer.reference) == (KEY, image)
        assert [found["Id"] for found in listed(by_way.client, by_way.repository)] == [image]
        with engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
            assert box.read("/env/content", max_bytes=100) == KEY.encode()
            told = box.exec(["stat", "--format", "%u:%g %a", "/env", "/", "/usr"], timeout_seconds=60).output
            assert told.decode().split("\n")[:3] == ["1000:1000 755", "0:0 755", "0:0 755"]


def test_of_two_makers_of_a_layer_the_first_wins(layers: Open) -> None:
    first = keep(layers(), KEY)
    assert keep(layers(), KEY) == first
    assert len(listed(layers().client, layers().repository)) == 1


def test_an_outdated_layer_is_not_found_and_is_replaced(layers: Open) -> None:
    old = keep(layers(ago=8 * DAY), KEY)
    assert layers().find(KEY) is None
    new = keep(layers(), KEY)
    found = layers().find(KEY)
    assert found is not None
    assert found.reference == new != old
    assert [image["Id"] for image in listed(layers().client, layers().repository)] == [new]


def test_an_outdated_layer_goes_without_a_successor(layers: Open) -> None:
    keep(layers(ago=8 * DAY), KEY)
    layers().sweep()
    assert keys(layers()) == set()


def test_what_was_not_used_for_the_longest_time_makes_room(layers: Open) -> None:
    keep(layers(ago=3 * HOUR), KEY)
    keep(layers(ago=2 * HOUR), OTHER)
    assert layers(ago=HOUR).find(KEY), "used since"
    keep(layers(most_bytes=100), THIRD)
    assert keys(layers()) == {KEY, THIRD}


class Overflowing(Packed):
    """What no disk has room for."""

    def __iter__(self) -> Iterator[bytes]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_is_full_before_the_bound_is_reached_is_told_and_half_of_what_is_kept_goes(layers: Open) -> None:
    keep(layers(ago=3 * HOUR), KEY)
    keep(layers(ago=2 * HOUR), OTHER)
    with pytest.raises(DiskFullError):
        layers().keep(THIRD, Overflowing(""), Making())
    assert keys(layers()) == {OTHER}


def test_the_marks_of_use_do_not_pile_up(layers: Open) -> None:
    keep(layers(ago=3 * HOUR), KEY)
    for ago in (2 * HOUR, HOUR, 0, 0):
        assert layers(ago=ago).find(KEY)
    (image,) = listed(layers().client, layers().repository)
    assert len(image["RepoTags"]) == 2


def test_a_layer_that_a_box_uses_is_never_evicted(layers: Open, host: str) -> None:
    keep(layers(ago=3 * HOUR), KEY)
    layer = layers(ago=2 * HOUR).find(KEY)
    with closing(DockerEngine(docker_host=host)) as engine, engine.start(BoxSpec(limits=LIMITS, layer=layer)) as box:
        layers(most_bytes=1).sweep()
        assert keys(layers()) == {KEY}
        assert box.read("/env/content", max_bytes=100) == KEY.encode()
    layers(most_bytes=1).sweep()
    assert keys(layers()) == set()


def test_a_layer_that_went_between_finding_and_use_is_worth_another_try(layers: Open, host: str) -> None:
    keep(layers(ago=3 * HOUR), KEY)
    layer = layers(ago=2 * HOUR).find(KEY)
    layers(most_bytes=1).sweep()
    with closing(DockerEngine(docker_host=host)) as engine, pytest.raises(LayerGoneError):
        engine.start(BoxSpec(limits=LIMITS, layer=layer))


def test_an_image_that_a_dead_maker_left_is_removed(layers: Open) -> None:
    made = layers()
    image = keep(made, KEY)
    for tag in made.client.images.get(image).tags:
        other = f"{made.repository}-kept"
        made.client.api.tag(image, other, "x")
        made.client.api.remove_image(tag, noprune=True)
    made.client.api.tag(image, made.repository, "not-its-name")
    made.client.api.remove_image(f"{made.repository}-kept:x", noprune=True)
    made.sweep()
    assert keys(made) == {KEY}, "it may still be under way"
    layers(ago=-2 * HOUR).sweep()
    assert keys(made) == set()


def test_another_cache_on_the_same_engine_is_left_alone(layers: Open) -> None:
    mine = layers(ago=3 * HOUR)
    keep(mine, KEY)
    replace(mine, repository=f"{mine.repository}-other", limits=LayerLimits(most_bytes=1), clock=time.time).sweep()
    assert keys(mine) == {KEY}
