"""How JavaScript repositories are set up: package managers, layers, releases of Node."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from repo_tools.environment.contract import NoTestsError, Tool
from repo_tools.environment.detect import detect
from repo_tools.environment.javascript.versions import pep440_of
from tests.repo_tools.environment.javascript.trees import package, plan, planned
from tests.support.trees import reader_of, tree_of

MOCHA = package("mocha", devDependencies={"mocha": "10"})


def set_up(files: dict[str, str]) -> str:
    return "\n".join(" ".join(command.argv) for command in planned(files).setup)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"index.js": "", "test/a.test.js": ""},
        {"package.json": "{"},
        {"package.json": "[1]"},
        {"package.json": '{"scripts": 1, "devDependencies": [], "workspaces": 3, "exports": {"a": [1]}}'},
        {"package.json": package('echo "Error: no test specified" && exit 1')},
        {"package.json": package("eslint .")},
    ],
    ids=["empty", "no manifest", "broken", "a list", "of other types", "npm's own placeholder", "nothing but a linter"],
)
def test_what_has_no_tests_is_somebody_elses(files: dict[str, str]) -> None:
    assert plan(files) is None


def test_a_project_without_dependencies_needs_no_installing() -> None:
    assert planned({"package.json": package("node --test")}).setup == ()


def test_without_a_lock_file_npm_installs_what_the_manifest_asks_for() -> None:
    text = set_up({"package.json": MOCHA})
    assert "{ npm install" in text
    assert "npm ci" not in text


def test_a_lock_file_decides_and_the_manifest_where_they_disagree() -> None:
    text = set_up({"package.json": MOCHA, "package-lock.json": '{"lockfileVersion": 3}'})
    assert "{ npm ci" in text
    assert text.index("npm ci") < text.index("|| npm install")


def test_dependencies_are_installed_before_any_of_their_scripts_runs() -> None:
    text = set_up({"package.json": MOCHA})
    assert text.index("--ignore-scripts") < text.index("npm rebuild")


MEMBERS = "packages:\n- packages/*\n"


@pytest.mark.parametrize(
    ("manifest", "files", "manager"),
    [
        ({}, {"pnpm-workspace.yaml": MEMBERS}, "pnpm-workspace.yaml: pnpm"),
        ({}, {"pnpm-workspace.yaml": "onlyBuiltDependencies: []\n"}, "package.json: npm"),
        ({"workspaces": ["packages/*"]}, {"pnpm-workspace.yaml": MEMBERS}, "package.json: npm"),
        ({}, {"pnpm-workspace.yaml": MEMBERS, "yarn.lock": ""}, "yarn.lock: yarn"),
    ],
)
def test_members_that_only_pnpm_knows_are_installed_by_it_without_a_lock_file_too(
    manifest: dict[str, Any], files: dict[str, str], manager: str
) -> None:
    written = package("mocha", devDependencies={"mocha": "10", "typescript": "5"}, **manifest)
    environment = planned({"package.json": written, "packages/a/package.json": package(), **files})
    assert environment.evidence[0] == manager
    if manager.endswith("pnpm"):
        tool, install, build, *_ = environment.setup
        assert "; pnpm $every rebuild" in build.argv[-1]
        assert "'pnpm@6 - 10'" in tool.argv[-1]
        assert install.argv[-1].startswith("{ pnpm install ")


@pytest.mark.parametrize(("scripts", "count"), [({"preinstall": "npx only-allow pnpm"}, 1), ({"postinstall": "x"}, 0)])
def test_a_script_that_refuses_npm_keeps_no_other_from_running(scripts: dict[str, str], count: int) -> None:
    manifest = package("mocha", devDependencies={"mocha": "1"}, scripts={"test": "mocha", **scripts})
    rebuilds = [c for c in planned({"package.json": manifest}).setup if c.argv[:2] == ("npm", "rebuild")]
    assert [len(command.otherwise) for command in rebuilds] == [count]
    for other in (other for command in rebuilds for other in command.otherwise):
        assert other.argv[2].index('pop("preinstall"') < other.argv[2].index("npm rebuild")


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_what_npm_refuses_in_any_case_is_put_aside_while_it_installs(tmp_path: Path) -> None:
    told = {"node": ">=14", "npm": ">=7"}
    named = {"test": "mocha", "install": "touch built"}
    manifest = package(dependencies={"y": "file:y"}, devEngines=told, scripts=named)
    packages = {"": {"dependencies": {"y": "file:y"}}, "y": {}, "node_modules/y": {"resolved": "y", "link": True}}
    lock = json.dumps({"name": "x", "lockfileVersion": 3, "packages": packages})
    files = {"package.json": manifest, "package-lock.json": lock, "y/package.json": '{"name": "y"}'}
    (tmp_path / "y").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    install, rebuild, *_ = planned(files).setup
    _, _, with_lock, *_ = install.argv[2].split(" || ")
    assert "npm install" in with_lock
    assert "--no-package-lock" not in with_lock
    for script in (with_lock, rebuild.otherwise[0].argv[2]):
        here = script.replace("/env/", f"{tmp_path}/")
        done = subprocess.run(("sh", "-c", here), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "package.json").read_text() == manifest
    assert (tmp_path / "node_modules/y").is_symlink()
    assert (tmp_path / "built").exists()


def test_what_only_lints_may_be_left_out_where_not_everything_can_be_had() -> None:
    manifest = package("mocha", devDependencies={"mocha": "1", "eslint": "1", "@x/eslint-config": "1", "prettier": "3"})
    text = set_up({"package.json": manifest, "test/a.test.js": "require('prettier')"})
    assert '\'["eslint", "@x/eslint-config"]\'' in text


def test_what_a_linter_loads_is_not_left_out_where_tests_load_the_linter() -> None:
    manifest = package("mocha", devDependencies={"mocha": "1", "eslint": "9", "neostandard": "1", "prettier": "3"})
    text = set_up({"package.json": manifest, "test/a.test.js": "require('eslint')"})
    assert "'[\"prettier\"]'" in text


@pytest.mark.parametrize(
    ("version", "spared"),
    [
        *((version, True) for version in ("https://github.com/a/x/tarball/v1", "git+ssh://git@a.b/x.git", "a/x#v1")),
        *((version, False) for version in ("^1.0.0", "npm:@a/x@1", "file:../x", "./lib/x", "latest")),
        ("jsr:^1.0.0", True),
    ],
)
def test_what_comes_from_no_registry_may_be_left_out_too(version: str, spared: bool) -> None:
    manifest = package("mocha", devDependencies={"mocha": "1", "x": version, "used": version})
    text = set_up({"package.json": manifest, "test/a.test.js": "require('used')"})
    assert ("'[\"x\"]'" in text) == spared


def test_a_member_of_the_workspace_that_is_not_there_may_be_left_out_too() -> None:
    manifest = package("mocha", devDependencies={"mocha": "1", "there": "workspace:*", "gone": "workspace:^"})
    files = {"package.json": manifest, "test/a.test.js": "require('gone')", "pnpm-lock.yaml": "lockfileVersion: '9.0'"}
    member = {"pnpm-workspace.yaml": "packages: ['*']", "a/package.json": '{"name": "there"}'}
    assert "'[\"gone\"]'" in set_up({**files, **member})


@pytest.mark.parametrize(("lock", "older"), [("5.1", True), ("'6.0'", False)])
def test_a_pnpm_that_the_projects_node_does_not_start_gives_way_to_the_one_before_it(lock: str, older: bool) -> None:
    manifest = package("mocha", devDependencies={"mocha": "5"}, engines={"node": "12"})
    text = set_up({"package.json": manifest, "pnpm-lock.yaml": f"lockfileVersion: {lock}\n"})
    assert ("pnpm --version || npm install" in text) == older
    assert ("/env/tools pnpm@6; }" in text) == older


@pytest.mark.parametrize(
    ("more", "lock", "tool", "install"),
    [
        ({}, {"pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}, "pnpm@8", "--frozen-lockfile"),
        ({}, {"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "pnpm@9", "--frozen-lockfile"),
        ({}, {"pnpm-lock.yaml": "lockfileVersion: 5.4\n"}, "pnpm@7", "--frozen-lockfile"),
        ({"packageManager": "pnpm@8.15.4+sha256.abc"}, {}, "pnpm@8.15.4", "pnpm install"),
        ({"packageManager": "pnpm@6.35.1"}, {}, "pnpm@7 || ", "pnpm install"),
        ({"packageManager": "pnpm@7.33.0"}, {}, "pnpm@7.33.0", "pnpm install"),
        ({"packageManager": "pnpm@8.3.0"}, {}, "pnpm@8 || ", "pnpm install"),
        ({"packageManager": "pnpm@8.3.1"}, {}, "pnpm@8.3.1", "pnpm install"),
        ({}, {"yarn.lock": "# yarn lockfile v1\n"}, "yarn@1.22.22", "--frozen-lockfile"),
        ({}, {"yarn.lock": "__metadata:\n  version: 4\n"}, "@yarnpkg/cli-dist@2.4.2", "YARN_GLOBAL_FOLDER="),
        ({}, {"yarn.lock": "__metadata:\n  version: 6\n"}, "@yarnpkg/cli-dist@3.8.7", "YARN_NM_MODE=classic"),
        (
            {},
            {
                "yarn.lock": "__metadata:\n  version: 6\n",
                ".yarnrc.yml": "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-3.2.1.cjs\n",
            },
            "@yarnpkg/cli-dist@3.2.1",
            "YARN_CA_FILE_PATH",
        ),
        ({"packageManager": "yarn@4.1.0"}, {"yarn.lock": "__metadata:\n"}, "@yarnpkg/cli-dist@4.1.0", "--immutable"),
        ({"packageManager": "yarn@1.22.19"}, {"yarn.lock": ""}, "yarn@1.22.19", "--ignore-engines"),
    ],
)
def test_other_package_managers_come_from_the_registry(
    more: dict[str, str], lock: dict[str, str], tool: str, install: str
) -> None:
    text = set_up({"package.json": package("mocha", devDependencies={"mocha": "10"}, **more), **lock})
    assert (
        f"npm install --no-audit --no-fund --ignore-scripts --loglevel=error --no-save --prefix /env/tools {tool}"
        in text
    )
    assert install in text


@pytest.mark.parametrize(
    ("release", "settings"),
    [
        ("2.4.2", {"YARN_CA_FILE_PATH"}),
        ("3.8.7", {"YARN_CA_FILE_PATH", "YARN_NM_MODE"}),
        ("4.1.0", {"YARN_HTTPS_CA_FILE_PATH", "YARN_NM_MODE"}),
    ],
)
def test_yarn_is_told_nothing_that_its_release_does_not_know(release: str, settings: set[str]) -> None:
    manifest = package("mocha", devDependencies={"mocha": "10"}, packageManager=f"yarn@{release}")
    text = set_up({"package.json": manifest, "yarn.lock": "__metadata:\n"})
    assert set(re.findall(r"YARN_\w*CA_FILE_PATH|YARN_NM_MODE", text)) == settings


def test_scripts_that_call_yarn_run_where_only_npm_could_install() -> None:
    files = {"package.json": MOCHA, "yarn.lock": "__metadata:\n  version: 8\n"}
    (command,) = [c for c in planned(files).setup if ".yarn-state.yml" in c.argv[-1]]
    assert not command.required
    assert "npm rebuild" in command.argv[-1]
    assert "yarn@1.22.19" in command.argv[-1]


@pytest.mark.parametrize(
    ("more", "lock", "release"),
    [
        ({}, {"bun.lock": "{}"}, "1"),
        ({}, {"bun.lockb": ""}, "1"),
        ({"packageManager": "bun@1.3.1"}, {"bun.lock": "{}"}, "1.3.1"),
        ({"scripts": {"test": "bun test"}}, {}, "1"),
    ],
)
def test_bun_comes_from_the_registry_with_the_script_that_finds_its_program(
    more: dict[str, str], lock: dict[str, str], release: str
) -> None:
    text = set_up({"package.json": package("mocha", **{"devDependencies": {"mocha": "10"}, **more}), **lock})
    tool = f"npm install --no-audit --no-fund --loglevel=error --no-save --prefix /env/tools bun@{release} "
    assert text.count(tool) == 1
    assert text.index(tool) < text.index("bun install --ignore-scripts")
    assert text.index("--frozen-lockfile") < text.index("|| bun install")


def test_npm_installs_where_more_scripts_start_it_than_bun() -> None:
    named = {"test": "npm run build && mocha", "test:esm": "npx mocha esm", "test:bun": "bun run build && bunx mocha"}
    with_npm = set_up({"package.json": package(scripts=named, devDependencies={"mocha": "10"})})
    assert "bun" not in with_npm
    whole = package(scripts=named, workspaces=["p/*"], devDependencies={"mocha": "10"})
    of_workspace = {"package.json": whole, "p/a/package.json": package(dependencies={"b": "workspace:*"})}
    for of_bun in (of_workspace, {"package.json": whole, "bunfig.toml": ""}):
        assert "bun install" in set_up(of_bun)
    named = {"test": "bun run mocha", "build": "npx tsc", "release": "bun run build && npm publish", "out": "npm pack"}
    assert "bun install" in set_up({"package.json": package(scripts=named, devDependencies={"mocha": "10"})})


def test_bun_is_there_for_scripts_that_start_it_whoever_installs() -> None:
    with_npm = set_up({"package.json": package("bun test", devDependencies={"a": "1"}), "package-lock.json": "{}"})
    assert "/env/tools bun@1 " in with_npm
    assert "bun install" not in with_npm
    assert "/env/tools bun@1 " in set_up({"package.json": package("bun test"), "bun.lock": ""})
    assert "bun@1" not in set_up({"package.json": MOCHA})


@pytest.mark.parametrize(
    ("scripts", "managers"),
    [
        ({"test": "yarn run made && mocha", "made": "tsc"}, ["yarn"]),
        ({"test": "mocha", "build": "npm run made", "made": "yarn run -s b && pnpm b", "b": "tsc"}, ["yarn", "pnpm"]),
        ({"test": "yarn eslint . && mocha test", "release": "pnpm publish"}, []),
    ],
)
def test_managers_that_builds_call_are_there_whoever_installs(scripts: dict[str, str], managers: list[str]) -> None:
    whole = package(scripts=scripts, main="out.js", devDependencies={"mocha": "10"})
    text = set_up({"package.json": whole, "package-lock.json": "{}", "test/a.js": ""})
    assert [name for name in ("yarn", "pnpm") if f"/env/tools {name}@" in text.replace("'", "")] == managers


def test_the_command_of_an_old_grunt_is_there_though_nobody_declares_it() -> None:
    old = {"grunt": "~0.4.0", "mocha": "10"}
    for declared, is_fetched in ((old, True), (old | {"grunt-cli": "0.1"}, False)):
        manifest = package("grunt made && mocha", devDependencies=declared)
        assert ("/env/tools grunt-cli@1" in set_up({"package.json": manifest})) is is_fetched


def test_bun_is_not_fetched_for_scripts_that_only_repeat_with_it_what_node_does() -> None:
    named = {"test": "mocha", "test:bun1": "bun index.js", "bench:url:bun": "bun run bench", "play-bun": "bunx a"}
    assert "bun@1" not in set_up({"package.json": package(scripts=named, devDependencies={"mocha": "10"})})
    for more in ({"build": "npm run build:bun", "build:bun": "bun b.ts"}, {"bench": "bun run bench.js"}):
        whole = package(scripts=named | more, devDependencies={"mocha": "10"})
        assert "/env/tools bun@1 " in set_up({"package.json": whole, "package-lock.json": "{}"})
    only = package(scripts={"test:bun": "bun test"}, devDependencies={"a": "1"})
    assert "/env/tools bun@1 " in set_up({"package.json": only, "package-lock.json": "{}", "a.test.ts": ""})


@pytest.mark.parametrize(
    ("lock", "workspace", "release"),
    [
        ("'9.0'", "allowBuilds:\n  esbuild: false\n", "10"),
        ("'9.0'", "packages:\n  - libs/*\n", "9"),
        ("'6.0'", "hoist: false\n", "8"),
    ],
)
def test_a_pnpm_workspace_of_settings_alone_gets_a_pnpm_that_takes_it(lock: str, workspace: str, release: str) -> None:
    manifest = package("mocha", devDependencies={"mocha": "10"})
    files = {"pnpm-lock.yaml": f"lockfileVersion: {lock}\n", "pnpm-workspace.yaml": workspace}
    assert f" pnpm@{release} ||" in set_up({"package.json": manifest, "a.test.js": "", **files})


@pytest.mark.parametrize(
    ("lock", "text", "named", "value"),
    [
        ("yarn.lock", "__metadata:\n  version: 6\n", "YARN_NODE_LINKER", "node-modules"),
        ("yarn.lock", "# yarn lockfile v1\n", "YARN_NODE_LINKER", None),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "pnpm_config_verify_deps_before_run", "false"),
        ("package-lock.json", '{"lockfileVersion": 3}', "pnpm_config_verify_deps_before_run", None),
    ],
)
def test_what_a_manager_starts_is_looked_for_where_set_up_has_put_it(
    lock: str, text: str, named: str, value: str | None
) -> None:
    found = planned({"package.json": package("mocha", devDependencies={"mocha": "10"}), lock: text})
    assert found.variables.get(named) == value


def test_the_lock_file_that_fits_the_declared_manager_is_taken() -> None:
    manifest = package("mocha", devDependencies={"mocha": "10"}, packageManager="npm@10.2.0")
    text = set_up({"package.json": manifest, "yarn.lock": "", "package-lock.json": '{"lockfileVersion": 2}'})
    assert "npm ci" in text
    assert "yarn install" not in text


def test_installed_packages_move_to_the_layer_with_those_of_the_members() -> None:
    files = {
        "package.json": package("npm test -ws", workspaces=["a", "b"], dependencies={"x": "1"}),
        "a/package.json": package("mocha"),
        "b/package.json": package("mocha"),
        "b/node_modules/kept/index.js": "",
    }
    assert '"folders": [".", "a"]' in set_up(files)


def test_manifests_are_all_that_decides_what_is_installed() -> None:
    files = dict.fromkeys(
        ("package-lock.json", ".npmrc", "a/package.json", "patches/x+1.0.0.patch", "src/index.js", "README.md"), "{}"
    )
    found = planned({"package.json": MOCHA, **files}).manifests
    assert found == (".npmrc", "a/package.json", "package-lock.json", "package.json", "patches/x+1.0.0.patch")


def test_what_the_scripts_of_an_installation_read_decides_too() -> None:
    own = {
        "test": "mocha",
        "prepare": "npm run gen",
        "gen": "node ./tools/gen",
        "postinstall": "generate --schema=./db/b.prisma",
        "lint": "eslint --config lint.js",
    }
    files = (".yarn/releases/y.cjs", "tools/gen.js", "prisma/schema.prisma", "db/b.prisma", "lint.js", "src/a.js")
    found = planned({"package.json": package(scripts=own), "test/a.js": "", **dict.fromkeys(files, "")}).manifests
    assert found == (".yarn/releases/y.cjs", "db/b.prisma", "package.json", "prisma/schema.prisma", "tools/gen.js")


def test_so_does_what_those_of_a_workspaces_members_start() -> None:
    root = '{"workspaces": ["a"], "scripts": {"test": "mocha", "postinstall": "node scripts"}}'
    member = '{"scripts": {"install": "node post"}}'
    files = {"package.json": root, "test/a.js": "", "a/package.json": member}
    found = planned(
        {**files, **dict.fromkeys(("a/post.js", "post.js", "scripts/index.js", "scripts/a.js"), "")}
    ).manifests
    assert found == ("a/package.json", "a/post.js", "package.json", "scripts/index.js")


@pytest.mark.parametrize(
    ("named", "manifest"),
    [
        ('{"scripts": {"test": "mocha", "postinstall": "patch-package --patch-dir deps/fixes"}}', ""),
        ('{"scripts": {"test": "mocha"}, "pnpm": {"patchedDependencies": {"x@1": "deps/fixes/x.patch"}}}', ""),
        ('{"scripts": {"test": "mocha"}, "dependencies": {"x": "patch:x@1#./deps/fixes/x.patch"}}', ""),
        ('{"scripts": {"test": "mocha"}}', "packages: []\npatchedDependencies:\n  x@1: deps/fixes/x.patch\n"),
    ],
)
def test_so_do_the_patches_that_manifests_name(named: str, manifest: str) -> None:
    files = {"package.json": named, "test/a.js": "", "deps/fixes/x.patch": "", "test/data/y.patch": ""}
    more = {"pnpm-workspace.yaml": manifest} if manifest else {}
    assert planned({**files, **more}).manifests == ("deps/fixes/x.patch", "package.json", *more)


def test_tests_run_as_in_ci_and_set_up_does_not() -> None:
    environment = planned({"package.json": MOCHA})
    assert environment.test_variables["CI"] == "true"
    assert "CI" not in environment.variables


def test_hooks_are_off_in_set_up_and_not_in_tests_that_commit() -> None:
    environment = planned({"package.json": MOCHA})
    assert (environment.variables["HUSKY"], environment.test_variables["HUSKY"]) == ("0", "")


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        ('{"scripts": {"test": "mocha"}, "dependencies": {"app-root-path": "^3"}}', "."),
        ('{"scripts": {"test": "mocha"}, "dependencies": {"typeorm": "^0.2"}}', "."),
        ('{"scripts": {"test": "mocha"}, "dependencies": {"express": "^4"}}', None),
        ('{"scripts": {"test": "mocha"}, "dependencies": {"app-root-path": "3"}, "workspaces": ["a"]}', None),
    ],
)
def test_packages_that_look_for_the_root_from_where_they_lie_are_told_it(manifest: str, told: str | None) -> None:
    files = {"package.json": manifest, "a/package.json": MOCHA, "test/a.js": "", "a/test/a.js": ""}
    assert planned(files).test_variables.get("APP_ROOT_PATH") == told


def test_the_registry_is_asked_by_tls_whatever_an_old_repository_says() -> None:
    def registry(npmrc: str) -> str | None:
        return planned({"package.json": MOCHA, ".npmrc": npmrc}).variables.get("npm_config_registry")

    assert registry("registry=http://registry.npmjs.org/\npackage-lock=false\n") == "https://registry.npmjs.org/"
    assert registry("registry = https://npm.example.org/\n") is None
    assert registry("registry=http://registry.npmjs.org.example.org/\n") is None


def test_the_answer_says_where_it_comes_from() -> None:
    environment = planned({"package.json": MOCHA, "yarn.lock": ""})
    assert environment.evidence == ("yarn.lock: yarn", "package.json scripts.test: mocha")


@pytest.mark.parametrize(
    ("files", "tool"),
    [
        ({".nvmrc": "v18.17.0\n", "package.json": package("mocha")}, Tool("node", ">=18", ".nvmrc", ">=18,<19")),
        ({".node-version": "20", "package.json": package("mocha")}, Tool("node", ">=20", ".node-version", ">=20,<21")),
        ({".nvmrc": "lts/*", "package.json": package("mocha")}, Tool("node", source=".nvmrc", line="lts")),
        ({".nvmrc": "# ours\nlts/Jod\n", "package.json": package("mocha")}, Tool("node", ">=22", ".nvmrc", ">=22,<23")),
        (
            {".tool-versions": "nodejs latest", "package.json": MOCHA},
            Tool("node", source=".tool-versions", line="current"),
        ),
        (
            {"package.json": package("mocha", volta={"node": "16.20.0"})},
            Tool("node", ">=16", "package.json volta.node", ">=16,<17"),
        ),
        (
            {"package.json": package("mocha", engines={"node": "^18.0.0 || ^20"})},
            Tool("node", ">=18.0.0", "package.json engines.node", ">=18.0.0,<21"),
        ),
    ],
)
def test_the_release_of_node_is_the_one_that_is_asked_for(files: dict[str, str], tool: Tool) -> None:
    assert planned(files).tools == (tool,)


@pytest.mark.parametrize(
    ("semver", "expected"),
    [
        (">=18", ">=18"),
        (">= 14.17.0", ">=14.17.0"),
        ("^18.12.0", ">=18.12.0,<19"),
        ("~16.3", ">=16.3,<16.4"),
        ("20.x", ">=20,<21"),
        ("18", ">=18,<19"),
        (">=14 <21", ">=14,<21"),
        ("^14.17.0 || ^16.13.0 || >=18.0.0", ">=14.17.0"),
        ("16 || 18", ">=16,<19"),
        ("14 - 18", ">=14,<19"),
        ("<=20", "<21"),
        ("*", ""),
        ("", ""),
        ("node", ""),
    ],
)
def test_ranges_of_npm_are_told_as_python_writes_them(semver: str, expected: str) -> None:
    assert pep440_of(semver) == expected


def test_a_monorepo_whose_members_have_no_scripts_is_tested_with_what_is_installed_at_its_root() -> None:
    files = {
        "package.json": package("nx run-many -t test", devDependencies={"jest": "29", "nx": "18"}),
        "libs/a/a.spec.ts": "",
    }
    assert [command.argv for command in planned(files).tests] == [("jest",)]


def test_tests_that_need_a_browser_are_told_where_there_are_no_others() -> None:
    files = {"web/package.json": package("cross-env CI=1 karma start --single-run"), "web/index.js": ""}
    tree = tree_of(files)
    with pytest.raises(NoTestsError, match=r"web/package.json scripts.test \(`cross-env .*`\) need a browser"):
        detect(tree, reader_of(files))


@pytest.mark.parametrize(("script", "started"), [("wtr", "npm test"), ("", "gulp test"), ("", "npx karma start")])
def test_a_workflow_that_starts_such_tests_does_not_make_them_run(script: str, started: str) -> None:
    steps = f"jobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {started}\n"
    manifest = package(script, devDependencies={"karma": "6", "mocha": "10"})
    files = {"package.json": manifest, ".github/workflows/ci.yml": steps, "test/a.test.js": "describe('a', () => {})"}
    tree = tree_of(files)
    with pytest.raises(NoTestsError, match="need a browser"):
        detect(tree, reader_of(files))


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ({"runtime": {"name": "node", "version": "^24"}}, ">=24,<25"),
        ({"runtime": [{"name": "bun", "version": "1"}, {"name": "node", "version": "^24"}]}, ">=24,<25"),
        ({"packageManager": {"name": "npm", "version": "^13"}}, ""),
    ],
)
def test_npm_works_where_another_release_of_it_or_of_its_node_is_wanted(told: dict[str, Any], asked: str) -> None:
    environment = planned({"package.json": package(devEngines=told, scripts={"test": "mocha"})})
    assert environment.variables["npm_config_force"] == "true"
    assert environment.tools[0].preferred == asked
    assert "npm_config_force" not in planned({"package.json": MOCHA}).variables


def test_what_npm_passes_over_by_force_hides_no_packages_that_fitted_on_the_commits_day() -> None:
    manifest = package("mocha", devDependencies={"mocha": "10.2"}, devEngines={"runtime": {"name": "node"}})
    texts = [planned({"package.json": each}).setup[0].argv[2] for each in (manifest, manifest.replace("devE", "e"))]
    assert [text.startswith("( test -n ") for text in texts] == [True, False]


def test_npm_builds_where_another_manager_is_wanted() -> None:
    told = {"packageManager": {"name": "pnpm", "version": "11", "onFail": "download"}}
    scripts = {"build": "tsc", "test": "mocha"}
    files = {"package.json": package(main="out/x.js", devEngines=told, scripts=scripts), "pnpm-lock.yaml": ""}
    environment = planned(files)
    assert "npm run build --force" in environment.tests[0].argv[2]
    assert any("npm run build --force" in command.argv[-1] for command in environment.setup)
    assert environment.tests[0].shown() == "npm run build && mocha"
    assert "npm_config_force" not in environment.variables


def test_npm_asks_the_root_of_a_workspace_what_is_wanted_of_it() -> None:
    told = {"packageManager": {"name": "yarn", "version": "1"}}
    member = package(main="out/x.js", scripts={"build": "tsc", "test": "mocha"})
    root = package(private=True, workspaces=["a"], devEngines=told)
    environment = planned({"package.json": root, "yarn.lock": "", "a/package.json": member})
    assert "npm run build --force" in environment.tests[0].argv[2]
    assert any("npm run build --force" in command.argv[-1] for command in environment.setup)
