"""Node of the release that a project asks for, out of the registry where the image has another."""

import json
import os
import re
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from repo_tools.changes import FileMode
from repo_tools.environment.contract import ACTIVATE, NOTE, Environment, SetupCommand, TestCommand, Tool
from repo_tools.environment.javascript.node_release import node_command, with_node_release
from repo_tools.environment.missing import missing
from repo_tools.sandbox.bubblewrap import BubblewrapEngine
from repo_tools.sandbox.contract import DEFAULT_LIMITS, ENVIRONMENT, BoxSpec, Sandbox
from tests.repo_tools.environment.javascript.trees import package, planned
from tests.support.laboratory import INDEX_HOSTS, ca_bundle
from tests.support.long import first_of

pytestmark = pytest.mark.timeout(900)

CA = "/env/ca.pem"
SECONDS = 300.0


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (Tool("node"), None),
        (Tool("node", ">=18", "x", ">=18"), ("18", "1000000", "^18")),
        (Tool("node", ">=18", "x", ">=20"), ("20", "1000000", "^20")),
        (Tool("node", ">=22.12.0", "x", ">=22.12.0"), ("22.12.0", "1000000", "^22.12.0")),
        (Tool("node", ">=16", ".nvmrc", ">=16,<17"), ("16", "17", ">=16 <17")),
        (Tool("node", ">=8", "x", ">=8,<13"), ("8", "13", ">=10 <13")),
        (Tool("node", ">=0.10", "x", ">=0.10,<7"), ("0.10", "1000000", "^0.10")),
        (Tool("node", "", "x", "<15"), ("0", "15", ">=10 <15")),
    ],
)
def test_the_range_for_the_registry(tool: Tool, expected: tuple[str, str, str] | None) -> None:
    command = node_command(tool)
    assert (command and command.argv[4:7]) == expected


def test_a_project_without_node_is_left_as_it_is() -> None:
    environment = Environment("python/9", (), (), (TestCommand("pytest", ("pytest",)),), (), tools=(Tool("python"),))
    assert with_node_release(environment) is environment


def test_what_the_image_lacks_is_fetched_and_not_refused() -> None:
    asked = Tool("node", ">=24", "package.json engines.node", ">=24")
    environment = Environment("javascript/9", (), (), (TestCommand("mocha", ("mocha",)),), (), tools=(asked,))
    fetched = with_node_release(environment)
    assert [tool.versions for tool in fetched.tools] == [""]
    assert fetched.setup == (node_command(asked, of_its_day=True),)
    assert fetched.evidence == ("package.json engines.node: node >=24, from the registry where the image has another",)


def test_a_manager_of_packages_that_needs_a_newer_node_is_not_run_on_an_old_one() -> None:
    pnpm = SetupCommand(("sh", "-c", "npm install pnpm@8"))
    environment = Environment("javascript/9", (), (pnpm,), (TestCommand("mocha", ("mocha",)),), ())
    assert with_node_release(replace(environment, tools=(Tool("node"),))).setup == (pnpm,)
    asked = Tool("node", ">=18", "x", ">=18")
    assert with_node_release(replace(environment, tools=(asked,))).setup == (node_command(asked), pnpm)


@pytest.mark.parametrize(
    ("release", "asked", "told"),
    [
        ("11.3.0", Tool("node", ">=12.20", "engines", ">=12.20"), "pnpm 11: node >=22.13"),
        ("12.0.0", Tool("node"), "pnpm 12: node >=22.13"),
        ("11.3.0", Tool("node", ">=24", ".nvmrc", ">=24,<25"), ".nvmrc: node >=24,<25"),
        ("10.3.0", Tool("node", ">=18", "engines", ">=18"), "engines: node >=18"),
    ],
)
def test_pnpm_gets_a_node_that_it_starts_with(release: str, asked: Tool, told: str) -> None:
    pnpm = SetupCommand(("sh", "-c", f"npm install pnpm@{release}"))
    environment = Environment("javascript/9", (), (pnpm,), (TestCommand("mocha", ("mocha",)),), (), tools=(asked,))
    (line,) = with_node_release(environment).evidence
    assert line == f"{told}, from the registry where the image has another"


