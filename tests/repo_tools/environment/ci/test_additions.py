"""What a workflow adds to a plan: versions that it tests with, and what it installs that nothing else tells of."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_tools.environment.ci.additions import with_workflows
from repo_tools.environment.ci.workflows import read_workflows
from repo_tools.environment.contract import Environment, SetupCommand, TestCommand, Tool
from repo_tools.environment.detect import detect
from repo_tools.environment.missing import apt_note
from repo_tools.tree import TreeEntry
from tests.support.files_checkout import FilesCheckout
from tests.support.venvs import bare_venv

CI = ".github/workflows/ci.yml"


def workflow(*steps: str, matrix: str = "") -> str:
    strategy = f"    strategy: {{matrix: {{{matrix}}}}}\n" if matrix else ""
    lines = "\n".join(f"      - {step}" for step in steps)
    return f"jobs:\n  test:\n    runs-on: ubuntu-latest\n{strategy}    steps:\n{lines}\n"


def added_to(environment: Environment, text: str, *files: str) -> Environment:
    checkout = FilesCheckout({CI: text, **dict.fromkeys(files, "")})
    return with_workflows(environment, read_workflows(checkout.tree, checkout.read), checkout.tree)


def python(*setup: str, tools: tuple[Tool, ...] = ()) -> Environment:
    commands = tuple(SetupCommand(tuple(text.split())) for text in setup)
    return Environment("python/9", (), commands, (TestCommand("pytest", ("pytest",)),), (), tools=tools)


def javascript(*tools: Tool) -> Environment:
    return Environment("javascript/9", (), (), (TestCommand("mocha", ("mocha",)),), (), tools=tools)


def pip_words(environment: Environment, before: int = 0) -> list[str]:
    """What each set-up command after the first ones gives uv, or else pip, to install."""
    commands = [(command, *command.otherwise) for command in environment.setup[before:]]
    words = [[" ".join(each.argv) for each in tried] for tried in commands]
    assert all(by_pip.endswith(by_uv.rpartition(" --compile-bytecode ")[2]) for by_uv, by_pip in words)
    return [by_uv.rpartition(" --compile-bytecode ")[2] for by_uv, _ in words]


@pytest.mark.parametrize(
    ("install", "expected"),
    [
        ("pip install -r tests/requirements.txt", ["-r tests/requirements.txt"]),
        ("python -m pip install --requirement=tests/requirements.txt -c pins.txt", ["-r tests/requirements.txt"]),
        ("uv pip install -rtests/requirements.txt", ["-r tests/requirements.txt"]),
        ("pip install -r nowhere.txt", []),
        ("pip install -e '.[test,docs]'", ["-e .[test]"]),
        ("pip install './sub[all]' --upgrade", ["-e ./sub[all]"]),
        ("pip install ./sub ../beside ./docs .", ["-e ./sub"]),
        ("pip install -e sub --editable=packages/a more/sub", ["-e sub", "-e packages/a"]),
        ("pip install packages/a[all,docs] -e 'sub[all]'", ["-e packages/a[all]", "-e sub[all]"]),
        ("pip install -e . -e packages/* dist/*.whl", ["-e packages/a -e packages/b"]),
        ("pip install -e git+https://code.example/shop.git#egg=shop", []),
        ("pip install -U pip wheel tox codecov flake8-bugbear docker-compose", []),
        ("pip install 'pytest-asyncio<1' --index-url https://index.example", ["pytest-asyncio<1"]),
        ("pip install .", []),
        ("pip install --group later --editable .", []),
        ("uv pip install --resolution lowest-direct --extra cli -P click mock", ["mock"]),
        ("pip install nose-1.3.7-py3-none-any.whl shop.tar.gz mock", ["mock"]),
        ("pip install --default-timeout 60 --config-settings=a=b -C c=d mock --progress-bar off", ["mock"]),
    ],
)
def test_what_the_job_installs_for_its_tests_is_installed_too(install: str, expected: list[str]) -> None:
    files = ("tests/requirements.txt", "pins.txt", "sub/setup.py", "packages/a/pyproject.toml", "packages/b/setup.py")
    environment = added_to(python(), workflow(f'run: "{install}"', "run: pytest"), *files, "packages/c/d/setup.py")
    assert pip_words(environment) == expected
    assert all(not command.required for command in environment.setup)
    assert [line.partition(": ")[0] for line in environment.evidence] == [f"{CI}:5"] * len(expected)


def test_a_tree_is_not_gone_through_again_for_each_pattern() -> None:
    class Tree(dict[str, TreeEntry]):
        times = 0

        def __iter__(self) -> Iterator[str]:
            self.times += 1
            return super().__iter__()

    steps = [f"run: pip install none-{number}/*" for number in range(50)]
    checkout = FilesCheckout({CI: workflow(*steps, "run: pytest"), "packages/a/setup.py": ""})
    tree = Tree(checkout.tree)
    with_workflows(python(), read_workflows(checkout.tree, checkout.read), tree)
    assert tree.times < 10


@pytest.mark.parametrize("known", ["pip install -r tests/requirements.txt", "pip install -e .[dev,test] mock"])
def test_what_set_up_installs_already_is_not_installed_again(known: str) -> None:
    step = known.replace(" -e .[dev,test]", " -e '.[test]'")
    environment = added_to(python(known), workflow(f'run: "{step}"', "run: pytest"), "tests/requirements.txt")
    assert pip_words(environment, before=1) == []


def test_what_several_steps_install_is_installed_once() -> None:
    steps = [f'run: "pip install -r tests/requirements.txt mock {more}"' for more in ("-e .[cli]", "-e .[cli,other]")]
    environment = added_to(python(), workflow(*steps, "run: pytest"), "tests/requirements.txt")
    assert pip_words(environment) == ["-r tests/requirements.txt", "mock", "-e .[cli]", "-e .[other]"]
    assert [line.partition(": ")[0] for line in environment.evidence] == [*[f"{CI}:5"] * 3, f"{CI}:6"]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("pytest", "pip install shop-plugin", "shop --version"), []),
        (("pytest", "pip install 'mock<2' six", "pytest tests/old"), []),
        (("pytest tests/unit", "pip install mock", "pytest tests/servers"), ["mock"]),
    ],
)
def test_what_is_installed_after_the_tests_or_for_another_round_of_them_is_not(
    steps: tuple[str, ...], expected: list[str]
) -> None:
    environment = added_to(python(), workflow(*(f'run: "{step}"' for step in steps)))
    assert pip_words(environment) == expected


def test_a_release_of_what_the_repository_makes_itself_is_not_put_in_its_place() -> None:
    text = workflow("run: pip install 'shop<2' odd-shop six more", "run: pytest")
    environment = added_to(python(), text, "shop/__init__.py", "src/odd_shop/__init__.py", "six.py")
    assert pip_words(environment) == ["more"]


def test_a_project_in_a_folder_of_its_own_name_is_not_hidden_by_that_folder(tmp_path: Path) -> None:
    step = "run: pip install './core[test]' ./pool ./plain"
    files = ("core/setup.py", "core/core/__init__.py", "pool/setup.py", "pool/pool/__init__.py", "plain/setup.py")
    *installs, last = added_to(python(), workflow(step, "run: pytest"), *files).setup
    assert [command.argv[-1] for command in installs] == ["./core[test]", "./pool", "./plain"]
    assert last.argv[3:] == ("core", "pool")
    bare_venv(tmp_path / "venv")
    (tmp_path / "core" / "core").mkdir(parents=True)
    (tmp_path / "core" / "core" / "__init__.py").touch()
    interpreter = tmp_path / "venv" / "bin" / "python"
    subprocess.run([interpreter, *last.argv[1:]], cwd=tmp_path, check=True)
    subprocess.run([interpreter, "-c", "import core; assert core.__file__"], cwd=tmp_path, check=True)


def test_another_language_gets_no_python_packages() -> None:
    assert added_to(javascript(), workflow("run: pip install numpy", "run: npm test")) == javascript()


def test_packages_of_the_system_are_named_and_not_installed() -> None:
    text = workflow("run: sudo apt-get install -y libxml2-dev redis-tools", "run: pytest")
    environment = added_to(python(), text)
    assert (environment.system_packages, environment.setup) == (("libxml2-dev", "redis-tools"), ())
    assert environment.evidence == (f"{CI}:2 (job test): libxml2-dev, redis-tools with apt",)
    assert apt_note(environment.system_packages).startswith("Its CI installs libxml2-dev, redis-tools with apt")


def test_the_matrix_narrows_an_interpreter_that_the_project_leaves_open() -> None:
    text = workflow("run: pytest", matrix="python-version: ['3.10', '3.8', pypy-3.9, 3.x]")
    environment = added_to(python(), text)
    assert environment.tools == (Tool("python", "", f"{CI}:2 (job test)", ">=3.8,<3.11"),)
    assert environment.evidence == (f"{CI}:2 (job test): tested with python 3.8, 3.10",)


def test_what_the_project_says_itself_stays_the_source() -> None:
    text = workflow("run: pytest", matrix="python-version: ['3.10']")
    (tool,) = added_to(python(tools=(Tool("python", ">=3.9", "pyproject.toml"),)), text).tools
    assert tool == Tool("python", ">=3.9", "pyproject.toml", ">=3.10,<3.11")


@pytest.mark.parametrize("pinned", [Tool("python", "", ".python-version", "==3.9.*"), Tool("python", "==3.9.*", "x")])
def test_a_pinned_interpreter_is_not_narrowed(pinned: Tool) -> None:
    text = workflow("run: pytest", matrix="python-version: ['3.12']")
    assert added_to(python(tools=(pinned,)), text).tools == (pinned,)


@pytest.mark.parametrize(
    ("classifiers", "preferred"),
    [(">=3.7,<=3.8.999", ">=3.11,<3.14"), (">=3.7,<=3.11.999", ">=3.7,<=3.11.999"), ("<=3.12.999", "<=3.12.999")],
)
def test_classifiers_that_know_nothing_of_what_is_tested_were_forgotten(classifiers: str, preferred: str) -> None:
    text = workflow("run: pytest", matrix="python-version: ['3.11', '3.12', '3.13']")
    (tool,) = added_to(python(tools=(Tool("python", ">=3.7", "setup.py", classifiers),)), text).tools
    assert tool.preferred == preferred


@pytest.mark.parametrize(
    ("named", "line"),
    [("lts/*", "lts"), ("lts/-1", "lts"), ("latest", "current"), ("node", "current"), ("'lts/*', current", "lts")],
)
def test_a_node_that_the_job_asks_for_by_name_is_that_of_the_day(named: str, line: str) -> None:
    text = workflow("run: npm test", matrix=f"node: [{named}]")
    environment = added_to(javascript(Tool("node", ">=18", "package.json engines.node", ">=18")), text)
    assert environment.tools == (Tool("node", ">=18", "package.json engines.node", ">=18", line),)
    assert environment.evidence == (f"{CI}:2 (job test): tested with node {line}",)
    assert added_to(javascript(Tool("node", source=".nvmrc", line="lts")), text).tools[0].line == "lts"
    pinned = Tool("node", ">=18", ".nvmrc", ">=18,<19")
    assert added_to(javascript(pinned), text).tools == (pinned,)


@pytest.mark.parametrize(("nodes", "preferred"), [("22", ">=22"), ("20, 22", ">=20"), ("16, 22", ""), ("14", "")])
def test_a_file_that_pins_an_older_node_than_all_that_are_tested_was_forgotten(nodes: str, preferred: str) -> None:
    pinned = Tool("node", ">=18", ".nvmrc", ">=18,<19")
    (tool,) = added_to(javascript(pinned), workflow("run: npm test", matrix=f"node: [{nodes}]")).tools
    assert (tool.preferred, tool.source) == ((preferred, f"{CI}:2 (job test)") if preferred else (">=18,<19", ".nvmrc"))


@pytest.mark.parametrize(("nodes", "by_job"), [("20, 24", True), ("18, 20", False), ("16, 20", False)])
def test_the_source_of_a_node_is_who_asks_for_the_newest(nodes: str, by_job: bool) -> None:
    known = Tool("node", ">=18.2", "package.json engines.node", ">=18.2")
    (tool,) = added_to(javascript(known), workflow("run: npm test", matrix=f"node: [{nodes}]")).tools
    told = (">=20", f"{CI}:2 (job test)") if by_job else (">=18.2", "package.json engines.node")
    assert (tool.versions, tool.preferred, tool.source) == (">=18.2", *told)


def test_a_name_of_a_line_with_long_support_is_its_number() -> None:
    text = workflow("run: npm test", matrix="node: [lts/iron, lts/Jod, node]")
    (tool,) = added_to(javascript(Tool("node")), text).tools
    assert (tool.preferred, tool.line) == (">=20", "")


def test_a_newer_node_than_any_of_the_matrix_will_do() -> None:
    text = workflow("run: npm test", matrix="node: [20, 22.x, lts/*]")
    (tool,) = added_to(javascript(Tool("node", ">=18", "package.json engines.node", ">=18")), text).tools
    assert tool == Tool("node", ">=18", f"{CI}:2 (job test)", ">=20")


@pytest.mark.parametrize(
    ("asked", "nodes", "newest"),
    [
        (Tool("node"), "8, 10.x, 12", "12"),
        (Tool("node", ">=8", "package.json engines.node", ">=8"), "8, 12.4.0", "12"),
        (Tool("node"), "8, 12, latest", ""),
        (Tool("node", source=".nvmrc", line="lts"), "8, 12", ""),
        (Tool("node", ">=8", "package.json engines.node", ">=8,<11"), "8, 12", ""),
    ],
)
def test_the_newest_node_of_the_matrix_is_known(asked: Tool, nodes: str, newest: str) -> None:
    text = workflow("run: npm test", matrix=f"node: [{nodes}]")
    (tool,) = added_to(javascript(asked), text).tools
    assert tool.newest == newest


def test_the_newest_node_is_that_of_all_jobs() -> None:
    text = workflow("run: npm test", matrix="node: [8, 12]")
    setup = "uses: actions/setup-node@v4\n        with: {node-version: 18}"
    other = workflow(setup, "run: npm test").removeprefix("jobs:\n").replace("test:", "next:", 1)
    (tool,) = added_to(javascript(Tool("node")), f"{text}{other}").tools
    assert (tool.preferred, tool.newest) == (">=8", "18")


def test_the_newest_node_is_no_matter_of_a_file_that_was_left_behind() -> None:
    checkout = FilesCheckout(
        {".circleci/config.yml": "jobs: {a: {docker: [{image: 'node:12'}], steps: [{run: npm test}]}}\n"}
    )
    (tool,) = with_workflows(javascript(Tool("node")), read_workflows(checkout.tree, checkout.read)).tools
    assert (tool.preferred, tool.newest) == (">=12", "")


def test_detection_hands_the_workflow_the_tree() -> None:
    text = workflow("run: pip install -r ci/more.txt", "run: pytest")
    checkout = FilesCheckout({CI: text, "ci/more.txt": "six\n", "a.py": "", "test_a.py": "import a\n"})
    environment = detect(checkout.tree, checkout.read)
    assert environment.setup[-1].argv[-2:] == ("-r", "ci/more.txt")


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("timescale/timescaledb:2.17.2-pg16", "16"),
        ("pgvector/pgvector:pg17", "17"),
        ("pgvector/pgvector:0.8.0-pg16@sha256:" + "0" * 64, "16"),
        ("registry.example.org:5000/library/postgres:15.4-alpine", "15.4"),
        ("postgres:latest", ""),
    ],
)
def test_the_version_of_an_image_is_that_of_its_server(image: str, version: str) -> None:
    text = workflow("run: pytest").replace("    steps:", f"    services: {{db: {{image: '{image}'}}}}\n    steps:")
    assert [(s.kind, s.version) for s in added_to(python(), text).services] == [("postgresql", version)]


def test_an_image_with_more_than_the_server_is_told_from_the_plain_server() -> None:
    text = workflow("run: pytest").replace(
        "    steps:", "    services: {db: {image: 'postgis/postgis:16-3.4'}, cache: {image: 'redis:7'}}\n    steps:"
    )
    environment = added_to(python(), text)
    assert [service.richer for service in environment.services] == ["postgis/postgis:16-3.4", ""]
    assert environment.evidence == (
        f"{CI}:4: service postgresql 16, plain, instead of postgis/postgis:16-3.4",
        f"{CI}:4: service redis 7",
    )


@pytest.mark.parametrize(
    ("service", "told"),
    [
        ("{image: '${{ inputs.image }}'}", "runs without its service ${{ inputs.image }}, of no kind known here"),
        ("{image: 'postgres:${{ inputs.version }}'}", ":4: service postgresql"),
        ("{image: 'postgres:16', ports: ['80:5432']}", ":4: runs without its service postgresql: "),
    ],
)
def test_a_service_that_only_a_run_of_the_workflow_would_know_or_that_cannot_stand_here_is_told(
    service: str, told: str
) -> None:
    text = workflow("run: pytest").replace("    steps:", f"    services: {{db: {service}}}\n    steps:")
    (line,) = added_to(python(), text).evidence
    assert told in line


@pytest.mark.parametrize("image", ["''", "'${{ matrix.image }}'"])
def test_a_service_whose_image_is_empty_is_none(image: str) -> None:
    services = f"    strategy: {{matrix: {{image: ['']}}}}\n    services: {{db: {{image: {image}}}}}\n    steps:"
    assert added_to(python(), workflow("run: pytest").replace("    steps:", services)).services == ()


def test_a_service_of_no_kind_that_is_known_is_told() -> None:
    text = workflow("run: pytest").replace(
        "    steps:", "    services: {search: {image: 'elasticsearch:8.1'}}\n    steps:"
    )
    (told,) = [line for line in added_to(python(), text).evidence if "elasticsearch" in line]
    assert told.endswith("runs without its service elasticsearch:8.1, of no kind known here")


def test_services_that_only_an_expression_knows_are_told() -> None:
    text = workflow("run: pytest").replace("    steps:", "    services: ${{ fromJSON(inputs.all) }}\n    steps:")
    (told,) = added_to(python(), text).evidence
    assert "runs without its service ${{ fromJSON(inputs.all) }}" in told


def test_modes_of_python_that_a_job_tries_are_not_taken() -> None:
    env = "env: {PYTHON_GIL: 0, PYTHON_JIT: 1, PYTHONOPTIMIZE: 2, PYTHONUTF8: 1}"
    environment = added_to(python(), workflow(f"{{run: pytest, {env}}}"))
    assert environment.test_variables == {"PYTHONUTF8": "1"}
