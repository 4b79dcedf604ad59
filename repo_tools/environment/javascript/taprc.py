"""Settings of node-tap before release 18, as far as its files need them where node runs them itself. Pure."""

from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile
from repo_tools.environment.javascript.package_json import Package
from repo_tools.yaml_text import YamlError, parse_yaml


def tap_options(package: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What ``.taprc`` and the manifest's ``tap`` say of node's options, as options of node-tap's command line."""
    path = f"{package.folder}/.taprc" if package.folder else ".taprc"
    settings = _of_file(read(path).decode("utf-8", "replace")) if path in tree else {}
    own = package.content.get("tap")
    settings |= own if isinstance(own, dict) else {}
    asked = [settings.get("node-arg"), "--expose-gc" if settings.get("expose-gc") in (True, "true") else None]
    words = [word for value in asked for word in (value if isinstance(value, list) else [value])]
    return tuple(f"--node-arg={word}" for word in words if isinstance(word, str))


def _of_file(text: str) -> dict[str, Any]:
    try:
        root = parse_yaml(text).root
    except YamlError:
        return {}
    found = root.data() if root else None
    return found if isinstance(found, dict) else {}