@pytest.mark.parametrize(
    ("words", "asked", "told"),
    [
        (
            "node --experimental-strip-types --test a.ts",
            Tool("node"),
            "the tests' --experimental-strip-types: >=22.6",
        ),
        (
            "node --experimental-transform-types a.ts",
            Tool("node", ">=18", "x", ">=18"),
            "--experimental-transform-types: >=22.7",
        ),
        (
            "node --test test/*.test.mts",
            Tool("node", ">=20", ".nvmrc", ">=20,<21"),
            "the tests' TypeScript: >=22.18",
        ),
        ("node --experimental-strip-types a.ts", Tool("node", ">=22", ".nvmrc", ">=22,<23"), "strip-types: >=22.6"),
        ("node --test a.ts", Tool("node", ">=24", ".nvmrc", ">=24,<25"), ".nvmrc: >=24,<25"),
        ("node --import tsx --test a.ts", Tool("node", ">=18", "x", ">=18"), "x: >=18"),
        ("node --loader=ts-node/esm a.ts", Tool("node", ">=18", "x", ">=18"), "x: >=18"),
        ("node --test a.js", Tool("node", ">=18", "x", ">=18"), "x: >=18"),
        ("tsx --test a.ts", Tool("node", ">=18", "x", ">=18"), "x: >=18"),
    ],
)
def test_node_is_one_that_knows_what_the_tests_are_started_with(words: str, asked: Tool, told: str) -> None:
    tests = (TestCommand("node_test", ("sh", "-c", 'npm run build && exec "$@"', "sh", *words.split())),)
    (line,) = with_node_release(Environment("javascript/9", (), (), tests, (), tools=(asked,))).evidence
    source, _, span = told.partition(": ")
    assert f"{source}: node {span}, from" in line


@pytest.mark.parametrize(
    ("source", "script", "span"),
    [
        ("import test from 'node:test'\ntest('a', t => { t.plan(1) })", "node --test", ">=20.15"),
        ("const { test } = require('node:test')\ntest('a', t => t.assert.ok(1))", "node --test", ">=20.15"),
        ("import test from 'node:test'\nimport assert from 'assert'", "node --test", ""),
        ("import test from 'tape'\ntest('a', t => { t.plan(1) })", "tape test/*.js", ""),
        ("import test from 'node:test'\n  // t.plan(1)\n/*\n * t.assert.ok(1)\n */", "node --test", ""),
    ],
)
def test_what_tests_take_from_nodes_own_runner_asks_for_a_release_that_has_it(
    source: str, script: str, span: str
) -> None:
    found = planned({"package.json": package(script), "test/a.js": source})
    assert [tool.versions for tool in found.tools] == [span]
    raised = planned({"package.json": package(script, engines={"node": ">=22"}), "test/a.js": source})
    assert [tool.versions for tool in raised.tools] == [">=22"]


@pytest.mark.parametrize(
    ("wanted", "span"),
    [
        ({"vitest": "^4.0.1"}, ">=20"),
        ({"vitest": "^3.2.0"}, ""),
        ({"vitest": "^3 || ^4"}, ""),
        ({"vitest": "catalog:"}, ""),
        ({"mocha": "~12.1.0"}, ">=20.19"),
        ({"vitest": "4.0.0", "jsdom": "^27.0.0"}, ">=20.19"),
        ({"vitest": "4.0.0", "jsdom": "^26.0.0"}, ">=20"),
        ({"left-pad": "^99.0.0"}, ""),
    ],
)
def test_what_tests_are_run_with_asks_for_a_node_that_it_starts_on(wanted: dict[str, str], span: str) -> None:
    files = {"package.json": package("vitest run", devDependencies=wanted), "test/a.test.js": ""}
    assert [tool.versions for tool in planned(files).tools] == [span]
    asked = package("vitest run", devDependencies=wanted, engines={"node": ">=22"})
    assert [tool.versions for tool in planned({**files, "package.json": asked}).tools] == [">=22"]


