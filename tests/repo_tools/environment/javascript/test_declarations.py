"""TypeScript's compiler before tests, where by its settings it writes no code."""

import pytest

from tests.repo_tools.environment.javascript.trees import planned, scripts

DECLARATIONS = '{\n  // checked\n  "compilerOptions": {\n    "checkJs": true,\n    "emitDeclarationOnly": true\n  }\n}'
NOTHING = '{"compilerOptions": {"strict": false, "noEmit": true}}'


def shown(build: str, **settings: str) -> list[str]:
    files = {name.replace("__", "/") + ".json": text for name, text in settings.items()}
    test = "npm run build && npm run format && c8 npm run unit"
    manifest = scripts(test=test, build=build, format="prettier . -w", unit="mocha test")
    return [command.shown() for command in planned({"package.json": manifest, **files}).tests]


@pytest.mark.parametrize("settings", [DECLARATIONS, NOTHING])
@pytest.mark.parametrize("build", ["tsc", "tsc --build --clean && tsc --build && type-coverage", "tsc -p . && tsd"])
def test_what_only_checks_is_not_run_before_the_tests(build: str, settings: str) -> None:
    assert shown(build, tsconfig=settings) == ["mocha test"]


def test_the_settings_that_a_call_names_count() -> None:
    others = {"tsconfig": "{}", "types__tsconfig": NOTHING, "tsconfig.check": NOTHING}
    assert shown("tsc -p tsconfig.check.json && tsc --project types", **others) == ["mocha test"]
    assert shown("tsc -p tsconfig.check.json && tsc", **others) == ["npm run build && mocha test"]


@pytest.mark.parametrize(
    ("build", "settings"),
    [
        ("tsc", "{}"),
        ("tsc", '{"compilerOptions": {"noEmitOnError": true, "noEmit": false}}'),
        ("tsc", '{"compilerOptions": {\n// "noEmit": true\n}}'),
        ("tsc --emitDeclarationOnly false", DECLARATIONS),
        ("tsc -b", '{"compilerOptions": {"noEmit": true}, "references": [{"path": "./src"}]}'),
        ("tsc && node script/fix-types.js", NOTHING),
    ],
)
def test_what_writes_code_is(build: str, settings: str) -> None:
    assert shown(build, tsconfig=settings) == ["npm run build && mocha test"]


def test_a_build_without_settings_is_run() -> None:
    assert shown("tsc") == ["npm run build && mocha test"]
