"""Layers as images of a container engine, which several workers, on several machines, may share.

An image's labels say what it is and never change. Its last use is a second tag, ``KEY-used-NUMBER``, that is replaced
now and then: so the engine itself knows it, and any worker may look after the images that another one made.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Protocol

from docker import DockerClient
from docker.errors import APIError, ImageNotFound

from repo_tools.errors import DiskFullError
from repo_tools.sandbox.aside import discard_aside
from repo_tools.sandbox.contract import ENVIRONMENT, Layer, Making
from repo_tools.sandbox.docker_channel import discard
from repo_tools.sandbox.docker_errors import FOREIGN, engine_call, may_be_gone
from repo_tools.sandbox.docker_image import MOST_HELD_BYTES, HeldLayer, LoadableImage, held, root_entry
from repo_tools.sandbox.layers import (
    MARK_SECONDS,
    KeptLayer,
    LayerLimits,
    check_key,
    doomed,
    is_outdated,
    read_making,
    wanted_for_half,
    write_making,
)
from repo_tools.sandbox.owner import owner_labels

REPOSITORY = "agent-fix-layer"
NAME_LABEL = "agent-fix.layer"
"""On a layer: the tag that it is found by, as long as it has it."""
BASE_LABEL = "agent-fix.base"
"""On a layer: the id of the image that it stands on. A layer of another base is never found."""
MAKING_LABEL = "agent-fix.making"
LEFT_SECONDS = 3600.0
"""An image without a tag that is older was left by a maker that died."""
_USED = "-used-"
UNDER = f"{ENVIRONMENT}/".lstrip("/")
"""Where an environment stands in an image."""

DEFAULT_LIMITS = LayerLimits()


class Archive(Protocol):
    """The pieces of a tar stream, and how large they were altogether. Each name begins with `UNDER`."""

    @property
    def size_bytes(self) -> int: ...

    def __iter__(self) -> Iterator[bytes]: ...


@dataclass(frozen=True)
class DockerLayers:
    """The layers of one engine that stand on one base image. `repository` keeps caches on one engine apart;
    `installation` is whose container it is that an image is made from."""

    client: DockerClient
    base: str
    limits: LayerLimits = DEFAULT_LIMITS
    repository: str = REPOSITORY
    clock: Callable[[], float] = time.time
    installation: str = ""
    most_held_bytes: int = MOST_HELD_BYTES

    def find(self, key: str) -> Layer | None:
        with engine_call("look up a layer"):
            try:
                image = self.client.images.get(self._name(key))
            except ImageNotFound:
                return None
            except APIError:
                if not self._listed(key):
                    raise
                self._take_away(key)  # the engine has it, and cannot read it
                return None
            making = self._making(image.labels)
            if making is None or is_outdated(making.made_at, self.limits, self.clock()):
                return None
            self._mark_used(key, str(image.id), image.tags)
        return Layer(key, str(image.id), making)

    def keep(self, key: str, archive: Archive, making: Making) -> Layer:
        """`archive` becomes the environment of layer `key`. DiskFullError, when the half of what is kept that was not
        used for the longest time has made room."""
        try:
            return self._keep(key, archive, making)
        except DiskFullError:
            self.sweep(wanted_for_half(self._kept(self._ours(), self.clock()), self.limits))
            raise

    def _keep(self, key: str, archive: Archive, making: Making) -> Layer:
        with engine_call("save a layer"):
            made = replace(making, made_at=self.clock())
            image = self._make(key, archive, made)
            if found := self.find(key):  # another worker was first
                self._remove_image(image)
                return found
            self._take_away(key)
            self.client.api.tag(image, self.repository, key)
            self._mark_used(key, image, ())
        return Layer(key, image, made)

    def forget(self, layer: Layer) -> None:
        """Nobody finds `layer` any more; its image goes when no container uses it."""
        with engine_call("remove a layer"):
            for image in self._listed(layer.key):
                if image["Id"] == layer.reference:
                    self._forget(image)

    def sweep(self, wanted_bytes: int = 0) -> None:
        """Remove what dead makers left, what is too old, and what the bound has no room for beside `wanted_bytes`."""
        with engine_call("look after its layers"):
            ours, now = self._ours(), self.clock()
            left = [i for i in ours.values() if not can_be_found(i) and now - i["Created"] > LEFT_SECONDS]
            going = doomed(self._kept(ours, now), self.limits, now, wanted_bytes)
            for image in (*left, *(ours[layer.name] for layer in going)):
                self._remove(image)

    def _ours(self) -> dict[str, dict[str, Any]]:
        """Id -> image, as the engine lists it."""
        listed = {image["Id"]: image for image in self.client.api.images(filters={"label": NAME_LABEL})}
        return {name: i for name, i in listed.items() if i["Labels"][NAME_LABEL].startswith(f"{self.repository}:")}

    def _kept(self, ours: dict[str, dict[str, Any]], now: float) -> list[KeptLayer]:
        used = {container["ImageID"] for container in self.client.api.containers(all=True)}
        return [look(image, used, now) for image in ours.values() if can_be_found(image)]

    def _name(self, key: str) -> str:
        return f"{self.repository}:{check_key(key)}"

    def _making(self, labels: dict[str, str]) -> Making | None:
        try:
            return read_making(labels[MAKING_LABEL])[0] if labels.get(BASE_LABEL) == self.base else None
        except (KeyError, ValueError):
            return None

    def _make(self, key: str, archive: Archive, making: Making) -> str:
        """The base image with `archive` on it; not tagged yet."""
        with held(chain((root_entry(),), archive), self.most_held_bytes) as layer:
            if layer.is_whole:
                self.sweep(archive.size_bytes)
                if image := self._load(layer, self._labels(key, archive, making), making.made_at):
                    return image
            return self._commit(key, layer, archive, making)

    def _load(self, layer: HeldLayer, labels: dict[str, str], made_at: float) -> str | None:
        """None where the engine wants all layers below in the archive, as with containerd's image store."""
        image = LoadableImage(self.client.api.inspect_image(self.base), layer, labels, made_at)
        with suppress(*FOREIGN):  # one that is away will say so again
            for _progress in self.client.api.load_image(iter(image), quiet=True):
                pass
            if self.client.api.inspect_image(image.id)["RootFS"]["Layers"] == image.layers:
                return image.id
        return None

    def _commit(self, key: str, layer: HeldLayer, archive: Archive, making: Making) -> str:
        """In a container that never runs: every file is written twice."""
        labels = owner_labels(self.installation)
        container = self.client.containers.create(self.base, "true", network_mode="none", labels=labels)
        try:
            container.put_archive("/", layer.pieces())
            self.sweep(archive.size_bytes)
            return str(container.commit(conf={"Labels": self._labels(key, archive, making)}).id)
        finally:
            discard_aside(partial(discard, container))

    def _labels(self, key: str, archive: Archive, making: Making) -> dict[str, str]:
        told = write_making(making, archive.size_bytes)
        return {NAME_LABEL: self._name(key), BASE_LABEL: self.base, MAKING_LABEL: told}

    def _mark_used(self, key: str, image: str, tags: Sequence[str]) -> None:
        number = int(self.clock() / MARK_SECONDS)
        older = [tag for tag in tags if (mark := mark_of(tag)) is not None and mark < number]
        if older or not any(mark_of(tag) for tag in tags):
            self.client.api.tag(image, self.repository, f"{key}{_USED}{number}")
        for tag in older:
            self._untag(tag)

    def _take_away(self, key: str) -> None:
        """What stands under the tag of `key`, and may not be found."""
        for image in self._listed(key):
            self._remove(image)

    def _listed(self, key: str) -> list[dict[str, Any]]:
        """What the engine has under the tag of `key`, even where it is damaged."""
        found: list[dict[str, Any]] = self.client.api.images(filters={"label": f"{NAME_LABEL}={self._name(key)}"})
        return [image for image in found if can_be_found(image)]

    def _remove(self, image: dict[str, Any]) -> None:
        """The engine itself refuses where a container uses the image: then it stays, but counts as not used."""
        for tag in image["RepoTags"] or ():
            if mark_of(tag) is not None:
                self._untag(tag)
        self._remove_image(image["Id"])

    def _forget(self, image: dict[str, Any]) -> None:
        for tag in image["RepoTags"]:
            with may_be_gone():
                self.client.api.remove_image(tag, force=True)  # else its last name stays as long as its containers

    def _untag(self, tag: str) -> None:
        with may_be_gone():
            self.client.api.remove_image(tag, noprune=True)

    def _remove_image(self, image: str) -> None:
        with may_be_gone():
            self.client.api.remove_image(image)


def mark_of(tag: str) -> int | None:
    """The number in a tag of last use; None for any other tag."""
    _, found, number = tag.rpartition(_USED)
    return int(number) if found and number.isdigit() else None


def can_be_found(image: dict[str, Any]) -> bool:
    """Whether a listed image has the tag that its label names."""
    return image["Labels"][NAME_LABEL] in (image["RepoTags"] or ())


def look(image: dict[str, Any], used: set[str], now: float) -> KeptLayer:
    """A listed image as a layer. One whose labels cannot be read is too old for anything."""
    marks = [mark for tag in image["RepoTags"] if (mark := mark_of(tag)) is not None]
    used_at = max(marks, default=0) * MARK_SECONDS
    in_use = image["Id"] in used or now - used_at < 2 * MARK_SECONDS
    try:
        making, size_bytes = read_making(image["Labels"][MAKING_LABEL])
    except (KeyError, ValueError):
        return KeptLayer(image["Id"], image["Size"], 0.0, used_at, in_use)
    return KeptLayer(image["Id"], size_bytes, making.made_at, used_at, in_use)
