"""Manifests that nobody writes by hand: to read them ends, takes little, and breaks nothing."""

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import count

import pytest

from repo_tools.changes import FileMode, Tree, TreeEntry
from repo_tools.environment.contract import NoTestsError
from repo_tools.environment.detect import detect
from repo_tools.environment.reading import bounded
from tests.support.long import first_of

LONG = "9" * 5_000
BLANKS = " " * 40_000
TESTS = {"tests/test_a.py": "def test():\n    pass\n"}
RUST = {"Cargo.toml": "[package]", "src/lib.rs": "#[test]"}
SCRIPTS = {"test/a.test.js": "test('a', () => {})\n"}
ALTERNATIVES = " || ".join(["(cd a && tsc)"] * 200)
MOST_SECONDS = 5.0
"""Of processor time: ordinary ones take a hundredth of it. Without their bounds those below take many times as much."""


def detected(files: Mapping[str, str], submodules: tuple[str, ...] = ()) -> float:
    """Processor seconds that it took, whatever came of it."""
    tree: Tree = {path: TreeEntry(FileMode.REGULAR, "0" * 40) for path in files}
    tree = {**tree, **{path: TreeEntry(FileMode.SUBMODULE, "0" * 40) for path in submodules}}
    started = time.process_time()
    with suppress(NoTestsError):
        detect(tree, lambda path: files[path].encode())
    return time.process_time() - started


def workflow(*lines: str, jobs: int = 1, condition: str = "true") -> dict[str, str]:
    steps = "".join(f"      - run: {line}\n" for line in lines)
    text = "".join(f"  j{n}:\n    runs-on: ubuntu-latest\n    steps:\n{steps}" for n in range(jobs))
    return {".github/workflows/ci.yml": f"jobs:\n{text}"}


def package(**content: str) -> dict[str, str]:
    inner = ", ".join(f'"{key}": {value}' for key, value in content.items())
    return {"package.json": f"{{{inner}}}"}


def rake(text: str) -> dict[str, str]:
    named = {f"test/{'a' * 150}{n}_test.rb": "" for n in range(300)}
    return {**named, "Rakefile": f"Rake::TestTask.new do |t|\n{text}\nend\n"}


def tox(text: str) -> dict[str, str]:
    return {**TESTS, "tox.ini": text}


FILTERS = " ".join(f"--filter=...m{n}..." for n in range(240))
USED = ", ".join(f'"m{n}": "1"' for n in range(200))
LISTS = {**TESTS, "setup.py": "", **{f"requirements/{n}.txt": "six\n-f wheels\n" for n in range(900)}}
MEMBERS = {
    **package(
        scripts=f'{{"test": "turbo run test {FILTERS}"}}', workspaces='["m/*"]', devDependencies='{"turbo": "1"}'
    ),
    **{
        f"m/m{n}/package.json": f'{{"name": "m{n}", "scripts": {{"test": "jest"}}, "dependencies": {{{USED}}}}}'
        for n in range(200)
    },
    **{f"m/m{n}/a.test.js": "test('a', () => {})" for n in range(200)},
}
LONG_WORDS = {f"m/m{n}/package.json": f'{{"name": "m{n}", "a": "{"." * 290_000}"}}' for n in range(12)}
ALIKE = "pnpm run /.*.*.*x/"
LONG_RUN = "&long |\n          " + "\n          ".join(["pytest tests && pip install a; b=c"] * 199)
SAME_RUN = workflow("pytest", LONG_RUN, *["*long"] * 99, jobs=1)
OTHERS = "".join(f"  k{n}:\n    runs-on: ubuntu-latest\n    steps: *steps\n" for n in range(49))
SAME_STEPS = {path: text.replace("steps:", "steps: &steps", 1) + OTHERS for path, text in SAME_RUN.items()}
LONG_STEPS = "".join(workflow(*["echo;" * 190] * 90, *["a=1;" * 240] * 90).values())
OWN_ACTION = {
    "own/action.yml": "runs:\n  using: composite\n  steps:\n" + f"    - run: {'pytest;' * 140}\n" * 49,
    ".github/workflows/ci.yml": "jobs:\n"
    + "".join(
        f"  j{n}:\n    runs-on: ubuntu-latest\n    steps: [{{uses: ./own}}, {{uses: ./own}}]\n" for n in range(50)
    ),
}
WRAPPED = "".join(workflow(*["npx c8 nyc cross-env a=b " * 39] * 100).values())
GRUNT = package(scripts='{"test": "grunt"}', devDependencies='{"grunt": "1", "mocha": "1"}')
ALIAS = "registerTask('default', [" + ", ".join(f"'mochaTest:t{n}'" for n in range(90)) + "])\n"
GRUNTFILES = (
    ALIAS + "mochaTest: {\n" * 7_000,
    ALIAS + "mochaTest: {\n" + "".join(f"t{n}: {{" for n in range(90)) + "{" * 90_000,
    "registerTask('default', [" * 3_900,
    *("registerTask('default', 'nodeunit')\n nodeunit: {\n" + text for text in ("a-" * 49_000, "a" + " " * 99_000)),
)
BUILT = package(scripts='{"test": "mocha", "build": "tsc"}', main='"index.js"')
LOADS = ("require('" * 20_000, "from './" + "a" * 99_000, " " * 99_000, "require('./a')" * 7_000)
EMBEDS = "".join(f"//go:embed a/*{n}.js\n" for n in range(3_000))
TOO_LONG = "#" * 300_000 + "\n" + "a;\n" * 5_000_000
"""A file of an ordinary size is read; of any other only the beginning."""
EACH_OTHER = {
    f"requirements/{n}-test.txt": "".join(f"-r {m}-test.txt\n" for m in range(17) if m != n) for n in range(17)
}


