"""How long prepared environments are kept, and which go first. Pure: `layer_folders` and `docker_layers` keep them."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass

from repo_tools.sandbox.contract import Making

KEY = re.compile(r"[0-9a-f]{8,128}")
MARK_SECONDS = 300.0
"""Last use is known this closely: to write it down again each time would cost more than it tells."""


@dataclass(frozen=True)
class LayerLimits:
    """Of all layers of one engine together, and of the age of each: what an index offers today is not what it offered
    when the layer was made."""

    most_bytes: int = 20 << 30
    most_seconds: float = 7 * 86_400.0


@dataclass(frozen=True)
class KeptLayer:
    """One layer as it stands. Times are Unix times; `in_use`: a box that was started with it has not ended."""

    name: str
    size_bytes: int
    made_at: float
    used_at: float
    in_use: bool


def check_key(key: str) -> str:
    """ValueError: it becomes part of paths and tags."""
    if not KEY.fullmatch(key):
        raise ValueError("a layer's key is 8 to 128 hex digits")
    return key


def is_outdated(made_at: float, limits: LayerLimits, now: float) -> bool:
    """Too old, or made in a future that a clock since put right had."""
    return not now - limits.most_seconds <= made_at <= now + MARK_SECONDS


def doomed(kept: Iterable[KeptLayer], limits: LayerLimits, now: float, wanted_bytes: int = 0) -> Iterator[KeptLayer]:
    """What has to go for `wanted_bytes` more: the outdated, then what was not used for the longest time; never what is
    in use, even where the bound is then not kept."""
    by_use = sorted(kept, key=lambda layer: layer.used_at)
    excess = sum(layer.size_bytes for layer in by_use) + wanted_bytes - limits.most_bytes
    for layer in sorted(by_use, key=lambda layer: not is_outdated(layer.made_at, limits, now)):
        if not layer.in_use and (excess > 0 or is_outdated(layer.made_at, limits, now)):
            excess -= layer.size_bytes
            yield layer


def wanted_for_half(kept: Iterable[KeptLayer], limits: LayerLimits) -> int:
    """What is wanted of the bound where the disk itself has no room: the half of what is kept goes."""
    return limits.most_bytes - sum(layer.size_bytes for layer in kept) // 2


def write_making(making: Making, size_bytes: int) -> str:
    """As JSON, to be kept beside the layer."""
    return json.dumps({**asdict(making), "size_bytes": size_bytes})


def read_making(text: str) -> tuple[Making, int]:
    """What `write_making` wrote: the making and the layer's size in bytes. ValueError for anything else."""
    try:
        data = json.loads(text)
        size_bytes, hosts = int(data.pop("size_bytes")), tuple(map(str, data.pop("refused_hosts")))
        notes = tuple(map(str, data.pop("notes", ())))
        return Making(**data, refused_hosts=hosts, notes=notes), size_bytes
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no record of a layer: {error}") from error
