"""Where installed packages stand: in the layer, with links to them in the work tree.

``node_modules`` of ten thousand files would have to be unpacked before every test run; a folder of links to the same
packages in the layer is there at once. It stays a real folder, because tools keep their caches in it. Node resolves
links to where they lead, so that a package finds its siblings in the layer.
"""

import json
from importlib.resources import files

from repo_tools.environment.contract import SetupCommand
from repo_tools.sandbox.contract import ENVIRONMENT, WORKSPACE

_PROGRAM = files("repo_tools.environment.runner") / "node_modules.py"
PLACE = f"{ENVIRONMENT}/js"


def keep_in_layer(folders: tuple[str, ...], drop: tuple[str, ...]) -> SetupCommand:
    """Move the ``node_modules`` of these folders (relative to where it runs) to the layer, and remove `drop` there."""
    order = {"workspace": WORKSPACE, "place": PLACE, "folders": folders, "drop": drop}
    words = ("python3", "-I", "-S", "-c", _PROGRAM.read_text("utf-8"), json.dumps(order))
    return SetupCommand(words, typed="keep node_modules outside of the work tree")