EACH = ", ".join(f"'p{n}'" for n in range(400))
REQUIRING = {f"p{n}/setup.py": f"needed = [{EACH}]\nsetup(name='p{n}', install_requires=needed)\n" for n in range(400)}
BUSY_SETUPS = {f"p{n}/setup.py": "needed = [a.b(1), 'c']\n" * 150 + "setup(name='a')\n" for n in range(400)}

TAKEN = f"e = {{{'0: 0, ' * 6_000}}}\nsetup(tests_require=[{'e[1], ' * 10_000}])\n"
BESIDE = {"b/setup.py": "setup(name='b')\n", "a/test_a.py": ""}
NESTED = "n.append([" * 90 + "'c'," * 25_000 + "])" * 90
NESTED_LISTS = {"a/setup.py": f"{NESTED}\nsetup(name='a', install_requires=n)\n"}
MARKERS = "".join(f"b;os_name=='{n}'\n" for n in range(8_000))


@pytest.mark.parametrize(
    "files",
    first_of(
        [
            {**TESTS, "requirements.txt": f"pytest{BLANKS}x\n"},
            {**TESTS, "requirements.txt": f"x{BLANKS}x\n"},
            {**TESTS, **EACH_OTHER},
            {**TESTS, **workflow("${{" + " " * 50_000, "${{ " * 10_000, "pytest")},
            {"a.sh": "#!/bin/sh\n" + "sh a.sh\n" * 200, **workflow("sh a.sh", "pytest")},
            {"Makefile": "test:\n" + f"\tmake test {'-k ' * 75}\n" * 190, **workflow("make test")},
            SAME_STEPS,
            OWN_ACTION,
            {f".github/workflows/{n}.yml": LONG_STEPS for n in range(10)},
            tox("[a]\nb = " + "x" * 200_000 + "\n[testenv]\n" + "deps = " + "{[a]b}" * 30_000 + "\n"),
            tox("[testenv]\ndeps =\n" + "".join(f"  {'{a,b}' * 12}x{n}: y\n" for n in range(3_000))),
            tox(
                "[tox]\nenvlist =\n" + "".join(f"  {'{a,b}' * 12}x{n}\n" for n in range(3_000)) + "[testenv]\ndeps=x\n"
            ),
            {**SCRIPTS, **package(workspaces=f'["{"**/" * 12}x"]'), "a/" * 40 + "package.json": "{}"},
            {**SCRIPTS, **package(workspaces=f'["{"*a" * 12}x"]'), f"{'a' * 200}/package.json": "{}"},
            {
                **SCRIPTS,
                **package(
                    scripts=f'{{"test": "{" && ".join([ALIKE] * 20)}", '
                    + ", ".join(f'"{"ab" * 45}{n}": "echo"' for n in range(400))
                    + "}"
                ),
            },
            {
                **workflow("docker compose up -d", "pytest"),
                "compose.yml": "services:\n  a:\n    image: " + "${a-" * 20_000,
            },
            {"build.gradle": f"sourceCompatibility{BLANKS}x", "src/test/java/A.java": "class A {}"},
            {"go.work": "use (\n" * 20_000, "a_test.go": "package a"},
            {"pom.xml": "<source>${a}</source>" * 40_000, "src/test/java/ATest.java": "class ATest {}"},
            {**SCRIPTS, ".npmrc": "\n" * 200_000},
            {
                **SCRIPTS,
                **package(scripts='{"test": "mocha"}', workspaces='["m/*"]'),
                "pnpm-lock.yaml": "\n" * 1_000_000,
            },
            {**SCRIPTS, **package(scripts=f'{{"test": "mocha {"$(find a " * 400}"}}')},
            {**SCRIPTS, **package(scripts=f'{{"test": "mocha {"2>&1 " * 700}> "}}')},
            {f".github/workflows/{n}.yml": WRAPPED for n in range(10)},
            *({**SCRIPTS, **GRUNT, "Gruntfile.js": text} for text in GRUNTFILES),
            {**LONG_WORDS, **SCRIPTS, **package(scripts='{"test": "mocha"}', workspaces='["m/*"]'), "a.patch": ""},
            rake("  t.pattern = " + "[" * 40_000 + "\n" + "  t.libs << '" * 9_000),
            rake("  t.pattern = '" + "{a,b}" * 200 + "**/*" * 300 + ".rb'\n" * 30),
            {**TESTS, "test/a_test.rb": "", "Rakefile": f"Rake::TestTask.new{BLANKS}x\n"},
            rake("".join(f"  t.pattern = '{'*a' * 300}.rb'\n" for _ in range(30))),
            {
                "Gemfile": "ruby " + "'>= 1', " * 20_000,
                "spec/a_spec.rb": "",
                "a.gemspec": f"required_ruby_version{BLANKS}",
            },
            {f"{'a/' * 20}g{n}/g.gemspec": "" for n in range(3_000)} | {"Gemfile": "", "spec/a_spec.rb": ""},
            {**RUST, **workflow(*["cargo test " + "--features a " * 70] * 90)},
            {"go.mod": "", "a_test.go": "", **workflow(*["go test -tags " + "integration" * 80 + " ./..."] * 90)},
            {"go.mod": "", "a_test.go": EMBEDS, **{f"a/{n}.js": "" for n in range(3_000)}},
            *({**SCRIPTS, **BUILT, "index.js": text} for text in LOADS),
            *(
                {**TESTS, path: TOO_LONG}
                for path in ("setup.py", "noxfile.py", "requirements.txt", "tox.ini", "Pipfile")
            ),
            {**TESTS, "pyproject.toml": "a." * 140_000},
            {**REQUIRING, "p7/test_a.py": ""},
            {**BUSY_SETUPS, "p0/test_a.py": ""},
            {**BESIDE, **NESTED_LISTS},
            {**BESIDE, "a/setup.py": "setup(name='a')", "a/requirements.txt": MARKERS},
            {**LISTS, **{f"a/b/c/d/m{n}.py": "" for n in range(12_000)}},
            {
                **SCRIPTS,
                **package(scripts=json.dumps({"test": "npm run a0", **{f"a{n}": ALTERNATIVES for n in range(200)}})),
            },
        ],
        always=20,
    ),
    ids=count(),
)
def test_detection_takes_little(files: Mapping[str, str]) -> None:
    assert detected(files) < MOST_SECONDS


