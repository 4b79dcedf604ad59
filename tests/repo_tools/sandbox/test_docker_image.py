"""A layer as an image to load: an archive of what is new alone."""

import hashlib
import io
import json
import tarfile
from typing import Any

import pytest

from repo_tools.sandbox.docker_image import LoadableImage, held, root_entry

BASE: dict[str, Any] = {
    "Architecture": "arm64",
    "Variant": "v8",
    "Os": "linux",
    "Config": {"Env": ["PATH=/bin"], "Labels": {"of": "the base"}},
    "RootFS": {"Type": "layers", "Layers": ["sha256:aa", "sha256:bb"]},
}
PIECES = [b"x" * 512, b"y" * 1024, b"z" * 512]
CONTENT = b"".join(PIECES)


def unpacked(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {member.name: file.read() for member in tar if (file := tar.extractfile(member))}


def test_what_is_held_whole_can_be_read_again_and_again() -> None:
    with held(PIECES, most_bytes=len(CONTENT)) as layer:
        assert layer.is_whole
        assert (layer.size_bytes, layer.digest) == (2048, f"sha256:{hashlib.sha256(CONTENT).hexdigest()}")
        assert [b"".join(layer.pieces()) for _ in range(2)] == [CONTENT, CONTENT]


def test_what_is_too_large_to_be_held_still_comes_whole() -> None:
    with held(PIECES, most_bytes=600) as layer:
        assert not layer.is_whole
        assert b"".join(layer.pieces()) == CONTENT


def test_a_stream_that_breaks_off_is_no_layer() -> None:
    def breaking() -> Any:
        yield PIECES[0]
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"), held(breaking()):
        pass


def test_an_image_to_load_has_the_new_layer_and_names_those_of_its_base() -> None:
    with held(PIECES) as layer:
        image = LoadableImage(BASE, layer, {"own": "label"}, made_at=0.5)
        files = unpacked(b"".join(image))
        assert image.layers == ["sha256:aa", "sha256:bb", layer.digest]
    (manifest,) = json.loads(files["manifest.json"])
    assert image.id == f"sha256:{hashlib.sha256(files[manifest['Config']]).hexdigest()}"
    assert [files.get(name) for name in manifest["Layers"]] == [None, None, CONTENT]
    config = json.loads(files[manifest["Config"]])
    assert config["rootfs"] == {"type": "layers", "diff_ids": image.layers}
    assert config["config"] == {"Env": ["PATH=/bin"], "Labels": {"of": "the base", "own": "label"}}
    assert (config["architecture"], config["variant"], config["os"]) == ("arm64", "v8", "linux")
    assert config["created"] == "1970-01-01T00:00:00.500000+00:00"


def test_the_environments_folder_is_the_boxs_users() -> None:
    entry = tarfile.TarInfo.frombuf(root_entry(), "utf-8", "strict")
    assert (entry.name, entry.isdir(), entry.mode, entry.uid, entry.gid) == ("env", True, 0o755, 1000, 1000)