def test_what_members_are_tested_with_asks_for_a_node_that_it_starts_on() -> None:
    member = package("vitest run", name="one", devDependencies={"vitest": "^4.0.0"})
    files = {"package.json": json.dumps({"workspaces": ["one"]}), "one/package.json": member, "one/a.test.js": ""}
    assert [(tool.versions, tool.source) for tool in planned(files).tools] == [(">=20", "vitest ^4.0.0")]


def test_a_line_asked_for_by_name_goes_back_no_further_than_the_manager_of_packages_can() -> None:
    pnpm = SetupCommand(("sh", "-c", "npm install pnpm@8"))
    environment = Environment("javascript/9", (), (pnpm,), (TestCommand("mocha", ("mocha",)),), ())
    asked = Tool("node", source=".nvmrc", line="lts")
    fetched = with_node_release(replace(environment, tools=(asked,)))
    assert fetched.setup == (node_command(asked), pnpm)
    assert node_command(asked) != node_command(asked, of_its_day=True)
    assert fetched.evidence == (".nvmrc: node lts, from the registry where the image has another",)


def set_up(box: Sandbox, tool: Tool, *, day: str = "", once: bool = False) -> tuple[int, str]:
    command = node_command(tool, of_its_day=bool(day))
    assert command is not None
    if day:
        box.write("/workspace/package.json", b"{}")
        box.exec(("touch", "-d", day, "package.json"), timeout_seconds=SECONDS)
    bundle = ca_bundle()
    if bundle:
        box.write(CA, bundle)
    variables = {"HOME": "/tmp", "npm_config_cache": "/env/cache"} | ({"NODE_EXTRA_CA_CERTS": CA} if bundle else {})
    if once:  # where nothing can be fetched, npm would ask three times within 70 seconds
        variables["npm_config_fetch_retries"] = "0"
    result = box.exec((*ACTIVATE, *command.argv), timeout_seconds=SECONDS, environment=variables)
    return result.exit_code, result.output.decode()


def said(box: Sandbox, *argv: str) -> str:
    return box.exec((*ACTIVATE, *argv), timeout_seconds=SECONDS).output.decode().strip()


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.long(short="test_an_old_commit_gets_the_line_of_its_day")
def test_another_release_stands_before_the_images_and_npm_still_runs(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, Tool("node", ">=14", ".nvmrc", ">=14,<15"))
        assert code == 0, output
        assert said(box, "node", "--version").startswith("v14.")
        assert "/env/node/node_modules/node-linux-" in said(box, "npm", "config", "get", "nodedir")
        assert "v14." in said(box, "npm", "exec", "--offline", "-c", "node --version")


NPM = """#!/usr/bin/env node
const fs = require("fs"), words = process.argv, place = words[words.indexOf("--prefix") + 1];
if (!words.includes("--prefix")) return console.log(process.version);
const name = words.find((word) => word.startsWith("node-linux-")).split("@")[0];
fs.mkdirSync(`${place}/node_modules/${name}/bin`, { recursive: true });
fs.writeFileSync(`${place}/node_modules/${name}/bin/node`, "#!/bin/sh\\necho v10.24.1\\n", { mode: 0o755 });
"""
"""Tells for which Node it works; what it installs is a Node of release 10."""


@pytest.mark.parametrize(("asked", "told"), [("install", "v10.24.1"), ("run", None)])
def test_npm_installs_for_the_node_that_runs_the_tests(tmp_path: Path, asked: str, told: str | None) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/npm").write_text(NPM)
    (tmp_path / "own/npm").chmod(0o755)
    command = node_command(Tool("node", ">=10", ".nvmrc", ">=10,<11"))
    assert command is not None
    places = {"PATH": f"{tmp_path}/bin:{tmp_path}/own:{os.environ['PATH']}"}
    argv = [word.replace(ENVIRONMENT, str(tmp_path)) for word in command.argv]
    done = subprocess.run(argv, cwd=tmp_path, env=places, check=True, capture_output=True, text=True)
    assert f"{NOTE}the tests' node is v10.24.1, by .nvmrc; the image has v" in done.stdout
    said = subprocess.run(["npm", asked], cwd=tmp_path, env=places, check=True, capture_output=True, text=True).stdout
    images = subprocess.run(["/usr/bin/env", "node", "--version"], check=True, capture_output=True, text=True).stdout
    assert said == (f"{told}\n" if told else images)