@pytest.mark.parametrize(
    "files",
    [
        tox("[testenv]\ndeps\n  more\n"),
        {**TESTS, "setup.cfg": "[options]\nname\n  more\n"},
        {**TESTS, "pyproject.toml": f"a = {LONG}"},
        {**TESTS, "pyproject.toml": "a = " + "[" * 2_000 + "]" * 2_000},
        {**TESTS, "pyproject.toml": f'[tool.poetry.group.dev.dependencies]\nx = "^{LONG}"\n'},
        {**TESTS, "pyproject.toml": '[tool.poetry.group.dev.dependencies]\nx = {version = "1", extras = [1]}\n'},
        {**TESTS, "pyproject.toml": '[tool.poetry.group.dev.dependencies]\nx = {version = "1", extras = 5}\n'},
        {**TESTS, "pyproject.toml": f'[tool.poetry.dependencies]\npython = "^{LONG}"\n'},
        {**TESTS, "pyproject.toml": '[dependency-groups]\ndev = ["a"]\n[tool.uv]\ndefault-groups = [["x"]]\n'},
        {**TESTS, "setup.py": 'setup(extras_require={1: ["a"]})'},
        {**TESTS, "setup.py": "e = {}\n" + "".join(f"e[{n}] = []\n" for n in range(14_000))},
        {**TESTS, "setup.py": TAKEN},
        {
            **TESTS,
            "setup.py": "setup(extras_require={None: []})",
            "tox.ini": "[testenv]\nextras = *\ncommands = pytest",
        },
        {**TESTS, "setup.py": f'"Programming Language :: Python :: 3.{LONG}"'},
        {**TESTS, "setup.py": "x = " + "/".join(['"a"'] * 995)},
        {**TESTS, "setup.py": "x = " + "-" * 90_000 + "1\n"},
        {**TESTS, "noxfile.py": "x = " + "-" * 90_000 + "1\n"},
        {"tests/test_a.py": "if " + "+".join(["a"] * 990) + ": pass\ndef test(): pass\n"},
        {"tests/test_a.py": "@f(" + "+".join(["a"] * 990) + ")\ndef test(): pass\n"},
        {**TESTS, "pytest.ini": "[pytest]\npython_files = . /\n", "a/setup.py": "", "b/setup.py": ""},
        tox("[testenv]\ncommands = python " + "-m coverage run " * 1_200 + "-m unittest\n"),
        {**SCRIPTS, **package(scripts='{"test": "borp -p"}', devDependencies='{"borp": "1"}')},
        {**SCRIPTS, **package(scripts='{"test": "jest"}', engines='{"node": "1 - ."}')},
        {**SCRIPTS, **package(scripts='{"test": "jest"}', engines=f'{{"node": "{LONG} - {LONG}"}}')},
        {**SCRIPTS, **package(scripts='{"test": "jest"}'), ".nvmrc": LONG},
        {**SCRIPTS, **package(scripts='{"test": "tsdx test"}', devDependencies=f'{{"tsdx": "{LONG}"}}')},
        {**SCRIPTS, **package(scripts='{"test": "jest"}'), "yarn.lock": f"__metadata:\n  version: {LONG}\n"},
        {**SCRIPTS, **package(devDependencies='{"jest": "1"}'), "package-lock.json": '{"lockfileVersion": 1e999}'},
        {**RUST, "rust-toolchain.toml": "toolchain = 1"},
        {**RUST, "rust-toolchain.toml": "[toolchain]\nchannel = [1]"},
        {**RUST, "rust-toolchain": LONG},
        {"Gemfile": f"ruby '{LONG}'", "spec/a_spec.rb": "", ".ruby-version": f"{LONG}.{LONG}"},
        {**TESTS, "pyproject.toml": '"@".' * 20_000 + "x=1"},
        MEMBERS,
    ],
    ids=count(),
)
def test_nothing_breaks_detection(files: Mapping[str, str]) -> None:
    assert detected(files) < MOST_SECONDS


