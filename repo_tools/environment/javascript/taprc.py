"""Settings of node-tap (https://node-tap.org/config/): what its files need where node runs them itself, and what it
installs and compiles before its first run. Pure."""

from typing import Any

from repo_tools.changes import Tree
from repo_tools.environment.contract import ReadFile, SetupCommand
from repo_tools.environment.javascript.package_json import Package
from repo_tools.environment.texts import read_text
from repo_tools.yaml_text import YamlError, parse_yaml


def tap_options(package: Package, tree: Tree, read: ReadFile) -> tuple[str, ...]:
    """What ``.taprc`` and the manifest's ``tap`` say of node's options, as options of node-tap's command line."""
    settings = _settings(package, tree, read)
    asked = [settings.get("node-arg"), "--expose-gc" if settings.get("expose-gc") in (True, "true") else None]
    words = [word for value in asked for word in (value if isinstance(value, list) else [value])]
    return tuple(f"--node-arg={word}" for word in words if isinstance(word, str))


def plugin_build(package: Package, tree: Tree, read: ReadFile) -> SetupCommand | None:
    """What makes a node-tap with the plugins that are asked for; it would fetch and compile them when it is run
    (https://node-tap.org/plugins/)."""
    if "tap" not in package.dependencies or not _settings(package, tree, read).get("plugin"):
        return None
    build = 'PATH="$PWD/node_modules/.bin:$PATH" tap build'
    return SetupCommand(("sh", "-c", build), required=False, directory=package.folder)


def _settings(package: Package, tree: Tree, read: ReadFile) -> dict[str, Any]:
    path = f"{package.start}.taprc"
    settings = _of_file(read_text(read, path)) if path in tree else {}
    own = package.content.get("tap")
    return settings | (own if isinstance(own, dict) else {})


def _of_file(text: str) -> dict[str, Any]:
    try:
        root = parse_yaml(text).root
    except YamlError:
        return {}
    found = root.data() if root else None
    return found if isinstance(found, dict) else {}
