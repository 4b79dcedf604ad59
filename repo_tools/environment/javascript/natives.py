"""What gulp 3 reads Node's own sources with, where a lock file names a release that ends Node 10. Pure.

Older Nodes do not run the reporters, so that a suite of 2018 or before has that one here
(https://github.com/gulpjs/gulp/issues/2162).
"""

import re
from collections.abc import Iterator

from repo_tools.environment.contract import NOTE, ReadFile, SetupCommand
from repo_tools.environment.javascript.manager import PackageManager
from repo_tools.sandbox.contract import ENVIRONMENT

_RELEASE = "1.1.6"
_LOCKED = re.compile(
    rb'(?m)(?:^"?natives@[^\n]{1,200}:\r?\n {1,9}version |[/"]natives": \{\s{1,99}"version": )'
    rb'"1\.(?:0\.\d{1,3}|1\.[0-5])"'
)
_PACKED = f"{ENVIRONMENT}/natives-{_RELEASE}.tgz"
_REPLACE = (
    f"npm pack --silent --pack-destination {ENVIRONMENT} natives@{_RELEASE} &&"
    " find . -type d -path '*node_modules/natives' -exec tar -xzf " + _PACKED + " --strip-components=1 -C {} ';' &&"
    f" rm {_PACKED} && echo '{NOTE}natives {_RELEASE}, which gulp needs on Node 10, instead of what is locked'"
)


def natives_for_node_10(manager: PackageManager, read: ReadFile) -> Iterator[SetupCommand]:
    """The step that replaces the package where the lock file names such a release."""
    if manager.lock and _LOCKED.search(read(manager.lock)):
        yield SetupCommand(("sh", "-c", _REPLACE), required=False, typed=f"natives@{_RELEASE}, for gulp 3 on Node 10")