@pytest.mark.parametrize(
    ("newest", "low", "day", "line"),
    [
        ("12", "", "2024-06-23", "12"),
        ("11", ">=8", "2026-11-01", "11"),
        ("8", "", "2024-06-23", None),  # runs no tests here
        ("11", ">=12", "2026-11-01", None),
        ("10", "", "2019-06-01", "10"),
        ("12", "", "2021-06-01", "14"),  # the next but one to it
        ("900", "", "2024-06-23", None),
    ],
)
def test_what_was_never_tested_with_so_new_a_node_gets_the_newest_of_its_matrix(
    tmp_path: Path, newest: str, low: str, day: str, line: str | None
) -> None:
    command = node_command(Tool("node", low, newest=newest), of_its_day=True)
    assert command is not None
    (tmp_path / "own").mkdir()
    (tmp_path / "own/npm").write_text('#!/bin/sh\necho "$@"\nexit 1\n')
    (tmp_path / "own/npm").chmod(0o755)
    (tmp_path / "package.json").write_text("{}")
    os.utime(tmp_path / "package.json", (datetime.fromisoformat(day).timestamp(),) * 2)
    places = {"PATH": f"{tmp_path}/own:{os.environ['PATH']}"}
    done = subprocess.run(command.argv, cwd=tmp_path, env=places, check=False, capture_output=True, text=True)
    found = re.search(r"@>=(\d+) <", done.stdout)
    assert (found and found[1]) == line, done.stdout


STARTS_NPM = """
const execpath = process.env.npm_execpath || "npm", {execFileSync} = require("child_process");
const isScript = /[.]c?js$/.test(execpath);
const argv = [...(isScript ? [execpath] : []), "run", "--silent", "version"];
process.stdout.write(execFileSync(isScript ? process.execPath : execpath, argv));
"""
"""As npm-run-all does."""
STARTS_NPM_BY_NODE = STARTS_NPM.replace("/[.]c?js$/.test(execpath)", "true")
"""As it did before its release 4.1.3."""


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_programs_of_an_old_release_can_start_npms_scripts(engine: BubblewrapEngine) -> None:
    scripts = {"all": "node all.js", "version": "node --version", "bin": "npm bin", "own": "$npm_execpath run version"}
    scripts["old"] = "node old.js"
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, Tool("node", ">=12", ".nvmrc", ">=12,<13"))
        assert code == 0, output
        box.write("/workspace/package.json", json.dumps({"scripts": scripts}).encode())
        box.write("/workspace/all.js", STARTS_NPM.encode())
        box.write("/workspace/old.js", STARTS_NPM_BY_NODE.encode())
        for name in ("all", "old", "own"):
            assert said(box, "npm", "run", "--silent", name).splitlines()[-1].startswith("v12.")
        assert said(box, "npm", "run", "--silent", "bin") == "/workspace/node_modules/.bin"
        box.write("/workspace/.npmrc", b"script-shell=./own\n")
        box.write("/workspace/own", b"#!/bin/sh\necho the own shell\n", FileMode.EXECUTABLE)
        assert said(box, "npm", "run", "--silent", "all").endswith("the own shell")


