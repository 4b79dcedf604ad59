"""Where installed packages stand: in the layer, with links to them in the work tree.

``node_modules`` of ten thousand files would have to be unpacked before every test run; a folder of links to the same
packages in the layer is there at once. It stays a real folder, because tools keep their caches in it. Node resolves
links to where they lead, so that a package finds its siblings in the layer.
"""

import json
from collections.abc import Iterable
from importlib.resources import files

from repo_tools.environment.contract import SetupCommand
from repo_tools.environment.javascript.package_json import Package
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE

_PROGRAM = files("repo_tools.environment.box_programs") / "node_modules.py"
PLACE = f"{ENVIRONMENT}/js"
_TAKE_ROOT_FROM_PLACE = frozenset(("app-root-path", "typeorm"))
"""They take the folder that their own `node_modules` lies in for the application's:
https://github.com/inxilpro/node-app-root-path#environment-variable"""


def roots_told(packages: Iterable[Package]) -> dict[str, str]:
    """Variables of the tests of a single package, which begin in its folder."""
    known = tuple(packages)
    is_wanted = len(known) == 1 and not _TAKE_ROOT_FROM_PLACE.isdisjoint(known[0].dependencies)
    return {"APP_ROOT_PATH": "."} if is_wanted else {}


def keep_in_layer(folders: tuple[str, ...], drop: tuple[str, ...]) -> SetupCommand:
    """Move the ``node_modules`` of these folders (relative to where it runs) to the layer, and remove `drop` there."""
    order = {"workspace": WORKSPACE, "place": PLACE, "folders": folders, "drop": drop}
    words = ("python3", "-I", "-S", "-c", _PROGRAM.read_text("utf-8"), json.dumps(order))
    return SetupCommand(words, typed="keep node_modules outside of the work tree")
