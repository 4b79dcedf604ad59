"""How operators write values of settings: lists, hosts, images, packages, limits; each checked at the start."""

import json
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import NoDecode

from repo_tools.sandbox.egress_policy import is_entry
from repo_tools.sandbox.service import KINDS


def limit(value: object) -> object:
    """``none`` means no limit (None)."""
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


def listed(value: object) -> object:
    """``a,b`` or ``["a", "b"]``, as the operator likes."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return _json(value, "is neither a JSON list nor separated by commas")
    return [part.strip() for part in value.split(",") if part.strip()]


def _json(text: str, problem: str) -> object:
    """The error holds nothing of the value."""
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(problem) from None


def _lower(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


def _hosts(names: frozenset[str]) -> frozenset[str]:
    if wrong := sorted(name for name in names if not is_entry(name)):
        raise ValueError(f"has {', '.join(wrong)}: write host names, for instance pypi.org or *.example.org")
    return names


def _bots(names: frozenset[str]) -> frozenset[str]:
    if wrong := sorted(name for name in names if not name.endswith("[bot]")):
        raise ValueError(f"has {wrong[0]}: write {wrong[0]}[bot]; accounts of people need write access instead")
    return names


Names = Annotated[frozenset[str], NoDecode, BeforeValidator(listed), AfterValidator(_lower)]
"""Logins and host names, which are the same in upper and lower case."""
Hosts = Annotated[Names, AfterValidator(_hosts)]
"""Entries of an allow list: ``pypi.org``, ``*.example.org``, ``mirror.example.org:8443``."""
Bots = Annotated[Names, AfterValidator(_bots)]
"""Logins that no person can have: whoever took such a name for an account would need no permission."""
ExactNames = Annotated[frozenset[str], NoDecode, BeforeValidator(listed)]
"""Names of models and images, as they are written."""


def _by_kind(value: object) -> object:
    """``postgresql=postgres:16,redis=redis:7``, or a JSON object."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        return _json(value, "is neither a JSON object nor kind=image, separated by commas")
    parts = [part.partition("=") for part in value.split(",") if part.strip()]
    return {kind.strip(): image.strip() for kind, _, image in parts}


def _known_kinds(images: dict[str, str]) -> dict[str, str]:
    for kind, image in images.items():
        if kind not in KINDS:
            raise ValueError(f"knows {', '.join(sorted(KINDS))}, and not {kind}")
        if not image:
            raise ValueError(f"names no image for {kind}")
    return images


ServiceImages = Annotated[dict[str, str], NoDecode, BeforeValidator(_by_kind), AfterValidator(_known_kinds)]


def _requirements(value: tuple[str, ...]) -> tuple[str, ...]:
    if any(not requirement[:1].isalnum() for requirement in value):
        raise ValueError("each requirement begins with the name of a package")
    return value


Requirements = Annotated[tuple[str, ...], NoDecode, BeforeValidator(listed), AfterValidator(_requirements)]