BINDING = {"targets": [{"target_name": "own", "sources": ["own.c"]}]}
OWN_C = b"""#include <node_api.h>
NAPI_MODULE_INIT() { napi_value one; napi_create_int32(env, 1, &one); return one; }
"""


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_native_module_is_compiled_for_a_release_that_does_not_run_npms_compiler(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, Tool("node", ">=12", ".nvmrc", ">=12,<13"))
        assert code == 0, output
        box.write("/workspace/package.json", json.dumps({"name": "own", "version": "1.0.0"}).encode())
        box.write("/workspace/binding.gyp", json.dumps(BINDING).encode())
        box.write("/workspace/own.c", OWN_C)
        built = said(box, "npm", "install", "--offline")
        assert said(box, "node", "-p", "process.version + require('./build/Release/own')").startswith("v12."), built


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize(("tool", "line"), first_of([(Tool("node"), 10), (Tool("node", ">=12.2", "x", ">=12.2"), 12)]))
def test_an_old_commit_gets_the_line_of_its_day(engine: BubblewrapEngine, tool: Tool, line: int) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, tool, day="2019-06-01")
        assert code == 0, output
        assert re.search(rf"{NOTE}the tests' node is v{line}\.[\d.]+, as when the commit was made; the image", output)
        assert said(box, "node", "--version").startswith(f"v{line}.")
        assert said(box, "npm", "--version")


@pytest.mark.bubblewrap
@pytest.mark.registry
def test_a_commit_from_before_all_lines_that_can_be_had_is_told_so(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, Tool("node"), day="2016-11-08")
        assert code == 0, output
        assert re.search(rf"{NOTE}the tests' node is v10\.[\d.]+, the oldest that runs tests here; the image", output)


@pytest.mark.bubblewrap
@pytest.mark.registry
@pytest.mark.parametrize(
    ("line", "day", "expected"),
    first_of(
        [
            ("lts", "2019-06-01", "v10."),
            ("current", "2026-06-01", "v26."),
            ("lts", "2026-08-13", "v24."),
            ("lts", "2025-11-02", "v24."),
        ]
    ),
)
def test_a_line_asked_for_by_name_is_that_of_the_commits_day(
    engine: BubblewrapEngine, line: str, day: str, expected: str
) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True, allowed_hosts=INDEX_HOSTS)) as box:
        code, output = set_up(box, Tool("node", line=line), day=day)
        assert code == 0, output
        assert said(box, "node", "--version").startswith(expected)


@pytest.mark.bubblewrap
def test_a_line_asked_for_by_name_that_cannot_be_had_is_no_failure(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True)) as box:
        code, output = set_up(box, Tool("node", line="lts"), day="2130-01-01", once=True)
    assert (code, f"{NOTE}node >=" in output, "goes on with v" in output) == (0, True, True)


@pytest.mark.parametrize(
    ("tool", "of_its_day", "typed"),
    [
        (Tool("node", ">=8", "x", ">=8"), True, "node of the commit's day, 8 or later"),
        (Tool("node"), True, "node of the commit's day"),
        (Tool("node", ">=8", "x", ">=8"), False, "node@'^8', where the image has another"),
        (Tool("node", ">=10", "x", ">=10,<11"), True, "node@'>=10 <11', where the image has another"),
    ],
)
def test_the_plan_names_no_release_that_the_commits_day_will_tell(tool: Tool, of_its_day: bool, typed: str) -> None:
    assert str(node_command(tool, of_its_day=of_its_day)) == f"npm install {typed}"


@pytest.mark.bubblewrap
@pytest.mark.parametrize("day", ["500 days ago", "now"])
def test_a_commit_of_late_runs_on_what_there_is(engine: BubblewrapEngine, day: str) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True)) as box:
        assert set_up(box, Tool("node"), day=day) == (0, "")
        assert box.exec(("ls", "/env/node"), timeout_seconds=SECONDS).exit_code != 0


@pytest.mark.bubblewrap
def test_what_fits_is_not_fetched(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True)) as box:
        assert set_up(box, Tool("node", ">=4.2", "x", ">=4.2,<1000"))[0] == 0
        assert box.exec(("ls", "/env/node"), timeout_seconds=SECONDS).exit_code != 0


@pytest.mark.bubblewrap
def test_too_old_a_node_is_told_where_no_other_can_be_had(engine: BubblewrapEngine) -> None:
    with engine.start(BoxSpec(DEFAULT_LIMITS, writable_environment=True)) as box:
        code, output = set_up(box, Tool("node", ">=900.1", "package.json engines.node", ">=900.1"), once=True)
    assert code == 1
    (lack,) = missing(output[output.rindex("node ^900.1") :])
    assert lack.startswith("node ^900.1 (package.json engines.node; the sandbox has ")
