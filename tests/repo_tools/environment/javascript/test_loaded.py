"""A build before the tests where entry points stand in the tree, and what they load does not."""

import json

import pytest

from tests.repo_tools.environment.javascript.trees import planned

BUILDS = {"test": "node --test", "build": "tsc"}


def is_built(main: str, **files: str) -> bool:
    """Whether tests are run after a build, of a package whose ``index.js`` is `main`."""
    manifest = json.dumps({"name": "x", "main": "index.js", "scripts": BUILDS})
    others = {name.replace("__", "/"): text for name, text in files.items()}
    environment = planned({"package.json": manifest, "index.js": main, **others})
    (command,) = environment.tests
    is_made = any("npm run build" in word for setup in environment.setup for word in setup.argv)
    assert is_made == ("npm run build" in str(command))
    return is_made


@pytest.mark.parametrize(
    "main",
    [
        "module.exports = require('./dist/x')",
        'export * from "./dist/x.js";',
        "'use strict'\nimport './dist/x.mjs'\n",
        "const x = await import('./dist');",
        "let a = 1;\nmodule.exports = a ? require('./lib/there') : require( './dist/x' )",
    ],
)
def test_what_an_entry_point_loads_of_a_build_is_built_before_the_tests(main: str) -> None:
    assert is_built(main, **{"lib__there.js": "require('../dist/y')"})


def test_what_is_loaded_by_what_it_loads_counts_too() -> None:
    assert is_built("require('./a')", **{"a.js": "require('./b')", "b__index.js": "require('../dist')"})


@pytest.mark.parametrize(
    "main",
    [
        "require('./a')\nrequire('./b.js')\nrequire('./c')\nrequire('pkg')\nrequire('./d')",
        "// require('./dist')\n/* require('./dist') */\n * require('./dist')\n",
        "require('./build/Release/x.node'); require('./build/Release/x'); require('./settings.json')",
        "require('.'); require('../outside'); require('./' + name)",
        "require('./\0'); import './a",
    ],
)
def test_what_is_there_or_is_no_build_needs_none(main: str) -> None:
    there = {"a.js": "require('./index')", "b.ts": "", "c__index.js": "", "d__package.json": "{}"}
    assert not is_built(main, **there)