@pytest.mark.parametrize(
    ("files", "submodule"),
    [
        ({**package(scripts='{"test": "node test.js"}')}, "test.js"),
        ({**package(devDependencies='{"tape": "5"}')}, "test/lib/qunit.js"),
        ({"Cargo.toml": "[package]\n"}, "libs/foo.rs"),
        ({"CMakeLists.txt": "project(a)\nenable_testing()\nadd_test(a a)\n"}, "cmake/cpm.cmake"),
        ({".travis.yml": "go_import_path: a.b/c\n", "a_test.go": "package c"}, "x/foo.go"),
    ],
)
def test_a_submodule_that_is_called_like_a_source_is_none(files: Mapping[str, str], submodule: str) -> None:
    assert detected(files, (submodule,)) < MOST_SECONDS


@pytest.mark.parametrize(
    ("lock", "is_whole"),
    [("yarn.lock", True), ("a/block.js", False), ("requirements/test-lock.txt", False), ("setup.py", False)],
)
def test_lock_files_alone_are_read_beyond_what_a_person_writes(lock: str, is_whole: bool) -> None:
    files = {lock: "#" * 400_000, **SCRIPTS, **package(scripts='{"test": "jest"}')}
    read = bounded(lambda path: files[path].encode())
    assert len(read(lock)) == (400_000 if is_whole else 300_001)


def test_the_end_of_a_long_lock_file_counts() -> None:
    lock = "#" * 400_000 + "\n__metadata:\n  version: 6\n"
    files = {"yarn.lock": lock, **SCRIPTS, **package(scripts='{"test": "jest"}', devDependencies='{"jest": "29"}')}
    tree: Tree = {path: TreeEntry(FileMode.REGULAR, "0" * 40) for path in files}
    plan = detect(tree, lambda path: files[path].encode())
    assert any("--immutable" in " ".join(command.argv) for command in plan.setup)
